import type { SessionFacts } from "./variables.ts";

/** Now, or the moved wall clock of a test read in the agent's zone. */
export function agentTime(real: Date, override: string | null | undefined, timezone: string): Date {
  if (!override) return real;
  const local = Temporal.PlainDateTime.from(override);
  return new Date(local.toZonedDateTime(timezone).epochMilliseconds);
}

/** The fields of a session's row that texts may use as variables. */
export const sessionFacts = (row: {
  id: number;
  conversation_id: number;
  agent_name: string;
  agent_timezone: string;
  channel: string;
  source: string | null;
  target: string | null;
  is_outbound: boolean;
  verified: boolean;
  claimed_user: string | null;
  user_name: string | null;
}): SessionFacts => ({
  session_id: row.id,
  conversation_id: row.conversation_id,
  agent_name: row.agent_name,
  timezone: row.agent_timezone,
  channel: row.channel,
  source: row.source,
  target: row.target,
  is_outbound: row.is_outbound,
  verified: row.verified,
  claimed_user: row.claimed_user,
  user_name: row.user_name,
});
