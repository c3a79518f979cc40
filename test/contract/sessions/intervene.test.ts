import { sql } from "kysely";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import WebSocket from "ws";
import { createNotices } from "../../../src/db/notices.ts";
import { createLiveWords } from "../../../src/sessions/live/live-words.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type Send, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { createNumber, endOf, incoming, pickUp, quiet } from "../../harness/phone.ts";
import { WAITING } from "../../harness/waiting.ts";

let app: TestApp;
let url: string;
let target: string;
let number: string;
/** Another person of the same organization, who may step in. */
let colleague: Send;
/** What the agent looks up. */
let peer: Peer;
const SCRIPT = `
  on "slow" -> call look_up {}
  after look_up -> say "At last."
  otherwise -> say "You said {user.text}."`;

beforeAll(async () => {
  app = await createTestApp();
  url = await app.listen();
  peer = await createPeer();
  const tools = [endpointTool("look_up", `${peer.url}/look-up`)];
  ({ target } = await createAgent(app, { script: SCRIPT, tools }));
  ({ number } = await createNumber(app, { script: SCRIPT, greeting: { text: "Hello." } }));
  const roles = await app.send("GET", "/api/v1/roles/?search_fields=name&search_field_values=Editor");
  const email = "colleague@example.com";
  const made = await app.send("POST", "/api/v1/users/", {
    email,
    role_id: roles.body.items[0].id,
    skip_auth: true,
  });
  colleague = app.sendAs(await app.createToken(null, { ...app.admin, email, user_id: made.body.id }));
});

async function openChat() {
  const { body } = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
  const { session_id: id, token } = body as { session_id: string; token: string };
  const path = `/api/v1/sessions/${id}`;
  return {
    id: Number(id),
    takeOver: (send = app.send) => send("POST", `${path}/takeover`, {}),
    handBack: (send = app.send) => send("DELETE", `${path}/takeover`),
    writes: (text: string, number = text, send = app.send) =>
      send("POST", `${path}/takeover/messages`, { text, id: number }),
    whispers: (text: string, send = app.send) => send("POST", `${path}/notes`, { text }),
    end: (send = app.send) => send("POST", `${path}/end`, {}),
    says: async (text: string) => {
      const { body: said } = await app.sendAs(null)(
        "POST",
        `/chat/v1/sessions/${id}/messages?token=${token}`,
        {
          text,
        },
      );
      return said.events.flatMap((event: { type: string; text: string }) =>
        event.type === "message" ? [event.text] : [],
      ) as string[];
    },
    read: async () =>
      (await app.sendAs(null)("GET", `/chat/v1/sessions/${id}?token=${token}`)).body as { position: number },
    transcript: async () => {
      const { transcription } = (await app.send("GET", `/api/v1/sessions/transcript/${id}`)).body;
      return transcription.map((said: { source: string; text: string; written_by: string | null }) => [
        said.written_by ?? said.source,
        said.text,
      ]);
    },
    socket: async (more = "") => {
      const events: { type: string; text?: string; reason?: string }[] = [];
      const opened = new WebSocket(
        `${url.replace("http", "ws")}/chat/v1/sessions/${id}/socket?token=${token}${more}`,
      );
      onTestFinished(() => opened.terminate());
      opened.on("message", (data) => events.push(JSON.parse(String(data))));
      await new Promise((resolve) => opened.once("open", resolve));
      return events;
    },
  };
}

