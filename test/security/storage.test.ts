import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { storedOf } from "../../src/accounts/storage.ts";
import type { Caller } from "../../src/api/caller.ts";
import { recordingsFolder } from "../../src/sessions/bucket/open-recording.ts";
import { foldCounts, measureRecordings } from "../../src/sessions/storage-job.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type Send, type TestApp } from "../harness/app.ts";
import { sendForm } from "../harness/form.ts";
import { createMailApp, createMailbox, mailsOnce, somebody } from "../harness/mail.ts";
import { rounds } from "../harness/seed.ts";

const GB = 1e9;

/** As if so many bytes were kept. */
const keep = (app: Pick<TestApp, "db">, sub_organization_id: number, bytes: number) =>
  app.db.insertInto("storage_counts").values({ sub_organization_id, kind: "recordings", bytes }).execute();

let counter = 0;
const source = (text: string) => ({ name: `source-${++counter}`, labels: [], chunk: false, text });

describe("an organization whose storage is full", () => {
  let app: TestApp;
  let neighbour: Send;
  let old: { id: number; name: string };
  beforeAll(async () => {
    app = await createTestApp({ STORAGE_GB_PER_ORGANIZATION: "1" });
    neighbour = (await app.createNeighbour()).send;
    old = (await app.send("POST", "/api/v1/data_sources/", source("x".repeat(1000)))).body;
    await keep(app, app.admin.sub_organization_id, GB - 1000);
  });

  test("is refused data sources and exports with what to do, and a neighbour is not", async () => {
    const detail = expect.stringMatching(/may keep 1 GB.*Delete.*operator.*STORAGE_GB_PER_ORGANIZATION/);
    const refused = { status: 402, body: { detail } };
    expect(await app.send("POST", "/api/v1/data_sources/", source("more"))).toMatchObject(refused);
    expect(await app.send("PUT", "/api/v1/data_sources/", { ...old, text: "x".repeat(1001) })).toMatchObject(
      refused,
    );
    expect(await app.send("POST", "/api/v1/takeouts/create", {})).toMatchObject(refused);
    const folder = await app.send("POST", "/api/v1/insights/folders/", { name: "Calls" });
    const upload = `/api/v1/insights/folders/${folder.body.id}/upload-file?call_id=one`;
    const file = { filename: "call.txt", content: Buffer.from("a transcript") };
    expect(await sendForm(app, "POST", upload, { file })).toMatchObject(refused);
    expect((await neighbour("POST", "/api/v1/data_sources/", source("more"))).status).toBe(200);
    expect((await neighbour("POST", "/api/v1/takeouts/create", {})).status).toBe(200);
  });

  test("sees what it keeps, may make it less, and goes on once it is", async () => {
    expect((await app.send("GET", "/api/v1/organizations/storage")).body).toMatchObject({
      used_bytes: GB,
      limit_bytes: GB,
      kinds: expect.arrayContaining([{ kind: "data-sources", bytes: 1000 }]),
    });
    const shorter = await app.send("PUT", "/api/v1/data_sources/", { ...old, text: "short" });
    expect(shorter.status).toBe(200);
    expect((await app.send("POST", "/api/v1/data_sources/", source("more"))).status).toBe(200);
  });
});

test("an organization keeps to a lower limit of its own, and is told that an administrator may raise it", async () => {
  const app = await createTestApp();
  await keep(app, app.admin.sub_organization_id, GB);
  expect((await app.send("PUT", "/api/v1/organizations/limits", { stored_gb: 1 })).body.stored_gb).toEqual({
    own: 1,
    installation: 1000,
    used: 1,
  });
  expect((await app.send("GET", "/api/v1/organizations/storage")).body.limit_bytes).toBe(GB);
  expect(await app.send("POST", "/api/v1/data_sources/", source("more"))).toMatchObject({
    status: 402,
    body: { detail: expect.stringMatching(/may keep 1 GB.*administrator.*Settings, Organization, Limits/) },
  });
  expect((await app.send("PUT", "/api/v1/organizations/limits", {})).status).toBe(200);
  expect((await app.send("POST", "/api/v1/data_sources/", source("more"))).status).toBe(200);
});

test("a mail for an organization whose storage is full is answered without its files, and an event tells it", async () => {
  const app = await createMailApp(null);
  const { agent_id } = await createAgent(app, { script: 'otherwise -> say "Noted."' });
  const box = await createMailbox(app, agent_id);
  await keep(app, app.admin.sub_organization_id, GB);
  await app.send("PUT", "/api/v1/organizations/limits", { stored_gb: 1 });
  const from = somebody();
  await app.deliver({
    from,
    to: box.address,
    subject: "Hello",
    text: "hello",
    attachments: [{ filename: "plan.txt", content: "a plan" }],
  });
  const mails = await mailsOnce(app, from, (all) => all.some(({ state }) => state === "answered"));
  const row = await app.db
    .selectFrom("mail_messages")
    .select("attachments")
    .where("key", "=", mails[0]?.key ?? "")
    .executeTakeFirst();
  expect(row?.attachments).toEqual([]);
  const events = await app.db
    .selectFrom("events")
    .select(["attributes", "description"])
    .where("type", "=", "mail-files-not-kept")
    .execute();
  // Whose limit it is says who may raise it.
  const description = expect.stringMatching(/storage is full.*administrator.*Settings, Organization, Limits/);
  expect(events).toEqual([{ attributes: { names: ["plan.txt"] }, description }]);
});

