import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readWav } from "../../../src/audio/wav.ts";
import { type CallRecordings, createCallRecordings } from "../../../src/calls/recordings/call-recording.ts";
import type { LineRecorder } from "../../../src/media/media-line.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { pastSession } from "../../harness/insights.ts";
import { soundBytes } from "../../harness/sound-bytes.ts";

const LINE_RATE = 16_000;
let app: TestApp;
let recordings: CallRecordings;
let calls = 0;
beforeAll(async () => {
  app = await createTestApp();
  recordings = createCallRecordings({ engine: app.engine, dataDir: app.config.data_dir });
});

const folder = () => path.join(app.config.data_dir, "recordings");
const newCall = async () => ({
  id: ++calls,
  leg: 0,
  session_id: await pastSession(app, app.admin, {}),
  sub_organization_id: app.admin.sub_organization_id,
});
const frame = (value: number) => new Int16Array(LINE_RATE / 50).fill(value);
const linksOf = async (session_id: number): Promise<string[]> =>
  (await app.send("POST", `/api/v1/sessions/recording/${session_id}`)).body.recordings;
const soundOf = async (call: { id: number; leg: number }) =>
  readWav(await soundBytes(app, path.join(folder(), `call-${call.id}-${call.leg}.wav`)));
const waveform = async (session_id: number) =>
  (await app.send("GET", `/api/v1/sessions/${session_id}/waveform`)).body.recordings;

/** Two seconds: the caller speaks in the first, the agent in the second. */
function talk(recorder: LineRecorder): void {
  for (let n = 0; n < 100; n++) {
    if (n < 50) recorder.caller(frame(8000));
    else recorder.agent(frame(16_000));
    app.clock.advance(20);
  }
}

test("both sides of a call lie side by side in its recording, which is listed, played and drawn", async () => {
  const call = await newCall();
  const recorder = await recordings.begin(call, LINE_RATE);
  if (!recorder) throw new Error("not recorded");
  talk(recorder);
  recorder.end();
  await recordings.written();
  const { rate, channels } = await soundOf(call);
  const [caller = [], agent = []] = channels;
  expect([rate, caller.length, agent.length]).toEqual([8000, 16_000, 16_000]);
  expect([caller[4000], agent[4000], caller[12_000], agent[12_000]]).toEqual([8000, 0, 0, 16_000]);
  const [link = ""] = await linksOf(call.session_id);
  const { pathname, search } = new URL(link);
  const played = await app.api.server.inject({
    url: pathname + search,
    headers: { accept: "audio/*", range: "bytes=0-43" },
  });
  expect(played.statusCode).toBe(206);
  expect(played.headers["content-type"]).toBe("audio/wav");
  const [picture] = await waveform(call.session_id);
  expect(picture.duration_ms).toBe(2000);
  expect([picture.caller.length, picture.agent.length]).toEqual([400, 400]);
  expect([picture.caller[100], picture.agent[100], picture.caller[300], picture.agent[300]]).toEqual([
    24, 0, 0, 49,
  ]);
});

test("a recording whose file is on another machine's disk is not said to be deleted", async () => {
  const call = await newCall();
  const recorder = await recordings.begin(call, LINE_RATE);
  if (!recorder) throw new Error("not recorded");
  talk(recorder);
  recorder.end();
  await recordings.written();
  const [link = ""] = await linksOf(call.session_id);
  const { pathname, search } = new URL(link);
  const play = async () => {
    const { statusCode, body } = await app.api.server.inject({ url: pathname + search });
    return [statusCode, JSON.parse(body)];
  };
  await rm(path.join(folder(), `call-${call.id}-${call.leg}.wav`));
  const elsewhere =
    "The file is not in this machine's data directory. Machines of a cluster need a shared DATA_DIR.";
  expect(await play()).toEqual([503, { detail: elsewhere }]);
  await app.db.deleteFrom("recordings").where("session_id", "=", call.session_id).execute();
  expect(await play()).toEqual([404, { detail: "This recording is not kept any more." }]);
});

test("what a process recorded before it died is the call's recording, once its call is ended", async () => {
  const call = await newCall();
  const recorder = await recordings.begin(call, LINE_RATE);
  if (!recorder) throw new Error("not recorded");
  talk(recorder);
  // What was written until then; the rest died with the process.
  const part = path.join(folder(), `call-${call.id}-0.wav.part`);
  await expect.poll(async () => (await readFile(part)).length).toBeGreaterThan(30_000);
  await recordings.complete(call);
  await recordings.complete(call);
  const { channels } = await soundOf(call);
  expect(channels[0]?.length).toBeGreaterThan(7_000);
  expect(channels[0]?.[4000]).toBe(8000);
  expect(await linksOf(call.session_id)).toHaveLength(1);
  recorder.end();
  await recordings.written();
  expect(await linksOf(call.session_id)).toHaveLength(1);
});

test("a call that nobody recorded has none, and one of no length leaves nothing", async () => {
  const [silent, cut] = [await newCall(), await newCall()];
  await recordings.complete(silent);
  const recorder = await recordings.begin(cut, LINE_RATE);
  recorder?.end();
  await recordings.written();
  expect([...(await linksOf(silent.session_id)), ...(await linksOf(cut.session_id))]).toEqual([]);
  expect((await readdir(folder())).filter((name) => name.startsWith(`call-${cut.id}-`))).toEqual([]);
  expect(await waveform(cut.session_id)).toEqual([]);
});

test("where the disk can't be written the call goes on unrecorded or its recording is lost, and an event says so", async () => {
  const [unopened, lost] = [await newCall(), await newCall()];
  const toldOf = async ({ session_id }: { session_id: number }) => {
    const query = `search_fields=session_id&search_field_values=${session_id}`;
    const { body } = await app.send("GET", `/api/v1/events/?${query}`);
    return body.items.map((event: { type: string; description: string }) => [event.type, event.description]);
  };
  const partOf = (call: { id: number }) => path.join(folder(), `call-${call.id}-0.wav.part`);
  // A folder stands where the file would.
  await mkdir(partOf(unopened), { recursive: true });
  expect(await recordings.begin(unopened, LINE_RATE)).toBeNull();
  const fault = String.raw`This is a fault of the program\. Quote \w{10} to the operator of this installation\.`;
  expect(await toldOf(unopened)).toEqual([
    ["recording-not-kept", expect.stringMatching(new RegExp(`^A call was not recorded\\. ${fault}$`))],
  ]);

  const recorder = await recordings.begin(lost, LINE_RATE);
  await rm(partOf(lost));
  await mkdir(partOf(lost));
  recorder?.end();
  await recordings.written();
  expect(await toldOf(lost)).toEqual([
    ["recording-not-kept", expect.stringMatching(new RegExp(`^A call's recording was lost\\. ${fault}$`))],
  ]);
});

test("without room the call goes on unrecorded, and an event says why", async () => {
  const call = await newCall();
  const full = { ...app.engine.storage, hasRoom: async () => false };
  const engine = Object.assign(Object.create(app.engine), { storage: full });
  expect(
    await createCallRecordings({ engine, dataDir: app.config.data_dir }).begin(call, LINE_RATE),
  ).toBeNull();
  const told = await app.send(
    "GET",
    `/api/v1/events/?search_fields=session_id&search_field_values=${call.session_id}`,
  );
  expect(told.body.items).toMatchObject([
    {
      type: "recording-not-kept",
      category: "limits",
      description: expect.stringMatching(/not recorded: .*storage is full.*STORAGE_GB_PER_ORGANIZATION/),
    },
  ]);
});
