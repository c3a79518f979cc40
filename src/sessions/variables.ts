import type { Announcement } from "../announcements/announcement.ts";
import { type Lookup, variableLookup } from "../expressions/template.ts";
import type { WorkflowsState } from "../workflows/workflow-state.ts";
import type { AnswererNote } from "./answerer.ts";

/** A session's memory between turns; stored after each. */
export type SessionState = {
  /** Agent, campaign and request variables, and those that tools and workflows have set since. */
  variables: Record<string, unknown>;
  /** BCP 47. */
  language: string;
  /** The state of context tasks; absent until they are opened, and when the agent has none. */
  workflows?: WorkflowsState;
  /** Who answered an outbound call, once known. */
  answerer?: AnswererNote;
  /** How many of the person's first messages only chose a language from the greeting's menu. */
  menu_choices?: number;
  safety?: SafetyMemory;
  /** What the agent's first words begin with; absent once it was said, and where nothing is to be. */
  announcements?: Announcement[];
  /** They wait for the first answer to the person, since nothing can be added to what is sent before it. */
  announcements_wait?: true;
};

/** What a session remembers for the limits of what its agent does. */
export type SafetyMemory = {
  /** Calls made, by tool. */
  calls?: Record<string, number>;
  /** Calls that were read back to the person and not made yet, by tool. */
  asked?: Record<string, { key: string; turn_index: number }>;
  /** Numbers and addresses that came with the campaign's request. */
  contacts?: string[];
};

/** The facts of a session that its texts may use as variables. */
export type SessionFacts = {
  session_id: number;
  conversation_id: number;
  agent_name: string;
  timezone: string;
  channel: string;
  source: string | null;
  target: string | null;
  is_outbound: boolean;
  /** Whether `source` is verified. */
  verified: boolean;
  /** The claimed identity of an unverified person. */
  claimed_user: string | null;
  /** The name from a verified visitor's identity token. */
  user_name: string | null;
};

/** The agent's local time, as shown by system variables. */
export type LocalTime = {
  datetime: string;
  date: string;
  time: string;
  day_of_week: string;
  timezone: string;
};

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const MINUTE_MS = 60_000;
/** Zones are moved by whole minutes against each other, so what is shown holds for a minute of UTC. */
const WHOLE_MINUTES_SINCE_MS = Date.UTC(1980, 0);
const MOST_ZONES = 200;
const shownNow = new Map<string, { minute: number; time: LocalTime }>();

/** A turn asks a dozen times, and computing it takes longer than most of what asks; so each zone's latest minute is kept. */
export function localTime(at: Date, timezone: string): LocalTime {
  const minute = Math.floor(at.getTime() / MINUTE_MS);
  const known = shownNow.get(timezone);
  if (known?.minute === minute) return known.time;
  if (shownNow.size >= MOST_ZONES) shownNow.clear();
  const time = Object.freeze(computed(at, timezone));
  // In earlier years some zones were off by seconds.
  if (at.getTime() > WHOLE_MINUTES_SINCE_MS) shownNow.set(timezone, { minute, time });
  return time;
}

function computed(at: Date, timezone: string): LocalTime {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
  const date = local.toPlainDate().toString();
  const time = local.toPlainTime().toString({ smallestUnit: "minute" });
  return {
    datetime: `${date} ${time}`,
    date,
    time,
    day_of_week: DAYS[local.dayOfWeek - 1] as string,
    timezone,
  };
}

/**
 * The system variables. They can't be overridden, except `vars.session.voice` when the session has no voice
 * (`session-voice.ts`).
 */
export function systemVariables(
  facts: SessionFacts,
  language: string,
  now: LocalTime,
  voice: string | null = null,
): Record<string, unknown> {
  return {
    "vars.session.id": String(facts.session_id),
    "vars.session.conversation_id": String(facts.conversation_id),
    "vars.session.agent.name": facts.agent_name,
    "vars.session.datetime": now.datetime,
    "vars.session.date": now.date,
    "vars.session.day_of_week": now.day_of_week,
    "vars.session.timezone": facts.timezone,
    "vars.session.language": language,
    "vars.session.source": facts.source ?? "",
    "vars.session.target": facts.target ?? "",
    "vars.session.user": facts.source ?? "",
    "vars.session.user_name": facts.user_name ?? "",
    "vars.session.verified": facts.verified,
    "vars.session.claimed_user": facts.claimed_user ?? "",
    "vars.session.channel": facts.channel,
    "vars.session.is_outbound": facts.is_outbound,
    ...(voice !== null && { "vars.session.voice": voice }),
  };
}

/** The one resolver for variables in all texts of a session. */
export function sessionLookup(state: SessionState, system: Record<string, unknown>): Lookup {
  return variableLookup({ ...state.variables, ...system });
}

/** Prefixes campaign and request variables with `vars.`, unless they have it already. */
export const underVars = (variables: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name.startsWith("vars.") ? name : `vars.${name}`,
      value,
    ]),
  );
