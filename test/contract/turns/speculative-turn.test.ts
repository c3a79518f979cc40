import { beforeAll, expect, test } from "vitest";
import { SpeculativeTurn } from "../../../src/turns/rounds/speculative-turn.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import type { Plan } from "../../harness/planned-model.ts";
import { plannedSession } from "../../harness/planned-session.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

async function session(plans: Plan[]) {
  const planned = await plannedSession(app, [], {
    plans,
    systemTools: ["hangup"],
    context: "It is {{ system.time.now }}.",
  });
  const { engine, session_id } = planned;
  const stored = () =>
    app.db
      .selectFrom("session_messages")
      .select(["role", "text"])
      .where("session_id", "=", session_id)
      .orderBy("seq")
      .execute();
  /** An answer to these words, begun, with all that it has written. */
  const begin = async (text: string) => {
    let written = "";
    const { promise, resolve } = Promise.withResolvers<void>();
    const feed = (delta: string) => {
      written += delta;
    };
    const speculation = new SpeculativeTurn(engine, session_id, text, { feed, pause: resolve });
    await promise;
    return { speculation, written: () => written.trim() };
  };
  const turn = (text: string, speculation: SpeculativeTurn) =>
    runTurn(engine, session_id, { text, speculation }, (event) => planned.events.push(event));
  return { ...planned, stored, begin, turn };
}

test("an answer is begun without a row; the turn takes it over, and the model is asked once", async () => {
  const { requests, events, stored, begin, turn } = await session([{ text: "At eight." }]);
  const { speculation, written } = await begin("When?");
  expect(written()).toBe("At eight.");
  expect(await stored()).toEqual([]);
  expect(events).toEqual([]);
  app.clock.advance(700);
  expect(await turn("When?", speculation)).toMatchObject({ messages: ["At eight."] });
  expect(requests).toHaveLength(1);
  expect(events.filter(({ type }) => type === "delta")).toEqual([{ type: "delta", text: "At eight." }]);
  expect(await stored()).toEqual([
    { role: "user", text: "When?" },
    { role: "agent", text: "At eight." },
  ]);
  expect(await speculation.drop("late")).toBeNull();
});

test("a tool that the begun answer calls is started by the turn, and by nobody before", async () => {
  const { events, begin, turn } = await session([{ text: "Bye.", calls: [["hangup", { reason: "done" }]] }]);
  const { speculation } = await begin("Bye");
  expect(events).toEqual([]);
  expect(await turn("Bye", speculation)).toMatchObject({ action: { action: "hangup" } });
});

test("other words, or a session that went on meanwhile, are answered anew, and the cost of what was dropped is told", async () => {
  const { requests, begin, turn, say } = await session([
    { text: "One." },
    { text: "Two." },
    { text: "Three." },
  ]);
  const { speculation } = await begin("I want");
  await say("I want tea");
  expect(await turn("I want", speculation)).toMatchObject({ messages: ["Three."] });
  expect(requests).toHaveLength(3);
  expect(await speculation.drop("the turn asked otherwise")).toMatchObject({
    category: "llm",
    label: "dropped",
    details: { because: "the turn asked otherwise", estimated: true, output_tokens: expect.any(Number) },
  });
});
