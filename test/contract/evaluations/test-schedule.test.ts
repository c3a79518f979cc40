import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { runNoticeJob } from "../../../src/webhooks/run-notice.ts";
import { verifySignature } from "../../../src/webhooks/webhook-signature.ts";
import { afterFile } from "../../harness/after-file.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { playRun } from "../../harness/evaluations.ts";
import { createPeer } from "../../harness/peer.ts";
import { routesTo, secretOf } from "../../harness/webhooks.ts";

let app: TestApp;
let agent: string;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
  const { agent_id } = await createAgent(app, { script: 'on "" -> say "All right."' });
  agent = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body.name;
});

let counter = 0;
async function makeSuite(
  cases: object[] = [{ name: "Answers", person: ["Hello"], expect: { said: ["."] } }],
) {
  const { body } = await app.send("POST", "/api/v1/test_suites/", {
    name: `Nightly ${++counter}`,
    agent,
    cases,
  });
  return body as { id: number; name: string };
}
const schedule = (suite_id: number, more: object = {}) =>
  app.send("PUT", `/api/v1/test_suites/${suite_id}/schedule`, {
    is_active: true,
    time: "02:00",
    timezone: "America/New_York",
    ...more,
  });
const read = async (suite_id: number) =>
  (await app.send("GET", `/api/v1/test_suites/${suite_id}/schedule`)).body;
const job = (name: string) => app.jobs.find(({ job }) => job.name === name)!;
const look = () => job("begin-scheduled-runs").run({}, {} as never);
const runsOf = async (suite_id: number) =>
  (await app.send("GET", `/api/v1/test_runs/?search_fields=suite_id&search_field_values=${suite_id}`)).body
    .items;
const eventsOf = async (type: string) =>
  (await app.send("GET", `/api/v1/events/?search_fields=type&search_field_values=${type}`)).body.items;
/** The clock shows just after the time at which the suite is due, and so much more. */
async function wait(suite_id: number, more_ms = 0) {
  const { next_at } = await read(suite_id);
  app.clock.advance(Date.parse(next_at) - app.clock.now().getTime() + 1_000 + more_ms);
}

test("a suite runs once at its time, whichever and however many processes look, and again the next day", async () => {
  const suite = await makeSuite();
  expect(await read(suite.id)).toMatchObject({ is_active: false, next_at: null, webhook: null });
  const { status, body } = await schedule(suite.id);
  expect(status, JSON.stringify(body)).toBe(200);
  await look();
  expect(await runsOf(suite.id)).toEqual([]);

  await wait(suite.id);
  await Promise.all([look(), look(), look()]);
  await look();
  const runs = await runsOf(suite.id);
  expect(runs).toMatchObject([{ is_scheduled: true, version: null, status: "running" }]);
  expect(Date.parse((await read(suite.id)).next_at)).toBe(Date.parse(body.next_at) + 86_400_000);

  await playRun(app, runs[0].id);
  await wait(suite.id);
  await look();
  expect(await runsOf(suite.id)).toHaveLength(2);
  await schedule(suite.id, { is_active: false });
});

test("a schedule without a day is refused as long as it is switched on, since it would never run", async () => {
  const suite = await makeSuite();
  expect(await schedule(suite.id, { days: [] })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "days"], msg: "Choose at least one day, or switch the schedule off" }] },
  });
  expect(await schedule(suite.id, { days: [], is_active: false })).toMatchObject({
    status: 200,
    body: { days: [], next_at: null },
  });
});

test("a night the program was down for is told, and is not made up for", async () => {
  const suite = await makeSuite();
  await schedule(suite.id);
  await wait(suite.id, 3 * 3_600_000);
  await look();
  expect(await runsOf(suite.id)).toEqual([]);
  const found = await read(suite.id);
  expect(found).toMatchObject({ note: "The program was not running then." });
  expect(Date.parse(found.next_at)).toBeGreaterThan(app.clock.now().getTime());
  const events = await eventsOf("test_run_missed");
  expect(events[0].description).toBe(
    `${suite.name} was not run at its time: The program was not running then.`,
  );
  await schedule(suite.id, { is_active: false });
});

