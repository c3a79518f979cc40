import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { type CallRecordings, createCallRecordings } from "../../../src/calls/recordings/call-recording.ts";
import { createVoiceCalls } from "../../../src/calls/telephone.ts";
import { afterFile } from "../../harness/after-file.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insertSession } from "../../harness/rows.ts";

const RATE = 8000;
let app: TestApp;
let recordings: CallRecordings;
let sids = 0;
beforeAll(async () => {
  app = await createTestApp();
  recordings = createCallRecordings({ engine: app.engine, dataDir: app.config.data_dir });
  mkdirSync(folder(), { recursive: true });
});

const folder = () => path.join(app.config.data_dir, "recordings");
const there = (name: string) => existsSync(path.join(folder(), name));
const runJob = (named: string) =>
  app.jobs
    .find(({ job }) => job.name === named)!
    .run({}, { stopping: new AbortController().signal } as never);
const rowsOf = async (session_id: number) =>
  app.db.selectFrom("recordings").selectAll().where("session_id", "=", session_id).execute();
/** Nobody has written to it for so long. */
const age = (name: string, hours: number) => {
  const at = new Date(app.clock.now().getTime() - hours * 3_600_000);
  utimesSync(path.join(folder(), name), at, at);
};

/** A call from a page, whose second line is recorded for two seconds and then, while its file is unfinished, forgotten. */
async function recorded(state: "ended" | "open" = "ended") {
  const now = app.clock.now().toISOString();
  const { sub_organization_id } = app.admin;
  const ended_at = state === "ended" ? now : null;
  const session_id = await insertSession(app, { timestamp: now, ended_at });
  const { id } = await app.db
    .insertInto("calls")
    .values({
      sub_organization_id,
      session_id,
      carrier: "browser",
      sid: `page-${++sids}`,
      is_outbound: false,
      number: "",
      state,
      leg: 2,
      answered_at: now,
      ended_at,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const call = { id, leg: 2, session_id, sub_organization_id };
  const recorder = await recordings.begin(call, RATE);
  // A dead process has no files open.
  afterFile(() => {
    recorder?.end();
    return recordings.written();
  });
  for (let n = 0; n < 100; n++) {
    recorder?.caller(new Int16Array(RATE / 50).fill(8000));
    app.clock.advance(20);
  }
  const wav = `call-${id}-2.wav`;
  return { call, wav, part: `${wav}.part`, recorder };
}
type Recorded = Awaited<ReturnType<typeof recorded>>;

/** What a process leaves behind that dies there. */
const DEATHS: Record<string, (recorded: Recorded) => Promise<void>> = {
  "while it recorded": async ({ part }) => {
    await expect.poll(() => there(part)).toBe(true);
  },
  "between the file's name and its row": async ({ call, recorder }) => {
    recorder?.end();
    await recordings.written();
    await app.db.deleteFrom("recordings").where("session_id", "=", call.session_id).execute();
  },
};

test.each(Object.keys(DEATHS))(
  "a voice that a process left which died %s is gone with its session",
  async (when) => {
    const one = await recorded();
    await DEATHS[when]?.(one);
    expect(there(one.part) || there(one.wav)).toBe(true);
    expect(await rowsOf(one.call.session_id)).toEqual([]);
    expect((await app.send("DELETE", `/api/v1/sessions/${one.call.session_id}`)).status).toBe(200);
    await runJob("erase-people");
    expect([there(one.part), there(one.wav)]).toEqual([false, false]);
  },
);

test.each(Object.keys(DEATHS))(
  "what a process recorded which died %s is the session's, and as old as its call",
  async (when) => {
    const one = await recorded();
    await DEATHS[when]?.(one);
    const left = there(one.part) ? one.part : one.wav;
    age(left, 23);
    await runJob("settle-left-recordings");
    expect(await rowsOf(one.call.session_id)).toEqual([]);
    age(left, 25);
    await runJob("settle-left-recordings");
    await runJob("settle-left-recordings");
    const { ended_at } = await app.db
      .selectFrom("calls")
      .select("ended_at")
      .where("id", "=", one.call.id)
      .executeTakeFirstOrThrow();
    expect(await rowsOf(one.call.session_id)).toMatchObject([
      { file_name: one.wav, stored_in: "disk", created_at: ended_at },
    ]);
    expect([there(one.part), there(one.wav)]).toEqual([false, true]);
  },
);

test("a call of a dead process is over once its recordings are complete: whoever dies before leaves it to the next", async () => {
  const one = await recorded("open");
  await DEATHS["between the file's name and its row"]?.(one);
  const states: string[] = [];
  const calls = createVoiceCalls({
    voice_missing: null,
    engine: app.engine,
    vault: app.vault,
    carriers: {} as never,
    attempts: {} as never,
    publicUrl: "",
    recordings: {
      ...recordings,
      async complete(call) {
        const row = app.db.selectFrom("calls").select("state").where("id", "=", call.id);
        states.push((await row.executeTakeFirstOrThrow()).state);
        await recordings.complete(call);
      },
    },
  });
  await app.db
    .updateTable("calls")
    .set({ lease_expires_at: new Date(app.clock.now().getTime() - 3_600_000).toISOString() })
    .where("id", "=", one.call.id)
    .execute();
  await calls.settleAbandoned();
  expect(states).toEqual(["open"]);
  expect(await rowsOf(one.call.session_id)).toMatchObject([{ file_name: one.wav }]);
});

test("a call that ends while its session is deleted leaves no file", async () => {
  const one = await recorded();
  expect((await app.send("DELETE", `/api/v1/sessions/${one.call.session_id}`)).status).toBe(200);
  one.recorder?.end();
  await recordings.written();
  await runJob("erase-people");
  expect([there(one.part), there(one.wav)]).toEqual([false, false]);
});

test("files of calls that are gone, and halves of fetched ones, are removed; what is not ours and what goes on stays", async () => {
  const gone = (await recorded()).call.id;
  await app.db.deleteFrom("calls").where("id", "=", gone).execute();
  const running = await recorded("open");
  const hash = "0123456789abcdef".repeat(3).slice(0, 40);
  const removed = [
    ...[`call-${gone}-0.wav`, `call-${gone}-1.wav.part`, `${hash}.mp3`, `${hash}.mp3.Ab3dEf9h.part`],
  ];
  // Of a later call than this database knows: it may have been set back to an earlier time.
  const kept = ["notes.txt", "call-999999-0.wav", `call-${gone}-0.wav.backup`, running.part];
  for (const name of [...removed, ...kept]) {
    if (name !== running.part) writeFileSync(path.join(folder(), name), "x");
    else await expect.poll(() => there(name)).toBe(true);
    age(name, 30);
  }
  // Its row is gone and its file is about to be: a sweep does not bring it back.
  const deleted = await recorded();
  await DEATHS["between the file's name and its row"]?.(deleted);
  age(deleted.wav, 30);
  await sql`insert into files_to_remove (path, sub_organization_id)
    values (${`recordings/${deleted.wav}`}, ${app.admin.sub_organization_id})`.execute(app.db);
  await runJob("settle-left-recordings");
  const names = readdirSync(folder());
  expect(removed.filter((name) => names.includes(name))).toEqual([]);
  expect(kept.filter((name) => !names.includes(name))).toEqual([]);
  expect(await rowsOf(deleted.call.session_id)).toEqual([]);
});

test("a file that can't be removed holds up no other one", async () => {
  const { id } = (await recorded()).call;
  await app.db.deleteFrom("calls").where("id", "=", id).execute();
  await recorded("open");
  const stuck = Array.from({ length: 3 }, (_, leg) => `call-${id}-${leg}.wav`);
  for (const name of stuck) mkdirSync(path.join(folder(), name));
  const removable = Array.from({ length: 3 }, (_, leg) => `call-${id}-${leg + 3}.wav`);
  for (const name of removable) writeFileSync(path.join(folder(), name), "x");
  for (const name of [...stuck, ...removable]) age(name, 30);
  await expect(runJob("settle-left-recordings")).rejects.toThrow();
  expect(removable.filter(there)).toEqual([]);
});
