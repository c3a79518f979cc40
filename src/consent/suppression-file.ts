import type { Readable } from "node:stream";
import { sql } from "kysely";
import { csvLine, readCsvRows } from "../base/csv.ts";
import { type InputIssue, InvalidInput, invalid } from "../base/errors.ts";
import { normaliseEmail, normalisePhone } from "../channels/address.ts";
import { copyField, copyInto } from "../db/copy.ts";
import type { Db, Tx } from "../db/database.ts";
import { SUPPRESSION_REASONS, SUPPRESSION_SCOPES, type SuppressionScope } from "./suppression.ts";

/**
 * A do-not-call list: CSV with the column `address` and, where wanted, `scope`, `reason`, `occurred_at` and `comment`, in
 * any order. What is wrong is told at ["file", row, column], the header being row 1, and then nothing is stored.
 */
const COLUMNS = ["address", "scope", "reason", "occurred_at", "comment"] as const;
type Column = (typeof COLUMNS)[number];

export const MAX_LIST_bytes = 200 * 1024 * 1024;
export const MAX_LIST_ROWS = 5_000_000;
const MAX_ROW_chars = 10_000;
const MAX_COMMENT = 1_000;
/** More of them help nobody. */
const MAX_ISSUES = 100;
const CHUNK_ROWS = 5_000;

type ListRow = {
  address: string;
  scope: SuppressionScope;
  reason: (typeof SUPPRESSION_REASONS)[number];
  occurred_at: string | null;
  comment: string | null;
};

/** The rows of a file, or every row and column that is wrong. `calling_code`: of numbers without their country. */
export async function* readSuppressions(
  file: Readable,
  calling_code: string | null,
): AsyncGenerator<ListRow> {
  const issues: InputIssue[] = [];
  let header: Map<Column, number> | undefined;
  let row = 0;
  for await (const records of readCsvRows(file, MAX_ROW_chars)) {
    for (const cells of records) {
      row++;
      if (cells.every((cell) => cell.trim() === "")) continue;
      if (!header) {
        header = readHeader(cells, row);
        continue;
      }
      if (row > MAX_LIST_ROWS)
        throw invalid(["file", row], `The file has more than ${MAX_LIST_ROWS} rows`, "too_long");
      const read = readRow(header, cells, row, calling_code);
      if (Array.isArray(read)) issues.push(...read);
      else if (issues.length === 0) yield read;
    }
    if (issues.length >= MAX_ISSUES) break;
  }
  if (issues.length > 0) throw new InvalidInput(issues.slice(0, MAX_ISSUES));
  if (!header) throw invalid(["file"], "The file is empty", "too_short");
}

export function readHeader(cells: string[], row: number): Map<Column, number> {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const issues: InputIssue[] = names.flatMap((name, index) => {
    const loc = ["file", row, name || index + 1];
    if (!COLUMNS.includes(name as Column)) {
      return [{ loc, msg: `Unknown column; the columns are ${COLUMNS.join(", ")}`, type: "extra_forbidden" }];
    }
    return names.indexOf(name) === index ? [] : [{ loc, msg: "Column appears twice", type: "value_error" }];
  });
  if (!names.includes("address")) {
    issues.unshift({ loc: ["file", row, "address"], msg: "Column required", type: "missing" });
  }
  if (issues.length > 0) throw new InvalidInput(issues);
  return new Map(names.map((name, index) => [name as Column, index]));
}

