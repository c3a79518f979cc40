import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { removeListedFiles } from "../../../src/erasure/files-to-remove.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insertOutput, insertSession } from "../../harness/rows.ts";

const PRIVACY = "/api/v1/organizations/privacy";
const DAY_ms = 86_400_000;

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const daysAgo = (days: number) => new Date(app.clock.now().getTime() - days * DAY_ms).toISOString();
const keep = async (retention: object) =>
  expect(await app.send("PUT", PRIVACY, { retention: { request: null, ...retention } })).toMatchObject({
    status: 200,
  });
const runJob = () =>
  app.jobs
    .find(({ job }) => job.name === "delete-expired")!
    .run({}, { stopping: new AbortController().signal } as never);

/** A session that ended so many days ago, with a recording, a trace, a result, an event and an audit entry of that day. */
async function past(days: number, more: object = {}) {
  const at = daysAgo(days);
  const id = await insertSession(app, { timestamp: at, ended_at: at, ...more });
  const { sub_organization_id } = app.admin;
  const file = path.join(app.config.data_dir, "recordings", `${id}.wav`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "RIFF");
  await app.db
    .insertInto("recordings")
    .values({
      session_id: id,
      file_name: `${id}.wav`,
      content_type: "audio/wav",
      created_at: at,
      size_bytes: 4,
    })
    .execute();
  await app.db
    .insertInto("session_trace")
    .values({ session_id: id, category: "note", label: "x", measurement_start: at, timestamp: at })
    .execute();
  await app.db
    .insertInto("sent_records")
    .values({ session_id: id, turn_index: 1, kind: "state", content: JSON.stringify({ x: 1 }), at })
    .execute();
  await insertOutput(app, id, "summary", { string_value: "x" });
  await app.db.updateTable("insight_outputs").set({ created_at: at }).where("session_id", "=", id).execute();
  await app.db
    .insertInto("events")
    .values({ sub_organization_id, timestamp: at, session_id: String(id), type: "x" })
    .execute();
  await app.db
    .insertInto("audit_entries")
    .values({ sub_organization_id, at, actor: "a", action: "x", resource: "x", resource_id: String(id) })
    .execute();
  return { id, file };
}

async function left({ id, file }: { id: number; file: string }): Promise<string[]> {
  const has = async (name: string, query: { executeTakeFirst(): Promise<unknown> }) =>
    (await query.executeTakeFirst()) ? [name] : [];
  return [
    ...(await has("session", app.db.selectFrom("sessions").select("id").where("id", "=", id))),
    ...(await has("recording", app.db.selectFrom("recordings").select("id").where("session_id", "=", id))),
    ...(existsSync(file) ? ["file"] : []),
    ...(await has("trace", app.db.selectFrom("session_trace").select("id").where("session_id", "=", id))),
    ...(await has("request", app.db.selectFrom("sent_records").select("id").where("session_id", "=", id))),
    ...(await has("insight", app.db.selectFrom("insight_outputs").select("id").where("session_id", "=", id))),
    ...(await has("event", app.db.selectFrom("events").select("id").where("session_id", "=", String(id)))),
    ...(await has(
      "audit",
      app.db
        .selectFrom("audit_entries")
        .select("id")
        .where("resource_id", "=", String(id))
        .where("action", "=", "x"),
    )),
  ];
}
const EVERYTHING = ["session", "recording", "file", "trace", "request", "insight", "event", "audit"];
const without = (...gone: string[]) => EVERYTHING.filter((kind) => !gone.includes(kind));

describe("retention", () => {
  test("deletes only requests until an organization says how long it keeps what", async () => {
    const old = await past(4_000);
    await runJob();
    expect(await left(old)).toEqual(without("request"));
    expect((await app.send("GET", PRIVACY)).body).toEqual({
      retention: {
        recording: null,
        session: null,
        trace: null,
        insight: null,
        event: null,
        audit: null,
        request: 30,
      },
      store_requests: true,
      seal_texts: false,
      audit_reads: false,
      updated_at: null,
      updated_by: null,
    });
  });

  test.each([
    ["recording", ["recording", "file"]],
    ["trace", ["trace"]],
    ["request", ["request"]],
    ["insight", ["insight"]],
    ["event", ["event"]],
    ["audit", ["audit"]],
    ["session", without("audit")],
  ])("%s: what is older goes, what is younger or on legal hold stays", async (kind, gone) => {
    const old = await past(31);
    const young = await past(29);
    const held = await past(31, { legal_hold_at: daysAgo(1), legal_hold_by: "a" });
    await keep({ [kind]: 30 });
    await runJob();
    expect(await left(old)).toEqual(without(...gone));
    expect(await left(young)).toEqual(EVERYTHING);
    expect(await left(held)).toEqual(kind === "audit" ? without("audit") : EVERYTHING);
  });

  test("tells by an event how many of each kind were deleted", async () => {
    for (const days of [50, 60, 70]) await past(days);
    await keep({});
    await runJob();
    await keep({ recording: 45, trace: 45 });
    await runJob();
    const { attributes } = await app.db
      .selectFrom("events")
      .select("attributes")
      .where("type", "=", "retention")
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow();
    expect(attributes).toMatchObject({ counts: { recordings: 3, trace: 3 } });
  });

  test("leaves alone a session that somebody works on, and what another organization has", async () => {
    const busy = await past(40, { lease_owner: "another", lease_expires_at: "2099-01-01" });
    const open = await past(40, { ended_at: null });
    const neighbour = await app.createNeighbour();
    const theirs = await past(40, { sub_organization_id: neighbour.caller.sub_organization_id });
    await keep({ session: 30 });
    await runJob();
    for (const each of [busy, open]) expect(await left(each)).toEqual(EVERYTHING);
    expect(await left(theirs)).toContain("session");
  });

  test("of no days, half a day or a thousand years is refused at its place", async () => {
    for (const recording of [0, 0.5, -1, 400_000, "soon"]) {
      const { status, body } = await app.send("PUT", PRIVACY, { retention: { recording } });
      expect(status).toBe(422);
      expect(body.detail[0].loc).toEqual(["body", "retention", "recording"]);
    }
  });
});

