import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { snapshotOf } from "../../../src/sessions/session-snapshot.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { playRun } from "../../harness/evaluations.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { playReplay, recordSession } from "../../harness/replays.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let app: TestApp;
let peer: Peer;
let tools = 0;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
  await migrateJobs(app.database.pool, silentLog);
});

const HOURS = 'on "open" -> say "From eight to five."\non "bye" -> call hangup {"reason": "done"}';
const BROKEN = 'on "open" -> say "I do not know."\non "bye" -> call hangup {"reason": "done"}';

let agent_id: number;
let prompt_id: number;
let name: string;
beforeEach(async () => {
  const made = await createAgent(app, { script: HOURS, systemTools: ["hangup"] });
  agent_id = made.agent_id;
  const agent = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body;
  ({ prompt_id, name } = agent);
});

const at = (path: string) => `/api/v1/agents/${agent_id}/${path}`;
const ok = async (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) => {
  const answer = await app.send(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const publish = (body: object = {}) => app.send("POST", at("versions"), body);
const versioning = () => ok("GET", at("versioning"));

async function save(script: string) {
  const { id, name, type, llm_config } = await ok("GET", `/api/v1/prompts/${prompt_id}`);
  const context = `You are a test.\n\`\`\`script\n${script}\n\`\`\``;
  return ok("PUT", "/api/v1/prompts/", { id, name, type, llm_config, context, tools: ["hangup"] });
}

let session = 0;
/** What a person who comes now is held with. */
async function reached() {
  const { session_id } = await startSession(app.engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: "chat" as const,
    service: "webchat",
    type: "webchat_v1",
    sid: `s${++session}`,
    channel_target_id: null,
    source: null,
    target: null,
    is_test: false,
    is_outbound: false,
    verified: false,
  });
  const { snapshot } = await app.db
    .selectFrom("sessions")
    .select(snapshotOf("sessions").as("snapshot"))
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  return snapshot;
}

describe("an agent without versions", () => {
  test("is reached as it was saved last", async () => {
    await save(BROKEN);
    const held = await reached();
    expect(held.prompt.context).toContain("I do not know.");
    expect(held).not.toHaveProperty("version");
    expect(await versioning()).toMatchObject({ published_version: null, draft: { changes: [] }, gates: [] });
  });
});

describe("an agent with versions", () => {
  test("is reached as it was published, whatever is saved; a test conversation is held with the draft", async () => {
    const first = await ok("POST", at("versions"), { note: "First" });
    expect(first).toMatchObject({ version_number: 1, is_live: true, note: "First", override_reason: null });
    await save(BROKEN);
    const held = await reached();
    expect(held.version).toBe(1);
    expect(held.prompt.context).toContain("From eight to five.");
    const talk = await ok("POST", "/api/v1/agents/test/messages", {
      service_name: "console",
      source: "ann",
      test_id: `t${agent_id}`,
      agent_id: String(agent_id),
      text: "When are you open?",
      session_start: true,
    });
    expect(talk.response_text).toContain("I do not know.");

    const { draft } = await versioning();
    expect(draft.changes.map(({ part }: { part: string }) => part)).toEqual(["instructions"]);
    expect(draft.changes[0].before).toContain("From eight to five.");
    expect(draft.changes[0].after).toContain("I do not know.");
    expect(await ok("POST", at("versions"), { fingerprint: draft.fingerprint })).toMatchObject({
      version_number: 2,
      is_live: true,
    });
    expect((await reached()).prompt.context).toContain("I do not know.");
    expect((await ok("GET", at("versions"))).items.map((v: { is_live: boolean }) => v.is_live)).toEqual([
      true,
      false,
    ]);
  });

  test("says which version its draft is, whether that one is live or not", async () => {
    await ok("POST", at("versions"), {});
    expect((await versioning()).draft.version_number).toBe(1);
    await save(BROKEN);
    expect((await versioning()).draft.version_number).toBeNull();
    await ok("POST", at("versions"), { take_live: false });
    expect(await versioning()).toMatchObject({ published_version: 1, draft: { version_number: 2 } });
  });

  test("goes back to an earlier version at once, and out of versions altogether", async () => {
    await ok("POST", at("versions"), {});
    await save(BROKEN);
    await ok("POST", at("versions"), {});
    await ok("PUT", at("versioning"), { published_version: 1, gates: [] });
    expect(await reached()).toMatchObject({ version: 1 });
    await ok("PUT", at("versioning"), { published_version: null, gates: [] });
    const held = await reached();
    expect(held).not.toHaveProperty("version");
    expect(held.prompt.context).toContain("I do not know.");
    expect((await app.send("PUT", at("versioning"), { published_version: 9, gates: [] })).status).toBe(404);
    const trail = await ok(
      "GET",
      `/api/v1/audit_entries/?search_fields=resource_id&search_field_values=${agent_id}`,
    );
    expect(trail.items.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(["publish", "choose version"]),
    );
  });

  test("what was saved again unchanged is no change, and is not published", async () => {
    await ok("POST", at("versions"), {});
    await save(HOURS);
    await save(HOURS);
    expect((await versioning()).draft.changes).toEqual([]);
    const refused = await publish();
    expect(refused).toMatchObject({ status: 400, body: { detail: "Nothing has changed since version 1." } });
  });

  test("a draft that somebody changed after one looked at it is not published", async () => {
    await ok("POST", at("versions"), {});
    await save(BROKEN);
    const { draft } = await versioning();
    await save(`${BROKEN}\non "thanks" -> say "You are welcome."`);
    const refused = await publish({ fingerprint: draft.fingerprint });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain("changed after you looked at it");
    expect((await versioning()).published_version).toBe(1);
  });

  test("two who publish at once make two versions or one refusal, never one number twice", async () => {
    await save(BROKEN);
    const answers = await Promise.all([publish(), publish(), publish()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect((await ok("GET", at("versions"))).items).toHaveLength(1);
  });

  test("a version can be read whole, and compared with another and with the draft", async () => {
    await ok("POST", at("versions"), {});
    await save(BROKEN);
    await ok("POST", at("versions"), {});
    await save(HOURS);
    const parts = (await ok("GET", at("versions/1"))).parts;
    expect(parts.map(({ part }: { part: string }) => part)).toEqual([
      ...["instructions", "model", "settings", "greeting", "languages", "tools", "tool hangup"],
      "session end tool",
    ]);
    const changed = async (query: string) => (await ok("GET", at(`versions/1/changes${query}`))).length;
    expect(await changed("?with=2")).toBe(1);
    expect(await changed("")).toBe(0);
    expect((await app.send("GET", at("versions/7/changes"))).status).toBe(404);
    expect((await app.send("GET", at("versions/1/changes?with=7"))).status).toBe(404);
  });

  test("a service that the published version calls stays", async () => {
    const { id: service_id } = await ok("POST", "/api/v1/services/", {
      name: `S${agent_id}`,
      description: "",
    });
    const book = `book_${agent_id}`;
    const definition = endpointTool(book, "http://127.0.0.1:9/");
    await ok("POST", "/api/v1/tools/", { name: book, definition, service_id });
    const { id, name, type, llm_config, context } = await ok("GET", `/api/v1/prompts/${prompt_id}`);
    const written = { id, name, type, llm_config, context };
    await ok("PUT", "/api/v1/prompts/", { ...written, tools: ["hangup", book] });
    await ok("POST", at("versions"), {});
    await ok("PUT", "/api/v1/prompts/", { ...written, tools: ["hangup"] });
    await ok("DELETE", `/api/v1/tools/${book}?reason=unused`);
    const held = await app.send("DELETE", `/api/v1/services/${service_id}?reason=unused`);
    expect(held.status).toBe(400);
    expect(held.body.detail).toContain("version 1 of agent");
    await ok("POST", at("versions"), {});
    await ok("DELETE", `/api/v1/services/${service_id}?reason=unused`);
  });
});

test("a version tells what is doubtful about it, as saving its parts does", async () => {
  const made = await createAgent(app, {
    script: 'on /x/ -> say "y"\nToday: {{ vars.session.today }}',
    tools: [
      {
        type: "context",
        tool: { type: "function", function: { name: `flow_${++tools}`, description: "", parameters: {} } },
        context: { task: { type: "event", on: { start: [{ action: "call", name: "nowhere" }] } } },
      } as never,
    ],
    systemTools: ["data_source_search"],
  });
  agent_id = made.agent_id;
  const { id: language_group_id } = await ok("POST", "/api/v1/language_groups/", {
    name: `Older voices ${agent_id}`,
    language_configs: [
      {
        language_code: "fr-FR",
        dtmf_code: 1,
        skip_current_language_in_message: false,
        voice_provider: "Google",
        voice_display_name: "en-US-Neural2-D",
      },
    ],
    skip_current_language_in_message: false,
  });
  await ok("PUT", "/api/v1/agents/", {
    ...(await ok("GET", `/api/v1/agents/${agent_id}`)),
    language_group_id,
    stt_provider: "Deepgram Nova 2",
  });
  await ok("POST", at("versions"), {});
  const part = `flow_${tools}`;
  const wanted = [
    { part: "instructions", id: "workflow-tool-missing", severity: "warning" },
    { part: "instructions", id: "unknown-system-variable", severity: "warning", path: "$.context" },
    { part: "settings", id: "deprecated-stt-provider", severity: "warning", path: "$.stt_provider" },
    { part: "settings", id: "missing-tool-setting", path: "$.prompt_tool_defaults" },
    { part: "languages", id: "deprecated-voice", path: "$.language_configs[0].voice_display_name" },
    { part: "languages", id: "voice-language-mismatch" },
    { part, id: "unknown-tool-reference", path: "$.context.task.on.start[0].name" },
  ];
  expect((await ok("GET", at("versions/1"))).findings).toMatchObject(wanted);
  expect((await versioning()).draft.findings).toMatchObject(wanted);
});

test("a tool that was renamed is missed where workflows call it, allow it, or keep it by its old name", async () => {
  const flow = `flow_${++tools}`;
  const old = `look_up_${tools}`;
  const task = {
    type: "steps",
    tools: [old],
    steps: [
      {
        id: "A",
        goal: "g",
        tools: { allow: [old, ""] },
        on: {
          enter: [
            { action: "call", name: old },
            { action: "call", name: "" },
          ],
        },
      },
    ],
  };
  const made = await createAgent(app, {
    script: HOURS,
    tools: [
      endpointTool(old, "http://127.0.0.1:9/"),
      {
        type: "context",
        tool: { type: "function", function: { name: flow, description: "", parameters: {} } },
        context: { task },
      } as never,
    ],
  });
  agent_id = made.agent_id;
  await ok("POST", at("versions"), {});
  const { id, definition, service_id } = await ok("GET", `/api/v1/tools/${old}`);
  const name = `${old}_2`;
  await ok("PUT", "/api/v1/tools/", {
    id,
    name,
    service_id,
    last_updated_comments: null,
    definition: {
      ...definition,
      tool: { ...definition.tool, function: { ...definition.tool.function, name } },
    },
  });
  const missed = { part: flow, id: "unknown-tool-reference", severity: "warning" };
  const gone = { ...missed, message: `There is no tool named "${old}" yet.` };
  const empty = { ...missed, message: "No tool is named here; choose one." };
  expect((await versioning()).draft.findings).toMatchObject([
    { part: "instructions", id: "workflow-tool-missing", message: expect.stringContaining(`uses ${old},`) },
    { ...gone, path: "$.context.task.steps[0].on.enter[0].name" },
    { ...empty, path: "$.context.task.steps[0].on.enter[1].name" },
    { ...gone, path: "$.context.task.steps[0].tools.allow[0]" },
    { ...empty, path: "$.context.task.steps[0].tools.allow[1]" },
    { ...gone, path: "$.context.task.tools[0]" },
  ]);
});

describe("a gate", () => {
  const CASES = Array.from({ length: 20 }, (_, n) => ({
    name: `Hours ${n}`,
    person: ["When are you open?"],
    expect: { said: ["eight"] },
  }));
  let suite_id: number;
  beforeEach(async () => {
    await ok("POST", at("versions"), {});
    ({ id: suite_id } = await ok("POST", "/api/v1/test_suites/", {
      name: `Hours of ${name}`,
      agent: name,
      cases: CASES,
    }));
    await ok("PUT", at("versioning"), { published_version: 1, gates: [{ suite_id, at_least: 0.8 }] });
  });
  const run = async (body: object = {}) => {
    const { id } = await ok("POST", `/api/v1/test_suites/${suite_id}/runs`, body);
    await playRun(app, id);
    return ok("GET", `/api/v1/test_runs/${id}`);
  };

  test("is in the audit trail as what it is, and not as a version that was chosen", async () => {
    const query = `search_fields=resource_id&search_field_values=${agent_id}&order_by=at&order_by_direction=desc`;
    const { items } = await ok("GET", `/api/v1/audit_entries/?${query}`);
    expect(items[0]).toMatchObject({ action: "change gates", after: { published_version: 1 } });
  });

  test("holds back a draft that was not run, or fails; lets through one whose tests show enough", async () => {
    await save(BROKEN);
    const untested = await publish();
    expect(untested.status).toBe(400);
    expect(untested.body.detail).toContain("not run with this draft");
    await run();
    const failed = await publish();
    expect(failed.body.detail).toContain("0 of 20 tests pass, which shows at least 0 %; 80 % is asked for");
    expect(await reached()).toMatchObject({ version: 1 });

    await save(`${HOURS}\non "thanks" -> say "You are welcome."`);
    expect((await versioning()).gates[0]).toMatchObject({ passes: false, run_id: null });
    const { id, version } = await run();
    expect(version).toBeNull();
    const { gates } = await ok("POST", at("versions"), {});
    expect(gates).toMatchObject([{ suite_id, run_id: id, passed: 20, total: 20, passes: true }]);
    expect(gates[0].low).toBeCloseTo(0.8389, 3);
    expect(await reached()).toMatchObject({ version: 2 });
  });

  test("asks for a run after the suite was changed", async () => {
    await save(BROKEN);
    await save(`${HOURS}\non "thanks" -> say "You are welcome."`);
    await run();
    expect((await versioning()).gates[0].passes).toBe(true);
    app.clock.advance(1_000);
    const suite = await ok("GET", `/api/v1/test_suites/${suite_id}`);
    await ok("PUT", "/api/v1/test_suites/", { id: suite_id, name: suite.name, agent: name, cases: CASES });
    expect((await versioning()).gates[0]).toMatchObject({ passes: false, run_id: null });
  });

  describe("is not passed by the old cases of a suite that is changed", () => {
    const held = async (statement: string) => {
      const client = await app.database.pool.connect();
      await client.query("begin");
      await client.query(statement, [suite_id]);
      return async () => {
        await client.query("commit");
        client.release();
      };
    };
    const change = async () => {
      const { name: suite } = await ok("GET", `/api/v1/test_suites/${suite_id}`);
      const cases = CASES.map((one) => ({ ...one, expect: { said: ["midnight"] } }));
      return ok("PUT", "/api/v1/test_suites/", { id: suite_id, name: suite, agent: name, cases });
    };
    beforeEach(() => save(`${HOURS}\non "thanks" -> say "You are welcome."`));

    test("while a run begins", async () => {
      const release = await held("select from test_suites where id = $1 for share");
      const changed = change();
      await waitForLocks(app.database.pool, 1);
      app.clock.advance(1_000);
      await run();
      app.clock.advance(1_000);
      await release();
      await changed;
      expect((await versioning()).gates[0]).toMatchObject({ passes: false, run_id: null });
    });

    test("just before a run begins", async () => {
      const release = await held("select from test_cases where suite_id = $1 for update");
      const changed = change();
      await waitForLocks(app.database.pool, 1);
      app.clock.advance(1_000);
      const begun = run();
      await waitForLocks(app.database.pool, 2);
      await release();
      await changed;
      const { id } = await begun;
      expect((await versioning()).gates[0]).toMatchObject({ passes: false, run_id: id, passed: 0 });
    });
  });

  test("is overridden by who may, with a reason that stands at the version and in the audit trail", async () => {
    await save(BROKEN);
    const editor = app.sendAs(await app.createToken(["agents_publish"]));
    const reason = { override_reason: "The old hours are wrong" };
    expect((await editor("POST", at("versions"), reason)).status).toBe(403);
    expect(await ok("POST", at("versions"), reason)).toMatchObject(reason);
    const trail = await ok(
      "GET",
      `/api/v1/audit_entries/?search_fields=action&search_field_values=publish&limit=1`,
    );
    expect(JSON.stringify(trail.items[0])).toContain("The old hours are wrong");
  });

  test("is taken away or lowered only by who may publish without tests; an earlier version goes live without it", async () => {
    const editor = app.sendAs(await app.createToken(["agents_publish"]));
    const choose = (published_version: number | null, gates: object[]) =>
      editor("PUT", at("versioning"), { published_version, gates });
    expect((await choose(1, [])).status).toBe(403);
    expect((await choose(1, [{ suite_id, at_least: 0.5 }])).status).toBe(403);
    expect((await choose(null, [{ suite_id, at_least: 0.8 }])).status).toBe(403);
    expect((await choose(1, [{ suite_id, at_least: 0.9 }])).status).toBe(200);
    expect((await choose(1, [{ suite_id: 99_999_999, at_least: 0.9 }])).status).toBe(422);
    const viewer = app.sendAs(await app.createToken(["agents_read"]));
    expect((await viewer("POST", at("versions"), {})).status).toBe(403);
    expect((await viewer("GET", at("versioning"))).status).toBe(200);
  });

  test("can be sent back as it was read, with what its last run said, and stays as it is", async () => {
    const replay_gate = { most_regression: 0.1 };
    const gate = { suite_id, at_least: 0.8, most_answer_ms: 1_000 };
    await ok("PUT", at("versioning"), { published_version: 1, gates: [gate], replay_gate });
    await run();
    const read = await versioning();
    expect(read).toMatchObject({ gates: [{ ...gate, passed: 20 }] });
    expect(await ok("PUT", at("versioning"), read)).toEqual(read);
    const misspelt = { ...read, gates: [{ ...read.gates[0], most_answers_ms: 5 }] };
    expect(await app.send("PUT", at("versioning"), misspelt)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "gates", 0, "most_answers_ms"] }] },
    });
  });

  test("with budgets holds back what answers too slowly or costs too much, and may only be tightened without more permission", async () => {
    const gate = { suite_id, at_least: 0.8, most_answer_ms: 1_000, most_cost_usd: 0.01 };
    await ok("PUT", at("versioning"), { published_version: 1, gates: [gate] });
    await save(`${HOURS}\non "thanks" -> say "You are welcome."`);
    const { id, summary } = await run();
    expect(summary).toMatchObject({ answer_p95_ms: expect.any(Number), agent_cost_usd: 0 });
    const measures = JSON.stringify({ answers_ms: [80, 1_500], agent_cost_usd: 0.02 });
    await app.db.updateTable("test_results").set({ measures }).where("run_id", "=", id).execute();
    const refused = await publish();
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain("5 of 100 answers take longer than 1,500 ms; 1,000 ms is allowed.");
    expect(refused.body.detail).toContain("A conversation costs $0.02; $0.01 is allowed.");

    const editor = app.sendAs(await app.createToken(["agents_publish"]));
    const choose = (more: object) =>
      editor("PUT", at("versioning"), { published_version: 1, gates: [{ ...gate, ...more }] });
    expect((await choose({ most_answer_ms: 2_000 })).status).toBe(403);
    expect((await choose({ most_cost_usd: null })).status).toBe(403);
    expect((await choose({ most_answer_ms: 900, most_cost_usd: 0.005 })).status).toBe(200);
  });

  test("of a deleted suite says so, and holds back", async () => {
    await ok("DELETE", `/api/v1/test_suites/${suite_id}?reason=old`);
    await save(BROKEN);
    expect((await publish()).body.detail).toContain("The suite was deleted");
  });
});

