import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Fastify from "fastify";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { errorSender } from "../../src/api/errors.ts";
import { Fault, publicText } from "../../src/base/errors.ts";
import { createLog, silentLog } from "../../src/base/log.ts";
import { patternFault } from "../../src/base/pattern.ts";
import { WorkGivenUp } from "../../src/base/worker-pool.ts";
import { smtpMail } from "../../src/carriers/smtp/smtp-mail.ts";
import { CarrierFault } from "../../src/channels/carrier.ts";
import { askCarrier } from "../../src/dialing/unsettled.ts";
import { claimExecutions } from "../../src/executions/claim.ts";
import { recordEach } from "../../src/executions/record-results.ts";
import { runExecution } from "../../src/executions/run-execution.ts";
import { compileExpression, evaluate } from "../../src/expressions/expression.ts";
import { NOTHING_USED } from "../../src/insights/tool-run.ts";
import { catalogueOf } from "../../src/llm/catalogue.ts";
import { providerError } from "../../src/llm/provider-error.ts";
import { takeoutJobs } from "../../src/reports/make-takeout.ts";
import { endSession } from "../../src/turns/end-session.ts";
import { runEndTool } from "../../src/turns/end-tool.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createTestDialer } from "../harness/dialer.ts";
import { createDialing } from "../harness/dialing.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { insightsOf, pastSession } from "../harness/insights.ts";
import { plannedEngine } from "../harness/planned-model.ts";
import { freshName, plannedSession } from "../harness/planned-session.ts";

/** What an error of the database, of a file or of our own code would tell of this installation. */
const INNER =
  /secret_table|relation|ENOENT|ENOTDIR|\/srv\/parley|Cannot read|undefined|innerFunction|unicode/i;

