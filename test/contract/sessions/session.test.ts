import { beforeAll, describe, expect, test } from "vitest";
import { LEASE_MS, sessionLeases, takeLease } from "../../../src/sessions/lease.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

let app: TestApp;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
});

const open = async (target: string) =>
  (await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target })).body;
const messagesOf = async (session_id: string) =>
  (await app.send("GET", `/api/v1/sessions/transcript/${session_id}`)).body.transcription.map(
    (entry: { source: string; text: string }) => `${entry.source}: ${entry.text}`,
  );

describe("one turn at a time", () => {
  test("messages sent at once are answered one after the other, each seeing those before", async () => {
    const { target } = await createAgent(app, { script: 'on /count (?<n>\\d)/ -> wait 20ms then say "{n}"' });
    const { session_id, token } = await open(target);
    const send = (n: number) =>
      app.sendAs(null)("POST", `/chat/v1/sessions/${session_id}/messages?token=${token}`, {
        text: `count ${n}`,
      });
    await Promise.all([send(1), send(2), send(3)]);
    const said: string[] = await messagesOf(session_id);
    expect(said).toHaveLength(6);
    for (let i = 0; i < 6; i += 2) {
      expect(said[i]?.replace("user: count", "agent:")).toBe(said[i + 1]);
    }
  });

  test("a message sent twice is stored and answered once", async () => {
    const { target } = await createAgent(app, { script: 'otherwise -> say "Once."' });
    const { session_id, token } = await open(target);
    const send = () =>
      app.sendAs(null)("POST", `/chat/v1/sessions/${session_id}/messages?token=${token}`, {
        text: "hi",
        id: "a",
      });
    const [first, second] = [await send(), await send()];
    expect(second.body.events.map((event: { text: string }) => event.text)).toEqual(["Once."]);
    expect(first.body.events.length).toBe(second.body.events.length);
    expect(await messagesOf(session_id)).toEqual(["user: hi", "agent: Once."]);
  });

  test("a message sent twice is answered with the same words and cards, and its tool runs once", async () => {
    peer.respond((_, response) => json(response, 200, { slots: ["9:00"] }));
    const definition = { options: { propagate_tool_result: true } };
    const { target } = await createAgent(app, {
      script: 'on "show" -> say "One moment." then call find_slots {}\nafter find_slots -> say "These."',
      tools: [endpointTool("find_slots", `${peer.url}/slots`, { definition })],
    });
    const { session_id, token } = await open(target);
    const asked = peer.requests.length;
    const send = () =>
      app.sendAs(null)("POST", `/chat/v1/sessions/${session_id}/messages?token=${token}`, {
        text: "show",
        id: "a",
      });
    const [first, second] = [(await send()).body.events, (await send()).body.events];
    const parts = (events: { type: string }[]) =>
      events.map(({ type, ...rest }) => ({ type, ...rest, timestamp: undefined }));
    expect(parts(second)).toEqual(expect.arrayContaining(parts(first)));
    expect(second.map((event: { type: string; text?: string }) => event.text ?? event.type)).toEqual([
      "One moment.",
      "tool_result",
      "These.",
    ]);
    expect(peer.requests.length).toBe(asked + 1);
  });

  test("a process that died in a turn frees its session when its lease runs out; nothing stored is lost", async () => {
    const { target } = await createAgent(app, { script: 'otherwise -> say "Alive."' });
    const { session_id } = await open(target);
    const id = Number(session_id);
    // What a killed process leaves: the stored message, and a lease in its name.
    await app.db
      .updateTable("sessions")
      .set({
        lease_owner: "dead/1",
        lease_expires_at: new Date(app.clock.now().getTime() + LEASE_MS).toISOString(),
        turn_count: 1,
        next_seq: 2,
      })
      .where("id", "=", id)
      .execute();
    await app.db
      .insertInto("session_messages")
      .values({
        session_id: id,
        seq: 1,
        turn_index: 1,
        role: "user",
        text: "are you there",
        timestamp: app.clock.now().toISOString(),
        client_message_id: "x",
      })
      .execute();
    const waiting = runTurn(app.engine, id, { text: "are you there", client_message_id: "x" });
    app.clock.advance(LEASE_MS + 1);
    expect((await waiting).messages).toEqual(["Alive."]);
    expect(await messagesOf(session_id)).toEqual(["user: are you there", "agent: Alive."]);
  });

  test("a turn that lost its lease writes nothing more", async () => {
    let arrived = () => {};
    const called = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let answer = () => {};
    peer.respond((_, response) => {
      answer = () => json(response, 200, {});
      arrived();
    });
    const { target } = await createAgent(app, {
      script: 'on "go" -> call slow {}\nafter slow -> say "Too late."',
      tools: [endpointTool("slow", `${peer.url}/slow`)],
    });
    const { session_id } = await open(target);
    const turn = runTurn(app.engine, Number(session_id), { text: "go" });
    await called;
    await app.db
      .updateTable("sessions")
      .set({ lease_owner: "someone-else/1" })
      .where("id", "=", Number(session_id))
      .execute();
    answer();
    await expect(turn).rejects.toThrow("lease");
    expect(await messagesOf(session_id)).toEqual(["user: go"]);
  });

  test("turns keep their sessions as long as they run, but for what another took; a session that is locked holds up none", async () => {
    const { target } = await createAgent(app, { script: 'otherwise -> say "Yes."' });
    const begin = async () => (await takeLease(app.engine, Number((await open(target)).session_id))).session;
    const [runs, locked, taken] = [await begin(), await begin(), await begin()];
    const leases = sessionLeases(app);
    const signals = [runs, locked, taken].map((session) => leases.hold(session));
    const write = { lease_owner: "someone-else/1" };
    await app.db.updateTable("sessions").set(write).where("id", "=", taken.id).execute();
    app.clock.advance(LEASE_MS - 1);
    await app.db.transaction().execute(async (tx) => {
      await tx.selectFrom("sessions").select("id").where("id", "=", locked.id).forUpdate().execute();
      await leases.renew();
    });
    leases.stop();
    const others = async (id: number) => {
      const row = app.db.selectFrom("sessions").select("lease_expires_at").where("id", "=", id);
      const { lease_expires_at } = await row.executeTakeFirstOrThrow();
      return Date.parse(lease_expires_at as string) - app.clock.now().getTime();
    };
    expect([await others(runs.id), await others(locked.id)]).toEqual([LEASE_MS, 1]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, true]);
  });
});

