import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { wavHead } from "../../../src/audio/wav.ts";
import { readConfig } from "../../../src/config.ts";
import { keyInUse } from "../../../src/data-keys/data-keys.ts";
import { sealBytes } from "../../../src/data-keys/sealed-file.ts";
import { removeListedFiles } from "../../../src/erasure/files-to-remove.ts";
import { createBucket, type RecordingBucket } from "../../../src/sessions/bucket/bucket.ts";
import { moveRecordings } from "../../../src/sessions/bucket/move-recordings.ts";
import { rotateRecordings } from "../../../src/sessions/recordings/rotate-recordings.ts";
import { afterFile } from "../../harness/after-file.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { pastSession } from "../../harness/insights.ts";
import { createObjectStore, type ObjectStore } from "../../harness/object-store.ts";
import { played, RECORDED_RATE, recordCall, SPOKEN } from "../../harness/recorded-call.ts";

let app: TestApp;
let store: ObjectStore;
let bucket: RecordingBucket;
beforeEach(async () => {
  store = await createObjectStore();
  app = await createTestApp({}, undefined, { recordingsBucket: store.settings });
  bucket = createBucket(store.settings, { clock: app.clock, allow: { hosts: [], networks: [] } });
  afterFile(() => bucket.close());
});

const deps = () => ({ ...app, dataDir: app.config.data_dir, bucket });
const move = () => moveRecordings(deps());
const fileOf = (name: string) => path.join(app.config.data_dir, "recordings", name);
const objectOf = (name: string) => store.objects.get(`calls/parley/recordings/${name}`);
const rows = () =>
  app.db.selectFrom("recordings").select(["file_name", "stored_in", "bucket_key_id"]).orderBy("id").execute();

test("a finished recording is moved sealed, and every part of it is played as before", async () => {
  const { session_id, name } = await recordCall(app);
  const onDisk = readFileSync(fileOf(name));
  const before = (await played(app, session_id)).rawPayload;
  const drawn = (await app.send("GET", `/api/v1/sessions/${session_id}/waveform`)).body;
  expect(await move()).toEqual({ moved: 1, problem: null });
  expect(existsSync(fileOf(name))).toBe(false);
  expect(objectOf(name)?.bytes.equals(onDisk)).toBe(true);
  expect(objectOf(name)?.bytes.includes(SPOKEN)).toBe(false);
  expect(await rows()).toEqual([
    {
      file_name: name,
      stored_in: "bucket",
      bucket_key_id: (await keyInUse(app, app.admin.sub_organization_id)).id,
    },
  ]);

  expect((await played(app, session_id)).rawPayload.equals(before)).toBe(true);
  for (const [start, end] of [
    [0, 43],
    [101, 299],
    [before.length - 5, before.length - 1],
  ] as const) {
    const part = await played(app, session_id, `bytes=${start}-${end}`);
    expect(part.statusCode).toBe(206);
    expect(part.rawPayload.equals(before.subarray(start, end + 1))).toBe(true);
  }
  expect((await played(app, session_id, "bytes=99999999-")).statusCode).toBe(416);
  expect((await app.send("GET", `/api/v1/sessions/${session_id}/waveform`)).body).toEqual(drawn);
  expect(await move()).toEqual({ moved: 0, problem: null });
});

test("files in chunks, and those of earlier versions that are not sealed, are read in windows too", async () => {
  const session_id = await pastSession(app, app.admin, {});
  const samples = 700_000;
  const plain = Buffer.concat([
    wavHead({ rate: RECORDED_RATE, channels: 1, samples }),
    Buffer.alloc(samples * 2, 7),
  ]);
  mkdirSync(path.dirname(fileOf("x")), { recursive: true });
  const chunked = sealBytes(await keyInUse(app, app.admin.sub_organization_id), plain);
  for (const [name, bytes] of [
    ["plain.wav", plain],
    ["chunked.wav", chunked],
  ] as const) {
    writeFileSync(fileOf(name), bytes);
    const created_at = app.clock.now().toISOString();
    await app.db
      .insertInto("recordings")
      .values({ session_id, file_name: name, content_type: "audio/wav", created_at })
      .execute();
  }
  expect(await move()).toEqual({ moved: 2, problem: null });
  const { body } = await app.send("POST", `/api/v1/sessions/recording/${session_id}`);
  for (const link of body.recordings) {
    const { pathname, search } = new URL(link);
    const whole = await app.api.server.inject({ url: pathname + search });
    expect(whole.rawPayload.equals(plain)).toBe(true);
    const headers = { range: "bytes=65530-1100000" };
    const part = await app.api.server.inject({ url: pathname + search, headers });
    expect(part.rawPayload.equals(plain.subarray(65_530, 1_100_001))).toBe(true);
  }
});

