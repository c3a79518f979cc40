import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { type ClientCall, createClientCalls } from "../../../src/sessions/live/client-calls.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

/** Tools that run in the visitor's page: the turn asks, the page answers, over whatever way. */
let app: TestApp;
let url: string;
let target: string;
let agent_id: number;

const clientTool = (name: string, more: object = {}) => ({
  type: "client",
  tool: {
    type: "function",
    function: {
      name,
      description: `Does ${name}`,
      parameters: { type: "object", properties: { section: { type: "string" } } },
    },
  },
  client: { timeout: 20 },
  ...more,
});

beforeAll(async () => {
  app = await createTestApp({ CHAT_CONCURRENCY: "2" });
  url = await app.listen();
  ({ target, agent_id } = await createAgent(app, {
    script: `
      on "prices" -> call show_section {"section": "prices"}
      on "mine" -> call read_cart
      after show_section -> say "It gave {result}."
      after read_cart -> say "Cart: {result}."
      on /.*/ -> say "Noted."`,
    tools: [clientTool("show_section"), clientTool("read_cart", { requires_verified: true })] as never[],
  }));
});

type Chat = { session_id: string; token: string };
type Call = { type: "client_call"; key: string; tool_name: string; arguments: unknown };

const anyone = (method: string, path: string, body?: unknown) => app.sendAs(null)(method, path, body);
const open = async (): Promise<Chat> =>
  (await anyone("POST", "/chat/v1/sessions", { client_id: target })).body;
const chatPath = ({ session_id, token }: Chat, what = "") =>
  `/chat/v1/sessions/${session_id}${what}?token=${token}`;
const answer = (chat: Chat, key: string, body: object) =>
  anyone("POST", chatPath(chat, `/client_calls/${key}`), body);
const waiting = async (chat: Chat): Promise<Call[]> =>
  (await anyone("GET", chatPath(chat, "/client_calls"))).body.calls;

/** A page on a socket, that has said something whose answer calls a tool. */
async function connect(chat: Chat) {
  const socket = new WebSocket(`${url.replace("http", "ws")}${chatPath(chat, "/socket")}`);
  onTestFinished(() => socket.terminate());
  const events: { type: string; text?: string; id?: string }[] = [];
  socket.on("message", (data) => events.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.on("open", resolve));
  const find = async (holds: (event: (typeof events)[number]) => boolean) => {
    await expect.poll(() => events.some(holds)).toBe(true);
    return events.find(holds);
  };
  return {
    socket,
    events,
    say: (text: string, id: string) => socket.send(JSON.stringify({ text, id })),
    called: async () => (await find(({ type }) => type === "client_call")) as unknown as Call,
    answered: (id: string) => find((event) => event.type === "answered" && event.id === id),
    words: () => events.flatMap(({ type, text }) => (type === "message" ? [text] : [])),
  };
}

async function asked(text = "prices") {
  const chat = await open();
  const page = await connect(chat);
  page.say(text, "m1");
  return { chat, page, call: await page.called() };
}

const rows = (chat: Chat) =>
  app.db
    .selectFrom("client_tool_calls")
    .selectAll()
    .where("session_id", "=", Number(chat.session_id))
    .execute();

test("a call reaches the page with its arguments, and the page's result goes on into the turn", async () => {
  const { chat, page, call } = await asked();
  expect(call).toMatchObject({ tool_name: "show_section", arguments: { section: "prices" } });
  expect((await waiting(chat)).map(({ key }) => key)).toEqual([call.key]);
  expect((await answer(chat, call.key, { result: "Prices" })).body).toEqual({ taken: true });
  await page.answered("m1");
  expect(page.words()).toEqual(["It gave Prices."]);
  const stored = await app.db
    .selectFrom("session_tool_calls")
    .select(["tool_name", "result", "error"])
    .where("session_id", "=", Number(chat.session_id))
    .execute();
  expect(stored).toEqual([{ tool_name: "show_section", result: "Prices", error: null }]);
});

test("nothing of a call's arguments or answer is kept beside the session's record, and while it waits both are sealed", async () => {
  const { chat, page, call } = await asked();
  expect(JSON.stringify(await rows(chat))).not.toContain("prices");
  await answer(chat, call.key, { result: "Prices" });
  await page.answered("m1");
  expect(await rows(chat)).toMatchObject([{ state: "settled", sealed_arguments: null, sealed_answer: null }]);
});

test("a page that can't do it says so, and the model is told its words", async () => {
  const { chat, page, call } = await asked();
  await answer(chat, call.key, { error: "This page can't run show_section." });
  await page.answered("m1");
  expect(page.words().join()).toContain("This page can't run show_section.");
});

test("without an answer the turn goes on when the time is over, and a late one is refused", async () => {
  const { chat, page, call } = await asked();
  app.clock.advance(20_000);
  await page.answered("m1");
  expect(page.words().join()).toContain("did not answer within 20 s");
  expect(await waiting(chat)).toEqual([]);
  const late = await answer(chat, call.key, { result: "Prices" });
  expect(late).toMatchObject({ status: 409 });
  expect(late.body.detail).toContain("too late");
});