test("sessions that one person begins at once are one conversation", async () => {
  const { agent_id } = await createAgent(app, { script: "" });
  const begin = () =>
    startSession(app.engine, {
      sub_organization_id: app.admin.sub_organization_id,
      agent_id,
      channel: "voice",
      service: "voice",
      type: "voice_twilio_v1",
      sid: "CA1",
      channel_target_id: null,
      source: "+15125550123",
      target: "+15125550199",
      is_test: false,
      is_outbound: false,
      verified: true,
    });
  const begun = await Promise.all(Array.from({ length: 8 }, begin));
  expect(new Set(begun.map(({ conversation_id }) => conversation_id)).size).toBe(1);
});

test.each([
  ["sessions", "is_legacy"],
  ["conversations", "is_legacy"],
  ["conversations", "llm_version"],
])("%s can be ordered by %s, though it is the same for all of them", async (list, field) => {
  const all = (await app.send("GET", `/api/v1/${list}/?order_by=timestamp`)).body;
  const ordered = await app.send("GET", `/api/v1/${list}/?order_by=${field}`);
  expect(ordered).toMatchObject({ status: 200, body: { total_count: all.total_count } });
  expect(ordered.body.items).toEqual(all.items);
});

test.each(["sessions", "conversations"])("%s found by is_legacy take true or false only", async (list) => {
  const by = (value: string) =>
    app.send("GET", `/api/v1/${list}/?search_fields=is_legacy&search_field_values=${value}`);
  expect((await by("True")).body.total_count).toBe(0);
  expect((await by("false")).body.total_count).toBeGreaterThan(0);
  expect(await by("yes")).toMatchObject({
    status: 422,
    body: { detail: [{ msg: "Input should be true or false" }] },
  });
});

