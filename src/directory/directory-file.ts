import { z } from "zod";
import { parseJsonBody } from "../api/input/body.ts";
import { type CsvRow, readCsv, utf8 } from "../api/input/csv-file.ts";
import { inputErrors } from "../api/input/input-errors.ts";
import { parseInput } from "../api/input/parse-input.ts";
import { Fault, type InputIssue, InvalidInput, invalid } from "../base/errors.ts";
import { type DirectoryRule, ruleIssues } from "./directory-rules.ts";
import { DirectoryMemberCreate, type DirectoryMemberInput, directoryNumber } from "./directory-schema.ts";

/**
 * The members of an uploaded file: a JSON list as the download gives it, or a CSV table with a row a number. Rows of one
 * name and type are one member, and those of one extension and number one number, with a rule from each row. Nothing is
 * taken from a file that is wrong anywhere.
 */
export function readDirectoryFile(bytes: Buffer): DirectoryMemberInput[] {
  const isJson = /^\uFEFF?\s*[[{]/.test(bytes.toString("utf8", 0, 64));
  try {
    return isJson ? readJson(bytes) : readTable(bytes);
  } catch (error) {
    if (error instanceof InvalidInput) throw refusal(error.issues, isJson ? "entry" : "row");
    throw error;
  }
}

/** Some ten thousand numbers with their rules. */
const MAX_VALUES = 200_000;

function readJson(bytes: Buffer): DirectoryMemberInput[] {
  const value = parseFile(utf8(bytes));
  const parsed = parseInput(z.array(DirectoryMemberCreate), value);
  if (!parsed.ok) throw inputErrors("file", parsed.issues, value);
  const { data } = parsed;
  const seen = new Set<string>();
  for (const [index, { name, type }] of data.entries()) {
    const key = keyOf({ name, type });
    if (seen.has(key)) throw invalid(["file", index], `Entries before it have a "${name}" of type "${type}"`);
    seen.add(key);
  }
  return data;
}

function parseFile(text: string): unknown {
  try {
    return parseJsonBody(text, MAX_VALUES);
  } catch (error) {
    if (error instanceof Fault) throw invalid(["file"], error.message, "json_invalid");
    const [issue] = error instanceof InvalidInput ? error.issues : [];
    if (!issue) throw error;
    throw invalid(["file"], `${issue.msg} (at ${issue.loc.slice(1).join(".")})`, issue.type);
  }
}

const RULE_COLUMNS = ["language", "days", "start_time", "end_time"] as const;
const COLUMNS = ["name", "type", "extension", "number", ...RULE_COLUMNS, "tags"] as const;
type Row = CsvRow<(typeof COLUMNS)[number]>;

/** By name, as long as rows are still added to them. */
type Tags = Map<string, Set<string>>;
type Numbers = Map<string, DirectoryRule[]>;
type Member = { name: string; type: string; extensions: Map<string, Numbers>; tags: Tags };

function readTable(bytes: Buffer): DirectoryMemberInput[] {
  const rows = readCsv(bytes, { columns: COLUMNS, required: ["name", "type"] });
  const issues = rows.flatMap(rowIssues);
  if (issues.length > 0) throw new InvalidInput(issues);

  const members = new Map<string, Member>();
  for (const { cells } of rows) {
    const { name, type } = cells;
    addRow(getOrAdd(members, keyOf(cells), { name, type, extensions: new Map(), tags: new Map() }), cells);
  }
  return [...members.values()].map(({ name, type, extensions, tags }) => ({
    name,
    type,
    extensions: [...extensions].map(([name, numbers]) => ({
      name,
      numbers: [...numbers].map(([number, rules]) => ({ number, rules: rules.map((rule) => ({ ...rule })) })),
    })),
    contact_tags: Object.fromEntries([...tags].map(([tag, values]) => [tag, [...values]])),
  }));
}

function addRow(member: Member, cells: Row["cells"]): void {
  for (const [tag, value] of readTags(cells.tags) ?? []) {
    getOrAdd(member.tags, tag, new Set()).add(value);
  }
  if (cells.number === "") return;
  const numbers = getOrAdd(member.extensions, cells.extension.trim() || "work", new Map());
  // A row without days, times and language says "always": a rule that asks for nothing.
  getOrAdd(numbers, cells.number, []).push(ruleOf(cells));
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, fresh: V): V {
  const found = map.get(key);
  if (found === undefined) map.set(key, fresh);
  return found ?? fresh;
}

const Cells = z.object({
  name: DirectoryMemberCreate.shape.name,
  type: DirectoryMemberCreate.shape.type,
  number: z.union([z.literal(""), directoryNumber()]),
  tags: z.string().refine((text) => readTags(text) !== null, {
    error: "Input should be tags with their values, such as department:billing|vip:yes",
  }),
});

function rowIssues({ row, cells }: Row): InputIssue[] {
  const issues = [...(Cells.safeParse(cells).error?.issues ?? []), ...ruleIssues(ruleOf(cells))];
  const told = inputErrors("file", issues, cells).issues.map(({ loc: [file, column], ...issue }) => ({
    loc: [file as string, row, column as string],
    ...issue,
  }));
  return [...told, ...numberMissing(row, cells)];
}

/** What a row says of a number would be lost where it names none. */
function numberMissing(row: number, cells: Row["cells"]): InputIssue[] {
  const about = (["extension", ...RULE_COLUMNS] as const).filter((column) => cells[column].trim() !== "");
  if (cells.number !== "" || about.length === 0) return [];
  return [
    { loc: ["file", row, "number"], msg: `Row has no number for its ${about.join(", ")}`, type: "missing" },
  ];
}

const ruleOf = (cells: Row["cells"]): DirectoryRule =>
  Object.fromEntries(RULE_COLUMNS.map((column) => [column, cells[column].trim()]).filter(([, text]) => text));

function readTags(text: string): [tag: string, value: string][] | null {
  const tags: [string, string][] = [];
  for (const part of text.split("|")) {
    if (part.trim() === "") continue;
    const colon = part.indexOf(":");
    const tag = part.slice(0, Math.max(colon, 0)).trim();
    const value = part.slice(colon + 1).trim();
    if (tag === "" || value === "") return null;
    tags.push([tag, value]);
  }
  return tags;
}

const keyOf = ({ name, type }: { name: string; type: string }): string => JSON.stringify([name, type]);

/** More of them help nobody. */
const MAX_TOLD = 20;

/** The public API answers a file that is wrong with 400 and a sentence. */
function refusal(issues: InputIssue[], kind: "row" | "entry"): Fault {
  const told = issues.slice(0, MAX_TOLD).map(({ loc: [, number, ...at], msg }) => {
    const place = [
      ...(number === undefined ? [] : [`${kind} ${number}`]),
      ...(at.length > 0 ? [at.join(".")] : []),
    ];
    return place.length > 0 ? `${place.join(", ")}: ${msg}` : msg;
  });
  if (issues.length > told.length) told.push(`and ${issues.length - told.length} more`);
  return new Fault("refused", `Nothing was stored. ${told.join("; ")}`);
}
