import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { wavHead } from "../../src/audio/wav.ts";
import { keyInUse } from "../../src/data-keys/data-keys.ts";
import { rotateRecordings } from "../../src/sessions/recordings/rotate-recordings.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { played, RECORDED_RATE, recordCall, SPOKEN } from "../harness/recorded-call.ts";
import { soundBytes } from "../harness/sound-bytes.ts";

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const folder = () => path.join(app.config.data_dir, "recordings");
const deps = () => ({ db: app.db, clock: app.clock, vault: app.vault, dataDir: app.config.data_dir });
const rotate = (resumed = false) => rotateRecordings(deps(), { resumed });
const NO_FAULT = { unreadable: [], is_away: false };
const bytesOnDisk = () =>
  Buffer.concat(readdirSync(folder()).map((name) => readFileSync(path.join(folder(), name))));
const keys = () => app.db.selectFrom("data_keys").select(["id", "retired_at"]).orderBy("id").execute();

test("what was said on a call lies sealed on the disk, and is played as it was", async () => {
  const { session_id, file } = await recordCall(app);
  expect(bytesOnDisk().includes(SPOKEN)).toBe(false);
  expect(bytesOnDisk().includes("RIFF")).toBe(false);
  const sound = await soundBytes(app, file);
  expect(sound.includes(SPOKEN)).toBe(true);
  expect((await played(app, session_id)).rawPayload.equals(sound)).toBe(true);
  const part = await played(app, session_id, "bytes=101-299");
  expect(part.statusCode).toBe(206);
  expect(part.rawPayload.equals(sound.subarray(101, 300))).toBe(true);
  const { rows } = await app.database.pool.query("select sealed_key from data_keys");
  const { key } = await keyInUse(app, app.admin.sub_organization_id);
  expect(JSON.stringify(rows)).not.toContain(key.toString("base64url"));
});

test("each organization has a key of its own", async () => {
  const neighbour = await app.createNeighbour();
  const ours = await keyInUse(app, app.admin.sub_organization_id);
  const theirs = await keyInUse(app, neighbour.caller.sub_organization_id);
  expect(ours.id).not.toBe(theirs.id);
  expect(ours.key.equals(theirs.key)).toBe(false);
  const [again, atOnce] = await Promise.all([1, 2].map(() => keyInUse(app, app.admin.sub_organization_id)));
  expect([again?.id, atOnce?.id]).toEqual([ours.id, ours.id]);
});

test("a rotation seals all anew, older files too; a day later the old key is gone", async () => {
  const { session_id, file } = await recordCall(app);
  const plain = Buffer.concat([wavHead({ rate: RECORDED_RATE, channels: 2, samples: 200 }), SPOKEN]);
  writeFileSync(path.join(folder(), "old.wav"), plain);
  const row = { session_id, content_type: "audio/wav", created_at: app.clock.now().toISOString() };
  await app.db
    .insertInto("recordings")
    .values([
      { ...row, file_name: "old.wav" },
      { ...row, file_name: "gone.wav" },
    ])
    .execute();
  const before = await soundBytes(app, file);
  const old = readFileSync(file);
  expect(await rotate()).toEqual({ sealed: 2, passed: 0, missing: 1, keys_removed: 0, ...NO_FAULT });
  expect(readFileSync(file).equals(old)).toBe(false);
  expect((await soundBytes(app, file)).equals(before)).toBe(true);
  expect((await soundBytes(app, path.join(folder(), "old.wav"))).equals(plain)).toBe(true);
  expect(bytesOnDisk().includes(SPOKEN)).toBe(false);
  expect(await keys()).toHaveLength(2);

  app.clock.advance(25 * 3_600_000);
  expect(await rotate(true)).toEqual({ sealed: 0, passed: 2, missing: 1, keys_removed: 1, ...NO_FAULT });
  expect(await keys()).toHaveLength(1);
});

