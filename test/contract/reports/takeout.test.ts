import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { keyInUse } from "../../../src/data-keys/data-keys.ts";
import { sealBytes } from "../../../src/data-keys/sealed-file.ts";
import { handle, type JobHandler } from "../../../src/jobs/define-job.ts";
import { migrateJobs, startJobs } from "../../../src/jobs/runner.ts";
import { EXPORTED, isLeftOut, NOT_EXPORTED } from "../../../src/reports/exported-tables.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { unzip } from "../../harness/zip.ts";

const PATH = "/api/v1/takeouts";
const HOUR_MS = 3_600_000;

const folder = mkdtempSync(path.join(tmpdir(), "parley-takeouts-"));
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ DATA_DIR: folder });
  await migrateJobs(app.database.pool, silentLog);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const jobNamed = (name: string): JobHandler => app.jobs.find(({ job }) => job.name === name)!;

/** Runs what waits until this export is done, as the program does. */
async function runJobs(job_id: string): Promise<void> {
  const make = jobNamed("make-takeout");
  const done = Promise.withResolvers<void>();
  const watched = handle(make.job, async (payload, helpers) => {
    const run = make.run(payload, helpers);
    if ((payload as { takeout_id: string }).takeout_id === job_id) run.then(done.resolve, done.reject);
    await run;
  });
  const runner = await startJobs({ ...app, pool: app.database.pool, handlers: [watched] });
  await done.promise.finally(() => runner.stop());
}

const cleanUp = () => jobNamed("remove-old-takeouts").run({}, {} as never);

type Made = { job_id: string; file_names: string[]; missing_recordings: number };
async function takeout(send = app.send): Promise<Made> {
  const { job_id } = (await send("POST", `${PATH}/create`)).body;
  await runJobs(job_id);
  return (await send("GET", `${PATH}/get/${job_id}`)).body;
}

async function fetchArchive(job_id: string, file_name: string, token = app.token) {
  const response = await app.api.server.inject({
    url: `${PATH}/get/${job_id}/file/${file_name}`,
    headers: { "service-api-key": token },
  });
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    "content-type": "application/zip",
    "content-length": String(response.rawPayload.length),
    "content-disposition": `attachment; filename="${file_name}"`,
  });
  return unzip(response.rawPayload);
}

