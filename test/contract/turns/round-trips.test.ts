import { beforeAll, expect, test } from "vitest";
import type { Engine } from "../../../src/sessions/engine.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json } from "../../harness/peer.ts";
import { type Plan, plannedEngine } from "../../harness/planned-model.ts";
import { freshName, plannedSession } from "../../harness/planned-session.ts";
import { statementsOf } from "../../harness/statement-log.ts";

/*
 * What a turn asks of the database: the lease with the person's message, what was said before and the model's keys, the
 * credentials of each tool that is called, and a statement for each time that something is stored.
 */

let app: TestApp;
let url: string;

beforeAll(async () => {
  app = await createTestApp();
  const peer = await createPeer();
  peer.respond((_request, response) => json(response, 200, { slots: ["09:00"] }));
  url = peer.url;
});

const storedOf = async (session_id: number) => {
  const of = (table: "session_messages" | "session_tool_calls") =>
    app.db.selectFrom(table).selectAll().where("session_id", "=", session_id).orderBy("seq").execute();
  const traced = app.db.selectFrom("session_trace").selectAll().where("session_id", "=", session_id);
  const [messages, calls, trace] = await Promise.all([
    of("session_messages"),
    of("session_tool_calls"),
    traced.orderBy("id").execute(),
  ]);
  return { messages, calls, trace };
};

/** A session whose model follows plans, with keys that are looked up as those of any model are. */
async function session(plans: (tool: string) => Plan[]) {
  const tool = freshName("find");
  const planned = plannedEngine(app.engine, plans(tool)).engine;
  const engine: Engine = {
    ...planned,
    async resolveModel(sub_organization_id, llm) {
      await app.engine.resolveModel(sub_organization_id, llm);
      return planned.resolveModel(sub_organization_id, llm);
    },
  };
  const { say, events, session_id } = await plannedSession(app, [endpointTool(tool, `${url}/${tool}`)], {
    engine,
    systemTools: ["hangup"],
  });
  return { session_id, events, turn: (text: string) => statementsOf(app.database.pool, () => say(text)) };
}

/** What is durable by itself: a transaction, or a statement outside of one that writes. */
function commits(texts: string[]): number {
  let inside = false;
  let count = 0;
  for (const text of texts) {
    const begins = /^\s*begin/i.test(text);
    const ends = /^\s*commit/i.test(text);
    if (ends || (!inside && /\b(insert into|update|delete from)\b/i.test(text))) count++;
    if (begins || ends) inside = begins;
  }
  return count;
}

test("a turn of words asks the database four times at most, and commits twice", async () => {
  const { turn } = await session(() => [{ text: "Hello." }]);
  const texts = await turn("hi");
  expect(texts.length, texts.join("\n")).toBeLessThanOrEqual(4);
  expect(commits(texts)).toBe(2);
});

test("a turn with one tool call asks the database six times at most, and commits three times", async () => {
  const { turn } = await session((tool) => [
    { text: "One moment.", calls: [[tool, {}]] },
    { text: "At nine." },
  ]);
  const texts = await turn("When?");
  expect(texts.length, texts.join("\n")).toBeLessThanOrEqual(6);
  expect(commits(texts)).toBe(3);
});

test("a turn stores with one of two texts, however much it stores", async () => {
  const { turn } = await session((tool) => [
    { text: "One moment.", calls: [[tool, {}]] },
    { text: "At nine." },
    {
      text: "I look again.",
      calls: [
        [tool, {}],
        [tool, {}],
        ["unknown", {}],
      ],
    },
    { calls: [[tool, {}]] },
    { text: "At ten." },
  ]);
  const first = new Set(await turn("When?"));
  const second = new Set(await turn("And tomorrow?"));
  // The call of a tool that isn't there publishes an event.
  const other = [...second.difference(first)];
  expect(other).toHaveLength(1);
  expect(other[0]).toContain("insert into events");
  expect([...first].filter((text) => text.includes("insert into session_trace"))).toHaveLength(1);
});

test("a turn that ends its session commits its end with its last words", async () => {
  const { turn } = await session(() => [{ text: "Goodbye.", calls: [["hangup", { reason: "done" }]] }]);
  expect(commits(await turn("bye"))).toBe(2);
});

test("a turn whose lease was taken from it stores nothing more, and says nothing more", async () => {
  const tool = freshName("find");
  const planned = plannedEngine(app.engine, [
    { text: "One moment.", calls: [[tool, {}]] },
    { text: "At nine." },
  ]);
  let asked = 0;
  const engine: Engine = {
    ...planned.engine,
    async resolveModel(...given) {
      const model = await planned.engine.resolveModel(...given);
      return {
        ...model,
        async *stream(request) {
          if (++asked === 2) await takeAway();
          yield* model.stream(request);
        },
      };
    },
  };
  const { say, events, session_id } = await plannedSession(app, [endpointTool(tool, `${url}/${tool}`)], {
    engine,
  });
  const takeAway = () =>
    app.db.updateTable("sessions").set({ lease_owner: "another" }).where("id", "=", session_id).execute();
  const eventsOf = () =>
    app.db.selectFrom("events").selectAll().where("session_id", "=", String(session_id)).execute();

  await expect(say("When?")).rejects.toThrow("a lease was lost");
  const { messages, calls, trace } = await storedOf(session_id);
  expect(messages.map(({ text }) => text)).toEqual(["When?", "One moment."]);
  expect(calls).toHaveLength(1);
  expect(trace.map(({ category }) => category)).toEqual(["llm", "http", "tool"]);
  expect((await eventsOf()).map(({ type }) => type)).toEqual(["session-start"]);
  expect(events.filter(({ type }) => type === "message")).toEqual([
    { type: "message", text: "One moment.", at: expect.any(Date) },
  ]);
});

test("words are told when everybody can read them already", async () => {
  const tool = freshName("find");
  const { engine } = plannedEngine(app.engine, [
    { text: "One moment.", calls: [[tool, {}]] },
    { text: "At nine." },
  ]);
  const { session_id } = await plannedSession(app, [endpointTool(tool, `${url}/${tool}`)], { engine });
  const read: Promise<string[]>[] = [];
  await runTurn(engine, session_id, { text: "When?" }, (event) => {
    if (event.type !== "message") return;
    read.push(storedOf(session_id).then(({ messages }) => messages.map(({ text }) => text)));
  });
  const [first, second] = await Promise.all(read);
  expect(first).toContain("One moment.");
  expect(second).toContain("At nine.");
});

test("a value that a trace cuts in the middle of a character is stored", async () => {
  const { turn, session_id } = await session((tool) => [
    {
      calls: [
        [tool, { q: "🙂".repeat(1500) }],
        [tool, { q: `x${"🙂".repeat(1500)}` }],
      ],
    },
    { text: "At nine." },
  ]);
  await turn("When?");
  const { calls, trace } = await storedOf(session_id);
  expect(calls.map(({ arguments: given }) => (given as { q: string }).q.length)).toEqual([3000, 3001]);
  const cut = trace
    .filter(({ category }) => category === "tool")
    .map(({ details }) => JSON.stringify(details));
  expect(cut).toHaveLength(2);
  for (const text of cut) expect(text).toContain("…");
  // PostgreSQL can look into each of them.
  const { rows } = await app.database.pool.query(
    "select details ->> 'arguments' as given from session_trace where session_id = $1 and category = 'tool'",
    [session_id],
  );
  expect(rows).toHaveLength(2);
});