test("while the disk of the recordings is away no rotation removes their keys, and they are played once it is back", async () => {
  const { session_id, file } = await recordCall(app);
  const sound = await soundBytes(app, file);
  renameSync(folder(), `${folder()}.away`);
  expect(await rotate()).toMatchObject({ sealed: 0, missing: 1, keys_removed: 0, is_away: true });
  // A place to mount it at is there, and nothing in it.
  mkdirSync(folder());
  app.clock.advance(25 * 3_600_000);
  expect(await rotate()).toMatchObject({ sealed: 0, missing: 1, keys_removed: 0, is_away: true });
  rmSync(folder(), { recursive: true });
  renameSync(`${folder()}.away`, folder());
  expect((await played(app, session_id)).rawPayload.equals(sound)).toBe(true);
  app.clock.advance(25 * 3_600_000);
  expect(await rotate()).toMatchObject({ sealed: 1, missing: 0, keys_removed: 2, is_away: false });
  expect((await played(app, session_id)).rawPayload.equals(sound)).toBe(true);
});

test("a rotation that dies after any file goes on with --resume, and every recording can be played at any time", async () => {
  const made = [await recordCall(app), await recordCall(app), await recordCall(app)];
  const sounds = await Promise.all(made.map(({ file }) => soundBytes(app, file)));
  for (let dies_after = 0; dies_after < 3; dies_after++) {
    let files = 0;
    const run = rotateRecordings(deps(), { resumed: false }, () => {
      if (files++ === dies_after) throw new Error("killed");
    });
    await expect(run).rejects.toThrow("killed");
    // What a process leaves that dies while it writes.
    writeFileSync(`${made[2]?.file}.rotating`, "half a file");
    for (const [at, { file }] of made.entries())
      expect((await soundBytes(app, file)).equals(sounds[at] as Buffer)).toBe(true);
    const { sealed, passed } = (await rotate(true)) ?? { sealed: 0, passed: 0 };
    expect([sealed, passed]).toEqual([2 - dies_after, dies_after + 1]);
    for (const [at, { file }] of made.entries())
      expect((await soundBytes(app, file)).equals(sounds[at] as Buffer)).toBe(true);
    expect(readdirSync(folder()).filter((name) => name.includes("rotating"))).toEqual([]);
  }
});

test("a recording that is damaged, or whose key is gone, is named and holds up no other one", async () => {
  const [damaged, keyless, whole] = [await recordCall(app), await recordCall(app), await recordCall(app)];
  const sound = await soundBytes(app, whole.file);
  await rotate();
  for (const { file, at } of [
    { file: damaged.file, at: 60 },
    // The key's id.
    { file: keyless.file, at: 14 },
  ]) {
    const bytes = readFileSync(file);
    bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(file, bytes);
  }
  expect(await rotate()).toMatchObject({
    sealed: 1,
    unreadable: [damaged, keyless].map(({ file }) => path.basename(file)),
  });
  expect((await soundBytes(app, whole.file)).equals(sound)).toBe(true);
});

test("a recording whose key is gone says so where it is played, and the session's other one is still drawn", async () => {
  const [keyless, whole] = [await recordCall(app), await recordCall(app)];
  await app.db
    .updateTable("recordings")
    .set({ session_id: keyless.session_id })
    .where("session_id", "=", whole.session_id)
    .execute();
  const bytes = readFileSync(keyless.file);
  bytes[14] = (bytes[14] as number) ^ 1;
  writeFileSync(keyless.file, bytes);
  const answered = await played(app, keyless.session_id);
  expect(answered.statusCode).toBe(404);
  expect(answered.json()).toEqual({
    detail: "This recording can't be read: the key that sealed it is gone.",
  });
  const drawn = await app.send("GET", `/api/v1/sessions/${keyless.session_id}/waveform`);
  expect(drawn.body.recordings).toEqual([null, expect.objectContaining({ caller: expect.any(Array) })]);
});

test("a recording that is deleted while it is sealed anew stays deleted, and two rotations don't run at once", async () => {
  const [first, second] = [await recordCall(app), await recordCall(app)];
  let other: unknown;
  await rotateRecordings(deps(), { resumed: false }, async () => {
    other ??= await rotate();
    await app.db.deleteFrom("recordings").where("session_id", "=", second.session_id).execute();
  });
  expect(other ?? null).toBeNull();
  expect((await soundBytes(app, first.file)).includes(SPOKEN)).toBe(true);
  expect(readdirSync(folder()).filter((name) => name.includes("rotating"))).toEqual([]);
});
