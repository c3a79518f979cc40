import { type RawBuilder, sql } from "kysely";
import { recordset } from "../../db/recordset.ts";
import { partKey, refsOf, type SentRefs, type SentSoFar } from "../../sessions/sent/sent-parts.ts";
import { USUAL_EXCHANGE, USUAL_ROUND, withoutUsual } from "../../sessions/sent/usual-members.ts";
import type { SentRound } from "../rounds/model-round.ts";
import type { CallExchanges, TurnRows } from "./turn-rows.ts";

export type SentRow = {
  kind: "round" | "call" | "state";
  key: string | null;
  content: unknown;
  refs: SentRefs | null;
  at: Date;
};

/** The session's memory before the turn, and since when. */
export type StateBefore = { state: unknown; at: Date };

/**
 * The rows of `sent_records`, and what the session has stored once they are. A round's row has the parts that are new. What
 * else is stored with rounds is part of their rows: the state before the turn of the first, the requests of tool calls of the
 * last.
 */
export function sentRows(
  { rounds, exchanges }: Pick<TurnRows, "rounds" | "exchanges">,
  { known: stored, last: before }: SentSoFar,
  begun: StateBefore | null = null,
): { rows: SentRow[]; sent: SentSoFar } {
  const rows: SentRow[] = [];
  if (begun && rounds.length === 0)
    rows.push({ kind: "state", key: null, content: begun.state, refs: null, at: begun.at });
  const known = new Set(stored);
  let last = before;
  for (const [place, round] of rounds.entries()) {
    const { messages, tools } = round.request;
    const fresh: Record<string, unknown> = {};
    const keyOf = (part: unknown): string => {
      const key = partKey(part);
      if (!known.has(key)) fresh[key] = part;
      known.add(key);
      return key;
    };
    const parts = { messages: messages.map(keyOf), tools: tools.length > 0 ? keyOf(tools) : null };
    rows.push({
      kind: "round",
      key: null,
      at: round.at,
      refs: refsOf(parts, last),
      content: {
        ...contentOf(round, fresh),
        ...(place === 0 && begun && { before: begun.state }),
        ...(place === rounds.length - 1 && exchanges.length > 0 && { exchanged: exchanges.map(callOf) }),
      },
    });
    last = parts;
  }
  if (rounds.length === 0) {
    for (const call of exchanges)
      rows.push({ kind: "call", key: `call ${call.seq}`, content: callOf(call), refs: null, at: call.at });
  }
  return { rows, sent: { known, last } };
}

const callOf = ({ tool_call_id, exchanges }: CallExchanges) => ({
  tool_call_id,
  exchanges: exchanges.map((exchange) => withoutUsual(exchange, USUAL_EXCHANGE)),
});

const contentOf = ({ at: _, request, calls, ...round }: SentRound, parts: Record<string, unknown>) => ({
  ...withoutUsual(round, USUAL_ROUND),
  ...withoutUsual(
    {
      calls: calls.map(({ provider_data: _, ...call }) => call),
      tool_choice: request.tool_choice,
      temperature: request.temperature,
      seed: request.seed,
    },
    USUAL_ROUND,
  ),
  ...(Object.keys(parts).length > 0 && { parts }),
});

/** The rows as one value (`db/recordset.ts`). */
export const sentValue = (session_id: number, turn_index: number, rows: readonly SentRow[]): string =>
  recordset<"sent_records">(
    rows.map(({ at, ...row }) => ({ ...row, session_id, turn_index, at: at.toISOString() })),
  );

/** A part of the statement that stores a turn. Nothing is kept of an organization that doesn't want it. */
export const sentInsert = (
  sub_organization_id: unknown,
  rows: unknown,
  only_if: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> => sql`
    insert into sent_records (session_id, turn_index, kind, key, content, refs, at)
    select r.session_id, r.turn_index, r.kind, r.key, r.content, r.refs, r.at
    from json_populate_recordset(null::sent_records, ${rows}::json) as r
    where ${only_if} and (
      select o.stores_requests from sub_organizations s join organizations o on o.id = s.organization_id
      where s.id = ${sub_organization_id})
    returning id`;
