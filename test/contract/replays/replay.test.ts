import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { deleteSessions } from "../../../src/erasure/delete-sessions.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { playReplay, recordSession } from "../../harness/replays.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let app: TestApp;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
  peer = await createPeer();
});

const WORKS = [
  'on "book" -> say "What is your name?"',
  'on /my name is (\\w+)/ -> call check {"name": "{1}"}',
  'after check -> call book {"name": "{result.name}"}',
  'after book if error -> say "That did not work."',
  'after book -> say "Booked as {result.number}. Anything else?"',
  'on "bye" -> call hangup {"reason": "done"}',
  'after hangup -> say ""',
];
/** Books without the check that has to come first. */
const UNCHECKED = WORKS.map((line) =>
  line.startsWith("on /my name") ? 'on /my name is (\\w+)/ -> call book {"name": "{1}"}' : line,
);

let agent_id: number;
let prompt_id: number;
let tools: string[];
let n = 0;
let calls: string[];
beforeEach(async () => {
  n++;
  calls = [];
  peer.respond(({ path }, response) => {
    calls.push(path);
    json(response, 200, { name: "ann", number: 7 });
  });
  const parameters = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const tool = (name: string) => endpointTool(`${name}_${n}`, `${peer.url}/${name}`, { parameters });
  tools = [`check_${n}`, `book_${n}`, "hangup"];
  const made = await createAgent(app, {
    script: named(WORKS),
    tools: [tool("check"), tool("book")],
    systemTools: ["hangup"],
    greeting: { type: "greeting", text: "Hello from {{ vars.shop }} on {{ vars.session.date }}." },
  });
  ({ agent_id } = made);
  ({ prompt_id } = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body);
});
const named = (lines: string[]) =>
  lines.join("\n").replaceAll(/\b(check|book)( |$)(?!")/gm, (_, name, end) => `${name}_${n}${end}`);

async function save(lines: string[], with_tools = tools) {
  const { id, name, type, llm_config } = (await app.send("GET", `/api/v1/prompts/${prompt_id}`)).body;
  const context = `You are a test.\n\`\`\`script\n${named(lines)}\n\`\`\``;
  const saved = await app.send("PUT", "/api/v1/prompts/", {
    id,
    name,
    type,
    llm_config,
    context,
    tools: with_tools,
  });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
}
const record = (more: Parameters<typeof recordSession>[3] = {}) =>
  recordSession(app, agent_id, ["I want to book", "my name is ann", "bye"], more);
async function begin(body: object = {}) {
  const begun = await app.send("POST", `/api/v1/agents/${agent_id}/replays`, body);
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  return begun.body;
}
const read = async (id: number) => ({
  replay: (await app.send("GET", `/api/v1/replays/${id}`)).body,
  pairs: (await app.send("GET", `/api/v1/replays/${id}/pairs?limit=1000`)).body.items,
});
async function replay(body: object = {}) {
  const { id } = await begin(body);
  await playReplay(app, id);
  return read(id);
}
const transcript = async (session_id: number) =>
  (
    await app.db
      .selectFrom("session_messages")
      .select(["role", "text"])
      .where("session_id", "=", session_id)
      .orderBy("seq")
      .execute()
  ).map(({ role, text }) => `${role}: ${text}`);

describe("a replay", () => {
  test("holds each recorded session twice more, word for word where nothing changed, and calls no service", async () => {
    const recorded = await record({ variables: { "vars.shop": "the shop" } });
    const before = calls.length;
    const { replay: found, pairs } = await replay({ candidate: "draft" });
    expect(calls.length).toBe(before);
    expect(found).toMatchObject({
      status: "finished",
      baseline: "recorded",
      candidate: "draft",
      summary: {
        results: { total: 1, replayed: 1 },
        harness: { same_outcome: 1, followed: 1, total: 1 },
        verdict: "can't tell",
      },
    });
    const [pair] = pairs;
    expect(pair).toMatchObject({ status: "replayed", session_id: recorded });
    const said = await transcript(recorded);
    expect(said[0]).toContain("Hello from the shop on");
    expect(await transcript(pair.baseline_session_id)).toEqual(said);
    expect(await transcript(pair.candidate_session_id)).toEqual(said);
    const { latency_ms: _, ...measures } = pair.observed;
    expect(pair.candidate).toMatchObject({ ...measures, latency_ms: expect.any(Number) });
    const session = (await app.send("GET", `/api/v1/sessions/${pair.candidate_session_id}`)).body;
    expect(session).toMatchObject({ is_test: true, end_reason: "agent" });
  });

  test.each([
    ["chat", "agent", 1],
    ["chat", "transfer", 1],
    ["chat", "idle", 0],
    ["email", "idle", 0],
    ["chat", "operator", 0],
    ["chat", "error", 0],
    ["voice", "idle", 1],
    ["voice", "user", 0],
  ] as const)(
    "counts a recorded %s that ended by %s as ended by the agent %i times",
    async (channel, end_reason, times) => {
      const id = await recordSession(app, agent_id, ["I want to book", "my name is ann"], { channel });
      await app.db.updateTable("sessions").set({ end_reason }).where("id", "=", id).execute();
      const { replay: found } = await replay();
      const rate = found.summary.rates.find(({ kind }: { kind: string }) => kind === "ended_by_agent");
      expect(rate).toMatchObject({ pairs: 1, observed: times, baseline: 0, candidate: 0 });
    },
  );

  test("knows a tool that was renamed since by its number: nothing is lost but the name", async () => {
    await record();
    const [check, book] = tools as [string, string];
    const renamed = `reserve_${n}`;
    const { definition, ...tool } = (await app.send("GET", `/api/v1/tools/${book}`)).body;
    const called = { ...definition.tool.function, name: renamed };
    const body = { ...tool, name: renamed, definition: { ...definition, tool: { function: called } } };
    expect((await app.send("PUT", "/api/v1/tools/", body)).status).toBe(200);
    const lines = WORKS.map((line) => line.replaceAll(/\bbook(?= \{| if error| ->)/g, renamed));
    await save(lines, [check, renamed, "hangup"]);
    const { replay: found, pairs } = await replay({
      filter: { called: renamed },
      checks: [{ name: "Books", expect: { called: [{ tool: renamed }] } }],
    });
    expect(found.findings.map(({ message }: { message: string }) => message).join()).not.toContain(book);
    const [{ observed, baseline, candidate }] = pairs;
    for (const lane of [observed, baseline, candidate]) {
      expect(lane.tools.map(({ tool }: { tool: string }) => tool)).toEqual([check, renamed, "hangup"]);
      expect(lane).toMatchObject({ unanswered: [], checks: { Books: true } });
    }
    expect([baseline.diverged, candidate.diverged]).toEqual([null, null]);
    expect(found.summary.harness).toMatchObject({ same_outcome: 1, followed: 1 });
    expect(found.summary.rates).toContainEqual(expect.objectContaining({ kind: "outcome", candidate: 1 }));
  });

  test("finds a guard that was dropped, and tells the point where each conversation diverged", async () => {
    for (let count = 0; count < 8; count++) await record();
    await save(UNCHECKED);
    const { replay: found, pairs } = await replay({
      checks: [{ name: "Is checked", expect: { called: [{ tool: tools[0] }] } }],
    });
    const { rates, verdict, says } = found.summary;
    expect(verdict).toBe("worse");
    expect(says).toMatch(/^Reaches what was reached: 8 of 8 with the baseline, 0 with the candidate/);
    expect(rates).toContainEqual(
      expect.objectContaining({ kind: "check", name: "Is checked", lost: 8, gained: 0, verdict: "worse" }),
    );
    expect(rates).toContainEqual(
      expect.objectContaining({ kind: "tool", name: tools[1], gained: 0, observed: 8 }),
    );
    expect(pairs[0].baseline.diverged).toBeNull();
  });

  test("lets the person answer another question with the line that answered it before, and stop where none does", async () => {
    await record();
    const asksFirst = WORKS.map((line) =>
      line.startsWith('on "book"') ? 'on "book" -> say "Booked as 2. Anything else?"' : line,
    );
    await save(asksFirst);
    const elsewhere = (await replay()).pairs[0];
    expect(elsewhere.candidate).toMatchObject({
      diverged: { turn: 2, why: "other words", tool: null },
      turns: 2,
    });
    expect((await transcript(elsewhere.candidate_session_id)).at(-1)).toBe("user: bye");

    await save(
      WORKS.map((line) => (line.startsWith('on "book"') ? 'on "book" -> call check {"name": "x"}' : line)),
    );
    const lost = (await replay()).pairs[0];
    expect(lost.candidate.diverged).toMatchObject({ turn: 1, why: "unanswered call" });
  });

  test("answers a call that the recording has no answer for by a mock rule, and otherwise says that it diverged", async () => {
    await record();
    await save(
      WORKS.map((line) =>
        line.startsWith("on /my name")
          ? 'on /my name is (\\w+)/ -> call check {"name": "someone else"}'
          : line,
      ),
    );
    const { pairs } = await replay();
    expect(pairs[0].candidate).toMatchObject({
      diverged: { turn: 2, why: "unanswered call", tool: tools[0] },
      unanswered: expect.arrayContaining([tools[0]]),
    });
    const ruled = await replay({ mocks: [{ tool: tools[0], result: { name: "ann" } }] });
    expect(ruled.pairs[0].candidate).toMatchObject({ diverged: null, unanswered: [] });
  });

  test("of sessions whose tools are gone says which, in how many sessions", async () => {
    await record();
    await record();
    await save(WORKS, [tools[0]!, "hangup"]);
    const { findings } = await begin({ sessions: 5 });
    expect(findings.map(({ message }: { message: string }) => message)).toEqual([
      "5 sessions were asked for; 2 match the filter.",
      `The candidate has no tool ${tools[1]}, which 2 of 2 recorded sessions called. It can't do there what was done.`,
    ]);
  });

  test("leaves out a session that is just being deleted", async () => {
    const [kept, gone] = [await record(), await record()];
    const [begun] = await app.db.transaction().execute(async (tx) => {
      await sql`select from sessions where id = ${gone} for update`.execute(tx);
      const begun = begin({ sessions: 5 });
      await waitForLocks(app.database.pool, 1);
      await deleteSessions(tx, { tenant: app.admin.sub_organization_id, ids: [gone] });
      return [begun];
    });
    const { pairs } = await read((await begun).id);
    expect(pairs.map(({ session_id }: { session_id: number }) => session_id)).toEqual([kept]);
  });

  test("takes real sessions only, as the filter and the seed say, from every stratum", async () => {
    expect((await app.send("POST", `/api/v1/agents/${agent_id}/replays`, {})).status).toBe(422);
    const ended = await record();
    const left = await recordSession(app, agent_id, ["I want to book"]);
    await recordSession(app, agent_id, []);
    await recordSession(app, agent_id, ["bye"], { is_test: true });
    const chosen = async (body: object) => {
      const { id } = await begin(body);
      return (await read(id)).pairs.map(({ session_id }: { session_id: number }) => session_id).toSorted();
    };
    expect(await chosen({})).toEqual([ended, left]);
    expect(await chosen({ filter: { end_reason: "user" } })).toEqual([left]);
    expect(await chosen({ filter: { called: tools[1] } })).toEqual([ended]);
    for (let count = 0; count < 6; count++) await record();
    const some = await chosen({ sessions: 3, seed: 9 });
    expect(some).toContain(left);
    expect(await chosen({ sessions: 3, seed: 9 })).toEqual(some);
    const published = await app.send("POST", `/api/v1/agents/${agent_id}/versions`, {});
    expect(published.status).toBe(200);
    const held = await record();
    expect(await chosen({ filter: { version: 1 } })).toEqual([held]);
    const same = await begin({ candidate: "live" });
    expect(same).toMatchObject({ baseline: "1", candidate: "1" });
    expect(same.findings.at(-1).message).toContain("the same as the baseline");
    expect((await app.send("POST", `/api/v1/agents/${agent_id}/replays`, { candidate: 7 })).status).toBe(404);
  });

  test("of sessions of one rating needs the permission to read ratings", async () => {
    const session_id = await record();
    const user_email = "admin@example.com";
    const label = { session_id, type: "human-rating", code: "BAD", user_email };
    await app.send("POST", "/api/v1/session_labels/", label);
    const path = `/api/v1/agents/${agent_id}/replays`;
    const filter = { label: "BAD" };
    const runner = app.sendAs(await app.createToken(["tests_run"]));
    const refused = await runner("POST", path, { filter });
    expect(refused).toMatchObject({
      status: 403,
      body: { detail: "Missing permission: session_labels_read" },
    });
    expect((await runner("POST", path, {})).status).toBe(200);
    const reader = app.sendAs(await app.createToken(["tests_run", "session_labels_read"]));
    const { status, body } = await reader("POST", path, { filter });
    expect([status, body.request.filter.label]).toEqual([200, "BAD"]);
    const tester = app.sendAs(await app.createToken(["tests_read"]));
    const shown = await tester("GET", `/api/v1/replays/${body.id}`);
    expect([shown.status, shown.body.request.filter.label]).toEqual([200, null]);
  });

  test("that was killed in a lane goes on, keeps the lane that was done, and has no result twice", async () => {
    await record();
    const { id } = await begin();
    await playReplay(app, id);
    const before = (await read(id)).pairs[0];
    // As a process leaves it that died in the second lane: its session under way, named in the row.
    await app.db
      .updateTable("replay_pairs")
      .set({ status: "pending", candidate: null, finished_at: null })
      .where("replay_id", "=", id)
      .execute();
    await app.db
      .updateTable("replays")
      .set({ status: "running", finished_at: null })
      .where("id", "=", id)
      .execute();
    await app.db
      .updateTable("sessions")
      .set({ ended_at: null })
      .where("id", "=", before.candidate_session_id)
      .execute();
    // A process that was believed dead may only have stood still.
    const runners = await Promise.allSettled([1, 2].map(() => playReplay(app, id)));
    expect(runners.map(({ status }) => status)).toContain("fulfilled");
    const after = await read(id);
    expect(after.replay.status).toBe("finished");
    expect(after.pairs).toHaveLength(1);
    expect(after.pairs[0]).toMatchObject({
      status: "replayed",
      baseline_session_id: before.baseline_session_id,
    });
    expect(after.pairs[0].candidate_session_id).not.toBe(before.candidate_session_id);
    const { end_reason } = (await app.send("GET", `/api/v1/sessions/${before.candidate_session_id}`)).body;
    expect(end_reason).toBe("error");
  });

  test("begins no conversation once it has reached its cost cap, and none after it was cancelled", async () => {
    await record();
    await record();
    const capped = await replay({ cost_cap_usd: 0 });
    expect(capped.pairs[0]).toMatchObject({ status: "skipped", candidate_session_id: null });
    const { id } = await begin();
    await playReplay(app, id, 1);
    const cancelled = await app.send("POST", `/api/v1/replays/${id}/cancel`);
    expect(cancelled.body).toMatchObject({
      status: "cancelled",
      summary: { results: { replayed: 1, skipped: 1 } },
    });
    await playReplay(app, id);
    expect((await read(id)).replay.summary.results).toMatchObject({ replayed: 1, skipped: 1 });
  });

  test("loses its conversations with the recorded session, those that a process left unfinished too", async () => {
    const recorded = await record();
    const { pairs, replay: found } = await replay();
    expect((await app.send("DELETE", `/api/v1/sessions/${recorded}?reason=test`)).status).toBe(200);
    for (const id of [pairs[0].baseline_session_id, pairs[0].candidate_session_id])
      expect((await app.send("GET", `/api/v1/sessions/${id}`)).status).toBe(404);
    const after = await read(found.id);
    expect(after.pairs[0]).toMatchObject({
      status: "replayed",
      session_id: null,
      candidate_session_id: null,
    });
    expect(after.replay.summary).toEqual(found.summary);
  });

  test("keeps a conversation that is on legal hold when the recorded session goes", async () => {
    const recorded = await record();
    const { pairs } = await replay();
    const [{ baseline_session_id: held, candidate_session_id: other }] = pairs;
    await app.send("PUT", `/api/v1/sessions/${held}/legal_hold`, { held: true });
    expect((await app.send("DELETE", `/api/v1/sessions/${recorded}?reason=test`)).status).toBe(200);
    expect((await app.send("GET", `/api/v1/sessions/${held}`)).status).toBe(200);
    expect((await app.send("GET", `/api/v1/sessions/${other}`)).status).toBe(404);
  });

  test("keeps a conversation that is being put on legal hold when the recorded session goes", async () => {
    const recorded = await record();
    const { pairs } = await replay();
    const [{ baseline_session_id: held, candidate_session_id: other }] = pairs;
    const [deleted] = await app.db.transaction().execute(async (tx) => {
      const legal_hold_at = app.clock.now().toISOString();
      await tx.updateTable("sessions").set({ legal_hold_at }).where("id", "=", held).execute();
      const answer = app.send("DELETE", `/api/v1/sessions/${recorded}?reason=test`);
      await waitForLocks(app.database.pool, 1);
      return [answer];
    });
    expect(await deleted).toMatchObject({ status: 200 });
    expect((await app.send("GET", `/api/v1/sessions/${held}`)).status).toBe(200);
    expect((await app.send("GET", `/api/v1/sessions/${other}`)).status).toBe(404);
  });
});