test("a file that can't be removed stays listed, and holds up no other", async () => {
  const folder = path.join(app.config.data_dir, "recordings");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "a-file"), "RIFF");
  writeFileSync(path.join(folder, "later.wav"), "RIFF");
  const { sub_organization_id } = app.admin;
  const blocked = "recordings/a-file/blocked.wav";
  const listed = [blocked, "recordings/later.wav"].map((name) => ({ path: name, sub_organization_id }));
  await app.db.insertInto("files_to_remove").values(listed).execute();
  const deps = { db: app.db, dataDir: app.config.data_dir };
  await expect(removeListedFiles(deps, sub_organization_id)).rejects.toThrow("ENOTDIR");
  expect(existsSync(path.join(folder, "later.wav"))).toBe(false);
  expect(await app.db.selectFrom("files_to_remove").select("path").execute()).toEqual([{ path: blocked }]);
  rmSync(path.join(folder, "a-file"));
  expect(await removeListedFiles(deps, sub_organization_id)).toBe(1);
});

describe("retention of one agent", () => {
  const agents = async () => (await createAgent(app, { script: 'otherwise -> say "Yes."' })).agent_id;
  const path = (agent_id: number) => `/api/v1/agents/${agent_id}/retention`;
  const keepOf = async (agent_id: number, retention: object, send = app.send) =>
    send("PUT", path(agent_id), { retention });

  test.each([
    ["recording", ["recording", "file"]],
    ["trace", ["trace"]],
    ["request", ["request"]],
    ["insight", ["insight"]],
    ["session", without("audit")],
  ])(
    "%s: its days apply in place of the organization's, longer and shorter, and for good",
    async (kind, gone) => {
      const [short, long, forever, other] = [await agents(), await agents(), await agents(), await agents()];
      await keep({ [kind]: 30 });
      expect((await keepOf(short, { [kind]: 10 })).status).toBe(200);
      expect((await keepOf(long, { [kind]: 60 })).status).toBe(200);
      expect((await keepOf(forever, { [kind]: null })).status).toBe(200);
      const of = async (agent_id: number, days: number, more: object = {}) =>
        past(days, { agent_id, ...more });
      const stays = [await of(short, 9), await of(long, 59), await of(forever, 4_000), await of(other, 29)];
      const goes = [await of(short, 11), await of(long, 61), await of(other, 31)];
      const held = await of(short, 11, { legal_hold_at: daysAgo(1), legal_hold_by: "a" });
      await runJob();
      for (const each of [...stays, held]) expect(await left(each)).toEqual(EVERYTHING);
      for (const each of goes) expect(await left(each)).toEqual(without(...gone));
    },
  );

  test("applies where the organization keeps for good, and no longer once it is removed", async () => {
    const agent_id = await agents();
    await keep({});
    await keepOf(agent_id, { session: 10 });
    const old = await past(11, { agent_id });
    const other = await past(11, { agent_id: await agents() });
    await runJob();
    expect(await left(old)).toEqual(["audit"]);
    expect(await left(other)).toEqual(EVERYTHING);
    expect((await app.send("DELETE", path(agent_id))).status).toBe(200);
    const later = await past(11, { agent_id });
    await runJob();
    expect(await left(later)).toEqual(EVERYTHING);
    expect((await app.send("GET", path(agent_id))).body.retention).toEqual({});
    expect((await app.send("DELETE", path(agent_id))).status).toBe(404);
  });

  test("is nobody else's to read or set, and names only kinds that belong to a session", async () => {
    const agent_id = await agents();
    const { send } = await app.createNeighbour("other@example.org");
    for (const method of ["GET", "DELETE"]) expect((await send(method, path(agent_id))).status).toBe(404);
    expect((await keepOf(agent_id, { session: 1 }, send)).status).toBe(404);
    expect((await keepOf(agent_id, { session: 0 })).status).toBe(422);
    expect((await keepOf(agent_id, { audit: 1, session: 20 })).status).toBe(422);
    const told = await keepOf(agent_id, { session: 20 });
    expect(told.body).toMatchObject({ retention: { session: 20 }, updated_by: app.admin.email });
  });
});