describe("a replay gate", () => {
  const WITHOUT = 'on "open" -> say "Yes."';
  const gate = { filter: { days: 7 }, sessions: 4, most_regression: 0.7 };
  let tool: string;
  beforeEach(async () => {
    peer.respond((_, response) => json(response, 200, { number: 7 }));
    tool = `book_${++tools}`;
    const made = await createAgent(app, {
      script: BOOKS(tool),
      tools: [endpointTool(tool, `${peer.url}/book`)],
    });
    agent_id = made.agent_id;
    ({ prompt_id } = await ok("GET", `/api/v1/agents/${agent_id}`));
    await ok("POST", at("versions"), {});
    for (let n = 0; n < 4; n++) await recordSession(app, agent_id, ["please open"]);
    await ok("PUT", at("versioning"), { published_version: 1, gates: [], replay_gate: gate });
  });
  const BOOKS = (name: string) => `on "open" -> call ${name} {}\nafter ${name} -> say "Done."`;
  const saveWith = async (script: string) => {
    const { id, name, type, llm_config } = await ok("GET", `/api/v1/prompts/${prompt_id}`);
    const context = `You are a test.\n\`\`\`script\n${script}\n\`\`\``;
    return ok("PUT", "/api/v1/prompts/", { id, name, type, llm_config, context, tools: [tool] });
  };
  const replay = async (body: object = {}) => {
    const { id } = await ok("POST", at("replays"), { filter: gate.filter, sessions: 4, ...body });
    await playReplay(app, id);
    return id;
  };

  test("holds back a draft that was not replayed against the live version, and one that a replay shows to be worse", async () => {
    await saveWith(WITHOUT);
    const refused = await publish();
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain("no replay of 4 sessions with this draft against version 1");
    // Fewer sessions, other sessions and another state of the agent say nothing of this draft.
    await replay({ sessions: 3 });
    await replay({ filter: { days: 8 } });
    await replay({ candidate: 1, baseline: 1 });
    expect((await versioning()).replay_gate).toMatchObject({ verdict: "missing", replay_id: null });
    const id = await replay();
    expect((await versioning()).replay_gate).toMatchObject({
      replay_id: id,
      pairs: 4,
      difference: -1,
      verdict: "can't tell",
      passes: false,
    });
    expect((await publish()).body.detail).toContain(
      `Replay ${id}: 4 sessions don't rule out a regression of 100 points; 70 points are allowed.`,
    );

    const editor = app.sendAs(await app.createToken(["agents_publish"]));
    const reason = { override_reason: "The service closes" };
    expect((await editor("POST", at("versions"), reason)).status).toBe(403);
    expect(await ok("POST", at("versions"), reason)).toMatchObject({
      version_number: 2,
      ...reason,
      replay_gate: { replay_id: id, passes: false },
    });
    const trail = await ok(
      "GET",
      `/api/v1/audit_entries/?search_fields=action&search_field_values=publish&limit=1`,
    );
    expect(JSON.stringify(trail.items[0])).toContain("The service closes");
  });

  test("lets through a draft whose replay rules the regression out, until the live version or the draft changes", async () => {
    await saveWith(`${BOOKS(tool)}\non "thanks" -> say "You are welcome."`);
    const id = await replay();
    expect((await versioning()).replay_gate).toMatchObject({
      replay_id: id,
      difference: 0,
      verdict: "passes",
    });
    await saveWith(`${BOOKS(tool)}\non "thanks" -> say "Welcome."`);
    expect((await versioning()).replay_gate).toMatchObject({ verdict: "missing" });
    await replay();
    expect(await ok("POST", at("versions"), {})).toMatchObject({
      version_number: 2,
      replay_gate: { passes: true },
    });
    await saveWith(BOOKS(tool));
    expect((await versioning()).replay_gate.says).toContain("against version 2");
  });

  test("says by which rating its sessions are drawn to who may read ratings only, and keeps it when they save", async () => {
    const rated = { ...gate, filter: { days: 7, label: "BAD" } };
    await ok("PUT", at("versioning"), { published_version: 1, gates: [], replay_gate: rated });
    await saveWith(WITHOUT);
    await ok("POST", at("versions"), { override_reason: "A first one" });
    const editor = app.sendAs(await app.createToken(["agents_read", "agents_publish"]));
    const { body } = await editor("GET", at("versioning"));
    expect(body.replay_gate.filter).toMatchObject({ days: 7, label: null });
    for (const list of ["versions?limit=1", "versions/2"]) {
      const shown = (await editor("GET", at(list))).body;
      expect((shown.items?.[0] ?? shown).replay_gate.filter.label, list).toBeNull();
    }
    const choose = (filter: object) =>
      editor("PUT", at("versioning"), {
        published_version: 2,
        gates: [],
        replay_gate: { ...gate, filter, most_regression: 0.6 },
      });
    expect((await choose(body.replay_gate.filter)).status).toBe(200);
    expect((await versioning()).replay_gate).toMatchObject({ filter: rated.filter, most_regression: 0.6 });
    expect((await choose({ ...rated.filter, label: "GOOD" })).status).toBe(403);
  });

  test("stays where it is left out, and is loosened only by who may publish untested", async () => {
    const editor = app.sendAs(await app.createToken(["agents_publish"]));
    const choose = (body: object) =>
      editor("PUT", at("versioning"), { published_version: 1, gates: [], ...body });
    expect((await choose({})).status).toBe(200);
    expect((await versioning()).replay_gate).toMatchObject({ ...gate, verdict: "missing" });
    for (const looser of [null, { ...gate, most_regression: 0.8 }, { ...gate, filter: { days: 1 } }])
      expect((await choose({ replay_gate: looser })).status).toBe(403);
    expect((await choose({ published_version: null })).status).toBe(403);
    expect((await choose({ replay_gate: { ...gate, most_regression: 0.5 } })).status).toBe(200);
    const refused = await choose({ replay_gate: { ...gate, most_regression: 5 } });
    expect(refused.body.detail[0].loc).toEqual(["body", "replay_gate", "most_regression"]);
  });
});

test("a run is held with one state of its agent: a version, or the draft as it was when the run began", async () => {
  await ok("POST", at("versions"), {});
  await save(BROKEN);
  const cases = [{ name: "Hours", person: ["open?"], expect: { said: ["eight"] } }];
  const { id } = await ok("POST", "/api/v1/test_suites/", { name: `One of ${name}`, agent: name, cases });
  const begun = async (body: object) => (await ok("POST", `/api/v1/test_suites/${id}/runs`, body)).id;
  const [ofVersion, ofDraft] = [await begun({ version: 1 }), await begun({})];
  await save(HOURS);
  await playRun(app, ofVersion);
  await playRun(app, ofDraft);
  expect(await ok("GET", `/api/v1/test_runs/${ofVersion}`)).toMatchObject({ version: 1, passed: 1 });
  expect(await ok("GET", `/api/v1/test_runs/${ofDraft}`)).toMatchObject({ version: null, passed: 0 });
  expect((await app.send("POST", `/api/v1/test_suites/${id}/runs`, { version: 8 })).status).toBe(404);
});
