import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { WAITING } from "../../harness/waiting.ts";

let app: TestApp;
let url: string;
let target: string;
beforeAll(async () => {
  app = await createTestApp();
  url = await app.listen();
  ({ target } = await createAgent(app, { script: 'on /.*/ -> say "Noted."' }));
});

const open = async () => {
  const { body } = await app.send("POST", "/chat/v1/sessions", { client_id: target });
  return body as { session_id: string; token: string };
};
type Event = { type: string; message?: string; id?: string };

async function connect({ session_id, token }: { session_id: string; token: string }) {
  const socket = new WebSocket(
    `${url.replace("http", "ws")}/chat/v1/sessions/${session_id}/socket?token=${token}`,
  );
  const events: Event[] = [];
  let closed: number | null = null;
  socket.on("message", (data) => events.push(JSON.parse(String(data))));
  socket.on("close", (code) => {
    closed = code;
  });
  await new Promise((resolve) => socket.on("open", resolve));
  const until = async (holds: () => boolean) => {
    const deadline = performance.now() + WAITING.timeout;
    while (!holds()) {
      if (performance.now() > deadline) throw new Error(JSON.stringify(events.slice(-3)));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const say = async (id: string) => {
    socket.send(JSON.stringify({ text: "hello", id }));
    await until(() => events.some((event) => event.id === id && event.type !== "message"));
    return events.find((event) => event.id === id && event.type !== "message")?.type;
  };
  return { socket, events, until, say, closed: () => closed };
}

test("a socket that a fault of ours keeps shut is told so in words, and the log has the fault", async () => {
  const chat = await open();
  await sql`alter table sessions rename to sessions_away`.execute(app.db);
  const { until, events, closed } = await connect(chat);
  await until(() => closed() !== null);
  await sql`alter table sessions_away rename to sessions`.execute(app.db);
  expect(events).toEqual([{ type: "error", message: "The chat can't be opened." }]);
  expect(closed()).toBe(1008);
  expect(app.errors.splice(0).join("")).toMatch(
    /sessions.* does not exist.*a chat's socket could not be opened/s,
  );
});

describe("a visitor who floods a chat", () => {
  test("is answered thirty times a minute, over the socket and without it together, and again after it", async () => {
    const chat = await open();
    const { say, events, socket } = await connect(chat);
    const answers: (string | undefined)[] = [];
    for (let n = 0; n < 31; n++) answers.push(await say(`m${n}`));
    expect(answers.filter((type) => type === "answered")).toHaveLength(30);
    expect(answers.at(-1)).toBe("error");
    expect(events.at(-1)?.message).toContain("write again in 60 s");

    const path = `/chat/v1/sessions/${chat.session_id}/messages?token=${chat.token}`;
    const refused = await app.send("POST", path, { text: "hello" });
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "60" } });

    app.clock.advance(60_000);
    expect(await say("later")).toBe("answered");
    socket.close();
  });

  test("has what they send beyond a queue of twenty refused at once, and the rest in order", async () => {
    const { socket, events, until } = await connect(await open());
    for (let n = 0; n < 60; n++) socket.send(JSON.stringify({ text: "hello", id: `m${n}` }));
    await until(() => events.filter(({ type }) => type === "answered").length >= 20);
    expect(events.filter(({ message }) => message === "Too many messages at once.").length).toBeGreaterThan(
      0,
    );
    const answered = events.filter(({ type }) => type === "answered").map(({ id }) => Number(id?.slice(1)));
    expect(answered).toEqual(answered.toSorted((a, b) => a - b));
    socket.close();
  });

  test("is cut off when they go on, with one line in the log, and what was taken is answered", async () => {
    const chat = await open();
    const { socket, until, closed } = await connect(chat);
    for (let n = 0; n < 1000; n++) socket.send(JSON.stringify({ text: "hello", id: `m${n}` }));
    await until(() => closed() !== null);
    expect(closed()).toBe(1008);
    const lines = app.logged.filter((line) => line.includes("a chat's socket was flooded"));
    expect(lines).toHaveLength(1);
    const path = `/chat/v1/sessions/${chat.session_id}?token=${chat.token}`;
    expect((await app.send("GET", path)).status).toBe(200);
  });

  test("is cut off for a frame larger than a message can be, and nobody else notices", async () => {
    const { socket, until, closed } = await connect(await open());
    socket.send("x".repeat(70_000));
    await until(() => closed() !== null);
    expect(closed()).toBe(1009);
    expect(app.logged.join("")).toContain("a chat's socket sent what can't be read");
    const other = await connect(await open());
    expect(await other.say("m")).toBe("answered");
    other.socket.close();
  });

  test("can't open chat after chat", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => app.send("POST", "/chat/v1/sessions", { client_id: target })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThan(0);
  });
});
