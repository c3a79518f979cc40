import { hash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { recordset } from "../../db/recordset.ts";
import type { SentRound } from "../rounds/model-round.ts";
import type { TurnRows } from "./turn-rows.ts";

/*
 * Each round sends the conversation again, with instructions and tools that seldom change. So a message or a list of tools
 * is stored once for a session, under the hash of its content, and a round names its parts by their hashes.
 */

export type SentRow = { kind: "part" | "round" | "call"; key: string | null; content: unknown; at: Date };

/** 132 bits: two parts of a session never share one. */
const KEY_LENGTH = 22;

/** The rows of `sent_records`; a part in `known` is stored already, and new ones are added to it. */
export function sentRows(
  { rounds, exchanges }: Pick<TurnRows, "rounds" | "exchanges">,
  known: Set<string>,
): SentRow[] {
  const rows: SentRow[] = [];
  const keyOf = (part: unknown, at: Date): string => {
    const key = hash("sha256", JSON.stringify(part), "base64url").slice(0, KEY_LENGTH);
    if (!known.has(key)) {
      known.add(key);
      rows.push({ kind: "part", key, content: part, at });
    }
    return key;
  };
  for (const round of rounds) {
    const { messages, tools } = round.request;
    const parts = messages.map((message) => keyOf(message, round.at));
    const tools_key = tools.length > 0 ? keyOf(tools, round.at) : null;
    rows.push({ kind: "round", key: null, content: stored(round, parts, tools_key), at: round.at });
  }
  for (const { seq, tool_call_id, at, exchanges: made } of exchanges)
    rows.push({ kind: "call", key: `call ${seq}`, content: { tool_call_id, exchanges: made }, at });
  return rows;
}

const stored = (
  { at: _, request, calls, ...round }: SentRound,
  messages: string[],
  tools: string | null,
) => ({
  ...round,
  calls: calls.map(({ provider_data: _, ...call }) => call),
  messages,
  tools,
  tool_choice: request.tool_choice,
  temperature: request.temperature,
  seed: request.seed,
});

/** A part of the statement that stores a turn. Nothing is kept of an organization that doesn't want it. */
export function sentInsert(
  { id: session_id, sub_organization_id }: { id: number; sub_organization_id: number },
  turn_index: number,
  rows: readonly SentRow[],
  only_if: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> {
  const values = rows.map(({ at, ...row }) => ({ ...row, session_id, turn_index, at: at.toISOString() }));
  return sql`
    insert into sent_records (session_id, turn_index, kind, key, content, at)
    select r.session_id, r.turn_index, r.kind, r.key, r.content, r.at
    from json_populate_recordset(null::sent_records, ${recordset<"sent_records">(values)}) as r
    where ${only_if} and (
      select o.stores_requests from sub_organizations s join organizations o on o.id = s.organization_id
      where s.id = ${sub_organization_id})
    on conflict (session_id, key) where (key is not null) do nothing`;
}