describe("what a session freezes", () => {
  test("a prompt changed during a session is used by the next session only", async () => {
    const { agent_id, prompt_id } = await createAgent(app, { script: 'otherwise -> say "Old."' });
    const say = converse(app, agent_id);
    await say("");
    const prompt = (await app.send("GET", `/api/v1/prompts/${prompt_id}`)).body;
    const changed = await app.send("PUT", "/api/v1/prompts/", {
      ...prompt,
      context: prompt.context.replace("Old.", "New."),
    });
    expect(changed.status).toBe(200);
    expect((await say("hi")).text).toBe("Old.");
    const next = converse(app, agent_id);
    await next("");
    expect((await next("hi")).text).toBe("New.");
  });
});

describe("test conversations", () => {
  test("the wall clock of one turn can be set, and chooses the greeting", async () => {
    const { agent_id } = await createAgent(app, {
      script: "",
      greeting: {
        text: "Welcome.",
        rules: [
          {
            description: "weekend",
            days_of_week: ["sa", "su"],
            invert: false,
            text: "Closed at the weekend.",
          },
        ],
      },
    });
    const say = converse(app, agent_id);
    expect((await say("", { override_timestamp: "2026-11-21T10:00:00" })).text).toBe(
      "Closed at the weekend.",
    );
    const weekday = converse(app, agent_id);
    expect((await weekday("", { override_timestamp: "2026-11-20T10:00:00" })).text).toBe("Welcome.");
    const broken = await converse(app, agent_id)("", { override_timestamp: "2026-11-21T10:00:00Z" });
    expect(broken).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "override_timestamp"] }] },
    });
  });

  test("an agent that speaks first does so after its greeting", async () => {
    const { agent_id } = await createAgent(app, {
      script: 'on start -> say "May I ask something?"',
      greeting: { text: "Hello." },
      agent: { agent_initiated: true },
    });
    expect((await converse(app, agent_id)("")).text).toBe("Hello.\n\nMay I ask something?");
  });

  test("test sessions are hidden from the list unless asked for", async () => {
    const { agent_id } = await createAgent(app, { script: "" });
    await converse(app, agent_id)("");
    const of = `search_fields=agent_id&search_field_values=${agent_id}`;
    expect((await app.send("GET", `/api/v1/sessions/?${of}`)).body.total_count).toBe(0);
    const shown = await app.send(
      "GET",
      `/api/v1/sessions/?${of}&search_fields=is_test&search_field_values=true`,
    );
    expect(shown.body.total_count).toBe(1);
  });

  test("an agent of a neighbour answers 404", async () => {
    const { agent_id } = await createAgent(app, { script: "" });
    const neighbour = await app.createNeighbour();
    const body = {
      service_name: "test",
      source: "x",
      test_id: "t",
      agent_id: String(agent_id),
      session_start: true,
    };
    expect((await neighbour.send("POST", "/api/v1/agents/test/messages", body)).status).toBe(404);
  });
});

describe("a chat from outside", () => {
  test("needs its own token; a session's number alone opens nothing", async () => {
    const { target } = await createAgent(app, { script: "" });
    const { session_id } = await open(target);
    const visitor = app.sendAs(null);
    for (const token of ["", "wrong"]) {
      const answer = await visitor("GET", `/chat/v1/sessions/${session_id}?token=${token}`);
      expect(answer.status).toBe(404);
    }
  });

  test("is refused to pages of other sites", async () => {
    const { target } = await createAgent(app, { script: "" });
    const answer = await app.sendAs(null)(
      "POST",
      "/chat/v1/sessions",
      { client_id: target },
      { origin: "https://evil.example" },
    );
    expect(answer.status).toBe(403);
  });

  test("says so when there is no such chat, and when it has ended", async () => {
    expect((await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: "nobody" })).status).toBe(404);
    const { target } = await createAgent(app, { script: "" });
    const { session_id, token } = await open(target);
    await app.sendAs(null)("POST", `/chat/v1/sessions/${session_id}/end?token=${token}`);
    const late = await app.sendAs(null)("POST", `/chat/v1/sessions/${session_id}/messages?token=${token}`, {
      text: "hi",
    });
    expect(late).toMatchObject({ status: 412, body: { detail: "This session has ended." } });
  });
});
