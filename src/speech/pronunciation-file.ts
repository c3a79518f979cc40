import { z } from "zod";
import { type CsvRow, readCsv, writeCsv } from "../api/input/csv-file.ts";
import { inputErrors } from "../api/input/input-errors.ts";
import { type InputIssue, InvalidInput } from "../base/errors.ts";

const MatchType = z.enum(["exact", "substring"]).meta({ id: "MatchType" });
const MATCH_OPTIONS = ["case_sensitive", "first_only"] as const;

/** How one word or phrase is spoken. Empty languages, provider and voice mean all of them. */
export const PronunciationOverride = z
  .object({
    text: z.string(),
    replacement: z.string(),
    languages: z.array(z.string()),
    provider: z.string(),
    voice: z.string(),
    match_type: MatchType.describe("`exact`: whole words; `substring`: anywhere."),
    match_options: z.array(z.string()).describe(`Of ${MATCH_OPTIONS.join(" and ")}.`),
    enabled: z.boolean(),
    notes: z.string(),
  })
  .meta({ id: "PronunciationOverride" });
export type PronunciationOverride = z.infer<typeof PronunciationOverride>;

/** The file's columns are the fields; cells of lists hold entries separated by `|`. */
const COLUMNS = [
  "text",
  "replacement",
  "languages",
  "provider",
  "voice",
  "match_type",
  "match_options",
  "enabled",
  "notes",
] as const satisfies (keyof PronunciationOverride)[];
type Column = (typeof COLUMNS)[number];

const entries = (cell: string): string[] =>
  cell
    .split("|")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

const listCell = <T extends z.ZodType<string>>(entry: T) => z.preprocess(entries as never, z.array(entry));

const BOOLEANS: Record<string, boolean> = { "": true, true: true, false: false };

const Row: z.ZodType<PronunciationOverride> = z.object({
  text: z.string().min(1),
  replacement: z.string().min(1),
  languages: listCell(z.string().regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/)),
  provider: z.string().trim(),
  voice: z.string().trim(),
  match_type: z.preprocess((cell) => String(cell).trim() || "exact", MatchType),
  match_options: listCell(z.enum(MATCH_OPTIONS)),
  enabled: z.preprocess((cell) => BOOLEANS[String(cell).trim().toLowerCase()] ?? cell, z.boolean()),
  notes: z.string(),
});

/** More of them help nobody. */
const MAX_ISSUES = 100;

/** The overrides in the order of the file, or every row and column that is wrong. */
export function readPronunciations(bytes: Buffer): PronunciationOverride[] {
  const overrides: PronunciationOverride[] = [];
  const issues: InputIssue[] = [];
  for (const row of readCsv(bytes, { columns: COLUMNS, required: ["text", "replacement"] })) {
    const result = Row.safeParse(row.cells);
    if (result.success) overrides.push(result.data);
    else issues.push(...issuesOf(row, result.error.issues));
    if (issues.length >= MAX_ISSUES) break;
  }
  if (issues.length > 0) throw new InvalidInput(issues);
  return overrides;
}

const issuesOf = ({ row, cells }: CsvRow<Column>, issues: z.core.$ZodIssue[]): InputIssue[] =>
  inputErrors("file", issues, cells).issues.map(({ loc: [file, column], ...issue }) => ({
    loc: [file as string, row, column as string],
    ...issue,
  }));

export const writePronunciations = (overrides: readonly PronunciationOverride[]): string =>
  writeCsv(
    COLUMNS,
    overrides.map((override) => ({
      ...override,
      languages: override.languages.join("|"),
      match_options: override.match_options.join("|"),
      enabled: String(override.enabled),
    })),
  );
