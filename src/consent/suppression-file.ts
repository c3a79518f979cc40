import type { Readable } from "node:stream";
import { sql } from "kysely";
import { oneOfText } from "../api/input/input-errors.ts";
import { copyRows } from "../db/copy.ts";
import type { Db, Tx } from "../db/database.ts";
import {
  ADDRESS_FAULT,
  type ImportSource,
  isOneOf,
  readAddress,
  readAddressFile,
  readInstant,
} from "./address-file.ts";
import { OPT_OUT_PATHS } from "./consent.ts";
import { LEDGER_PAGE, type LedgerEnding, ledgerCsv, readEnding } from "./ledger-csv.ts";
import {
  SUPPRESSION_REASONS,
  SUPPRESSION_SCOPES,
  type SuppressionPath,
  type SuppressionScope,
} from "./suppression.ts";

/** The ledger as a file. */
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

const MAX_COMMENT = 1_000;

type ListRow = {
  address: string;
  scope: SuppressionScope;
  reason: (typeof SUPPRESSION_REASONS)[number];
  /** null: the file does not say. */
  occurred_at: string | null;
  through: SuppressionPath;
  said: string | null;
  message_id: string | null;
  comment: string | null;
  lifted: LedgerEnding<SuppressionPath> | null;
};

/**
 * The rows of a file, or every row and column that is wrong. A list from elsewhere has as few columns as `address`; an
 * export of the ledger has all, of which `session_id`, `created_at` and `created_by` are about where it comes from.
 */
const readSuppressions = (
  file: Readable,
  { calling_code, file_name, at }: ImportSource,
): AsyncGenerator<ListRow> =>
  readAddressFile(file, { columns: EXPORTED, required: ["address"] }, (cells) => {
    const { cell, wrong } = cells;
    const isExported = cell("kind") !== "";
    const address = isExported ? readStored(cell("address")) : readAddress(cell("address"), calling_code);
    if (address === null) wrong("address", ADDRESS_FAULT);
    const scope = cell("scope").toLowerCase() || "all";
    if (!isOneOf(SUPPRESSION_SCOPES, scope)) wrong("scope", oneOfText(SUPPRESSION_SCOPES), "enum");
    const reason = cell("reason").toLowerCase() || "do-not-call";
    if (!isOneOf(SUPPRESSION_REASONS, reason)) wrong("reason", oneOfText(SUPPRESSION_REASONS), "enum");
    const occurred_at = readInstant(cell("occurred_at"));
    if (occurred_at === undefined)
      wrong("occurred_at", "Input should be a valid datetime", "datetime_parsing");
    if (cell("comment").length > MAX_COMMENT)
      wrong("comment", `String should have at most ${MAX_COMMENT} characters`, "string_too_long");
    const through = cell("through").toLowerCase() || "import";
    if (!isOneOf(OPT_OUT_PATHS, through)) wrong("through", oneOfText(OPT_OUT_PATHS), "enum");
    const said = cell("said") || (cell("through") === "" ? file_name : null);
    const message_id = cell("message_id") || null;
    const comment = cell("comment") || null;
    const lifted = readEnding(cells, "lifted", OPT_OUT_PATHS, at);
    return { address, scope, reason, occurred_at, through, said, message_id, comment, lifted } as ListRow;
  });

/** Exports hold normalised addresses. Among them are short codes and alphanumeric senders that wrote to us, which are not E.164. */
const readStored = (text: string): string | null =>
  readAddress(text, null) ?? (SENDER.test(text) ? text : null);
const SENDER = /^(?:\d{3,8}|[\w .&-]{1,11})$/;

type Imported = { added: number; lifted: number; known: number };

/**
 * Stores a whole file or nothing of it. What is on the list already stays as it is, with its first proof; an entry that
 * was lifted where the file comes from is stored as lifted, and lifts none.
 */
export async function importSuppressions(tx: Tx, file: Readable, source: ImportSource): Promise<Imported> {
  await sql`create temporary table staged_suppressions (address text, scope text, reason text, occurred_at timestamptz,
    through text, said text, message_id text, comment text, lifted_at timestamptz, lifted_through text, lifted_said text,
    lifted_by text) on commit drop`.execute(tx);
  const at = source.at.toISOString();
  const count = await copyRows(tx, "staged_suppressions", readSuppressions(file, source), (row) => [
    row.address,
    row.scope,
    row.reason,
    row.occurred_at ?? row.lifted?.at ?? at,
    row.through,
    row.said,
    row.message_id,
    row.comment,
    row.lifted?.at ?? null,
    row.lifted?.through ?? null,
    row.lifted?.said || null,
    row.lifted?.by || null,
  ]);
  const { rows } = await sql<{ added: number; lifted: number }>`
    with stored as (
      insert into suppressions (sub_organization_id, kind, address, scope, reason, occurred_at, through, said, message_id,
        comment, created_at, created_by, lifted_at, lifted_through, lifted_said, lifted_by)
      select distinct on (address collate "C", scope, reason, occurred_at, lifted_at)
        ${source.sub_organization_id}::bigint, case when address like '%@%' then 'email' else 'phone' end, address, scope,
        reason, occurred_at, through, said, message_id, comment, ${at}::timestamptz, ${source.created_by}, lifted_at,
        lifted_through, lifted_said, lifted_by
      from staged_suppressions g
      where lifted_at is null or not exists (
        select from suppressions s
        where s.sub_organization_id = ${source.sub_organization_id} and s.address = g.address and s.scope = g.scope
          and s.reason = g.reason and s.occurred_at = g.occurred_at and s.lifted_at = g.lifted_at)
      -- two lists of the same people wait for each other in one order only
      order by address collate "C", scope, reason, occurred_at, lifted_at
      on conflict (sub_organization_id, address, scope, reason) where lifted_at is null do nothing
      returning lifted_at)
    select (count(*) filter (where lifted_at is null))::int as added, count(lifted_at)::int as lifted from stored`.execute(
    tx,
  );
  await sql`
    update consents c set revoked_at = ${at}::timestamptz, revoked_through = 'import', revoked_said = ${source.file_name},
      revoked_by = ${source.created_by}
    from staged_suppressions s
    where c.sub_organization_id = ${source.sub_organization_id} and c.address = s.address and c.revoked_at is null
      and s.lifted_at is null and c.valid_from <= s.occurred_at and s.reason in ('unsubscribed', 'spam-report', 'do-not-call')
      and (s.scope = 'all'
        or c.channel = case s.scope when 'voice' then 'call' when 'email' then 'email' else 'text' end)`.execute(
    tx,
  );
  const { added, lifted } = rows[0] ?? { added: 0, lifted: 0 };
  return { added, lifted, known: count - added - lifted };
}

export const exportSuppressions = (db: Db, sub_organization_id: number): AsyncGenerator<string> =>
  ledgerCsv(EXPORTED, (after) =>
    db
      .selectFrom("suppressions")
      .select(["id", ...EXPORTED])
      .where("sub_organization_id", "=", sub_organization_id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(LEDGER_PAGE)
      .execute(),
  );
