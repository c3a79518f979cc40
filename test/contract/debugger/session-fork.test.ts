import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { confirmVisit } from "../../../src/demo/reminder.ts";
import { deleteSessions } from "../../../src/erasure/delete-sessions.ts";
import { endIdleSessions } from "../../../src/turns/end-session.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json } from "../../harness/peer.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let app: TestApp;
let agent_id: number;
/** The bodies that the clinic's service got. */
const asked: unknown[] = [];

const slots = (url: string) =>
  endpointTool("find_slots", url, {
    endpoint: { method: "post", argument_location: "body" },
    parameters: {
      type: "object",
      properties: { service: { type: "string" }, date: { type: "string" } },
    },
  });

beforeAll(async () => {
  app = await createTestApp();
  const peer = await createPeer();
  peer.respond((request, response) => {
    asked.push(JSON.parse(String(request.body)));
    json(response, 200, { slots: ["09:00"] });
  });
  ({ agent_id } = await createAgent(app, {
    context: "You remind {{vars.name}} of {{vars.visit_date}}.",
    script: `
      on "no" -> call confirm_visit {"coming": false}
      on "yes" -> call confirm_visit {"coming": true}
      on /monday/ -> call confirm_visit {"other_day": "2026-12-07"}
      after confirm_visit if result.step == "ASK_NEEDS" -> say "Do you need anything?"
      after confirm_visit if result.step == "ASK_OTHER_DAY" -> say "Which other day?"
      after confirm_visit if result.step == "MOVED" -> say "It is moved."
      after confirm_visit if result.step == "CALL_BACK" -> say "We call back."
      otherwise -> call confirm_visit {}`,
    tools: [slots(`${peer.url}/slots`), confirmVisit as never],
    agent: { variables: { "vars.name": "Ada", "vars.visit_date": "tomorrow" } },
  }));
});

type Body = Record<string, unknown>;

async function talked(...texts: string[]): Promise<number> {
  const say = converse(app, agent_id);
  let session_id = 0;
  for (const text of texts) ({ session_id } = (await say(text)).body.response.content);
  return session_id;
}

