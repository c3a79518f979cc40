import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

const PRIVACY = "/api/v1/organizations/privacy";

let app: TestApp;
let id: number;
let test_sid: string;
beforeAll(async () => {
  app = await createTestApp();
  const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "hello"' });
  id = (await converse(app, agent_id)("hi")).content.session_id;
  const { rows } = await sql<{ sid: string }>`select channel_manager_sid as sid from sessions`.execute(
    app.db,
  );
  test_sid = rows[0]!.sid;
});
beforeEach(async () => {
  await app.send("PUT", PRIVACY, { audit_reads: true });
});

const reads = async () =>
  (
    await app.send("GET", "/api/v1/audit_entries/?search_fields=action&search_field_values=read")
  ).body.items.map(
    ({ actor, resource, resource_id }: Record<string, string>) => `${actor} ${resource} ${resource_id}`,
  );

test("each read of a session, its transcript and its recordings names who read it, where the organization asks", async () => {
  const paths: [method: string, path: string, resource: string][] = [
    ["GET", `sessions/${id}`, "sessions"],
    ["GET", `sessions/latency/${id}`, "sessions"],
    ["GET", `sessions/transcript/${id}`, "transcripts"],
    ["GET", `sessions/timeline/${id}`, "transcripts"],
    ["GET", `sessions/${id}/trace`, "transcripts"],
    ["GET", `sessions/full-summary/${id}`, "transcripts"],
    ["GET", `session_debug/session_id/${id}`, "transcripts"],
    ["POST", `sessions/recording/${id}`, "recordings"],
  ];
  for (const [method, path, resource] of paths) {
    const before = await reads();
    expect(await app.send(method, `/api/v1/${path}`)).toMatchObject({ status: 200 });
    const after = await reads();
    expect({ path, entries: after.length - before.length, latest: after[0] }).toEqual({
      path,
      entries: 1,
      latest: `${app.admin.email} ${resource} ${id}`,
    });
  }
  await app.send("GET", `/api/v1/session_debug/sid/console/${test_sid}`);
  expect((await reads())[0]).toBe(`${app.admin.email} transcripts ${test_sid}`);
});

test("a read that is refused or finds nothing leaves none", async () => {
  const before = await reads();
  await app.send("GET", "/api/v1/sessions/999999");
  await app.sendAs(await app.createToken(["agents_read"]))("GET", `/api/v1/sessions/${id}`);
  expect(await reads()).toEqual(before);
});

test("no entry is written where the organization does not ask, nor for what another one reads", async () => {
  const neighbour = await app.createNeighbour();
  await app.send("PUT", PRIVACY, { audit_reads: false });
  const before = await reads();
  await app.send("GET", `/api/v1/sessions/${id}`);
  await neighbour.send("GET", `/api/v1/sessions/${id}`);
  expect(await reads()).toEqual(before);
});

test("a read whose entry can't be written is refused, and hands out nothing", async () => {
  await sql`alter table audit_entries add constraint no_reads check (action <> 'read') not valid`.execute(
    app.db,
  );
  const answer = await app.send("GET", `/api/v1/sessions/transcript/${id}`);
  await sql`alter table audit_entries drop constraint no_reads`.execute(app.db);
  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer.body)).not.toContain("hello");
});
