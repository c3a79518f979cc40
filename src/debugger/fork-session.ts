import { sql } from "kysely";
import type { SnapshotTest } from "../agents/snapshot.ts";
import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { notFound } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import { json, type Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { loadRedactor, sealedSnapshot, sealedState } from "../sessions/session-redactor.ts";
import { insertSession } from "../sessions/session-snapshot.ts";
import type { OriginTurn } from "./origin-turn.ts";
import type { TurnBreakpoints } from "./recorded-turn.ts";

type WantedFork = {
  origin: OriginTurn;
  turn_index: number;
  text: string;
  variables: Record<string, unknown>;
  test: SnapshotTest;
  breakpoints: TurnBreakpoints;
};

/**
 * A test session that stands where another one stood once the person had spoken in this turn: its history, its memory and
 * its agent are those of the other one. It joins no conversation.
 */
export async function forkSession(
  tx: Tx,
  { clock, vault }: { clock: Clock; vault: Vault },
  { sub_organization_id }: Caller,
  { origin, turn_index, text, variables, test, breakpoints }: WantedFork,
): Promise<number> {
  const now = clock.now().toISOString();
  const { session, clock: override_timestamp, seq } = origin;
  const { id: origin_id, turn_count: _, finished_turn: __, snapshot, ...taken } = session;
  // One that is just being deleted is waited for, and not found then.
  const { rows } = await sql`select from sessions where id = ${origin_id} for key share`.execute(tx);
  if (rows.length === 0) throw notFound("Session", origin_id);
  const redactor = await loadRedactor(tx, { vault, now: clock.now() }, origin_id);
  const state = sealedState(redactor, {
    ...origin.state,
    variables: { ...origin.state.variables, ...variables },
  });
  const conversation = await sql<{ id: number }>`
    insert into conversations (sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type, prompt_id,
      prompt_name, prompt_version_number, llm_provider, llm_model, llm_temperature, llm_seed)
    select c.sub_organization_id, ${now}::timestamptz, ${now}::timestamptz, c.agent_id, c.agent_name, c.agent_type, c.prompt_id,
      c.prompt_name, c.prompt_version_number, c.llm_provider, c.llm_model, c.llm_temperature, c.llm_seed
    from conversations c join sessions s on s.conversation_id = c.id where s.id = ${origin_id}
    returning id`.execute(tx);
  const conversation_id = (conversation.rows[0] as { id: number }).id;
  const id = await insertSession(
    tx,
    {
      ...taken,
      sub_organization_id,
      conversation_id,
      override_timestamp,
      timestamp: now,
      last_activity_at: now,
      channel_manager_service: "console",
      channel_manager_type: "console_test_v1",
      channel_manager_sid: `fork-${randomBase62(16)}`,
      is_test: true,
      state: json(state),
      redaction: sql`(select redaction from sessions where id = ${origin_id})`,
      turn_count: turn_index,
      finished_turn: turn_index - 1,
      next_seq: seq + 1,
    },
    sealedSnapshot(redactor, { ...origin.snapshot, test }),
  );
  await sql`
    insert into session_messages (session_id, seq, turn_index, role, text, lang, timestamp, aside, unheard, is_apology, written_by)
    select ${id}, seq, turn_index, role, text, lang, timestamp, aside, unheard, is_apology, written_by
    from session_messages where session_id = ${origin_id} and turn_index < ${turn_index}`.execute(tx);
  await sql`
    insert into session_tool_calls (session_id, seq, turn_index, round, tool_call_id, tool_id, tool_name, tool_version_number,
      arguments, request, result, error, propagate_result, display_result, provider_data, timestamp, duration_ms, whole_result)
    select ${id}, seq, turn_index, round, tool_call_id, tool_id, tool_name, tool_version_number,
      arguments, request, result, error, propagate_result, display_result, provider_data, timestamp, duration_ms, whole_result
    from session_tool_calls where session_id = ${origin_id} and turn_index < ${turn_index}`.execute(tx);
  await tx
    .insertInto("session_messages")
    .values({
      session_id: id,
      seq,
      turn_index,
      role: "user",
      text: redactor.seal(text),
      lang: state.language,
      timestamp: now,
    })
    .execute();
  await tx
    .insertInto("sent_records")
    .values({ session_id: id, turn_index, kind: "state", content: json(state), at: now })
    .execute();
  await tx
    .insertInto("session_forks")
    .values({ session_id: id, origin_id, turn_index, override_timestamp, breakpoints: json(breakpoints) })
    .execute();
  await publish(tx, sub_organization_id, [
    {
      at: clock.now(),
      source: "llm-prompt",
      source_id: session.prompt_id,
      category: "conversation",
      type: "session-start",
      description: `Session with ${session.agent_name} was forked off session ${origin_id}`,
      session_id: id,
      conversation_id,
      user_id: session.source,
      attributes: { channel: session.channel, is_test: true, is_outbound: session.is_outbound },
    },
  ]);
  return id;
}