describe("what is kept is counted", () => {
  let app: TestApp;
  let caller: Caller;
  beforeAll(async () => {
    app = await createTestApp();
    caller = app.admin;
  });

  const used = async () =>
    (await storedOf(app.db, caller.sub_organization_id)).kinds.find(({ kind }) => kind === "data-sources")
      ?.bytes;

  test("exactly, whatever is stored, changed, deleted and added up at once", async () => {
    const kept = fc.record({ size: fc.nat(500), next: fc.constantFrom("stay", "change", "delete", "undo") });
    await fc.assert(
      fc.asyncProperty(fc.array(kept, { maxLength: 8 }), async (records) => {
        await Promise.all([
          ...records.map(async ({ size, next }) => {
            const { body } = await app.send("POST", "/api/v1/data_sources/", source("é".repeat(size)));
            const path = `/api/v1/data_sources/${body.id}`;
            if (next === "change") await app.send("PUT", "/api/v1/data_sources/", { ...body, text: "y" });
            if (next === "delete") await app.send("DELETE", `${path}?reason=none`);
            if (next === "undo")
              await app.db
                .transaction()
                .execute(async (tx) => {
                  await tx.deleteFrom("data_source_chunks").where("data_source_id", "=", body.id).execute();
                  await sql`update data_sources set text = repeat('z', 1000) where id = ${body.id}`.execute(
                    tx,
                  );
                  throw new Error("undone");
                })
                .catch(() => undefined);
          }),
          foldCounts(app.db),
          foldCounts(app.db),
        ]);
        const { rows } = await sql<{ bytes: number }>`
          select coalesce(sum(octet_length(text)), 0)::bigint as bytes from data_sources
          where deleted_at is null and sub_organization_id = ${caller.sub_organization_id}`.execute(app.db);
        expect(await used()).toBe(rows[0]?.bytes);
      }),
      { numRuns: rounds(8) },
    );
  });

  test("recordings of an earlier version too, once they are measured; one whose file is gone counts for nothing", async () => {
    const { target } = await createAgent(app, { script: 'otherwise -> say "Noted."' });
    const { body } = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
    const row = { session_id: Number(body.session_id), content_type: "audio/wav" };
    const created_at = app.clock.now().toISOString();
    await app.db
      .insertInto("recordings")
      .values([
        { ...row, file_name: "gone.wav", created_at },
        { ...row, file_name: "measured.wav", created_at, size_bytes: 700 },
      ])
      .execute();
    await measureRecordings({ db: app.db, dataDir: app.config.data_dir });
    const { kinds } = await storedOf(app.db, caller.sub_organization_id);
    expect(kinds).toContainEqual({ kind: "recordings", bytes: 700 });
    const left = await app.db.selectFrom("recordings").select("id").where("size_bytes", "is", null).execute();
    expect(left).toEqual([]);
  });

  test("a recording of an earlier version whose disk can't be read now is measured once it can", async () => {
    const { target } = await createAgent(app, { script: 'otherwise -> say "Noted."' });
    const { body } = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
    const created_at = app.clock.now().toISOString();
    const row = { session_id: Number(body.session_id), content_type: "audio/wav", created_at };
    const file_names = ["away.wav", "there.wav"];
    await app.db
      .insertInto("recordings")
      .values(file_names.map((file_name) => ({ ...row, file_name })))
      .execute();
    const [away, there] = file_names.map((name) =>
      path.join(recordingsFolder(app.config.data_dir), name),
    ) as [string, string];
    await mkdir(path.dirname(away), { recursive: true });
    await writeFile(there, "12345");
    // The file system answers neither that it is there nor that it is not.
    await symlink(away, away);
    const sizes = async () =>
      (
        await app.db
          .selectFrom("recordings")
          .select("size_bytes")
          .where("file_name", "in", file_names)
          .orderBy("id")
          .execute()
      ).map(({ size_bytes }) => size_bytes);
    const measure = () => measureRecordings({ db: app.db, dataDir: app.config.data_dir });
    await expect(measure()).rejects.toThrow("ELOOP");
    expect(await sizes()).toEqual([null, 5]);
    await rm(away);
    await writeFile(away, "1234567");
    await measure();
    expect(await sizes()).toEqual([7, 5]);
  });
});
