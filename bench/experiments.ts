import { sql } from "kysely";
import { assignVersion } from "../src/agents/version-split.ts";
import { systemClock } from "../src/base/clock.ts";
import { keptSince } from "../src/erasure/agent-retention.ts";
import { compareVersions, stageOf } from "../src/experiments/comparison.ts";
import { findExperiment } from "../src/experiments/experiment-store.ts";
import { guardAll } from "../src/experiments/guard-job.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * What a running experiment costs once a million sessions have met it: the choice of a version at a session's start, a look
 * of the guard job, and the comparison that the console shows. Run: node bench/experiments.ts [sessions]
 */
const SESSIONS = Number(process.argv[2] ?? 1_000_000);
/** How many of them are not over, which each look reads again. */
const OPEN = 1_000;
/** One in so many had an error, a transfer and so on. */
const BAD_EVERY = 50;
const CHOICES = 5_000;
const LOOKS = 9;
const AGENT = 1;

const platform = await startPlatform();
const { database, caller } = platform;
const { db } = database;

await sql`update agents set published_version = 1 where id = ${AGENT}`.execute(db);
const arrival = (n: number) => ({
  agent_id: AGENT,
  channel_target_id: null,
  verified: true,
  sid: `s${n}`,
  source: `+1512${String(n).padStart(7, "0")}`,
});
const without = await timed(CHOICES, (n) => assignVersion(db, arrival(n)));
const experiment_id = await startExperiment();
await fill();
const assigned = await timed(CHOICES, (n) => assignVersion(db, arrival(n)));
const experiment = await findExperiment(db, caller, experiment_id);
if (!experiment) throw new Error("the experiment is not there");
const looks = await timed(LOOKS, () => guardAll({ db, clock: systemClock, keptSince }));
const comparisons = await timed(LOOKS, () =>
  compareVersions(db, experiment, stageOf(experiment, null), null),
);
const after = await findExperiment(db, caller, experiment_id);
if (after?.status !== "running")
  throw new Error(`the experiment is ${after?.status}: ${after?.ended_because}`);

print(
  `${machine()}; ${SESSIONS.toLocaleString("en")} sessions, ${OPEN.toLocaleString("en")} of them running\n`,
);
print(
  markdownTable(
    ["what", "times", "p50 ms", "p95 ms"],
    [
      ["version of a session, no experiment", without],
      ["version of a session, 95 to 5", assigned],
      ["a look of the guardrails", looks],
      ["the comparison", comparisons],
    ].map(([what, took]) => {
      const all = took as number[];
      return [what as string, all.length, ms(median(all)), ms(quantile(all, 0.95))];
    }),
  ),
);
await platform.stop();

async function timed(times: number, act: (n: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const began = performance.now();
    await act(n);
    took.push(performance.now() - began);
  }
  return took;
}

async function startExperiment(): Promise<number> {
  const send = async (path: string, body: object) => {
    const answer = await platform.api.server.inject({
      method: "POST",
      url: path,
      headers: { "service-api-key": platform.token },
      payload: body,
    });
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${answer.body}`);
    return answer.json() as { id: number };
  };
  const variants = [
    { version_number: 1, weight: 95, is_control: true },
    { version_number: 2, weight: 5, is_control: false },
  ];
  const { id } = await send("/api/v1/experiments/", { name: "Bench", agent_id: AGENT, variants });
  await send(`/api/v1/experiments/${id}/start`, {});
  return id;
}

/** One session of each person, one in twenty with the tried version; both have as much trouble. */
async function fill(): Promise<void> {
  const open = await platform.api.server.inject({
    method: "POST",
    url: "/chat/v1/sessions",
    payload: { client_id: "demo-clinic" },
  });
  if (open.statusCode !== 200) throw new Error(open.body);
  await sql`
    insert into sessions (sub_organization_id, conversation_id, agent_id, agent_name, agent_type, agent_timezone,
      prompt_id, prompt_name, prompt_version_number, channel, channel_manager_service, channel_manager_type,
      channel_manager_sid, is_test, snapshot_key, state, source, target, timestamp, last_activity_at, ended_at, end_reason)
    select s.sub_organization_id, s.conversation_id, s.agent_id, s.agent_name, s.agent_type, s.agent_timezone,
      s.prompt_id, s.prompt_name, s.prompt_version_number, s.channel, s.channel_manager_service, s.channel_manager_type,
      'bench-' || i, false, s.snapshot_key, s.state, '+1512' || lpad(i::text, 7, '0'), s.target, s.timestamp, s.timestamp,
      case when i > ${OPEN} then s.timestamp + interval '40 seconds' end, case when i > ${OPEN} then 'user' end
    from (select * from sessions order by id limit 1) s, generate_series(1, ${SESSIONS}::int) as i`.execute(
    db,
  );
  await sql`
    insert into experiment_sessions (session_id, experiment_id, person, stage, version_number, is_over, is_error,
      is_transfer, is_slow, turns, wait_ms, duration_s, cost_usd, end_reason)
    select id, ${experiment_id}, id, 0, case when id % 20 = 0 then 2 else 1 end, ended_at is not null,
      (id / 20) % ${BAD_EVERY} = 0, (id / 20) % ${BAD_EVERY} = 1, (id / 20) % ${BAD_EVERY} = 2, id % 9, id % 1500,
      id % 300, (id % 100) * 0.0001, end_reason
    from sessions where channel_manager_sid like 'bench-%'`.execute(db);
  // What autovacuum does in life, some minutes after.
  await sql`vacuum analyze sessions, experiment_sessions`.execute(db);
}
