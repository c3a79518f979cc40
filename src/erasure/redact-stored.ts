import { type RawBuilder, sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Tx } from "../db/database.ts";
import type { JudgedValue } from "../redaction/judged-values.ts";
import { Redactor } from "../redaction/redactor.ts";
import {
  keepOriginals,
  REDACTION,
  type RedactionColumns,
  sessionRedactor,
} from "../sessions/session-redactor.ts";

/** `json`: a document; `printed`: one in a text column; `list`: of texts. */
type Column = { name: string; holds: "text" | "json" | "printed" | "list" };
type Store = { table: string; key: string[]; columns: Column[] };

const text = (name: string): Column => ({ name, holds: "text" });
const json = (name: string): Column => ({ name, holds: "json" });
const store = (table: string, key: string[], columns: Column[]): Store => ({ table, key, columns });

/**
 * Everywhere that words of a session are stored once it is over. `test/security/judged-redaction.test.ts` searches all
 * columns afterwards.
 */
const STORES: Store[] = [
  store("session_messages", ["session_id", "seq"], [text("text"), text("unheard")]),
  store(
    "session_tool_calls",
    ["session_id", "seq"],
    [
      ...["arguments", "request", "result", "display_result", "provider_data", "whole_result"].map(json),
      text("error"),
    ],
  ),
  store("session_notes", ["id"], [text("text")]),
  store(
    "session_trace",
    ["session_id", "id"],
    [text("label"), json("details"), { name: "metadata", holds: "list" }],
  ),
  store("sent_records", ["session_id", "id"], [json("content")]),
  store("session_labels", ["id"], [text("comments")]),
  store(
    "insight_outputs",
    ["id"],
    [text("string_value"), json("json_value"), { name: "entries", holds: "list" }],
  ),
  store("text_messages", ["id"], [text("text")]),
  store("mail_messages", ["id"], [text("subject"), text("text"), text("new_text"), text("html")]),
  store("webhook_deliveries", ["key"], [{ name: "body", holds: "printed" }]),
  store("sessions", ["id"], [json("state"), json("start_variables")]),
  store("events", ["id"], [text("description"), json("attributes")]),
];

/**
 * Takes what was found out of all that is stored of a session, as its patterns were taken out before: the same tokens, the
 * originals sealed for as long as its policy keeps them, the words sealed where they were. The caller holds the session.
 */
export async function redactStored(
  tx: Tx,
  { vault, clock }: { vault: Vault; clock: Clock },
  { id: session_id, sub_organization_id }: { id: number; sub_organization_id: number },
  found: readonly JudgedValue[],
): Promise<void> {
  const { rows } =
    await sql<RedactionColumns>`select ${REDACTION} from sessions where id = ${session_id}`.execute(tx);
  const [of] = rows;
  if (!of?.redaction) return;
  const sealer = sessionRedactor(vault, clock.now(), of);
  const rules = { ...of.redaction, kinds: [], patterns: [], words: found, seal_key: null };
  const year = clock.now().getUTCFullYear();
  const redactor = new Redactor(rules, { scope: of.redaction.scope, vault, year, sealed: of.originals });
  const rowsOf = ({ table }: Store) =>
    table === "sessions"
      ? sql`id = ${session_id}::bigint`
      : // Events name their session in a text. Index: events_session.
        table === "events"
        ? sql`sub_organization_id = ${sub_organization_id}::bigint and session_id = ${String(session_id)}`
        : sql`session_id = ${session_id}::bigint`;
  for (const each of STORES) await redactRows(tx, each, rowsOf(each), { redactor, sealer });
  await keepOriginals(tx, session_id, redactor);
}

type By = { redactor: Redactor; sealer: Redactor };

/** Rows in which something is found are written again; a session has some hundred. */
async function redactRows(tx: Tx, { table, key, columns }: Store, which: RawBuilder<unknown>, by: By) {
  const names = [...key, ...columns.map(({ name }) => name)].map((name) => sql.ref(name));
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join(names)} from ${sql.table(table)} where ${which}`.execute(tx);
  for (const row of rows) {
    const changes = columns.flatMap((column) => {
      const next = redacted(row[column.name], column, by);
      return next === undefined ? [] : [sql`${sql.ref(column.name)} = ${next}${cast(column)}`];
    });
    if (changes.length === 0) continue;
    const place = key.map((name) => sql`${sql.ref(name)} = ${row[name]}`);
    await sql`update ${sql.table(table)} set ${sql.join(changes)} where ${sql.join(place, sql` and `)}`.execute(
      tx,
    );
  }
}

const CASTS = { json: sql`::json`, list: sql`::text[]`, text: sql``, printed: sql`` };
const cast = ({ holds }: Column) => CASTS[holds];

/** What is to be stored; undefined where nothing was found. */
function redacted(value: unknown, { name, holds }: Column, { redactor, sealer }: By): unknown {
  if (value === null || value === undefined) return undefined;
  const read = holds === "printed" ? JSON.parse(String(value)) : value;
  const next = name === "state" ? withLanguage(read, redactor) : redactor.redact(read);
  if (JSON.stringify(next) === JSON.stringify(read)) return undefined;
  const sealed = name === "state" ? sealedState(next, sealer) : sealer.seal(next);
  if (holds === "list") return sealed;
  return holds === "text" ? String(sealed) : JSON.stringify(sealed);
}

/** A session's language is read by statements and stays. */
const withLanguage = (state: object, redactor: Redactor) => {
  const { language, ...memory } = state as { language?: unknown };
  return { ...redactor.redact(memory), language };
};
const sealedState = (state: object, sealer: Redactor) => {
  const { language, ...memory } = state as { language?: unknown };
  return { ...sealer.seal(memory), language };
};
