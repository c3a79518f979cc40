import type { Lookup } from "../../expressions/template.ts";
import { agentTime, sessionFacts } from "../../sessions/session-facts.ts";
import { voiceInForce } from "../../sessions/session-voice.ts";
import {
  type LocalTime,
  localTime,
  type SessionState,
  sessionLookup,
  systemVariables,
} from "../../sessions/variables.ts";
import { memoryAfter, type ToolContext } from "../../tool-calls/tool-outcome.ts";
import type { TurnFacts } from "./turn-state.ts";

/** The agent's wall clock at a moment, and the program's own variables then. */
export type Surroundings = { at: Date; now: LocalTime; system: Record<string, unknown> };

export function surroundingsOf(
  { session, override_timestamp }: TurnFacts,
  memory: Readonly<SessionState>,
  moment: Date,
): Surroundings {
  const { snapshot, channel } = session;
  const at = agentTime(moment, override_timestamp, snapshot.agent.timezone);
  const now = localTime(at, snapshot.agent.timezone);
  const voice = voiceInForce(channel, snapshot, memory.language);
  return { at, now, system: systemVariables(sessionFacts(session), memory.language, now, voice) };
}

/** What a text of the agent may name at a moment. */
export const lookupOf = (facts: TurnFacts, memory: Readonly<SessionState>, moment: Date): Lookup =>
  sessionLookup(memory, surroundingsOf(facts, memory, moment).system);

/** What a tool that is called at a moment gets to know; `greeting` is asked for on a call only. */
export function toolContextOf(
  facts: TurnFacts,
  memory: Readonly<SessionState>,
  moment: Date,
  { signal, greeting }: { signal: AbortSignal; greeting: (at: Date) => string | null },
): ToolContext {
  const { sub_organization_id, snapshot, channel, source, verified, is_outbound } = facts.session;
  const { at, now, system } = surroundingsOf(facts, memory, moment);
  const { language, answerer = null } = memory;
  const call =
    channel === "voice" ? { call: { is_outbound, answerer, greeting: () => greeting(at) } } : undefined;
  const lookup = sessionLookup(memory, system);
  return {
    sub_organization_id,
    snapshot,
    session_id: facts.session.id,
    lookup,
    lookupAfter: (effects) => lookupOf(facts, memoryAfter(memory, effects), moment),
    language,
    channel,
    source,
    verified,
    at,
    now,
    signal,
    ...call,
  };
}
