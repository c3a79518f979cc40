import { z } from "zod";
import { parseJsonBody } from "../api/body.ts";
import { type CsvRow, readCsv } from "../api/csv-file.ts";
import { inputErrors } from "../api/input-errors.ts";
import { Fault, type InputIssue, InvalidInput } from "../base/errors.ts";
import { type DirectoryRule, ruleIssues } from "./directory-rules.ts";
import { DirectoryMemberCreate, type DirectoryMemberInput, directoryNumber } from "./directory-schema.ts";

/**
 * The members of an uploaded file: a JSON list as the download gives it, or a CSV table with a row a number. Rows of one
 * name and type are one member, those of one extension or number one of these; a row's days, times and language are one
 * more rule of its number. Nothing is taken from a file that is wrong anywhere.
 */
export function readDirectoryFile(bytes: Buffer): DirectoryMemberInput[] {
  try {
    return isJson(bytes) ? readJson(bytes) : readTable(bytes);
  } catch (error) {
    if (error instanceof InvalidInput) throw refusal(error.issues);
    throw error;
  }
}

const isJson = (bytes: Buffer): boolean => /^\uFEFF?\s*[[{]/.test(bytes.toString("utf8", 0, 64));

function readJson(bytes: Buffer): DirectoryMemberInput[] {
  const value = parseJsonBody(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  const { data, error } = z.array(DirectoryMemberCreate).safeParse(value);
  if (error) throw inputErrors("file", error.issues, value);
  const seen = new Set<string>();
  for (const [index, member] of data.entries()) {
    const key = keyOf(member);
    if (seen.has(key)) {
      throw new InvalidInput([
        { loc: ["file", index], msg: `There is another "${member.name}" of type "${member.type}"`, type: "value_error" },
      ]);
    }
    seen.add(key);
  }
  return data;
}

const RULE_COLUMNS = ["language", "days", "start_time", "end_time"] as const;
const COLUMNS = ["name", "type", "extension", "number", ...RULE_COLUMNS, "tags"] as const;
type Row = CsvRow<(typeof COLUMNS)[number]>;

function readTable(bytes: Buffer): DirectoryMemberInput[] {
  const rows = readCsv(bytes, { columns: COLUMNS, required: ["name", "type"] });
  const issues = rows.flatMap(rowIssues);
  if (issues.length > 0) throw new InvalidInput(issues);

  const members = new Map<string, Member>();
  for (const row of rows) addRow(members, row);
  return [...members.values()];
}

const Cells = z.object({
  name: DirectoryMemberCreate.shape.name,
  type: DirectoryMemberCreate.shape.type,
  number: z.union([z.literal(""), directoryNumber()]),
  tags: z.string().refine((text) => readTags(text) !== null, {
    error: "Input should be tags and their values, such as department:billing|vip:yes",
  }),
});

function rowIssues({ row, cells }: Row): InputIssue[] {
  const result = Cells.safeParse(cells);
  const issues = [...(result.error?.issues ?? []), ...ruleIssues(ruleOf(cells))];
  return inputErrors("file", issues, cells).issues.map(({ loc: [file, column], ...issue }) => ({
    loc: [file as string, row, column as string],
    ...issue,
  }));
}

const ruleOf = (cells: Row["cells"]): DirectoryRule =>
  Object.fromEntries(RULE_COLUMNS.map((column) => [column, cells[column].trim()]).filter(([, text]) => text));

type Member = DirectoryMemberInput & {
  extensions: { name: string; numbers: { number: string; rules: Record<string, string>[] }[] }[];
  contact_tags: Record<string, string[]>;
};

function addRow(members: Map<string, Member>, { cells }: Row): void {
  const { name, type } = cells;
  const member = members.get(keyOf(cells)) ?? { name, type, extensions: [], contact_tags: {} };
  members.set(keyOf(cells), member);
  for (const [tag, values] of readTags(cells.tags) ?? []) {
    member.contact_tags[tag] = [...new Set([...(member.contact_tags[tag] ?? []), ...values])];
  }
  if (cells.number === "") return;
  const extensionName = cells.extension.trim() || "work";
  const extension = findOrAdd(member.extensions, ({ name }) => name === extensionName, {
    name: extensionName,
    numbers: [],
  });
  const number = findOrAdd(extension.numbers, (known) => known.number === cells.number, {
    number: cells.number,
    rules: [],
  });
  // A row without days, times and language says "always": a rule that asks for nothing.
  number.rules.push({ ...ruleOf(cells) });
}

function findOrAdd<T>(items: T[], is: (item: T) => boolean, fresh: T): T {
  const found = items.find(is);
  if (found === undefined) items.push(fresh);
  return found ?? fresh;
}

function readTags(text: string): Map<string, string[]> | null {
  const tags = new Map<string, string[]>();
  for (const part of text.split("|")) {
    if (part.trim() === "") continue;
    const [, tag, value] = /^\s*([^:]*[^:\s])\s*:\s*(.*\S)\s*$/.exec(part) ?? [];
    if (tag === undefined || value === undefined) return null;
    tags.set(tag, [...(tags.get(tag) ?? []), value]);
  }
  return tags;
}

const keyOf = ({ name, type }: { name: string; type: string }): string => JSON.stringify([name, type]);

/** More of them help nobody. */
const MAX_TOLD = 20;

/** The public API answers a file that is wrong with 400 and a sentence. */
function refusal(issues: InputIssue[]): Fault {
  const told = issues.slice(0, MAX_TOLD).map(({ loc: [, ...at], msg }) => `${placeOf(at)}: ${msg}`);
  const more = issues.length > told.length ? [`and ${issues.length - told.length} more`] : [];
  return new Fault("refused", `Nothing was stored. ${[...told, ...more].join("; ")}.`);
}
