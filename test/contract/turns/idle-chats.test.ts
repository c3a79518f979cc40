import { beforeAll, expect, test } from "vitest";
import { endIdleSessions, endSession, IDLE_MS } from "../../../src/turns/end-session.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
let agent_id: number;
beforeAll(async () => {
  app = await createTestApp();
  ({ agent_id } = await createAgent(app, { script: 'otherwise -> say "Yes."' }));
});

async function chat() {
  const say = converse(app, agent_id);
  const { content } = await say("");
  return { id: content.session_id as number, say };
}
const endOf = async (id: number) =>
  await app.db
    .selectFrom("sessions")
    .select(["end_reason", "lease_owner"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();

test("a chat is closed after half an hour without a word, and not before; one that somebody is busy with is left", async () => {
  const [left, busy] = [await chat(), await chat()];
  app.clock.advance(IDLE_MS - 60_000);
  const written = await chat();
  await endIdleSessions(app.engine);
  expect((await endOf(left.id)).end_reason).toBeNull();

  app.clock.advance(61_000);
  const until = new Date(app.clock.now().getTime() + 5_000).toISOString();
  await app.db
    .updateTable("sessions")
    .set({ lease_owner: "another process", lease_expires_at: until })
    .where("id", "=", busy.id)
    .execute();
  await endIdleSessions(app.engine);
  expect(await endOf(left.id)).toEqual({ end_reason: "idle", lease_owner: null });
  expect((await endOf(written.id)).end_reason).toBeNull();
  expect(await endOf(busy.id)).toEqual({ end_reason: null, lease_owner: "another process" });
  app.clock.advance(6_000);
  await endIdleSessions(app.engine);
  expect((await endOf(busy.id)).end_reason).toBe("idle");
});

test("a chat that somebody has written in since it was found idle goes on", async () => {
  const { id, say } = await chat();
  await say("I am back");
  await endSession(app.engine, id, "idle", { turn_count: 0 });
  expect(await endOf(id)).toEqual({ end_reason: null, lease_owner: null });
  expect((await say("Still there?")).text).toBe("Yes.");
  await endSession(app.engine, id, "idle", { turn_count: 2 });
  expect((await endOf(id)).end_reason).toBe("idle");
});

test("a chat whose end could not be stored is free at once: its next message is answered, and its end comes later", async () => {
  const { id, say } = await chat();
  const onEnd = () => Promise.reject(new Error("the disk is full"));
  await expect(endSession({ ...app.engine, onEnd }, id, "idle")).rejects.toThrow("the disk is full");
  expect(await endOf(id)).toEqual({ end_reason: null, lease_owner: null });
  expect((await say("Still there?")).text).toBe("Yes.");
  await endSession(app.engine, id, "idle");
  expect((await endOf(id)).end_reason).toBe("idle");
});