test("a run that has not finished, or a suite that can't be run, is told instead of a second run", async () => {
  const suite = await makeSuite();
  await schedule(suite.id);
  await wait(suite.id);
  await look();
  const [first] = await runsOf(suite.id);
  await wait(suite.id);
  await look();
  expect((await read(suite.id)).note).toBe(`Run ${first.id} of the time before has not finished.`);
  await schedule(suite.id, { is_active: false });

  const empty = await makeSuite([]);
  await schedule(empty.id);
  await wait(empty.id);
  await look();
  expect((await read(empty.id)).note).toBe("The suite has no cases");
  await schedule(empty.id, { is_active: false });
});

test("the webhook of a suite is told once of each run that is finished, signed, and again where it failed", async () => {
  const peer = await createPeer();
  const egress = routesTo({ "good.example": peer });
  afterFile(() => egress.close());
  const suite = await makeSuite();
  const hmac_secret = secretOf(7);
  const webhook = { url: "https://good.example/tests", auth_values: { hmac_secret } };
  const saved = await schedule(suite.id, { is_active: false, webhook });
  expect(saved.body).toMatchObject({ webhook: { url: webhook.url, auth_value_keys: ["hmac_secret"] } });
  expect(JSON.stringify(saved.body)).not.toContain(hmac_secret);

  const { id } = (await app.send("POST", `/api/v1/test_suites/${suite.id}/runs`, {})).body;
  await playRun(app, id);
  expect((await eventsOf("test_run_finished"))[0]).toMatchObject({
    attributes: { run_id: id, suite: suite.name },
  });
  const { rows } = await sql`
    select payload from graphile_worker._private_jobs where payload ->> 'run_id' = ${String(id)}`.execute(
    app.db,
  );
  expect(rows).toEqual([{ payload: { run_id: id, tries: 0 } }]);

  const tell = (tries: number) => runNoticeJob({ ...app, egress }).run({ run_id: id, tries }, {} as never);
  const notice = async () => (await app.send("GET", `/api/v1/test_runs/${id}`)).body.notice;
  peer.respond((_, response) => response.writeHead(503).end());
  await tell(0);
  expect(await notice()).toMatchObject({ state: "WAITING", tries: 1 });
  peer.respond((_, response) => response.writeHead(204).end());
  await tell(1);
  expect(await notice()).toMatchObject({ state: "DELIVERED", tries: 2, reason: null });
  // A job that runs twice sends nothing more.
  await tell(0);
  expect(peer.requests).toHaveLength(2);
  for (const { headers, body } of peer.requests)
    expect(verifySignature(headers as Record<string, string>, body, hmac_secret, app.clock.now())).toBe(
      "VALID",
    );
  expect(new Set(peer.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(JSON.parse(String(peer.requests[0]?.body))).toMatchObject({
    type: "tests.run.finished",
    data: { run_id: id, suite: suite.name, is_scheduled: false, cases: { passed: 1, total: 1 } },
  });
});

test.each([
  [{ time: "24:00" }, "time"],
  [{ timezone: "Mars/Base" }, "timezone"],
  [{ days: ["someday"] }, "days"],
  [{ webhook: { url: "http://example.com" } }, "webhook"],
  [{ webhook: { url: "https://example.com", auth_values: { hmac_secret: "short" } } }, "webhook"],
])("what no schedule can be is refused at the place: %j", async (more, place) => {
  const { status, body } = await schedule((await makeSuite()).id, more);
  expect(status).toBe(422);
  expect(body.detail[0].loc.slice(0, 2)).toEqual(["body", place]);
});

test("a secret goes to the address it was given for, and no other organization sees the schedule", async () => {
  const suite = await makeSuite();
  const hmac_secret = Buffer.alloc(32, 9).toString("base64");
  const url = "https://example.com/a";
  await schedule(suite.id, { is_active: false, webhook: { url, auth_values: { hmac_secret } } });
  const kept = await schedule(suite.id, {
    is_active: false,
    webhook: { url, auth_values: { hmac_secret: null } },
  });
  expect(kept.body.webhook.auth_value_keys).toEqual(["hmac_secret"]);
  const moved = { url: "https://example.org/b", auth_values: { hmac_secret: null } };
  expect((await schedule(suite.id, { is_active: false, webhook: moved })).status).toBe(422);
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", `/api/v1/test_suites/${suite.id}/schedule`)).status).toBe(404);
});
