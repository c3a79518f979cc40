import { readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";

/**
 * A statement written by hand says by its type what columns it answers: sql<{ id: number }>`select id …`. The compiler
 * believes it. Here every such statement that a test makes PostgreSQL run is compared with what PostgreSQL answered:
 * each column by its name, and by whether it is a number, a text or a yes or no.
 */
const SRC = path.resolve(import.meta.dirname, "../../src");

type Claim = { file: string; line: number; from: number; to: number; columns: Map<string, string> };
type Field = { name: string; dataTypeID: number };

const faults = new Set<string>();
const claims = new Map<string, Claim[]>();
/** Statements that were looked at: one answer of each is enough. */
const seen = new Set<string>();
const judged = new Set<Claim>();

/** What was claimed wrongly since it was last asked. */
export function takeWrongClaims(): string[] {
  const found = [...faults];
  faults.clear();
  return found;
}

let watches = false;

/** From now on, every answer of PostgreSQL in this process is compared with its claim. */
export function watchClaims(): void {
  if (watches) return;
  watches = true;
  const send = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const claim = claimOf(given[0]);
    const answer = send.apply(this, given);
    if (!claim || !(answer instanceof Promise)) return answer;
    return answer.then((result: pg.QueryResult) => {
      compare(claim, result.fields ?? []);
      return result;
    });
  } as typeof pg.Client.prototype.query;
}

/** The claim of the statement that is being sent: the first of its callers that stands inside one. */
function claimOf(statement: unknown): Claim | null {
  const text = typeof statement === "string" ? statement : (statement as { text?: string } | null)?.text;
  if (text === undefined || seen.has(text)) return null;
  seen.add(text);
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const stack = new Error().stack ?? "";
  Error.stackTraceLimit = limit;
  for (const [, file, line, column] of stack.matchAll(/\(?(?:file:\/\/)?(\/[^\s():]+\.ts):(\d+):(\d+)\)?/g)) {
    if (!file?.startsWith(SRC)) continue;
    const found = claimAt(file, Number(line), Number(column));
    if (found && !judged.has(found)) return found;
    if (!file.includes("/db/")) return null;
  }
  return null;
}

function claimAt(file: string, line: number, column: number): Claim | null {
  const known = claims.get(file) ?? readClaims(file);
  claims.set(file, known);
  if (known.length === 0) return null;
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
  return known.find(({ from, to }) => from <= at && at <= to) ?? null;
}

/** Statements of a file whose claim is spelled out: in its place, or as a type of the same file. */
function readClaims(file: string): Claim[] {
  const text = readFileSync(file, "utf8");
  const found: Claim[] = [];
  for (const match of text.matchAll(/sql<(\{[^`]*?\}|[A-Z]\w*)\s*>`/g)) {
    const shape = match[1]?.startsWith("{") ? match[1] : shapeOf(text, match[1] as string);
    const columns = shape === null || shape === undefined ? null : columnsOf(shape);
    const to = columns && endOfStatement(text, match.index + match[0].length);
    if (!columns || !to) continue;
    const line = text.slice(0, match.index).split("\n").length;
    found.push({ file: path.relative(SRC, file), line, from: match.index, to, columns });
  }
  return found;
}

const shapeOf = (text: string, name: string): string | null =>
  new RegExp(`^(?:export )?type ${name} = (\\{[\\s\\S]*?^\\}|\\{[^\\n]*\\});$`, "m").exec(text)?.[1] ?? null;

/** The template's end and its `.execute(…)`; null where it is only a part of another statement. */
function endOfStatement(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text.startsWith("${", at)) depth++;
    else if (text[at] === "}" && depth > 0) depth--;
    else if (text[at] === "`" && depth === 0) {
      const execute = /^`\s*\.execute\([^)]*\)/.exec(text.slice(at));
      return execute ? at + execute[0].length : null;
    }
  }
  return null;
}

/** `{ id: number; name: string | null }` as its columns; null where a member is more than one. */
export function columnsOf(shape: string): Map<string, string> | null {
  const bare = shape.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/[^\n]*/g, "");
  const columns = new Map<string, string>();
  let depth = 0;
  let member = "";
  for (const letter of bare.trim().slice(1, -1)) {
    if ("{([<".includes(letter)) depth++;
    if ("})]>".includes(letter)) depth--;
    if (depth === 0 && letter === ";") {
      if (!addColumn(columns, member)) return null;
      member = "";
    } else member += letter;
  }
  return member.trim() === "" || addColumn(columns, member) ? columns : null;
}

function addColumn(columns: Map<string, string>, member: string): boolean {
  const said = /^\s*"?(\w+)"?\??:\s*([\s\S]+?)\s*$/.exec(member);
  if (said) columns.set(said[1] as string, said[2] as string);
  return said !== null;
}

const { builtins } = pg.types;
const KINDS: [string, readonly number[]][] = [
  [
    "number",
    [builtins.INT2, builtins.INT4, builtins.INT8, builtins.FLOAT4, builtins.FLOAT8, builtins.NUMERIC],
  ],
  ["boolean", [builtins.BOOL]],
  ["string", [builtins.TEXT, builtins.VARCHAR, builtins.TIMESTAMPTZ, builtins.UUID, 19 /* name */]],
];

function compare(claim: Claim, fields: readonly Field[]): void {
  judged.add(claim);
  for (const what of wrongIn(claim.columns, fields)) faults.add(`${claim.file}:${claim.line} ${what}`);
}

/** Where an answer is not what was claimed of it. */
export function wrongIn(columns: ReadonlyMap<string, string>, fields: readonly Field[]): string[] {
  const answered = new Map(fields.map(({ name, dataTypeID }) => [name, dataTypeID]));
  const missing = [...columns.keys()].filter((name) => !answered.has(name));
  const more = [...answered.keys()].filter((name) => !columns.has(name));
  const others = [...columns].flatMap(([name, type]) => {
    const kind = KINDS.find(([, oids]) => oids.includes(answered.get(name) ?? 0))?.[0];
    return kind && !mayBe(kind, type) ? [`claims ${name}: ${type}, answered is a ${kind}`] : [];
  });
  return [
    ...missing.map((name) => `claims ${name}, which is not answered`),
    ...more.map((name) => `answers ${name}, which is not claimed`),
    ...others,
  ];
}

/** Whether a type as it is written can hold a value of the kind. A name may stand for anything but what it excludes. */
function mayBe(kind: string, type: string): boolean {
  const parts = type
    .split("|")
    .map((part) => part.trim())
    .filter((part) => part !== "null" && part !== "");
  return parts.some(
    (part) =>
      part === kind ||
      part === "unknown" ||
      (kind === "string" && part.startsWith('"')) ||
      (!["number", "string", "boolean"].includes(part) && !part.startsWith('"') && !part.startsWith("{")),
  );
}