export function readRow(
  header: Map<Column, number>,
  cells: string[],
  row: number,
  calling_code: string | null,
): ListRow | InputIssue[] {
  const issues: InputIssue[] = [];
  const wrong = (column: Column | number, msg: string, type = "value_error") =>
    issues.push({ loc: ["file", row, column], msg, type });
  const cell = (column: Column): string => (cells[header.get(column) ?? -1] ?? "").trim();

  if (cells.length > header.size)
    wrong(header.size + 1, `Row has ${cells.length} cells, the header ${header.size}`);
  const address = cell("address").includes("@")
    ? normaliseEmail(cell("address"))
    : normalisePhone(cell("address"), calling_code);
  if (address === null)
    wrong("address", "Input should be an e-mail address or a telephone number in E.164 format");
  const scope = cell("scope").toLowerCase() || "all";
  if (!isOneOf(SUPPRESSION_SCOPES, scope))
    wrong("scope", `Input should be ${SUPPRESSION_SCOPES.join(", ")}`, "enum");
  const reason = cell("reason").toLowerCase() || "do-not-call";
  if (!isOneOf(SUPPRESSION_REASONS, reason)) {
    wrong("reason", `Input should be ${SUPPRESSION_REASONS.join(", ")}`, "enum");
  }
  const occurred_at = instant(cell("occurred_at"));
  if (occurred_at === undefined) wrong("occurred_at", "Input should be a valid datetime", "datetime_parsing");
  if (cell("comment").length > MAX_COMMENT) {
    wrong("comment", `String should have at most ${MAX_COMMENT} characters`, "string_too_long");
  }
  if (issues.length > 0) return issues;
  return { address, scope, reason, occurred_at, comment: cell("comment") || null } as ListRow;
}

const isOneOf = <T extends string>(values: readonly T[], value: string): value is T =>
  (values as readonly string[]).includes(value);

/** null where nothing is said, undefined where it is no moment. */
function instant(text: string): string | null | undefined {
  if (text === "") return null;
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

type Import = { sub_organization_id: number; at: Date; created_by: string; file_name: string };
type Imported = { added: number; known: number };

/** Stores a whole file or nothing of it. What is on the list already stays as it is, with its first proof. */
export async function importSuppressions(
  tx: Tx,
  rows: AsyncIterable<ListRow>,
  into: Import,
): Promise<Imported> {
  await sql`create temporary table staged_suppressions
    (address text, scope text, reason text, occurred_at timestamptz, comment text) on commit drop`.execute(
    tx,
  );
  const copy = (lines: string) => copyInto(tx, "copy staged_suppressions from stdin", lines);
  let lines = "";
  let count = 0;
  for await (const row of rows) {
    const fields = [row.address, row.scope, row.reason, row.occurred_at, row.comment];
    lines += `${fields.map((field) => (field === null ? "\\N" : copyField(field))).join("\t")}\n`;
    if (++count % CHUNK_ROWS === 0) {
      await copy(lines);
      lines = "";
    }
  }
  if (lines !== "") await copy(lines);
  const at = into.at.toISOString();
  const { numAffectedRows } = await sql`
    insert into suppressions (sub_organization_id, kind, address, scope, reason, occurred_at, through, said, comment,
      created_at, created_by)
    select ${into.sub_organization_id}, case when address like '%@%' then 'email' else 'phone' end, address, scope, reason,
      coalesce(occurred_at, ${at}::timestamptz), 'import', ${into.file_name}, comment, ${at}::timestamptz, ${into.created_by}
    from staged_suppressions
    -- two lists of the same people wait for each other in one order only
    order by address collate "C", scope, reason
    on conflict (sub_organization_id, address, scope, reason) where lifted_at is null do nothing`.execute(tx);
  const added = Number(numAffectedRows ?? 0);
  return { added, known: count - added };
}

const EXPORTED = [
  "address",
  "kind",
  "scope",
  "reason",
  "occurred_at",
  "through",
  "said",
  "session_id",
  "message_id",
  "comment",
  "created_at",
  "created_by",
  "lifted_at",
  "lifted_through",
  "lifted_said",
  "lifted_by",
] as const;

/** The whole ledger as CSV, lifted entries too, some hundred rows at a time: it need not fit into memory. */
export async function* exportSuppressions(db: Db, sub_organization_id: number): AsyncGenerator<string> {
  yield csvLine(EXPORTED);
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom("suppressions")
      .select(["id", ...EXPORTED])
      .where("sub_organization_id", "=", sub_organization_id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(1_000)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map((row) => csvLine(EXPORTED.map((column) => row[column]))).join("");
  }
}