let app: TestApp;
let folder: string;
const errors: Record<string, unknown> = {
  "a file error": null,
  "a TypeError": new TypeError("Cannot read properties of undefined (reading 'innerFunction')"),
};
beforeAll(async () => {
  app = await createTestApp();
  folder = mkdtempSync(path.join(tmpdir(), "parley-inner-"));
  errors["a database error"] = await app.database.pool.query("select * from secret_table").catch((e) => e);
  try {
    readFileSync("/srv/parley/missing");
  } catch (error) {
    errors["a file error"] = error;
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KINDS = ["a database error", "a file error", "a TypeError"];
const REFERENCE = /Quote (\w{10}) to the operator/;

test.each(["53100", "ENOSPC"])("a full disk (%s) is told as that, and no fault of the program", (code) => {
  const log = { error: vi.fn() };
  const full = Object.assign(new Error('could not extend file "base/16384/18868"'), { code });
  const told = publicText(full, log as never, "an export failed");
  expect(told).toBe(
    "The disk of this installation was full. Tell its operator, and try again when there is room.",
  );
  expect(log.error).toHaveBeenCalledExactlyOnceWith({ err: full }, "an export failed");
});

describe.each(KINDS)("%s", (kind) => {
  test("is told by a reference, under which the log has the truth", () => {
    const lines: string[] = [];
    const log = createLog({
      level: "info",
      destination: { write: (line: string) => lines.push(line) } as never,
    });
    const told = publicText(errors[kind], log, "something failed");
    expect(told).not.toMatch(INNER);
    const logged = JSON.parse(lines.join("")) as { reference: string; err: { message: string } };
    expect(REFERENCE.exec(told)?.[1]).toBe(logged.reference);
    expect(logged.err.message).toBe((errors[kind] as Error).message);
  });

  test.each([undefined, 400, 404])("does not reach an answer, with status %s", async (statusCode) => {
    const server = Fastify();
    server.setErrorHandler(errorSender(silentLog));
    server.get("/", () => {
      throw Object.assign(Object.create(errors[kind] as object), { statusCode });
    });
    const answer = await server.inject("/");
    expect(answer.statusCode).toBe(statusCode ?? 500);
    expect(answer.body).not.toMatch(INNER);
    await server.close();
  });

  test("in a tool's call reaches neither the model nor the trace", async () => {
    const name = freshName("look_up");
    const tool = endpointTool(name, "https://example.com/look_up", {
      parameters: { type: "object", properties: {} },
    });
    const planned = plannedEngine(app.engine, [{ calls: [[name, {}]] }]);
    const egress = { ...planned.engine.egress, send: () => Promise.reject(errors[kind]) };
    const session = await plannedSession(app, [tool], { engine: { ...planned.engine, egress } });
    await session.say("Look it up.");
    const seen = JSON.stringify(planned.requests.at(-1)?.messages.filter(({ role }) => role === "tool"));
    const { body } = await app.send("GET", `/api/v1/sessions/${session.session_id}/trace`);
    for (const text of [seen, JSON.stringify(body)]) {
      expect(text).toContain("The tool failed unexpectedly.");
      expect(text).not.toMatch(INNER);
    }
  });

  test("in the tool of a session's end does not reach its record", async () => {
    const name = freshName("report");
    const tool = endpointTool(name, "https://example.com/report", {
      parameters: { type: "object", properties: {} },
    });
    const planned = plannedEngine(app.engine, []);
    const egress = { ...planned.engine.egress, send: () => Promise.reject(errors[kind]) };
    const engine = { ...planned.engine, egress };
    const { session_id } = await plannedSession(app, [tool], { engine });
    // As a session of a prompt that ends with this tool has it in its snapshot.
    await sql`
      update session_snapshots set content = jsonb_set(content::jsonb, '{session_end_tool}',
        (select one from jsonb_array_elements(content::jsonb -> 'tools') one where one ->> 'name' = ${name}))
      where key = (select snapshot_key from sessions where id = ${session_id})`.execute(app.db);
    await endSession(engine, session_id, "idle");
    await runEndTool(engine, session_id);
    const { body } = await app.send("GET", `/api/v1/sessions/transcript/${session_id}`);
    expect(body.actions.at(-1).tool_error).toContain("The tool failed unexpectedly.");
    expect(JSON.stringify(body)).not.toMatch(INNER);
  });

  test("in an insight tool does not reach its execution", async () => {
    const results: { outcome: unknown }[] = [];
    const logged: unknown[] = [];
    const log = { child: () => log, error: ({ err }: { err: unknown }) => logged.push(err) };
    const recorder = { record: async (result: { outcome: unknown }) => results.push(result) > 0 };
    const tool = {
      position: 0,
      insight_tool_id: 1,
      insight_tool_version: 1,
      name: "sum",
      deleted: false,
      insight_tool_definition_id: 1,
      tool_arguments: { prompt: "Sum it up." },
    };
    const execution = {
      id: 1,
      sub_organization_id: 1,
      workflow_id: 1,
      subject: { session_id: 1 },
      backfill_id: null,
      tries: 1,
      is_suspect: false,
      tools: [tool],
    };
    const said = { kind: "said", role: "user", text: "Hello", start_time: null };
    await runExecution(
      execution,
      { transcript: [said] } as never,
      {
        recorder,
        clock: app.clock,
        log,
        signal: new AbortController().signal,
        runner: { catalogue: catalogueOf([]), resolveModel: () => Promise.reject(errors[kind]) },
        loadInsights: async () => ({}),
      } as never,
    );
    expect(results).toHaveLength(1);
    expect(logged).toEqual([errors[kind]]);
    expect(JSON.stringify(results[0]?.outcome)).toContain("The tool broke");
    expect(JSON.stringify(results[0]?.outcome)).not.toMatch(INNER);
  });

  test("of a carrier that is asked does not reach the attempt", async () => {
    const find = () => Promise.reject(errors[kind]);
    const attempt = {
      key: "none",
      mode: "voice",
      state: "UNCERTAIN",
      started_at: app.clock.now().toISOString(),
    };
    const planned = { ...app, db: failing(errors[kind]), log: silentLog };
    const news = await askCarrier(planned as never, { find }, attempt as never, app.clock.now());
    expect(news).toMatchObject({ kind: "unknown", why: expect.stringMatching(REFERENCE) });
  });

  test("of a model's library does not reach the session", () => {
    const call = {
      provider: "openai",
      model: "m",
      api_key: "k",
      signal: new AbortController().signal,
    } as const;
    const told = providerError(errors[kind], call);
    expect(told.message).not.toMatch(INNER);
    expect(told.cause).toBe(errors[kind]);
  });
});

/** A database whose every query fails this way. */
const failing = (error: unknown) => ({
  selectFrom() {
    throw error;
  },
});

test("a try that breaks with an error of ours is kept without its words", async () => {
  const dialing = await createDialing(app);
  await dialing.filled(1, { hourly_rate: 3600 });
  const dialer = createTestDialer(app, () => ({ send: "crash" }));
  await dialer.tick();
  const attempts = await app.db.selectFrom("attempts").select("provider_status").execute();
  expect(attempts.map(({ provider_status }) => provider_status)).toEqual([expect.stringMatching(REFERENCE)]);
});

test("an insight's value that the database refuses is told without the database's words", async () => {
  const make = insightsOf(app);
  const tool = await make.tool();
  const workflow = await make.workflow({ source: "manual", insight_tool_ids: [tool.id] });
  const id = await pastSession(app, app.admin, { said: [["user", "Hello"]] });
  await app.send("POST", "/api/v1/insights/workflows/queue-work", {
    workflow_name: workflow.name,
    session_id_list: [id],
  });
  const at = app.clock.now();
  const [execution] = await claimExecutions(app.db, { owner: "me", now: at, most: 1 });
  if (!execution) throw new Error("nothing was queued");
  const values = [{ key: "summary", type: "string" as const, value: "a\u0000b" }];
  const outcome = { kind: "done" as const, values, last: true };
  const of = { execution, tool: execution.tools[0] as never, at, duration_ms: 1, used: NOTHING_USED };
  await recordEach({ db: app.db, log: silentLog, vault: app.vault }, "me", [{ ...of, outcome }]);
  const stored = await app.db
    .selectFrom("insight_executions")
    .select(["status", "error_message"])
    .where("id", "=", execution.id)
    .executeTakeFirst();
  expect(stored).toEqual({ status: "FAILED", error_message: expect.stringMatching(REFERENCE) });
  expect(stored?.error_message).not.toMatch(INNER);
});

test("an export that fails by a file says so without the file's place", async () => {
  const dataDir = path.join(folder, "srv-parley-file");
  writeFileSync(dataDir, "");
  const { job_id } = (await app.send("POST", "/api/v1/takeouts/create")).body;
  const make = takeoutJobs({ ...app, log: silentLog, dataDir }).find(
    ({ job }) => job.name === "make-takeout",
  );
  await expect(make?.run({ takeout_id: job_id }, { job: { attempts: 3 } } as never)).rejects.toThrow();
  const takeout = await app.db
    .selectFrom("takeouts")
    .select("error")
    .where("id", "=", job_id)
    .executeTakeFirst();
  expect(takeout?.error).toMatch(REFERENCE);
  expect(takeout?.error).not.toMatch(INNER);
});

test("what was written for people is told as it is", () => {
  for (const error of [new Fault("refused", "No."), new CarrierFault("The line is busy.", "not-sent")]) {
    expect(publicText(error, silentLog, "")).toBe(error.message);
  }
  expect(publicText(new WorkGivenUp("failed", "Cannot read"), silentLog, "")).not.toMatch(INNER);
});

describe("a library's own words", () => {
  const LIBRARY =
    /error parsing|regexp|RE2JS|Perl|expecting|overload|BigInt|protobuf|getaddrinfo|ECONNREFUSED|127\.0\.0\.1/;

  test.each([
    ["(", "a ( is never closed: ("],
    ["[a", "a [ is never closed: [a"],
    ["*a", "a repetition has nothing before it: *"],
    ["(?=a)", "this kind of group is not supported, such as look-ahead and look-behind: (?="],
    ["a{2,1}", "a count runs from a lower to a higher number, up to 1000: {2,1}"],
  ])("of a pattern are ours, with what is to be mended: %s", (pattern, told) => {
    expect(patternFault(pattern)).toBe(told);
  });

  test.each([
    "(",
    "[a",
    "*a",
    "a**",
    "\\y",
    "[z-a]",
    "(?=a)",
    "a)",
    "a\\",
    "\\1",
    "\\p{Foo}",
    "(?z)a",
    "a{3000}",
  ])("of a pattern never reach its author: %s", (pattern) => {
    expect(patternFault(pattern)).not.toMatch(LIBRARY);
    expect(patternFault(pattern)).not.toBeNull();
  });

  test.each([
    ["a +", "“+” can't stand here", 2],
    ["[1,2", "it ends too early; expected , or ]", 4],
    ["'abc", "“'” can't stand here", 0],
  ])("of an expression are ours, with the position: %s", (expression, message, position) => {
    expect(compileExpression({ type: "cel", expression })).toEqual({ ok: false, message, position });
  });

  test.each([
    ["1 + 'a'", "+ does not take int, string"],
    ["size(1)", "size does not take int"],
    ["1/0", "a division by zero"],
    ["[1][5]", "an index lies outside of its list or text"],
    ["int('z')", "a value can't be converted to that type"],
    ["timestamp('x')", "timestamp() takes a time such as 2026-01-31T09:00:00Z"],
    ["{'a': 1}['b']", "there is no field b"],
  ])("of an evaluation are ours: %s", (expression, message) => {
    const compiled = compileExpression({ type: "cel", expression });
    expect(compiled.ok && evaluate(compiled.expression, {})).toEqual({ ok: false, message });
  });

  test("of a mail server that can't be reached name no inner address", async () => {
    const nobody = { host: "localhost", port: 9, user: null, password: null, tls: "auto" } as const;
    const reach = async () => ({ address: "127.0.0.1" });
    const account = { channel_id: 1, credentials: {} } as never;
    const own = await smtpMail(() => nobody as never, reach)
      .check(account)
      .catch((error) => error.message);
    expect(own).toBe("The mail server localhost:9 gave no answer: localhost refused the connection");
    const lines: string[] = [];
    const log = createLog({
      level: "info",
      destination: { write: (line: string) => lines.push(line) } as never,
    });
    const told = await smtpMail(() => nobody as never, reach, { operators: log })
      .check(account)
      .catch((error) => error.message);
    expect(told).toMatch(/^The installation's mail server gave no answer: reference \w{10}$/);
    expect(lines.join("")).toContain(told.slice(-10));
    expect(lines.join("")).toContain("localhost:9");
  });
});
