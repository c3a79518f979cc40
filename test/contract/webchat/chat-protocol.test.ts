import { once } from "node:events";
import { readFileSync } from "node:fs";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import WebSocket from "ws";
import { createNotices } from "../../../src/db/notices.ts";
import { TurnControl } from "../../../src/turns/turn-control.ts";
import type { ChatEvent } from "../../../src/webchat/chat-answers.ts";
import { type TakenMessage, TakenMessages } from "../../../src/webchat/taken-messages.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { WAITING } from "../../harness/waiting.ts";

/** What docs/chat-protocol.md says of the socket, against the socket. */
const page = readFileSync(new URL("../../../docs/chat-protocol.md", import.meta.url), "utf8");

let app: TestApp;
let url: string;
let target: string;

const tool = (name: string, more: object) => ({
  type: "action",
  tool: {
    type: "function",
    function: { name, description: name, parameters: { type: "object", properties: {} } },
  },
  ...more,
});
const options = { propagate_tool_result: true };

beforeAll(async () => {
  app = await createTestApp();
  url = await app.listen();
  ({ target } = await createAgent(app, {
    script: `
      on "open" -> call opening_hours
      after opening_hours -> say "On Monday at nine."
      on "doctors" -> call list_doctors
      after list_doctors -> say "This one."
      on "prices" -> call show_section {"section": "prices"}
      after show_section -> say "There."
      on "everything" -> wait 60s then say "Once upon a time …"
      on "goodbye" -> say "Goodbye!" then call hangup
      after hangup -> say ""`,
    systemTools: ["hangup"],
    tools: [
      tool("opening_hours", { options, result: { monday: "09:00" } }),
      tool("list_doctors", {
        options,
        result: { doctors: [{ name: "Dr. Ada" }] },
        response_display: {
          type: "card-list",
          items_path: "doctors",
          mapping: { "content.header": { path: "name" } },
        },
      }),
      tool("show_section", { type: "client", client: { timeout: 20 } }),
    ] as never[],
  }));
});

/** What differs each time is of the same kind. */
const VARYING = ["timestamp", "expires_at", "key", "duration_ms"];
const pinned = (frame: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(frame).map(([name, value]) => [name, VARYING.includes(name) ? typeof value : value]),
  );

async function openChat() {
  const { body } = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
  const path = `/chat/v1/sessions/${body.session_id}`;
  const connect = async (token = body.token) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}${path}/socket?token=${token}`);
    onTestFinished(() => socket.terminate());
    const frames: Record<string, unknown>[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data))));
    const closed = once(socket, "close").then(([code]) => code as number);
    await once(socket, "open");
    return { socket, frames, closed };
  };
  const answerCall = (key: unknown) =>
    app.sendAs(null)("POST", `${path}/client_calls/${key}?token=${body.token}`, { result: { shown: true } });
  const post = (message: object) => app.sendAs(null)("POST", `${path}/messages?token=${body.token}`, message);
  return { session_id: body.session_id as string, connect, answerCall, post };
}

test("the conversation that the documentation shows is had frame by frame", async () => {
  const lines = page.split("\n").filter((line) => /^[→←] /.test(line));
  const { session_id, connect, answerCall } = await openChat();
  const { socket, frames, closed } = await connect();
  let heard = 0;
  for (const line of lines) {
    const frame = JSON.parse(line.slice(2));
    if (line.startsWith("→")) {
      // A stop is for an answer that has begun.
      if (frame.type === "stop") await vi.waitFor(() => isAnswering(session_id), WAITING);
      socket.send(JSON.stringify(frame));
      continue;
    }
    await vi.waitFor(() => expect(frames.length).toBeGreaterThan(heard), WAITING);
    const came = frames[heard++] as Record<string, unknown>;
    expect(pinned(came)).toEqual(pinned(frame));
    if (came.type === "client_call") expect((await answerCall(came.key)).status).toBe(200);
  }
  expect(await closed).toBe(1000);
  expect(frames).toHaveLength(heard);
});

const isAnswering = async (session_id: string) =>
  expect(
    await app.db
      .selectFrom("sessions")
      .select("id")
      .where("id", "=", Number(session_id))
      .where("lease_owner", "is not", null)
      .executeTakeFirst(),
  ).toBeDefined();

test("every kind of frame is in the documentation's table, and no other", () => {
  const kinds: Record<ChatEvent["type"], true> = {
    typing: true,
    message: true,
    tool_result: true,
    tool_display: true,
    client_call: true,
    aside: true,
    answered: true,
    session_end: true,
    error: true,
  };
  const section = page.split("## Frames that you get")[1]?.split("\n\nAn answer")[0] ?? "";
  const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, type]) => type);
  expect(listed.filter((type) => type !== "type").toSorted()).toEqual(Object.keys(kinds).toSorted());
});

test("a socket with a wrong token, of an ended chat, or with too large or unreadable frames is closed with the code that is documented", async () => {
  const { connect } = await openChat();
  const wrong = await connect("x");
  expect(await wrong.closed).toBe(1008);
  expect(wrong.frames).toEqual([
    { type: "error", message: "This chat does not exist, or its token is wrong." },
  ]);

  const large = await connect();
  large.socket.send("x".repeat(64 * 1024 + 1));
  expect(await large.closed).toBe(1009);
  const latin = await connect();
  latin.socket.send(Buffer.from('{"text":"café"}', "latin1"), { binary: false });
  expect(await latin.closed).toBe(1007);

  const last = await connect();
  last.socket.send(JSON.stringify({ text: "goodbye" }));
  expect(await last.closed).toBe(1000);
  const late = await connect();
  expect(await late.closed).toBe(1008);
  expect(late.frames).toEqual([{ type: "error", message: "This session has ended." }]);
  for (const code of [1000, 1007, 1008, 1009]) expect(page).toMatch(new RegExp(`^\\|.*\\b${code}\\b`, "m"));
});

test("a chat that is deleted while somebody is in it ends with a reason that is documented", async () => {
  const { session_id, connect } = await openChat();
  const { frames, closed } = await connect();
  await app.send("DELETE", `/api/v1/sessions/${session_id}?reason=asked`);
  expect(await closed).toBe(1000);
  const end = frames.at(-1) as { type: string; reason: string };
  expect(end.type).toBe("session_end");
  const documented = page.split("\n").find((line) => line.startsWith("| `session_end` |"));
  expect(documented).toContain(`\`${end.reason}\``);
});

