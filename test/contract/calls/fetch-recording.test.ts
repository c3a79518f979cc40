import { readdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import {
  queueRecording,
  recordingJob,
  storeRecording,
} from "../../../src/calls/recordings/fetch-recording.ts";
import { startJobs } from "../../../src/jobs/runner.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createPeer, type Peer } from "../../harness/peer.ts";
import { createNumber, incoming } from "../../harness/phone.ts";

/** The head of a WAV file, and some sound. */
const SOUND = Buffer.concat([Buffer.from("RIFF\x00\x00\x00\x00WAVEfmt "), Buffer.alloc(4000, 7)]);
const BASIC = `Basic ${Buffer.from("AC1:secret").toString("base64")}`;

let app: TestApp;
let carrier: Peer;
let call: { id: number; sid: string; session_id: number };
beforeAll(async () => {
  app = await createTestApp();
  carrier = await createPeer();
});
beforeEach(async () => {
  isOwnAddress = () => true;
  const { number } = await createNumber(app, { script: 'otherwise -> say "hi"' });
  const given = incoming(number);
  await app.voiceCalls.answer(given);
  call = await app.db
    .selectFrom("calls")
    .select(["id", "sid", "session_id"])
    .where("sid", "=", given.sid)
    .executeTakeFirstOrThrow();
  carrier.requests.length = 0;
  carrier.respond((request, response) => {
    if (request.headers.authorization !== BASIC) return response.writeHead(401).end();
    response.writeHead(200, { "content-type": "audio/x-wav" }).end(SOUND);
  });
});

let isOwnAddress = (_url: string) => true;
const parts = (): Parameters<typeof storeRecording>[0] => ({
  engine: app.engine,
  dataDir: app.config.data_dir,
  carriers: {
    of: async ({ id }) => ({
      carrier: { name: "test carrier", simulated: true, isOwnAddress },
      account: { channel_id: id, credentials: { account_sid: "AC1", auth_token: "secret" } },
    }),
  },
});
const fetchIt = (url = `${carrier.url}/Recordings/RE1`) => storeRecording(parts(), { call_id: call.id, url });
const links = async (): Promise<string[]> =>
  (await app.send("POST", `/api/v1/sessions/recording/${call.session_id}`)).body.recordings;
const folder = () => path.join(app.config.data_dir, "recordings");

test("a recording is fetched with the channel's account, and played to whoever holds its link, in parts if they like", async () => {
  await fetchIt();
  expect(carrier.requests).toMatchObject([{ path: "/Recordings/RE1", headers: { authorization: BASIC } }]);
  const [link = ""] = await links();
  const { pathname, search } = new URL(link);
  const whole = await app.api.server.inject({ url: pathname + search });
  expect(whole.statusCode).toBe(200);
  expect(whole.headers["content-type"]).toBe("application/octet-stream");
  const played = await app.api.server.inject({ url: pathname + search, headers: { accept: "audio/*" } });
  expect(played.headers["content-type"]).toBe("audio/wav");
  expect(whole.rawPayload.equals(SOUND)).toBe(true);
  const part = await app.api.server.inject({ url: pathname + search, headers: { range: "bytes=4-7" } });
  expect(part.statusCode).toBe(206);
  expect(part.rawPayload.equals(SOUND.subarray(4, 8))).toBe(true);
  const beyond = await app.api.server.inject({ url: pathname + search, headers: { range: "bytes=99999-" } });
  expect(beyond.statusCode).toBe(416);
});

test("told of it twice, or run twice at once, there is one recording and one file", async () => {
  const before = readdirSync(folder()).length;
  await Promise.all([fetchIt(), fetchIt()]);
  await fetchIt();
  expect(await links()).toHaveLength(1);
  expect(readdirSync(folder())).toHaveLength(before + 1);
  expect(carrier.requests.length).toBeLessThanOrEqual(2);
});

test("each leg's recording is one of its own", async () => {
  await fetchIt();
  await fetchIt(`${carrier.url}/Recordings/RE2`);
  expect(await links()).toHaveLength(2);
});

test("a redirect is followed without the account's credentials", async () => {
  carrier.respond((request, response) => {
    if (request.path === "/store") response.writeHead(200).end(SOUND);
    else response.writeHead(307, { location: `${carrier.url}/store` }).end();
  });
  await fetchIt();
  expect(carrier.requests.map(({ headers }) => headers.authorization)).toEqual([BASIC, undefined]);
  expect(await links()).toHaveLength(1);
});

test("the account's credentials are told to its carrier only", async () => {
  isOwnAddress = (url) => !url.startsWith(carrier.url);
  await expect(fetchIt()).rejects.toThrow("the carrier answered 401");
  expect(carrier.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test("a recording that another channel's account tells of is not fetched", async () => {
  const other = await createNumber(app, { script: 'otherwise -> say "hi"' });
  await app.voiceCalls.recordingReady(call.sid, { url: `${carrier.url}/theirs` }, other.channel_id);
  const { rows } = await app.database.pool.query(
    "select count(*)::int as n from graphile_worker.jobs where key like $1",
    [`recording/${call.id}/%`],
  );
  expect(rows).toEqual([{ n: 0 }]);
});

test.each([
  ["that is not there yet", 404, SOUND, "the carrier answered 404"],
  [
    "that is a page of words",
    200,
    Buffer.from("<html>no</html>"),
    "what the carrier handed out is no recording",
  ],
])(
  "a recording %s fails the job, which is tried again, and leaves nothing behind",
  async (_what, status, body, why) => {
    const before = readdirSync(folder());
    carrier.respond((_request, response) => response.writeHead(status).end(body));
    await expect(fetchIt()).rejects.toThrow(why);
    expect(await links()).toEqual([]);
    expect(readdirSync(folder())).toEqual(before);
  },
);

test("an address inside the network is refused like any other", async () => {
  await expect(fetchIt("http://169.254.169.254/latest")).rejects.toThrow(/could not be fetched/);
});

test("the job is queued once for what a carrier tells of several times", async () => {
  const url = `${carrier.url}/Recordings/RE3`;
  for (let i = 0; i < 3; i++) await app.voiceCalls.recordingReady(call.sid, { url }, null);
  const { sub_organization_id } = app.admin;
  await queueRecording(app.db, { sub_organization_id, call_id: call.id, url });
  const { rows } = await app.database.pool.query(
    "select count(*)::int as n from graphile_worker.jobs where task_identifier = 'fetch-recording' and key like $1",
    [`recording/${call.id}/%`],
  );
  expect(rows).toEqual([{ n: 1 }]);
});

test("a recording for which an organization has no room is left with the carrier, and an event tells where it is", async () => {
  const { sub_organization_id } = app.admin;
  const bytes = (await app.engine.storage.limitBytes(sub_organization_id)) + 1;
  const full = { sub_organization_id, kind: "uploads", bytes } as const;
  await app.db.insertInto("storage_counts").values(full).execute();
  await fetchIt();
  expect(carrier.requests).toEqual([]);
  const events = await app.db
    .selectFrom("events")
    .select(["session_id", "attributes"])
    .where("type", "=", "recording-not-kept")
    .execute();
  expect(events).toEqual([
    { session_id: String(call.session_id), attributes: { url: `${carrier.url}/Recordings/RE1` } },
  ]);
  await app.db.deleteFrom("storage_counts").where("kind", "=", "uploads").execute();
  await fetchIt();
  const stored = await app.db
    .selectFrom("recordings")
    .select("size_bytes")
    .where("session_id", "=", call.session_id)
    .execute();
  expect(stored).toEqual([{ size_bytes: SOUND.length }]);
});

test("two hundred recordings of one organization, of which none comes, keep no place from another's", async () => {
  const slow: (() => void)[] = [];
  carrier.respond(({ path: asked }, response) => {
    const answer = () => response.writeHead(200, { "content-type": "audio/x-wav" }).end(SOUND);
    if (asked.startsWith("/slow/")) slow.push(answer);
    else answer();
  });
  const busy = app.admin.sub_organization_id;
  const quiet = (await app.createNeighbour()).caller.sub_organization_id;
  const queue = (sub_organization_id: number, name: string) =>
    queueRecording(app.db, { sub_organization_id, call_id: call.id, url: `${carrier.url}${name}` });
  for (let n = 0; n < 200; n++) await queue(busy, `/slow/${n}`);
  await queue(quiet, "/quick");
  const runner = await startJobs({
    pool: app.database.pool,
    log: silentLog,
    handlers: [recordingJob(parts())],
  });
  onTestFinished(runner.stop);
  await expect.poll(() => carrier.requests.map(({ path: asked }) => asked)).toContain("/quick");
  // One of the other's at the most: each organization's come one after the other.
  expect(slow.length).toBeLessThanOrEqual(1);
  carrier.respond((_, response) => response.writeHead(404).end());
  for (const answer of slow) answer();
});
