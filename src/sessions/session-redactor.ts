import { type RawBuilder, sql } from "kysely";
import type { Snapshot } from "../agents/snapshot.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db, Tx } from "../db/database.ts";
import { type RedactionRules, Redactor, type SealedValue, type SealKey } from "../redaction/redactor.ts";
import type { SessionState } from "./variables.ts";

/** The rules that a session began with, and the scope of its tokens. */
export type SessionRedaction = Omit<RedactionRules, "seal_key"> & {
  scope: string;
  /** What is stored of the session is sealed, with the organization's key of the moment. */
  seals?: true;
};

/** The key of a session that is stored sealed, in a select from sessions. Index: data_keys_in_use. */
const SEAL_KEY = sql<SealKey | null>`case when redaction ->> 'seals' = 'true' then (
    select json_build_object('id', k.id, 'sealed_key', k.sealed_key) from data_keys k
    join sub_organizations o on o.organization_id = k.organization_id
    where o.id = sessions.sub_organization_id and k.retired_at is null
  ) end`;

/** The columns of a redactor, read from `sessions`; no look at other tables where a session has no rules. */
export const REDACTION = sql`redaction, case when redaction is not null then (
    select json_object_agg(v.token, v.sealed) from redacted_values v where v.session_id = sessions.id
  ) end as originals, ${SEAL_KEY} as seal_key`;
export type RedactionColumns = {
  redaction: SessionRedaction | null;
  originals: Record<string, string> | null;
  seal_key: SealKey | null;
};

export const sessionRedactor = (
  vault: Vault,
  now: Date,
  { redaction, originals, seal_key }: RedactionColumns,
): Redactor => {
  if (redaction?.seals && !seal_key) throw new Error("a session that is stored sealed has no key");
  return new Redactor(redaction && { ...redaction, seal_key }, {
    scope: redaction?.scope ?? "",
    vault,
    year: now.getUTCFullYear(),
    sealed: originals,
  });
};

/** Index: primary keys of both tables. */
export async function loadRedactor(
  db: Db,
  { vault, now }: { vault: Vault; now: Date },
  session_id: number,
): Promise<Redactor> {
  const { rows } = await sql<RedactionColumns>`
    select ${REDACTION} from sessions where id = ${session_id}`.execute(db);
  return sessionRedactor(vault, now, rows[0] ?? { redaction: null, originals: null, seal_key: null });
}

/** Stores what was taken out, in the transaction that stores the words. */
export async function keepOriginals(tx: Tx, session_id: number, redactor: Redactor): Promise<void> {
  const values = redactor.takeNew();
  if (values.length > 0) await originalsInsert(session_id, values).execute(tx);
}

/** The same as a part of a statement; nothing is written unless `only_if`. */
export const originalsInsert = (
  session_id: number,
  values: readonly SealedValue[],
  only_if: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> => sql`
  insert into redacted_values (session_id, token, kind, sealed)
  select ${session_id}::bigint, v.token, v.kind, v.sealed
  from json_to_recordset(${JSON.stringify(values)}::json) as v (token text, kind text, sealed text)
  where ${only_if}
  on conflict do nothing`;

/** What never changes of a session, by database: several may run in one process. */
const known = new WeakMap<Db, Map<number, KnownRules | null>>();
/** Another key may be in use since; this one opens for good. */
type KnownRules = SessionRedaction & { seal_key: SealKey | null };
const MOST_KNOWN = 10_000;

const knownIn = (db: Db): Map<number, KnownRules | null> => {
  const rules = known.get(db) ?? new Map<number, KnownRules | null>();
  known.set(db, rules);
  return rules;
};

/** So that the process that opened a session need not read its rules. */
export function rememberRules(db: Db, session_id: number, rules: KnownRules | null): void {
  const all = knownIn(db);
  if (all.size >= MOST_KNOWN) all.clear();
  all.set(session_id, rules);
}

/** The rules of a session, read once by each process that did not open it: a session keeps those that it began with. */
export async function rulesOfSession(db: Db, session_id: number): Promise<KnownRules | null> {
  const found = knownIn(db).get(session_id);
  if (found !== undefined) return found;
  const { rows } = await sql<Pick<RedactionColumns, "redaction" | "seal_key">>`
    select redaction, ${SEAL_KEY} as seal_key from sessions where id = ${session_id}`.execute(db);
  const row = rows[0];
  const read = row?.redaction ? { ...row.redaction, seal_key: row.seal_key } : null;
  if (row) rememberRules(db, session_id, read);
  return read;
}

/** What a session remembers, as it is stored. Its language stays: statements read it. */
export function redactedState(redactor: Redactor, state: Readonly<SessionState>): Readonly<SessionState> {
  const { language, ...memory } = state;
  return { ...redactor.redact(memory), language };
}

/** The same for what was redacted before, of a session that goes on as another one. */
export function sealedState(redactor: Redactor, state: Readonly<SessionState>): Readonly<SessionState> {
  const { language, ...memory } = state;
  return { ...redactor.seal(memory), language };
}

/** A snapshot as it is stored: what tools answered in a recorded session is what people said, too. */
export function sealedSnapshot(redactor: Redactor, snapshot: Snapshot): Snapshot {
  const { test } = snapshot;
  if (!test) return snapshot;
  const { mocks, recorded } = redactor.seal({ mocks: test.mocks, recorded: test.recorded });
  return { ...snapshot, test: { ...test, mocks, ...(recorded && { recorded }) } };
}

export function restoredState(redactor: Redactor, state: SessionState): SessionState {
  const { language, ...memory } = state;
  return { ...redactor.restore(memory), language };
}
