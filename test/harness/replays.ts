import { endSession } from "../../src/turns/end-session.ts";
import { startSession } from "../../src/turns/start-session.ts";
import { runTurn } from "../../src/turns/turn.ts";
import type { TestApp } from "./app.ts";

let counter = 0;

/** A real conversation with the agent as people reach it: services are called, and the session is no test. */
export async function recordSession(
  app: TestApp,
  agent_id: number,
  lines: readonly string[],
  more: Partial<Parameters<typeof startSession>[1]> = {},
): Promise<number> {
  const { session_id } = await startSession(app.engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: "chat",
    service: "webchat",
    type: "webchat_v1",
    sid: `recorded-${++counter}`,
    channel_target_id: null,
    source: `visitor-${counter}`,
    target: "chat",
    is_test: false,
    is_outbound: false,
    verified: false,
    ...more,
  });
  for (const text of lines) {
    const { ended } = await runTurn(app.engine, session_id, { text });
    if (ended) return session_id;
  }
  await endSession(app.engine, session_id, "user");
  return session_id;
}

/** Replays what waits, as its jobs do. `until`: how many sessions. */
export async function playReplay(
  app: TestApp,
  replay_id: number,
  until = Number.POSITIVE_INFINITY,
): Promise<void> {
  const job = app.jobs.find(({ job }) => job.name === "replay-pair")!;
  const waiting = await app.db
    .selectFrom("replay_pairs")
    .select("id")
    .where("replay_id", "=", replay_id)
    .where("status", "=", "pending")
    .orderBy("id")
    .execute();
  for (const { id } of waiting.slice(0, until))
    await job.run({ pair_id: id }, { job: { attempts: 1 } } as never);
}