describe("a chat that a person takes over", () => {
  test("is answered by that person alone until it is handed back, and the transcript shows who wrote", async () => {
    const chat = await openChat();
    expect(await chat.says("hi")).toEqual(["You said hi."]);
    const taken = await chat.takeOver();
    expect(taken).toMatchObject({ status: 200, body: { session_id: chat.id, taken_by: app.admin.email } });
    expect(await chat.says("is anybody there")).toEqual([]);
    expect((await chat.writes("Ann here. How can I help?")).status).toBe(200);
    expect((await chat.handBack()).status).toBe(204);
    expect(await chat.says("thanks")).toEqual(["You said thanks."]);
    expect(await chat.transcript()).toEqual([
      ["user", "hi"],
      ["agent", "You said hi."],
      ["user", "is anybody there"],
      [app.admin.email, "Ann here. How can I help?"],
      ["user", "thanks"],
      ["agent", "You said thanks."],
    ]);
  });

  test("shows the person's words on the visitor's page at once, each once, also when sent twice", async () => {
    const chat = await openChat();
    // As our page does it: without a position, a socket that is let in late would begin after these words.
    const { position } = await chat.read();
    const events = await chat.socket(`&after=${position}`);
    await chat.says("hi");
    await chat.takeOver();
    await Promise.all([chat.writes("Hello, Ann here.", "1"), chat.writes("Hello, Ann here.", "1")]);
    await chat.writes("One moment.", "2");
    await vi.waitFor(
      () =>
        expect(events).toMatchObject([
          { type: "message", role: "agent", text: "Hello, Ann here." },
          { type: "message", role: "agent", text: "One moment." },
        ]),
      WAITING,
    );
  });

  test("reaches a page whose socket opens after it has read the chat, once and in order", async () => {
    const chat = await openChat();
    await chat.takeOver();
    await chat.writes("Read.");
    const { position } = await chat.read();
    await chat.writes("Between.");
    const events = await chat.socket(`&after=${position}`);
    await chat.writes("Live.");
    await vi.waitFor(() => expect(events.map(({ text }) => text)).toEqual(["Between.", "Live."]), WAITING);
  });

  test("a socket that asks for what comes after no position is told so", async () => {
    const chat = await openChat();
    const events = await chat.socket("&after=soon");
    await vi.waitFor(
      () =>
        expect(events).toEqual([
          {
            type: "error",
            message: "query.after: Input should be a valid integer, unable to parse string as an integer",
          },
        ]),
      WAITING,
    );
  });

  test("tells every process that has the chat open", async () => {
    const chat = await openChat();
    const notices = createNotices(app.database.pool.options);
    onTestFinished(() => notices.close());
    const heard: string[] = [];
    createLiveWords({ ...app, notices }).watch(chat.id, -1, ({ text }) => heard.push(text));
    await chat.takeOver();
    await chat.writes("From here.");
    await vi.waitFor(() => expect(heard).toEqual(["From here."]), WAITING);
  });

  test("lets an answer that was begun be finished, and the person's words come after it", async () => {
    const chat = await openChat();
    const asked = Promise.withResolvers<() => void>();
    peer.respond((_, response) => asked.resolve(() => json(response, 200, {})));
    const answering = chat.says("slow");
    const found = await asked.promise;
    const { body } = await app.send("GET", `/api/v1/sessions/live?session_id=${chat.id}`);
    expect(body.sessions[0].state).toBe("answering");
    await chat.takeOver();
    const written = chat.writes("And I add this.");
    found();
    expect(await answering).toEqual(["At last."]);
    expect((await written).status).toBe(200);
    expect(await chat.transcript()).toEqual([
      ["user", "slow"],
      ["agent", "At last."],
      [app.admin.email, "And I add this."],
    ]);
  });

  test("goes back to the agent three minutes after the person's last sign of life", async () => {
    const chat = await openChat();
    await chat.takeOver();
    app.clock.advance(2 * 60_000);
    // The console renews while its page is open.
    await chat.takeOver();
    app.clock.advance(2 * 60_000);
    expect(await chat.says("one")).toEqual([]);
    app.clock.advance(61_000);
    expect(await chat.says("two")).toEqual(["You said two."]);
    expect(await chat.writes("too late")).toMatchObject({
      status: 412,
      body: { detail: "The agent answers in this conversation. Take it over first." },
    });
  });

  test("belongs to one person at a time; anybody who may step in may hand it back", async () => {
    const chat = await openChat();
    const both = await Promise.all([chat.takeOver(), chat.takeOver(colleague)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const loser = both[0]?.status === 200 ? colleague : app.send;
    expect((await chat.writes("me too", "1", loser)).status).toBe(412);
    expect((await chat.handBack(loser)).status).toBe(204);
    expect((await chat.takeOver(loser)).status).toBe(200);
  });

  test("is written to the audit trail, without what was said", async () => {
    const chat = await openChat();
    await chat.takeOver();
    await chat.takeOver();
    await chat.writes("secret words");
    await chat.whispers("secret note");
    await chat.handBack();
    await chat.handBack();
    await chat.end();
    const entries = await app.db
      .selectFrom("audit_entries")
      .select(["action", "after"])
      .where("resource", "=", "sessions")
      .where("resource_id", "=", String(chat.id))
      .orderBy("id")
      .execute();
    expect(entries.map(({ action }) => action)).toEqual([
      "take-over",
      "write",
      "whisper",
      "hand-back",
      "end",
    ]);
    expect(JSON.stringify(entries)).not.toContain("secret");
  });
});

describe("a note that is whispered", () => {
  test("is read by the model once, in its next answer, and never seen by the person", async () => {
    await app.db.updateTable("organizations").set({ stores_requests: true }).execute();
    const chat = await openChat();
    const events = await chat.socket();
    await chat.whispers('Offer "Monday" first.');
    expect(await chat.says("one")).toEqual(["You said one."]);
    expect(await chat.says("two")).toEqual(["You said two."]);
    expect(events).toEqual([]);
    const { rows } = await sql<{ turn_index: number }>`
      select distinct turn_index from sent_records
      where session_id = ${chat.id} and content::text like '%Monday%' order by turn_index`.execute(app.db);
    expect(rows).toEqual([{ turn_index: 1 }]);
    const { events: timeline } = (await app.send("GET", `/api/v1/sessions/timeline/${chat.id}`)).body;
    expect(timeline.filter(({ kind }: { kind: string }) => kind === "note")).toMatchObject([
      { text: 'Offer "Monday" first.', written_by: app.admin.email, turn_index: 1 },
    ]);
    expect(JSON.stringify(await chat.transcript())).not.toContain("Monday");
  });

  test("waits while a person answers, and reaches the model after the hand-back", async () => {
    const chat = await openChat();
    await chat.takeOver();
    await chat.whispers("Be brief.");
    await chat.says("one");
    const unread = () =>
      app.db
        .selectFrom("session_notes")
        .select("turn_index")
        .where("session_id", "=", chat.id)
        .executeTakeFirstOrThrow();
    expect(await unread()).toEqual({ turn_index: null });
    await chat.handBack();
    await chat.says("two");
    expect(await unread()).toEqual({ turn_index: 2 });
  });
});

describe("a conversation that a person ends", () => {
  test("a chat ends, and the visitor's page is told", async () => {
    const chat = await openChat();
    const events = await chat.socket();
    expect((await chat.end()).status).toBe(200);
    await vi.waitFor(() => expect(events).toEqual([{ type: "session_end", reason: "operator" }]), WAITING);
    for (const act of [chat.end, chat.takeOver, () => chat.whispers("late")])
      expect((await act()).status).toBe(412);
  });

  test("a call is hung up by the process that holds its line, at its next renewal", async () => {
    const phone = await pickUp(app, incoming(number));
    await phone.hears(1);
    phone.says("hello");
    await phone.hears(1);
    expect((await app.send("POST", `/api/v1/sessions/${phone.session_id}/takeover`, {})).status).toBe(400);
    expect((await app.send("POST", `/api/v1/sessions/${phone.session_id}/end`, {})).status).toBe(200);
    expect(await phone.isLeft()).toEqual({ action: "hangup" });
    await vi.waitFor(
      async () => expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "operator" }),
      WAITING,
    );
  });

  test("a call whose line was never opened ends too, and can't be opened afterwards", async () => {
    const answered = await app.voiceCalls.answer(incoming(number));
    if (!answered || "dial" in answered) throw new Error("not answered");
    const { session_id } = await app.db
      .selectFrom("calls")
      .select("session_id")
      .where("id", "=", Number(answered.call_id))
      .executeTakeFirstOrThrow();
    await quiet(app, session_id);
    expect((await app.send("POST", `/api/v1/sessions/${session_id}/end`, {})).status).toBe(200);
    expect(await endOf(app, session_id)).toMatchObject({ end_reason: "operator" });
    const line = { send: () => {}, close: () => {} };
    expect(await app.voiceCalls.open(answered.call_id, answered.token, line)).toBeNull();
  });
});

test("a neighbour's session answers 404, and stepping in needs its own permission", async () => {
  const chat = await openChat();
  await chat.takeOver();
  const neighbour = (await app.createNeighbour()).send;
  const reader = app.sendAs(await app.createToken(["sessions_read"]));
  for (const [send, status] of [
    [neighbour, 404],
    [reader, 403],
  ] as const) {
    const answers = [
      await chat.takeOver(send),
      await chat.handBack(send),
      await chat.writes("hi", "1", send),
      await chat.whispers("hi", send),
      await chat.end(send),
    ];
    expect(answers.map((answer) => answer.status)).toEqual(Array(5).fill(status));
  }
  expect(await chat.says("still taken")).toEqual([]);
});