test("a message that can't be stored is refused by its id, so that the client doesn't wait for its answer", async () => {
  const { connect } = await openChat();
  const { socket, frames } = await connect();
  socket.send(JSON.stringify({ id: "nul", text: "a\0b" }));
  socket.send('{"id": "half", "text": "\\ud83d"}');
  await vi.waitFor(() => expect(frames).toHaveLength(2), WAITING);
  expect(frames.map(({ type, id }) => [type, id])).toEqual([
    ["error", "nul"],
    ["error", "half"],
  ]);
});

test("an answer that is sent again has the time at which it was first given", async () => {
  const { connect } = await openChat();
  const asked = async () => {
    const { socket, frames } = await connect();
    socket.send(JSON.stringify({ id: "m1", text: "Hello" }));
    await vi.waitFor(() => expect(frames.at(-1)).toEqual({ type: "answered", id: "m1" }), WAITING);
    return frames.filter(({ type }) => type === "message");
  };
  const first = await asked();
  expect(first).toHaveLength(1);
  app.clock.advance(60_000);
  expect(await asked()).toEqual(first);
});

test("the answer that ended a chat is given again over HTTP, and no message that the chat never heard", async () => {
  const { post } = await openChat();
  await post({ id: "m1", text: "Hello" });
  const ended = await post({ id: "m2", text: "goodbye" });
  expect(ended.body.events.map(({ type }: { type: string }) => type)).toEqual(["message", "session_end"]);
  app.clock.advance(60_000);
  expect((await post({ id: "m2", text: "goodbye" })).body).toEqual(ended.body);
  for (const late of [{ id: "m3", text: "Hello?" }, { text: "goodbye" }])
    expect(await post(late)).toMatchObject({ status: 412, body: { detail: "This session has ended." } });
});

test("an answer that was begun on a socket that broke is stopped from the next one, and only by who may read the chat", async () => {
  const { session_id, connect } = await openChat();
  const first = await connect();
  first.socket.send(JSON.stringify({ id: "m1", text: "Tell me everything" }));
  await vi.waitFor(() => isAnswering(session_id), WAITING);
  first.socket.terminate();
  const stranger = await connect("x");
  stranger.socket.send(JSON.stringify({ type: "stop", id: "m1" }));
  expect(await stranger.closed).toBe(1008);
  await isAnswering(session_id);

  const again = await connect();
  again.socket.send(JSON.stringify({ id: "m1", text: "Tell me everything" }));
  again.socket.send(JSON.stringify({ type: "stop", id: "m1" }));
  await vi.waitFor(() => expect(again.frames.at(-1)).toEqual({ type: "answered", id: "m1" }), WAITING);
  expect(again.frames).not.toContainEqual(expect.objectContaining({ type: "message" }));
});

test("an answer that another process gives is stopped, too: a page may connect to any", async () => {
  const notices = createNotices(app.database.pool.options);
  onTestFinished(() => notices.close());
  const other = new TakenMessages({ db: app.db, notices });
  const { session_id, connect } = await openChat();
  const here = await connect();
  here.socket.send(JSON.stringify({ id: "m1", text: "Tell me everything" }));
  await vi.waitFor(() => isAnswering(session_id), WAITING);
  await other.stopEverywhere(session_id, "m0");
  await other.stopEverywhere(session_id, "m1");
  await vi.waitFor(() => expect(here.frames.at(-1)).toEqual({ type: "answered", id: "m1" }), WAITING);
  expect(here.frames).not.toContainEqual(expect.objectContaining({ type: "message" }));

  const [m2, m3] = ["m2", "m3"].map((id) => ({ id, control: new TurnControl(), given: () => ({}) }));
  for (const message of [m2, m3]) other.add(session_id, message as TakenMessage);
  await new Promise<void>((resolve) => notices.listen("listening", { heard() {}, missed: resolve }));
  const stranger = await connect("x");
  stranger.socket.send(JSON.stringify({ type: "stop", id: "m3" }));
  expect(await stranger.closed).toBe(1008);
  here.socket.send(JSON.stringify({ type: "stop", id: "m2" }));
  await vi.waitFor(() => expect(m2?.control.interrupted.aborted).toBe(true), WAITING);
  expect(m3?.control.interrupted.aborted).toBe(false);
});
