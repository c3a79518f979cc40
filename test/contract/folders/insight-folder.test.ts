import { readdirSync } from "node:fs";
import { mkdir, readFile, rename, rmdir, symlink, unlink, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import path from "node:path";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { API_KEY_HEADER } from "../../../src/api/server.ts";
import { FolderDetails, InsightsFolder, InsightsUploadFile } from "../../../src/folders/folder-schema.ts";
import { startJobs } from "../../../src/jobs/runner.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf } from "../../harness/insights.ts";
import { WAITING } from "../../harness/waiting.ts";

const url = "/api/v1/insights/folders";

let data_dir: string;
let app: TestApp;
let make: ReturnType<typeof insightsOf>;
/** For senders that hang up or never end, which need a real connection. */
let base: URL;
beforeAll(async () => {
  app = await createTestApp();
  data_dir = app.config.data_dir;
  make = insightsOf(app);
  base = new URL(await app.listen());
});

/** One second of silence, as a WAV begins. */
const WAV = Buffer.concat([Buffer.from("RIFF\x24\x1f\0\0WAVEfmt "), Buffer.alloc(8000)]);

let calls = 0;
const nextCall = () => `call-${++calls}`;

function form(bytes: Buffer, { field = "file", filename = "call.wav" } = {}) {
  const boundary = "----recording";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: audio/wav\r\n\r\n`;
  return {
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}

async function upload(
  folder_id: number,
  query: Record<string, string> = { call_id: nextCall() },
  body = form(WAV),
  token = app.token,
) {
  const response = await app.api.server.inject({
    method: "POST",
    url: `${url}/${folder_id}/upload-file`,
    query,
    payload: body.payload,
    headers: { ...body.headers, [API_KEY_HEADER]: token },
  });
  return { status: response.statusCode, body: response.json() };
}

/** Every file below the data directory. */
const onDisk = () =>
  readdirSync(data_dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(data_dir, path.join(entry.parentPath, entry.name)));

describe("a folder of recordings", () => {
  test("is created, read, listed, updated and deleted", async () => {
    const input = { name: "life", label: "spring", description: "First" };
    const { status, body: created } = await app.send("POST", url, input);
    expect(status).toBe(200);
    expect(created).toEqual({
      ...input,
      id: expect.any(Number),
      created_at: "2026-11-18T12:00:00+00:00",
      updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
    });
    InsightsFolder.parse(created);
    const read = (await app.send("GET", `${url}/${created.id}`)).body;
    expect(read).toEqual({
      ...created,
      folder_stats: { count: 0, total_duration: "00:00:00", total_size: "0B" },
    });
    FolderDetails.parse(read);
    const listed = await app.send("GET", `${url}/?search_fields=name_exact&search_field_values=life`);
    expect(listed.body).toEqual({ items: [created], page: 0, page_size: 25, total_pages: 1, total_count: 1 });

    app.clock.advance(60_000);
    expect(await app.send("PUT", `${url}/${created.id}`, { name: "second" })).toMatchObject({
      status: 200,
      body: {
        id: created.id,
        name: "second",
        label: null,
        description: null,
        updated_at: "2026-11-18T12:01:00+00:00",
      },
    });
    expect(await app.send("DELETE", `${url}/${created.id}`)).toMatchObject({ status: 200, body: true });
    for (const [method, at, body] of [
      ["GET", "", undefined],
      ["PUT", "", input],
      ["DELETE", "", undefined],
      ["GET", "/files", undefined],
      ["POST", "/move-files", { destination_folder_id: 1, file_id_list: [] }],
    ] as const) {
      expect(await app.send(method, `${url}/${created.id}${at}`, body)).toMatchObject({
        status: 404,
        body: { detail: `Folder with ID ${created.id} not found` },
      });
    }
    expect((await upload(created.id)).status).toBe(404);
  });

  test("a neighbour's answers 404 like one that never was, and is not listed", async () => {
    const folder = await make.folder();
    const { body: file } = await upload(folder.id);
    const neighbour = await app.createNeighbour();
    const theirs = await neighbour.send("POST", url, { name: "theirs" });
    for (const [method, at, body] of [
      ["GET", "", undefined],
      ["PUT", "", { name: "x" }],
      ["DELETE", "", undefined],
      ["GET", "/files", undefined],
      ["POST", "/move-files", { destination_folder_id: theirs.body.id, file_id_list: [file.id] }],
    ] as const) {
      expect((await neighbour.send(method, `${url}/${folder.id}${at}`, body)).status).toBe(404);
    }
    expect((await upload(folder.id, undefined, undefined, neighbour.token)).status).toBe(404);
    expect((await neighbour.send("GET", url)).body.items).toEqual([theirs.body]);
    // Nor can a file be moved over there, or one of theirs be taken.
    const move = (destination_folder_id: number, file_id_list: number[]) =>
      app.send("POST", `${url}/${folder.id}/move-files`, { destination_folder_id, file_id_list });
    expect((await move(theirs.body.id, [file.id])).body.detail).toBe(
      `Folder with ID ${theirs.body.id} not found`,
    );
    const { body: their_file } = await upload(theirs.body.id, undefined, undefined, neighbour.token);
    expect((await move(folder.id, [their_file.id])).body.detail).toBe(
      `File with ID ${their_file.id} not found`,
    );
  });

  test("a name is unique among those that are not deleted", async () => {
    const { id, name } = await make.folder();
    expect((await app.send("POST", url, { name })).status).toBe(400);
    await app.send("DELETE", `${url}/${id}`);
    expect((await app.send("POST", url, { name })).status).toBe(200);
  });

  test.each([
    [{}, ["name"], "missing"],
    [{ name: "" }, ["name"], "string_too_short"],
    [{ name: "x", label: 7 }, ["label"], "string_type"],
    [{ name: "x", description: [] }, ["description"], "string_type"],
  ])("a body that breaks the contract is refused at its place: %j", async (body, loc, type) => {
    const { id } = await make.folder();
    for (const answer of [await app.send("POST", url, body), await app.send("PUT", `${url}/${id}`, body)]) {
      expect(answer.status).toBe(422);
      expect(answer.body.detail).toEqual([{ loc: ["body", ...loc], msg: expect.any(String), type }]);
    }
  });

  test("can't be deleted while an active workflow takes recordings from it", async () => {
    const [folder, tool] = [await make.folder(), await make.tool()];
    const workflow = await make.workflow({
      source: "upload",
      insight_tool_ids: [tool.id],
      conditions: { folder_list: [folder.id] },
    });
    expect((await make.activate(workflow.id)).status).toBe(200);
    expect(await app.send("DELETE", `${url}/${folder.id}`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(`insight workflow "${workflow.name}"`) },
    });
    await app.send("PUT", `/api/v1/insights/workflows/${workflow.id}/inactivate`);
    expect((await app.send("DELETE", `${url}/${folder.id}`)).status).toBe(200);
    // Its workflow can't be switched on again without it.
    expect(await make.activate(workflow.id)).toMatchObject({
      status: 404,
      body: { detail: `Folder with ID ${folder.id} not found` },
    });
  });

  test("lists are searched, ordered and paged by the same rules as every list", async () => {
    for (const letter of ["a", "b", "c"]) await make.folder({ name: `list ${letter}`, label: "Q1" });
    const page = await app.send(
      "GET",
      `${url}?search_fields=label&search_field_values=q1&order_by=name&order_by_direction=desc&limit=2`,
    );
    expect(page.body).toMatchObject({ page_size: 2, total_pages: 2, total_count: 3 });
    expect(page.body.items.map(({ name }: { name: string }) => name)).toEqual(["list c", "list b"]);
  });
});

describe("an uploaded recording", () => {
  test("keeps a quote in its name, which browsers send encoded", async () => {
    const folder = await make.folder();
    const sent = form(WAV, { filename: "Ann %22the boss%22.wav" });
    const { body } = await upload(folder.id, { call_id: nextCall() }, sent);
    expect(body.filename).toBe('Ann "the boss".wav');
  });

  test("is stored byte for byte, with all that was said of it", async () => {
    const folder = await make.folder();
    const call_id = nextCall();
    const { status, body } = await upload(folder.id, {
      call_id,
      agent_number: "Agnes.Wangeci",
      customer_number: "+15125550100",
      start_time: "2026-11-01T10:00:00Z",
      end_time: "2026-11-01T10:01:30Z",
      metadata: '{"queue":"billing","attempt":2}',
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toEqual({
      id: expect.any(Number),
      folder_id: folder.id,
      filename: "call.wav",
      object_key: expect.stringMatching(
        /^insights\/\d+\/recording\/2026\/11\/18\/\d\d\/\d\d\/[0-9a-f-]{36}\.wav$/,
      ),
      call_id,
      agent_number: "Agnes.Wangeci",
      customer_number: "+15125550100",
      duration: 90,
      start_time: "2026-11-01T10:00:00+00:00",
      end_time: "2026-11-01T10:01:30+00:00",
      error_message: null,
      metadata: { queue: "billing", attempt: 2 },
      created_at: expect.any(String),
    });
    InsightsUploadFile.parse(body);
    expect(await readFile(path.join(data_dir, body.object_key))).toEqual(WAV);
    expect((await app.send("GET", `${url}/${folder.id}/files`)).body.items).toEqual([body]);
    expect((await app.send("GET", `${url}/${folder.id}`)).body.folder_stats).toEqual({
      count: 1,
      total_duration: "00:01:30",
      total_size: "8KB",
    });
    const audit = await app.db
      .selectFrom("audit_entries")
      .select("action")
      .where("resource", "=", "insight_files")
      .where("resource_id", "=", String(body.id))
      .execute();
    expect(audit).toEqual([{ action: "create" }]);
  });

  test("is named by its call alone, once in a sub-organization", async () => {
    const [folder, other] = [await make.folder(), await make.folder()];
    const call_id = nextCall();
    expect((await upload(folder.id, { call_id })).status).toBe(200);
    const files = onDisk().length;
    expect(await upload(other.id, { call_id })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(call_id) },
    });
    const at_once = nextCall();
    const both = await Promise.all([
      upload(folder.id, { call_id: at_once }),
      upload(other.id, { call_id: at_once }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(onDisk()).toHaveLength(files + 1);
  });

  test("that is no recording is refused, and leaves nothing behind", async () => {
    const folder = await make.folder();
    const files = onDisk().length;
    for (const bytes of [Buffer.alloc(0), Buffer.from("hello"), Buffer.alloc(5_000_000, "x")]) {
      expect(await upload(folder.id, { call_id: nextCall() }, form(bytes))).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body", "file"], msg: expect.stringContaining("WAV, MP3") }] },
      });
    }
    expect(onDisk()).toHaveLength(files);
    expect((await app.send("GET", `${url}/${folder.id}/files`)).body.items).toEqual([]);
  });

  test("that a disk doesn't take, for it is mounted for reading only or not mounted, is a 503, and can be sent again", async () => {
    const folder = await make.folder();
    const there = path.join(data_dir, "insights");
    await upload(folder.id);
    await rename(there, `${there}.aside`);
    // Where nobody, root neither, may make a folder.
    await symlink("/sys", there);
    const query = { call_id: nextCall() };
    expect(await upload(folder.id, query)).toEqual({
      status: 503,
      body: { detail: expect.stringMatching(/can't be stored.*nothing was changed.*send it again/is) },
    });
    await unlink(there);
    await rename(`${there}.aside`, there);
    expect((await upload(folder.id, query)).status).toBe(200);
  });

  test("a form without the file, of another field, or of another kind, is told what is missing", async () => {
    const folder = await make.folder();
    const missing = { status: 422, body: { detail: [{ loc: ["body", "file"], type: "missing" }] } };
    const query = () => ({ call_id: nextCall() });
    expect(await upload(folder.id, query(), form(WAV, { field: "recording" }))).toMatchObject(missing);
    const none = { payload: Buffer.alloc(0), headers: {} as { "content-type": string } };
    expect(await upload(folder.id, query(), none)).toMatchObject(missing);
    const json = { payload: Buffer.from("{}"), headers: { "content-type": "application/json" } };
    expect((await upload(folder.id, query(), json)).status).toBe(415);
  });

  test("a form that breaks off is the sender's fault, and leaves nothing behind", async () => {
    const folder = await make.folder();
    const files = onDisk().length;
    const whole = form(WAV);
    const broken = { ...whole, payload: whole.payload.subarray(0, whole.payload.length - 2000) };
    expect(await upload(folder.id, { call_id: nextCall() }, broken)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "file"] }] },
    });
    expect(onDisk()).toHaveLength(files);
  });

  test("a caller who hangs up halfway leaves nothing behind", async () => {
    const folder = await make.folder();
    const files = onDisk().length;
    const whole = form(Buffer.concat([WAV, Buffer.alloc(1_000_000)]));
    const sender = httpRequest({
      host: base.hostname,
      port: base.port,
      method: "POST",
      path: `${url}/${folder.id}/upload-file?call_id=${nextCall()}`,
      headers: { ...whole.headers, [API_KEY_HEADER]: app.token, "content-length": whole.payload.length },
    });
    sender.on("error", () => {});
    sender.write(whole.payload.subarray(0, 300_000));
    await until(() => onDisk().length === files + 1);
    sender.destroy();
    await until(() => onDisk().length === files);
  });

  test("that is larger than 200 MB is a 413, and leaves nothing behind", async () => {
    const folder = await make.folder();
    const files = onDisk().length;
    const sender = httpRequest({
      host: base.hostname,
      port: base.port,
      method: "POST",
      path: `${url}/${folder.id}/upload-file?call_id=${nextCall()}`,
      headers: { ...form(WAV).headers, [API_KEY_HEADER]: app.token },
    });
    const answer = new Promise<number | undefined>((resolve, reject) => {
      sender.on("response", (response) => resolve(response.resume().statusCode));
      sender.on("error", reject);
    });
    const { payload } = form(WAV);
    const end = payload.indexOf("\r\n------recording--");
    const block = Buffer.alloc(1024 * 1024);
    sender.write(payload.subarray(0, end));
    for (let n = 0; n < 200; n++) {
      if (!sender.write(block)) await new Promise((resolve) => sender.once("drain", resolve));
    }
    sender.end(payload.subarray(end));
    expect(await answer).toBe(413);
    expect(onDisk()).toHaveLength(files);
  });

  test.each([
    [{}, "call_id", "missing"],
    [{ call_id: "" }, "call_id", "string_too_short"],
    [{ call_id: "q", duration: "long" }, "duration", "float_parsing"],
    [{ call_id: "q", duration: "-1" }, "duration", "greater_than_equal"],
    [{ call_id: "q", start_time: "yesterday" }, "start_time", "datetime_parsing"],
    [{ call_id: "q", start_time: "2026-11-02", end_time: "2026-11-01" }, "end_time", "value_error"],
    [{ call_id: "q", metadata: "{" }, "metadata", "json_invalid"],
    [{ call_id: "q", metadata: "[]" }, "metadata", "json_invalid"],
    [{ call_id: "q", metadata: '{"a":{"b":1}}' }, "metadata", "json_invalid"],
  ])("a query that breaks the contract is refused before a byte is read: %j", async (query, name, type) => {
    const folder = await make.folder();
    const files = onDisk().length;
    const answer = await upload(folder.id, query as Record<string, string>);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc: ["query", name], type })]);
    expect(onDisk()).toHaveLength(files);
  });

  test("needs the permission to write", async () => {
    const folder = await make.folder();
    const reader = await app.createToken(["insights_read"]);
    expect((await upload(folder.id, undefined, undefined, reader)).status).toBe(403);
  });

  test("is queued for the active workflows over its folder whose conditions it meets, and for no other", async () => {
    const [folder, elsewhere, tool] = [await make.folder(), await make.folder(), await make.tool()];
    const over = (more: object, conditions: object = {}) =>
      make.workflow({
        source: "upload",
        insight_tool_ids: [tool.id],
        conditions: { folder_list: [folder.id], ...conditions },
        ...more,
      });
    const wanted = await over({}, { agent_list: ["Agnes"] });
    const others = [
      await over({}, { folder_list: [elsewhere.id] }),
      await over({}, { min_duration: 600 }),
      await over({}, { sample_rate: 0 }),
      await over({ end_datetime: "2026-01-01" }),
    ];
    const inactive = await over({});
    for (const { id } of [wanted, ...others]) expect((await make.activate(id)).status).toBe(200);
    const { body: file } = await upload(folder.id, {
      call_id: nextCall(),
      agent_number: "Agnes",
      duration: "60",
    });
    const state = async ({ id }: { id: number }) =>
      (await app.send("GET", `/api/v1/insights/workflows/${id}`)).body;
    expect(await state(wanted)).toMatchObject({ queue_count: 1, last_folder_upload_at: file.created_at });
    for (const other of [...others, inactive]) expect((await state(other)).queue_count).toBe(0);
    expect((await state(others[0] as { id: number })).last_folder_upload_at).toBeNull();
    // By hand it goes to the others too, once.
    const queue = () =>
      app.send("POST", "/api/v1/insights/workflows/queue-work", {
        workflow_name: inactive.name,
        file_id_list: [file.id],
      });
    expect((await queue()).body).toEqual({ queued: 1, skipped: 0 });
    expect((await queue()).body).toEqual({ queued: 0, skipped: 1 });
  });
});

test("a recording that comes while a workflow is activated is queued for it once, whichever is first", async () => {
  const [folder, tool] = [await make.folder(), await make.tool()];
  for (let n = 0; n < 20; n++) await upload(folder.id);
  const workflows: { id: number }[] = [];
  for (let round = 0; round < 6; round++) {
    const workflow = await make.workflow({
      source: "upload",
      insight_tool_ids: [tool.id],
      conditions: { folder_list: [folder.id] },
      start_datetime: "2026-11-01",
    });
    workflows.push(workflow);
    const [activated, uploaded] = await Promise.all([make.activate(workflow.id), upload(folder.id)]);
    expect([activated.status, uploaded.status], JSON.stringify(activated.body)).toEqual([200, 200]);
  }
  for (const { id } of workflows) {
    const { body } = await app.send("GET", `/api/v1/insights/workflows/${id}`);
    expect(body.queue_count).toBe(26);
  }
});

describe("a recording that is deleted", () => {
  test("goes from the disk by a job of that transaction, so also when the program dies right after it", async () => {
    const folder = (await app.send("POST", url, { name: "short-lived" })).body;
    const files = onDisk();
    const { body: file } = await upload(folder.id);
    const one = `${url}/${folder.id}/files/${file.id}`;
    expect((await app.send("DELETE", one)).body).toEqual({ success: true });
    expect((await app.send("DELETE", one)).status).toBe(404);
    const handlers = app.jobs.filter(({ job }) => job.name === "remove-recording");
    const runner = await startJobs({ ...app, pool: app.database.pool, handlers });
    await until(() => onDisk().length === files.length);
    await runner.stop();
    expect(onDisk()).toEqual(files);
    expect((await app.send("GET", `${url}/${folder.id}/files`)).body.items).toEqual([]);
  });

  test("goes from a disk that has refused for weeks, once that takes it", async () => {
    const folder = (await app.send("POST", url, { name: "refused" })).body;
    const { body: file } = await upload(folder.id);
    await app.send("DELETE", `${url}/${folder.id}/files/${file.id}`);
    // A folder in its place can't be removed as a file is.
    const place = path.join(data_dir, file.object_key);
    await rename(place, `${place}.kept`);
    await mkdir(place);
    const job = sql`graphile_worker._private_jobs j set run_at = now()`;
    const ofFile = sql`payload->>'object_key' = ${file.object_key}`;
    await sql`update ${job}, attempts = 100 where ${ofFile}`.execute(app.db);
    const handlers = app.jobs.filter(({ job }) => job.name === "remove-recording");
    const runner = await startJobs({ ...app, pool: app.database.pool, handlers });
    const failed = sql`select from graphile_worker._private_jobs where ${ofFile} and last_error is not null`;
    await expect.poll(async () => (await failed.execute(app.db)).rows.length, WAITING).toBe(1);
    await rmdir(place);
    await rename(`${place}.kept`, place);
    await sql`update ${job} where ${ofFile}`.execute(app.db);
    await expect.poll(onDisk, WAITING).not.toContain(file.object_key);
    await runner.stop();
  });
});

test("bytes that a program left without a row when it died are gone a day later, listed ones stay", async () => {
  const folder = (await app.send("POST", url, { name: "half-uploaded" })).body;
  const { body: kept } = await upload(folder.id);
  const { body: orphan } = await upload(folder.id);
  const half = path.join(data_dir, orphan.object_key.replace(/\.\w+$/, ".part"));
  await writeFile(half, "half");
  // As the disk and the database are when the transaction of the row never came.
  await app.db.deleteFrom("insight_files").where("id", "=", orphan.id).execute();
  const { rows } = await sql<{ payload: { stem: string }; late: boolean }>`
    select payload, run_at >= ${new Date(app.clock.now().getTime() + 86_000_000).toISOString()}::timestamptz as late
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'remove-unlisted-recording'`.execute(app.db);
  const job = app.jobs.find((one) => one.job.name === "remove-unlisted-recording");
  const isOf = (file: { object_key: string }) =>
    rows.filter(({ payload }) => file.object_key.startsWith(payload.stem));
  expect([isOf(kept), isOf(orphan)]).toMatchObject([[{ late: true }], [{ late: true }]]);
  for (const { payload } of rows) {
    await job?.run(payload, {} as never);
    await job?.run(payload, {} as never);
  }
  expect(onDisk()).toContain(kept.object_key);
  expect(onDisk()).not.toContain(orphan.object_key);
  expect(onDisk()).not.toContain(path.relative(data_dir, half));
});

describe("recordings", () => {
  test("are moved all or none", async () => {
    const [from, to] = [await make.folder(), await make.folder()];
    const files = [(await upload(from.id)).body, (await upload(from.id)).body];
    const ids = files.map(({ id }) => id);
    const move = (file_id_list: number[], destination_folder_id = to.id) =>
      app.send("POST", `${url}/${from.id}/move-files`, { destination_folder_id, file_id_list });
    expect(await move([...ids, 999_999])).toMatchObject({
      status: 404,
      body: { detail: "File with ID 999999 not found" },
    });
    expect((await move(ids, 999_999)).status).toBe(404);
    expect((await app.send("GET", `${url}/${from.id}/files`)).body.total_count).toBe(2);

    const moved = await move([...ids, ...ids]);
    expect(moved).toMatchObject({ status: 200, body: files.map((file) => ({ ...file, folder_id: to.id })) });
    expect((await app.send("GET", `${url}/${to.id}/files`)).body.items).toEqual(moved.body);
    expect((await move(ids)).status).toBe(404);
    expect((await move([])).body).toEqual([]);
    const entries = await app.db
      .selectFrom("audit_entries")
      .select("id")
      .where("action", "=", "move-files")
      .where("resource_id", "=", String(from.id))
      .execute();
    expect(entries).toHaveLength(2);
  });

  test("are searched, ordered and paged by the same rules as every list", async () => {
    const folder = await make.folder();
    for (const [agent_number, duration] of [
      ["Ann", "30"],
      ["Bob", "10"],
      ["Anna", "20"],
    ] as const) {
      await upload(folder.id, { call_id: nextCall(), agent_number, duration });
    }
    const agents = async (query: string) => {
      const { status, body } = await app.send("GET", `${url}/${folder.id}/files?${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.items.map(({ agent_number }: { agent_number: string }) => agent_number);
    };
    expect(await agents("order_by=duration")).toEqual(["Bob", "Anna", "Ann"]);
    expect(await agents("search_fields=agent_number&search_field_values=ANN&limit=1&page=1")).toEqual([
      "Anna",
    ]);
    expect(await agents("search_fields=filename_exact&search_field_values=call.wav")).toHaveLength(3);
    expect(await agents("search_fields=duration&search_field_values=10")).toEqual(["Bob"]);
  });
});

/** Until it holds; what other processes and sockets do has no moment to wait for. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
