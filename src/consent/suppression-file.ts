import type { Readable } from "node:stream";
import { sql } from "kysely";
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
import { LEDGER_PAGE, ledgerCsv } from "./ledger-csv.ts";
import { SUPPRESSION_REASONS, SUPPRESSION_SCOPES, type SuppressionScope } from "./suppression.ts";

/** A do-not-call list: the column `address` and, where wanted, `scope`, `reason`, `occurred_at` and `comment`. */
const COLUMNS = ["address", "scope", "reason", "occurred_at", "comment"] as const;

const MAX_COMMENT = 1_000;

type ListRow = {
  address: string;
  scope: SuppressionScope;
  reason: (typeof SUPPRESSION_REASONS)[number];
  occurred_at: string | null;
  comment: string | null;
};

/** The rows of a file, or every row and column that is wrong. `calling_code`: of numbers without their country. */
const readSuppressions = (file: Readable, calling_code: string | null): AsyncGenerator<ListRow> =>
  readAddressFile(file, { columns: COLUMNS, required: ["address"] }, ({ cell, wrong }) => {
    const address = readAddress(cell("address"), calling_code);
    if (address === null) wrong("address", ADDRESS_FAULT);
    const scope = cell("scope").toLowerCase() || "all";
    if (!isOneOf(SUPPRESSION_SCOPES, scope))
      wrong("scope", `Input should be ${SUPPRESSION_SCOPES.join(", ")}`, "enum");
    const reason = cell("reason").toLowerCase() || "do-not-call";
    if (!isOneOf(SUPPRESSION_REASONS, reason))
      wrong("reason", `Input should be ${SUPPRESSION_REASONS.join(", ")}`, "enum");
    const occurred_at = readInstant(cell("occurred_at"));
    if (occurred_at === undefined)
      wrong("occurred_at", "Input should be a valid datetime", "datetime_parsing");
    if (cell("comment").length > MAX_COMMENT)
      wrong("comment", `String should have at most ${MAX_COMMENT} characters`, "string_too_long");
    return { address, scope, reason, occurred_at, comment: cell("comment") || null } as ListRow;
  });

type Imported = { added: number; known: number };

/** Stores a whole file or nothing of it. What is on the list already stays as it is, with its first proof. */
export async function importSuppressions(tx: Tx, file: Readable, source: ImportSource): Promise<Imported> {
  await sql`create temporary table staged_suppressions
    (address text, scope text, reason text, occurred_at timestamptz, comment text) on commit drop`.execute(
    tx,
  );
  const rows = readSuppressions(file, source.calling_code);
  const count = await copyRows(tx, "staged_suppressions", rows, (row) => [
    row.address,
    row.scope,
    row.reason,
    row.occurred_at,
    row.comment,
  ]);
  const at = source.at.toISOString();
  const { numAffectedRows } = await sql`
    insert into suppressions (sub_organization_id, kind, address, scope, reason, occurred_at, through, said, comment,
      created_at, created_by)
    select ${source.sub_organization_id}, case when address like '%@%' then 'email' else 'phone' end, address, scope, reason,
      coalesce(occurred_at, ${at}::timestamptz), 'import', ${source.file_name}, comment, ${at}::timestamptz, ${source.created_by}
    from staged_suppressions
    -- two lists of the same people wait for each other in one order only
    order by address collate "C", scope, reason
    on conflict (sub_organization_id, address, scope, reason) where lifted_at is null do nothing`.execute(tx);
  await sql`
    update consents c set revoked_at = ${at}::timestamptz, revoked_through = 'import', revoked_said = ${source.file_name},
      revoked_by = ${source.created_by}
    from staged_suppressions s
    where c.sub_organization_id = ${source.sub_organization_id} and c.address = s.address and c.revoked_at is null
      and c.valid_from <= coalesce(s.occurred_at, ${at}::timestamptz) and s.reason in ('unsubscribed', 'spam-report', 'do-not-call')
      and (s.scope = 'all'
        or c.channel = case s.scope when 'voice' then 'call' when 'email' then 'email' else 'text' end)`.execute(
    tx,
  );
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