test("of two answers the first counts", async () => {
  const { chat, page, call } = await asked();
  const both = await Promise.all([
    answer(chat, call.key, { result: "one" }),
    answer(chat, call.key, { result: "two" }),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  await page.answered("m1");
  const first = both[0]?.status === 200 ? "one" : "two";
  expect(page.words()).toEqual([`It gave ${first}.`]);
});

describe("an answer that is not the page's", () => {
  test("is refused with another chat's token, without one, and under a key that is none", async () => {
    const { chat, page, call } = await asked();
    const other = await open();
    expect((await answer(other, call.key, { result: "forged" })).status).toBe(404);
    expect((await answer({ ...chat, token: "x" }, call.key, { result: "forged" })).status).toBe(404);
    expect((await answer(chat, "a-key-that-is-none", { result: "forged" })).status).toBe(404);
    expect((await anyone("GET", chatPath({ ...chat, token: "x" }, "/client_calls"))).status).toBe(404);
    expect(await waiting(other)).toEqual([]);
    await answer(chat, call.key, { result: "Prices" });
    await page.answered("m1");
    expect(page.words()).toEqual(["It gave Prices."]);
  });

  test("is refused at its place when it is too long or of another form", async () => {
    const { chat, page, call } = await asked();
    const long = await answer(chat, call.key, { result: "x".repeat(32_001) });
    expect([long.status, long.body.detail[0].loc]).toEqual([422, ["body", "result"]]);
    expect((await answer(chat, call.key, { error: 7 })).status).toBe(422);
    await answer(chat, call.key, {});
    await page.answered("m1");
  });
});

test("without a socket the page finds the call by asking, and the answer to its message holds the rest", async () => {
  const chat = await open();
  const sent = anyone("POST", chatPath(chat, "/messages"), { text: "prices", id: "m1" });
  await expect.poll(async () => (await waiting(chat)).length).toBe(1);
  const [call] = await waiting(chat);
  await answer(chat, call?.key ?? "", { result: "Prices" });
  expect((await sent).body.events).toMatchObject([{ type: "message", text: "It gave Prices." }]);
});

test("a page that comes back while the turn waits finds the call and answers it", async () => {
  const { chat, page, call } = await asked();
  page.socket.terminate();
  const again = await connect(chat);
  again.say("prices", "m1");
  expect((await waiting(chat)).map(({ key }) => key)).toEqual([call.key]);
  await answer(chat, call.key, { result: "Prices" });
  await again.answered("m1");
  expect(again.words()).toEqual(["It gave Prices."]);
});

test("whoever stops the answer waits for their page no longer", async () => {
  const { chat, page } = await asked();
  page.socket.send(JSON.stringify({ type: "stop", id: "m1" }));
  await page.answered("m1");
  expect(await waiting(chat)).toEqual([]);
});

test("a message that is stopped before its turn has come is kept without an answer, be it behind others or without a place", async () => {
  const { chat, page, call } = await asked();
  // Of two places, nobody takes more than one.
  const crowded = await connect(await open());
  for (const waits of [page, crowded]) {
    waits.say("hello", "m2");
    waits.socket.send(JSON.stringify({ type: "stop", id: "m2" }));
    waits.say("hello again", "m3");
  }
  await answer(chat, call.key, { result: "Prices" });
  for (const waits of [page, crowded]) {
    await waits.answered("m3");
    expect(waits.events.filter(({ type }) => type === "answered").slice(-2)).toMatchObject([
      { id: "m2" },
      { id: "m3" },
    ]);
  }
  expect([page.words(), crowded.words()]).toEqual([["It gave Prices.", "Noted."], ["Noted."]]);
  const { body } = await anyone("GET", chatPath(chat));
  expect(body.messages.map(({ text }: { text: string }) => text).slice(-5)).toEqual([
    "prices",
    "It gave Prices.",
    "hello",
    "hello again",
    "Noted.",
  ]);
});

test("a stop of another message, or of none, ends nothing and is no message", async () => {
  const { chat, page, call } = await asked();
  page.socket.send(JSON.stringify({ type: "stop", id: "m0" }));
  page.socket.send(JSON.stringify({ type: "stop" }));
  await answer(chat, call.key, { result: "Prices" });
  await page.answered("m1");
  expect(page.words()).toEqual(["It gave Prices."]);
  expect(page.events.filter(({ type }) => type === "error")).toEqual([]);
});

test("a tool for verified people is refused before the page is asked", async () => {
  const chat = await open();
  await anyone("POST", chatPath(chat, "/messages"), { text: "mine" });
  expect(await rows(chat)).toEqual([]);
});

test("where there is no page the model is told so at once", async () => {
  const { body } = await app.send("POST", "/api/v1/agents/test/messages", {
    service_name: "test",
    source: "tester@example.com",
    test_id: "client-tools",
    agent_id: String(agent_id),
    text: "prices",
    session_start: true,
  });
  expect(JSON.stringify(body)).toContain("there is no page in this conversation");
});

test("a call is not over because lost notices are looked for while it is being stored", async () => {
  const { session_id } = await open();
  const looks: (() => void)[] = [];
  const calls = createClientCalls({
    ...app,
    notices: { listen: (_, { missed }) => void looks.push(missed), close: async () => {} },
  });
  const told = Promise.withResolvers<ClientCall>();
  const call = { session_id: Number(session_id), tool_name: "show_section", arguments: {}, timeout_s: 20 };
  const answered = calls.ask(call, new AbortController().signal, told.resolve);
  const [lookForLost] = looks;
  for (let look = 0; look < 20; look++) lookForLost?.();
  expect(await calls.answer(call.session_id, (await told.promise).key, { result: "shown" })).toBe("taken");
  lookForLost?.();
  expect(await answered).toEqual({ result: "shown" });
});
