import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
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
        ...{ recording: null, session: null, trace: null, insight: null, event: null, audit: null },
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
