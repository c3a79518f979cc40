import { type RawBuilder, sql } from "kysely";
import * as list from "../../api/list.ts";

/** The one filter for sessions that run, the other for those that are over: each set has indexes of its own. */
export const runningOrOver = (running: RawBuilder<boolean>, over: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql`(s.ended_at is null and ${running} or s.ended_at is not null and ${over})`;

/**
 * Contains. Indexes: sessions_words has those that are over, so that no turn writes to it, and sessions_open the others.
 */
function ended(name: string) {
  const contains = list.text(name);
  return list.byTrigrams({
    ...contains,
    match: (value) => {
      const found = sql<boolean>`${sql.ref(name)} ilike ${list.containing(value)}`;
      return runningOrOver(found, found);
    },
  });
}

/** Sessions that an experiment assigned a version: its number, its number and stage as `7.0`, those and the version as `7.0:2`. */
function ofExperiment(value: string): RawBuilder<boolean> | { problem: string } {
  const found = /^(\d{1,15})(?:\.(\d{1,4})(?::(\d{1,9}))?)?$/.exec(value.trim());
  if (!found)
    return { problem: "Input should be the number of an experiment, number.stage, or number.stage:version" };
  const [, id, stage = null, version = null] = found;
  return sql`s.id in (select x.session_id from experiment_sessions x
    where x.experiment_id = ${id}::bigint and (${stage}::integer is null or x.stage = ${stage}::integer)
      and (${version}::bigint is null or x.version_number = ${version}::bigint))`;
}

const OUTCOMES = new Map([
  ["errors", "is_error"],
  ["transfers", "is_transfer"],
  ["opt_outs", "is_opt_out"],
  ["complaints", "is_complaint"],
  ["slow", "is_slow"],
]);

function withOutcome(value: string): RawBuilder<boolean> | { problem: string } {
  const flag = OUTCOMES.get(value.trim());
  if (flag === undefined) return { problem: `Input should be one of ${[...OUTCOMES.keys()].join(", ")}` };
  return sql`exists (select from experiment_sessions x where x.session_id = s.id and ${sql.ref(`x.${flag}`)})`;
}

export const sessionList = {
  fields: {
    timestamp: list.time("s.timestamp"),
    session_id: list.integer("s.id"),
    conversation_id: list.integer("s.conversation_id"),
    channel_manager_service: list.exact("s.channel_manager_service"),
    channel_manager_type: list.read(list.exact("s.channel_manager_type")),
    // Index: sessions_sid.
    channel_manager_sid: list.wholeBeforePart("s.channel_manager_sid"),
    agent_type: list.read(list.exact("s.agent_type")),
    agent_id: list.integer("s.agent_id"),
    agent_name: ended("s.agent_name"),
    agent_version: list.read(list.integer("s.agent_version")),
    // Index: experiment_sessions_people.
    experiment_id: list.custom(ofExperiment),
    // Index: experiment_sessions_bad.
    experiment_outcome: list.custom(withOutcome),
    prompt_id: list.read(list.integer("s.prompt_id")),
    prompt_name: ended("s.prompt_name"),
    source: ended("s.source"),
    target: ended("s.target"),
    duration: list.read(list.number("s.duration")),
    is_outbound: list.read(list.boolean("s.is_outbound")),
    is_legacy: list.flag((value) => (value ? sql`false` : sql`true`), list.noOrder("s.id")),
    // Index: sessions_tests.
    is_test: list.boolean("s.is_test"),
    ended_at: list.read(list.time("s.ended_at")),
    end_reason: list.read(list.exact("s.end_reason")),
    // Index: sessions_open.
    is_running: list.flag((value) => (value ? sql`s.ended_at is null` : sql`s.ended_at is not null`)),
  },
  time: "s.timestamp",
  order: [
    { column: "s.timestamp", direction: "desc" },
    { column: "s.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
} satisfies list.ListRules;