async function send(method: string, path: string, body?: Body) {
  const answer = await app.send(method, `/api/v1/sessions/${path}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}
const fork = (session_id: number, body: Body) => send("POST", `${session_id}/forks`, body);
const go = (session_id: number, body: Body = {}) => send("POST", `${session_id}/continue`, body);

/** What was sent, without what tells one request from the next. */
async function sent(session_id: number, turn_index: number) {
  const rounds = await send("GET", `${session_id}/model_rounds?turn_index=${turn_index}`);
  return rounds.map(({ messages, tools, tool_choice, text, calls }: Body) => {
    return { messages, tools, tool_choice, text, calls };
  });
}
const said = async (session_id: number, turn_index: number) =>
  (
    await app.db
      .selectFrom("session_messages")
      .select(["role", "text"])
      .where("session_id", "=", session_id)
      .where("turn_index", "=", turn_index)
      .orderBy("seq")
      .execute()
  ).map(({ role, text }) => `${role}: ${text}`);

describe("a fork", () => {
  test("in which the same is said sends the model the same, and calls no service again", async () => {
    const session_id = await talked("hello", "no", "monday");
    const before = asked.length;
    for (const turn_index of [1, 2, 3]) {
      const made = await fork(session_id, { turn_index });
      expect(made).toMatchObject({
        origin_session_id: session_id,
        turn_index,
        status: "finished",
        stop: null,
      });
      expect(plain(await sent(made.session_id, turn_index))).toEqual(
        plain(await sent(session_id, turn_index)),
      );
      expect(await said(made.session_id, turn_index)).toEqual(await said(session_id, turn_index));
    }
    expect(asked).toHaveLength(before);
    expect(await app.send("GET", `/api/v1/sessions/${session_id}`)).toMatchObject({
      body: { is_test: true },
    });
    const { session_id: third } = await fork(session_id, { turn_index: 3 });
    expect(JSON.stringify(await send("GET", `${third}/trace`))).toContain(
      "find_slots was answered as recorded",
    );
  });

  test("goes another way with other words, variables and answers, and its session stays as it was", async () => {
    const session_id = await talked("hello", "no", "monday");
    const story = await said(session_id, 2);
    const other = await fork(session_id, { turn_index: 2, text: "yes", variables: { "vars.name": "Bob" } });
    expect((await said(other.session_id, 2)).at(-1)).toBe("agent: Do you need anything?");
    expect((await sent(other.session_id, 2))[0].messages[0].text).toContain("You remind Bob of tomorrow");
    const tool_results = [{ tool: "find_slots", result: { slots: [] } }];
    const full = await fork(session_id, { turn_index: 3, tool_results });
    expect(await said(full.session_id, 3)).toContain("agent: Nothing is free that day, I am sorry.");
    expect(await said(session_id, 2)).toEqual(story);
  });

  test("calls a service only where its author says so, and what was not recorded is refused", async () => {
    const session_id = await talked("hello", "no", "thanks");
    const before = asked.length;
    await fork(session_id, { turn_index: 3, text: "monday" });
    expect(asked).toHaveLength(before);
    const open = await fork(session_id, { turn_index: 3, text: "monday", network: "open" });
    expect(asked).toHaveLength(before + 1);
    expect((await said(open.session_id, 3)).at(-1)).toBe("agent: It is moved.");
  });

  test("of a session that is just being deleted is made of nothing: 404 once it is gone", async () => {
    const session_id = await talked("hello", "no");
    const [answer] = await app.db.transaction().execute(async (tx) => {
      await sql`select from sessions where id = ${session_id} for update`.execute(tx);
      const answer = app.send("POST", `/api/v1/sessions/${session_id}/forks`, { turn_index: 2 });
      await waitForLocks(app.database.pool, 1);
      await deleteSessions(tx, { tenant: app.admin.sub_organization_id, ids: [session_id] });
      return [answer];
    });
    expect(await answer).toMatchObject({ status: 404 });
  });

  test("is a test conversation that goes on, can be forked itself, and is noted in the audit log", async () => {
    const session_id = await talked("hello", "no");
    const made = await fork(session_id, { turn_index: 2 });
    const say = { service_name: "test", source: "tester@example.com", test_id: made.test_id, text: "monday" };
    const next = await app.send("POST", "/api/v1/agents/test/messages", {
      ...say,
      agent_id: String(agent_id),
    });
    expect(next.body.response.content.session_id).toBe(made.session_id);
    const again = await fork(made.session_id, { turn_index: 3 });
    expect(again.origin_session_id).toBe(made.session_id);
    const trail = await app.db
      .selectFrom("audit_entries")
      .select(["action", "after"])
      .where("resource", "=", "sessions")
      .where("resource_id", "=", String(session_id))
      .execute();
    expect(trail).toMatchObject([{ action: "fork", after: { session_id: made.session_id, turn_index: 2 } }]);
  });

  test("goes with the session it was forked off", async () => {
    const session_id = await talked("hello", "no");
    const made = await fork(session_id, { turn_index: 2, breakpoints: { steps: ["ASK_OTHER_DAY"] } });
    await app.db
      .updateTable("sessions")
      .set({ ended_at: app.clock.now().toISOString() })
      .where("id", "=", session_id)
      .execute();
    expect((await app.send("DELETE", `/api/v1/sessions/${session_id}`)).status).toBe(200);
    expect((await app.send("GET", `/api/v1/sessions/${made.session_id}/fork`)).status).toBe(404);
  });

  test("of a turn that is not there, by a stranger or without the right is refused at its place", async () => {
    const session_id = await talked("hello");
    const post = (body: Body, sender = app.send) =>
      sender("POST", `/api/v1/sessions/${session_id}/forks`, body);
    const missing = await post({ turn_index: 9 });
    expect(missing.status).toBe(422);
    expect(missing.body.detail[0].loc).toEqual(["body", "turn_index"]);
    expect((await post({ turn_index: 1, variables: { "vars.session.date": "x" } })).status).toBe(422);
    expect((await post({ turn_index: 1 }, app.sendAs(await app.createToken(["sessions_read"])))).status).toBe(
      403,
    );
    const stranger = await app.createNeighbour();
    expect((await post({ turn_index: 1 }, stranger.send)).status).toBe(404);
  });
});

/** Calls that the engine makes have ids of chance. */
const plain = (rounds: unknown) => JSON.parse(JSON.stringify(rounds).replaceAll(/call_\w{24}/g, "call"));

describe("a breakpoint", () => {
  test("at a guard tells its operands; a changed variable leads the other way, and nothing is asked twice", async () => {
    const session_id = await talked("hello", "no");
    const stopped = await fork(session_id, { turn_index: 2, breakpoints: { guards: ["ASK_COMING"] } });
    expect(stopped).toMatchObject({
      status: "stopped",
      stop: {
        kind: "guard",
        step: "ASK_COMING",
        to: "ASK_NEEDS",
        condition: "coming == `true`",
        holds: false,
        operands: [{ name: "coming", value: false }],
        variables: { coming: false, "vars.name": "Ada" },
      },
    });
    expect(await said(stopped.session_id, 2)).toEqual(["user: no"]);
    expect(await send("GET", `${stopped.session_id}/fork`)).toEqual(stopped);
    const ended = await go(stopped.session_id, { variables: { coming: true } });
    expect(ended).toMatchObject({ status: "finished", stop: null });
    expect((await said(stopped.session_id, 2)).at(-1)).toBe("agent: Do you need anything?");
    expect(await sent(stopped.session_id, 2)).toHaveLength(2);
  });

  test("before a step and a tool stands still there, and the author's answer takes the place of the tool's", async () => {
    const session_id = await talked("hello", "no", "monday");
    const breakpoints = { steps: ["MOVED", "ASK_OTHER_DAY"], tools: ["find_slots"] };
    const before = asked.length;
    const { session_id: id, stop } = await fork(session_id, { turn_index: 3, network: "open", breakpoints });
    expect(stop).toMatchObject({
      kind: "tool",
      tool: "find_slots",
      arguments: { service: "check-up", date: "2026-12-07" },
    });
    const next = await go(id, { answer: { result: { slots: [] } } });
    expect(next.stop).toMatchObject({ kind: "step", step: "ASK_OTHER_DAY", local: { free: 0, refusals: 1 } });
    expect(asked).toHaveLength(before);
    expect((await go(id)).status).toBe("finished");
    expect(await said(id, 3)).toContain("agent: Nothing is free that day, I am sorry.");
  });

  test("after a call that was made continues without making it again", async () => {
    const session_id = await talked("hello", "no", "monday");
    const before = asked.length;
    const { session_id: id, stop } = await fork(session_id, {
      turn_index: 3,
      network: "open",
      breakpoints: { steps: ["MOVED"] },
    });
    expect(stop).toMatchObject({ kind: "step", step: "MOVED" });
    expect((await go(id)).status).toBe("finished");
    expect(asked).toHaveLength(before + 1);
    expect((await said(id, 3)).at(-1)).toBe("agent: It is moved.");
  });

  test("refuses what does not fit where the turn stands, and a second run of the same turn", async () => {
    const session_id = await talked("hello", "no");
    const { session_id: id } = await fork(session_id, {
      turn_index: 2,
      breakpoints: { steps: ["ASK_OTHER_DAY"] },
    });
    const post = (body: Body) => app.send("POST", `/api/v1/sessions/${id}/continue`, body);
    expect((await post({ answer: { result: 1 } })).status).toBe(422);
    expect((await post({ variables: { "vars.session.id": "1" } })).status).toBe(422);
    const both = await Promise.all([post({}), post({})]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    expect((await app.send("POST", `/api/v1/sessions/${session_id}/continue`, {})).status).toBe(404);
  });

  test("names what the session's agent has: any other is refused at its place, all at once, and nothing is run", async () => {
    const session_id = await talked("hello", "no");
    const breakpoints = {
      steps: ["ASK_COMING", "GONE"],
      // Left under no condition.
      guards: ["MOVED"],
      tools: ["find_slot", "find_slots"],
    };
    const refused = await app.send("POST", `/api/v1/sessions/${session_id}/forks`, {
      turn_index: 2,
      breakpoints,
      tool_results: [{ tool: "book", result: 1 }],
    });
    expect(refused.status).toBe(422);
    expect(refused.body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(1))).toEqual([
      ["breakpoints", "steps", 1],
      ["breakpoints", "guards", 0],
      ["breakpoints", "tools", 0],
      ["tool_results", 0, "tool"],
    ]);
    expect(refused.body.detail[2].msg).toContain("has no tool find_slot. It has find_slots");

    const made = await fork(session_id, { turn_index: 2, breakpoints: { guards: ["ASK_COMING"] } });
    const places = `/api/v1/sessions/${made.session_id}/continue`;
    const lost = await app.send("POST", places, { breakpoints: { tools: ["find_slot"] } });
    expect(lost.body.detail).toMatchObject([{ loc: ["body", "breakpoints", "tools", 0] }]);
    expect(await send("GET", `${made.session_id}/fork`)).toEqual(made);
  });

  test("that nobody comes back to ends with its session", async () => {
    const session_id = await talked("hello", "no");
    const { session_id: id } = await fork(session_id, {
      turn_index: 2,
      breakpoints: { steps: ["ASK_OTHER_DAY"] },
    });
    app.clock.advance(25 * 3_600_000);
    await endIdleSessions(app.engine);
    expect(await send("GET", `${id}/fork`)).toMatchObject({ status: "abandoned" });
    expect((await app.send("POST", `/api/v1/sessions/${id}/continue`, {})).status).toBe(412);
  });
});