const lines = (file: Buffer | undefined): Record<string, unknown>[] =>
  (file?.toString() ?? "")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe("takeouts", () => {
  test("everything of the sub-organization, and of nobody else, is in archives whose manifest proves them whole", async () => {
    const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "the answer"' });
    const { content } = await converse(app, agent_id)("a question");
    const neighbour = await app.createNeighbour();
    await neighbour.send("POST", "/api/v1/services/", { name: "Not yours", description: "" });

    const created = await app.send("POST", `${PATH}/create`);
    expect(created).toMatchObject({
      status: 200,
      body: { job_id: expect.any(String), created_at: expect.stringMatching(/^2026-11-18T12:00:00/) },
    });
    const { job_id } = created.body;
    expect((await app.send("GET", `${PATH}/get/${job_id}`)).body).toEqual({
      job_id,
      status: "pending",
      updated_at: "2026-11-18T12:00:00+00:00",
      file_names: null,
      missing_recordings: null,
    });
    await runJobs(job_id);
    const status = (await app.send("GET", `${PATH}/get/${job_id}`)).body;
    expect(status).toMatchObject({ job_id, status: "completed" });
    const slug = `demo-clinic-${app.admin.organization_id}`;
    expect(status.file_names).toEqual(
      ["configuration", "sessions", "outbound", "insights"].map(
        (group) => `${slug}_${group}_20261118120000.zip`,
      ),
    );

    const archives = new Map<string, Buffer>();
    for (const name of status.file_names) {
      const files = await fetchArchive(job_id, name);
      const manifest = JSON.parse(files.get("manifest.json")?.toString() ?? "");
      expect(manifest).toMatchObject({ schema_version: 1, organization: "Demo clinic" });
      expect([...files.keys()].toSorted()).toEqual(
        ["manifest.json", ...manifest.files.map((file: { name: string }) => file.name)].toSorted(),
      );
      for (const { name: file, bytes, sha256 } of manifest.files) {
        const content = files.get(file) as Buffer;
        expect([content.length, createHash("sha256").update(content).digest("hex")]).toEqual([bytes, sha256]);
        archives.set(file, content);
      }
    }
    expect(lines(archives.get("agents.jsonl"))).toMatchObject([{ id: agent_id }]);
    expect(lines(archives.get("transcripts.jsonl"))).toMatchObject([
      { session_id: content.session_id, role: "user", text: "a question" },
      { session_id: content.session_id, role: "agent", text: "the answer" },
    ]);
    expect(lines(archives.get("users.jsonl"))).toMatchObject([{ email: "admin@example.com" }]);
    expect(lines(archives.get("organization.jsonl"))).toMatchObject([{ display_name: "Demo clinic" }]);
    const everything = Buffer.concat([...archives.values()]).toString();
    expect(everything).not.toContain("Not yours");
    expect(everything).not.toContain("neighbour@example.org");
  });

  test("are listed, the newest first, for whom they belong to, until their time is over", async () => {
    const listed = async (query = "", send = app.send) =>
      (await send("GET", `${PATH}/?${query}`)).body as { items: { job_id: string }[]; total: number };
    app.clock.advance(1000);
    const { job_id, file_names } = await takeout();
    app.clock.advance(1000);
    const newer = (await app.send("POST", `${PATH}/create`)).body;
    const { items } = await listed();
    expect(items.slice(0, 2)).toEqual([
      expect.objectContaining({ ...newer, status: "pending", file_names: null, error: null }),
      expect.objectContaining({ job_id, status: "completed", file_names, created_by: "admin@example.com" }),
    ]);
    const search = "search_fields=status&search_field_values=pending";
    expect((await listed(search)).items.map((item) => item.job_id)).toEqual([newer.job_id]);
    const neighbour = await app.createNeighbour();
    expect((await listed("", neighbour.send)).items).toEqual([]);
    await runJobs(newer.job_id);
    app.clock.advance(7 * 24 * HOUR_MS);
    expect((await listed()).items).toEqual([]);
  });

  test("no secret is exported", async () => {
    await app.send("POST", "/api/v1/services/", {
      name: "Secret",
      description: "",
      auth_type: "bearer",
      auth_values: { token: "hunter2-hunter2" },
    });
    const { job_id, file_names } = await takeout();
    for (const name of file_names) {
      for (const [file, content] of await fetchArchive(job_id, name)) {
        expect(content.toString(), file).not.toMatch(/hunter2|"sealed_|_hash"|"v1\.[\w-]{16}\./);
      }
    }
  });

  test("recordings are in an archive of their own", async () => {
    const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "hello"' });
    const { content } = await converse(app, agent_id)("hi");
    mkdirSync(path.join(folder, "recordings"));
    writeFileSync(path.join(folder, "recordings", "call.wav"), "sound");
    await app.db
      .insertInto("recordings")
      .values({
        session_id: content.session_id,
        file_name: "call.wav",
        content_type: "audio/wav",
        created_at: "2026-11-18",
      })
      .execute();
    // One that was uploaded for insights, and one that was deleted since.
    const { id: folder_id } = (await app.send("POST", "/api/v1/insights/folders/", { name: "Calls" })).body;
    const uploaded = {
      sub_organization_id: app.admin.sub_organization_id,
      folder_id,
      filename: "old call.wav",
      media_type: "audio/wav",
      size_bytes: 5,
      created_at: "2026-11-18",
    };
    mkdirSync(path.join(folder, "insights"));
    for (const [name, deleted_at] of [
      ["kept", null],
      ["gone", "2026-11-18"],
    ] as const) {
      const object_key = `insights/${name}.wav`;
      writeFileSync(path.join(folder, object_key), name);
      await app.db
        .insertInto("insight_files")
        .values({ ...uploaded, object_key, call_id: name, deleted_at })
        .execute();
    }
    const { job_id, file_names } = await takeout();
    const name = file_names.find((each) => each.includes("_recordings-001_")) as string;
    const files = await fetchArchive(job_id, name);
    expect(files.get("call.wav")?.toString()).toBe("sound");
    expect(files.get("uploads/kept.wav")?.toString()).toBe("kept");
    expect([...files.keys()]).not.toContain("uploads/gone.wav");
  });

  test("a recording that is damaged, or whose key is gone, is named and keeps no other from the export", async () => {
    const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "hello"' });
    const { content } = await converse(app, agent_id)("hi");
    const keyInUseNow = await keyInUse(app, app.admin.sub_organization_id);
    const damaged = sealBytes(keyInUseNow, Buffer.from("sound"));
    damaged[damaged.length - 1] = (damaged.at(-1) as number) ^ 1;
    const stored = {
      "damaged.wav": damaged,
      "keyless.wav": sealBytes({ ...keyInUseNow, id: 987_654 }, Buffer.from("sound")),
      "sound.wav": sealBytes(keyInUseNow, Buffer.from("sound")),
    };
    mkdirSync(path.join(folder, "recordings"), { recursive: true });
    for (const [file_name, bytes] of Object.entries(stored)) {
      writeFileSync(path.join(folder, "recordings", file_name), bytes);
      await app.db
        .insertInto("recordings")
        .values({
          session_id: content.session_id,
          file_name,
          content_type: "audio/wav",
          created_at: "2026-11-18",
        })
        .execute();
    }
    const { job_id, file_names } = await takeout();
    const name = file_names.find((each) => each.includes("_recordings-001_")) as string;
    const files = await fetchArchive(job_id, name);
    expect(files.get("sound.wav")?.toString()).toBe("sound");
    const manifest = JSON.parse(String(files.get("manifest.json")));
    expect(manifest.files).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "damaged.wav", is_unreadable: true }),
        expect.objectContaining({ name: "keyless.wav", is_unreadable: true }),
        { name: "sound.wav", bytes: 5, sha256: expect.any(String) },
      ]),
    );
  });

  test("recordings whose files are not on the machine are counted, and named in a manifest", async () => {
    const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "hello"' });
    const { content } = await converse(app, agent_id)("hi");
    for (const file_name of ["first.wav", "second.wav"])
      await app.db
        .insertInto("recordings")
        .values({
          session_id: content.session_id,
          file_name,
          content_type: "audio/wav",
          created_at: "2026-11-18",
        })
        .execute();
    const { job_id, file_names, missing_recordings } = await takeout();
    expect(missing_recordings).toBe(2);
    const listed = await app.send("GET", `${PATH}/?search_fields=job_id&search_field_values=${job_id}`);
    expect(listed.body.items).toMatchObject([{ missing_recordings: 2 }]);
    const name = file_names.find((each) => each.includes("_recordings-001_")) as string;
    const files = await fetchArchive(job_id, name);
    expect(JSON.parse(String(files.get("manifest.json")))).toMatchObject({
      missing: ["first.wav", "second.wav"],
      missing_because: expect.stringMatching(/^Their files were not in the data directory/),
    });
  });

  test("one runs at a time in a sub-organization; one that was lost does not block for ever", async () => {
    const first = await app.send("POST", `${PATH}/create`);
    expect(await app.send("POST", `${PATH}/create`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("running already") },
    });
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("POST", `${PATH}/create`)).status).toBe(200);
    app.clock.advance(6 * HOUR_MS + 1);
    expect((await app.send("POST", `${PATH}/create`)).status).toBe(200);
    expect((await app.send("GET", `${PATH}/get/${first.body.job_id}`)).body.status).toBe("failed");
    // What waits now is run, so that the next test finds none running.
    await app.db
      .updateTable("takeouts")
      .set({ status: "canceled" })
      .where("status", "=", "pending")
      .execute();
  });

  test("an export that fails on its last try says so, and another can be started", async () => {
    const { job_id } = (await app.send("POST", `${PATH}/create`)).body;
    const blocked = path.join(folder, "takeouts");
    rmSync(blocked, { recursive: true, force: true });
    writeFileSync(blocked, "in the way");
    const run = (attempts: number) =>
      jobNamed("make-takeout").run({ takeout_id: job_id }, { job: { attempts, max_attempts: 3 } } as never);
    await expect(run(1)).rejects.toThrow();
    expect((await app.send("GET", `${PATH}/get/${job_id}`)).body.status).toBe("in_progress");
    await expect(run(3)).rejects.toThrow();
    expect((await app.send("GET", `${PATH}/get/${job_id}`)).body).toMatchObject({
      status: "failed",
      file_names: null,
    });
    rmSync(blocked);
    expect((await app.send("POST", `${PATH}/create`)).status).toBe(200);
    await app.db
      .updateTable("takeouts")
      .set({ status: "canceled" })
      .where("status", "=", "pending")
      .execute();
  });

  test("an export whose process dies in every try is told as failed, and nothing of it is left on the disk", async () => {
    const { job_id } = (await app.send("POST", `${PATH}/create`)).body;
    mkdirSync(path.join(folder, "takeouts", `${job_id}.by-a-crash`), { recursive: true });
    const { job } = jobNamed("make-takeout");
    const { max_attempts } = job;
    await jobNamed("make-takeout").run({ takeout_id: job_id }, {
      job: { attempts: max_attempts, max_attempts },
    } as never);
    const search = `search_fields=job_id&search_field_values=${job_id}`;
    expect((await app.send("GET", `${PATH}/?${search}`)).body.items).toMatchObject([
      {
        status: "failed",
        error: expect.stringContaining("The program was stopped while it made this export"),
      },
    ]);
    expect(readdirSync(path.join(folder, "takeouts")).filter((name) => name.startsWith(job_id))).toEqual([]);
    expect((await takeout()).file_names).not.toBeNull();
  });

  test("an export that nothing was heard of for six hours fails by itself, and its files go", async () => {
    const { job_id } = (await app.send("POST", `${PATH}/create`)).body;
    for (const name of [job_id, `${job_id}.by-a-crash`]) mkdirSync(path.join(folder, "takeouts", name));
    const left = () => readdirSync(path.join(folder, "takeouts")).filter((name) => name.startsWith(job_id));
    const status = async () => (await app.send("GET", `${PATH}/get/${job_id}`)).body.status;
    await cleanUp();
    expect([await status(), left().length]).toEqual(["pending", 2]);
    app.clock.advance(6 * HOUR_MS + 1);
    await cleanUp();
    expect([await status(), left().length]).toEqual(["failed", 0]);
  });

  test("after seven days an export and its files are gone; those of others stay", async () => {
    const old = await takeout();
    app.clock.advance(3 * 24 * HOUR_MS);
    const young = await takeout();
    app.clock.advance(4 * 24 * HOUR_MS);
    expect((await app.send("GET", `${PATH}/get/${old.job_id}`)).status).toBe(404);
    mkdirSync(path.join(folder, "takeouts", "left-behind.by-a-crash"));
    await cleanUp();
    expect(existsSync(path.join(folder, "takeouts", old.job_id))).toBe(false);
    const left = readdirSync(path.join(folder, "takeouts"));
    expect(left).toContain(young.job_id);
    expect(left).not.toContain("left-behind.by-a-crash");
    expect((await app.send("GET", `${PATH}/get/${young.job_id}`)).status).toBe(200);
  });

  test("a neighbour's export, an unknown one and an unknown file are 404; a name never leads elsewhere", async () => {
    const { job_id, file_names } = await takeout();
    const neighbour = await app.createNeighbour();
    for (const url of [`${PATH}/get/${job_id}`, `${PATH}/get/${job_id}/file/${file_names[0]}`]) {
      expect(await neighbour.send("GET", url)).toMatchObject({
        status: 404,
        body: { detail: `Takeout with ID ${job_id} not found` },
      });
    }
    expect((await app.send("GET", `${PATH}/get/nothing`)).status).toBe(404);
    for (const name of ["other.zip", "..%2F..%2Fsecret.key", "%2e%2e%2fsecret.key"]) {
      expect((await app.send("GET", `${PATH}/get/${job_id}/file/${name}`)).status).toBe(404);
    }
    rmSync(path.join(folder, "takeouts", job_id), { recursive: true });
    expect((await app.send("GET", `${PATH}/get/${job_id}/file/${file_names[0]}`)).status).toBe(503);
  });

  test("exporting is a permission of its own, and starting leaves one audit entry", async () => {
    const reader = app.sendAs(await app.createToken(["sessions_read", "audit_read"]));
    expect(await reader("POST", `${PATH}/create`)).toMatchObject({
      status: 403,
      body: { detail: "Missing permission: takeouts_create" },
    });
    const { job_id } = await takeout();
    const search = `search_fields=resource_id&search_field_values=${job_id}`;
    expect((await app.send("GET", `/api/v1/audit_entries/?${search}`)).body.total_count).toBe(1);
  });
});

describe("what is exported", () => {
  test("every table is exported or left out on purpose", async () => {
    const { rows } = await sql<{ table: string }>`
      select table_name as table from information_schema.tables where table_schema = 'public'`.execute(
      app.db,
    );
    const tables = rows.map(({ table }) => table);
    const exported = Object.values(EXPORTED).flatMap((group) => group.map(({ table }) => table));
    const decided = [...exported, ...NOT_EXPORTED];
    const undecided = tables.filter((table) => !decided.includes(table));
    expect(undecided, "say so in src/reports/exported-tables.ts").toEqual([]);
    expect(decided.filter((table) => !tables.includes(table))).toEqual([]);
  });

  test("no exported column holds a sealed secret, a hash of one or a picture", async () => {
    const tables = Object.values(EXPORTED).flatMap((group) => group.map(({ table }) => table));
    const { rows } = await sql<{ column: string }>`
      select column_name as column from information_schema.columns
      where table_schema = 'public' and table_name = any(${tables})
        and (column_name ~ 'password|secret|sealed|token_hash' or data_type = 'bytea')`.execute(app.db);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ column }) => !isLeftOut(column))).toEqual([]);
  });
});
