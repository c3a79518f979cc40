import { beforeAll, expect, inject, onTestFinished, test, vi } from "vitest";
import WebSocket from "ws";
import { createNotices } from "../../../src/db/notices.ts";
import { createSessionEnds } from "../../../src/sessions/session-ends.ts";
import { endSession } from "../../../src/turns/end-session.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { runAsAdmin } from "../../harness/postgres.ts";
import { WAITING } from "../../harness/waiting.ts";

let app: TestApp;
let url: string;
let target: string;

beforeAll(async () => {
  app = await createTestApp();
  url = await app.listen();
  ({ target } = await createAgent(app, { script: 'otherwise -> say "You said: {user.text}"' }));
});

async function openChat() {
  const { body } = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
  const { session_id, token } = body as { session_id: string; token: string };
  const path = `/chat/v1/sessions/${session_id}`;
  const socket = async () => {
    const events: { type: string; reason?: string }[] = [];
    const opened = new WebSocket(`${url.replace("http", "ws")}${path}/socket?token=${token}`);
    onTestFinished(() => opened.terminate());
    const closed = new Promise<number>((resolve) => opened.once("close", resolve));
    opened.on("message", (data) => events.push(JSON.parse(String(data))));
    await new Promise((resolve) => opened.once("open", resolve));
    // A socket is open before its token is read. What it sends is answered once it was let in.
    opened.send("[]");
    await vi.waitFor(() => expect(events.splice(0)).toMatchObject([{ type: "error" }]), WAITING);
    return { events, closed };
  };
  const end = () => app.sendAs(null)("POST", `${path}/end?token=${token}`, {});
  return { id: Number(session_id), socket, end };
}

test("whoever has a chat open is told at once that it has ended, and the socket closes", async () => {
  const chat = await openChat();
  const [one, two] = [await chat.socket(), await chat.socket()];
  await chat.end();
  expect(await Promise.all([one.closed, two.closed])).toEqual([1000, 1000]);
  for (const { events } of [one, two]) expect(events).toEqual([{ type: "session_end", reason: "user" }]);
});

test("a chat that is closed for silence is told of too", async () => {
  const chat = await openChat();
  const { events, closed } = await chat.socket();
  await endSession(app.engine, chat.id, "idle");
  await closed;
  expect(events).toEqual([{ type: "session_end", reason: "idle" }]);
});

/** As another process of the same database sees it. */
const otherProcess = () => {
  const notices = createNotices(app.database.pool.options);
  onTestFinished(() => notices.close());
  return { notices, ends: createSessionEnds({ db: app.db, notices }) };
};
const endOf = (ends: ReturnType<typeof createSessionEnds>, id: number) =>
  new Promise<string>((resolve) => ends.watch(id, resolve));

test("another process hears of it, also of an end from just before it listened", async () => {
  const { ends } = otherProcess();
  const [early, late] = [await openChat(), await openChat()];
  await early.end();
  const heard = [endOf(ends, early.id), endOf(ends, late.id)];
  expect(await heard[0]).toBe("user");
  await late.end();
  expect(await heard[1]).toBe("user");
});

test("an end that was told while the connection was broken is found when it is back", async () => {
  const { ends } = otherProcess();
  const [first, second] = [await openChat(), await openChat()];
  const heard = endOf(ends, first.id);
  await first.end();
  await heard;
  const found = endOf(ends, second.id);
  const { admin } = inject("testServer");
  await runAsAdmin(
    admin,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = '${app.database.pool.options.database}' and query ilike 'listen%'`,
  );
  await second.end();
  expect(await found).toBe("user");
});

test("nothing is kept of a socket that has closed", async () => {
  const { ends } = otherProcess();
  const chat = await openChat();
  let told = 0;
  const unwatch = ends.watch(chat.id, () => told++);
  unwatch();
  const after = endOf(ends, chat.id);
  await chat.end();
  await after;
  expect(told).toBe(0);
});

test("whoever begins to listen looks once, also on a connection on which others listen", async () => {
  const { notices } = otherProcess();
  const looked: string[] = [];
  const listen = (channel: string) =>
    notices.listen(channel, { heard: () => {}, missed: () => looked.push(channel) });
  listen("first");
  await vi.waitFor(() => expect(looked).toEqual(["first"]), WAITING);
  listen("second");
  await vi.waitFor(() => expect(looked).toEqual(["first", "second"]), WAITING);
});