test("a store that refuses, hangs up, loses or damages costs nothing, and is told of until it takes the recording", async () => {
  const { session_id, name } = await recordCall(app);
  const sound = (await played(app, session_id)).rawPayload;
  const moods: [ObjectStore["mood"], string][] = [
    ["refuse", "The bucket answered 403 (AccessDenied)."],
    ["hang-up", "The bucket can't be reached"],
    ["lose", "The bucket does not have what was sent to it."],
    ["damage", "The bucket does not have what was sent to it."],
  ];
  const incidents = async () =>
    (await app.send("GET", "/api/v1/incidents/")).body.items.map(
      ({ description, impact_category }: { description: string; impact_category: string }) => [
        description,
        impact_category,
      ],
    );
  for (const [mood, words] of moods) {
    store.mood = mood;
    expect(await move()).toEqual({ moved: 0, problem: expect.stringContaining(words) });
    expect((await played(app, session_id)).rawPayload.equals(sound)).toBe(true);
    expect(existsSync(fileOf(name))).toBe(true);
    expect(await incidents()).toEqual([["Recordings can't be moved to their store", "Low"]]);
  }
  store.mood = "good";
  expect(await move()).toEqual({ moved: 1, problem: null });
  expect(await incidents()).toEqual([["Recordings can't be moved to their store", "Resolved"]]);

  store.mood = "refuse";
  const refused = await played(app, session_id);
  expect([refused.statusCode, refused.json().detail]).toEqual([
    503,
    "The store of recordings doesn't answer. Try again later.",
  ]);
  store.mood = "good";
  store.objects.clear();
  expect((await played(app, session_id)).statusCode).toBe(404);
});

test("a recording that can't be read from disk keeps none of the others from their place", async () => {
  const [broken, sound] = [await recordCall(app), await recordCall(app)];
  const bytes = readFileSync(fileOf(broken.name));
  rmSync(fileOf(broken.name));
  mkdirSync(fileOf(broken.name));
  expect(await move()).toEqual({ moved: 1, problem: null });
  expect(objectOf(sound.name)).toBeDefined();
  rmSync(fileOf(broken.name), { recursive: true });
  writeFileSync(fileOf(broken.name), bytes);
  expect(await move()).toEqual({ moved: 1, problem: null });
});

test("a process that died anywhere on the way has lost nothing and left nothing", async () => {
  const { session_id, name } = await recordCall(app);
  await move();
  const moved = objectOf(name)?.bytes as Buffer;
  // After the row said both: the file is still on disk.
  writeFileSync(fileOf(name), moved);
  await app.db.updateTable("recordings").set({ stored_in: "both" }).execute();
  expect((await played(app, session_id)).statusCode).toBe(200);
  await move();
  expect(existsSync(fileOf(name))).toBe(false);
  expect((await rows())[0]?.stored_in).toBe("bucket");

  // While it was sent: the session is deleted, and the object that comes to be afterwards goes.
  const other = await recordCall(app);
  store.onPut = async () => {
    store.onPut = null;
    const answer = await app.send("DELETE", `/api/v1/sessions/${other.session_id}?reason=asked`);
    expect(answer.status).toBe(200);
  };
  await move();
  expect(objectOf(other.name)).toBeUndefined();
  expect(await app.db.selectFrom("recording_uploads").selectAll().execute()).toEqual([]);
});

test("what is erased goes from the store as well, and waits for it where it refuses", async () => {
  const { session_id, name } = await recordCall(app);
  await move();
  store.mood = "refuse";
  await app.send("DELETE", `/api/v1/sessions/${session_id}?reason=asked`);
  await expect(removeListedFiles(deps())).rejects.toThrow("wait for their store");
  expect(objectOf(name)).toBeDefined();
  store.mood = "good";
  await removeListedFiles(deps());
  expect(objectOf(name)).toBeUndefined();
  expect(await app.db.selectFrom("files_to_remove").selectAll().execute()).toEqual([]);
});

test("a rotation of keys brings a recording back, seals it anew and keeps the keys that the store needs", async () => {
  const { session_id, name } = await recordCall(app);
  const sound = (await played(app, session_id)).rawPayload;
  await move();
  const before = objectOf(name)?.bytes as Buffer;
  expect(await rotateRecordings(deps(), { resumed: false })).toMatchObject({ sealed: 1, missing: 0 });
  expect((await played(app, session_id)).rawPayload.equals(sound)).toBe(true);
  expect(await move()).toEqual({ moved: 1, problem: null });
  expect(objectOf(name)?.bytes.equals(before)).toBe(false);
  app.clock.advance(25 * 3_600_000);
  expect(await rotateRecordings(deps(), { resumed: true })).toMatchObject({ passed: 1, keys_removed: 1 });
  expect((await played(app, session_id)).rawPayload.equals(sound)).toBe(true);
});

test("five settings or none, each fault in words and no secret among them", () => {
  const five = {
    S3_ENDPOINT: "https://s3.example.com",
    S3_REGION: "auto",
    S3_BUCKET: "calls/parley",
    S3_ACCESS_KEY_ID: "id",
    S3_SECRET_ACCESS_KEY: "a secret-key",
  };
  const faultsOf = (env: Record<string, string>) => {
    try {
      readConfig(env);
      return "";
    } catch (error) {
      return String(error);
    }
  };
  const fine = { ...five, S3_SECRET_ACCESS_KEY: "secret" };
  expect(readConfig(fine).secrets.recordings_bucket?.bucket).toBe("calls/parley");
  expect(readConfig({}).secrets.recordings_bucket).toBeNull();
  const { S3_REGION: _, ...four } = fine;
  expect(faultsOf(four)).toContain("S3_REGION is missing");
  expect(faultsOf({ ...fine, S3_ENDPOINT: "https://s3.example.com/calls" })).toContain("has a path");
  expect(faultsOf({ ...fine, S3_BUCKET: "calls/../other" })).toContain("S3_BUCKET");
  expect(faultsOf(five)).toContain("has a character");
  expect(faultsOf(five)).not.toContain("a secret-key");
});
