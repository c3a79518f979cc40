import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { sha256 } from "../../base/crypto.ts";
import { unreachable } from "../../base/errors.ts";
import { createFairGate } from "../../base/fair-gate.ts";
import type { Carriers } from "../../channels/carrier.ts";
import { carrierOfChannel } from "../../channels/channel-carrier.ts";
import { keyInUse } from "../../data-keys/data-keys.ts";
import { sealBytes } from "../../data-keys/sealed-file.ts";
import { writeWhole } from "../../data-keys/whole-file.ts";
import type { Db } from "../../db/database.ts";
import type { Egress, EgressOutcome } from "../../egress/egress.ts";
import { enqueue, handle, type Job, type JobHandler } from "../../jobs/define-job.ts";
import { recordingsFolder } from "../../sessions/bucket/open-recording.ts";
import type { Engine } from "../../sessions/engine.ts";
import { tellNotKept } from "../../sessions/recordings/recording-not-kept.ts";
import {
  RECORDING_EXTENSIONS,
  recordingType,
  SIGNATURE_bytes,
} from "../../sessions/recordings/recording-type.ts";
import { callOfId } from "../call-store.ts";

/*
 * Downloads a call's recording from the carrier to the data directory, once even if it is announced several times. A failed
 * download is retried for some days, because carriers announce recordings before they can be downloaded.
 */
const fetchRecording: Job<{ call_id: number; url: string }> = {
  name: "fetch-recording",
  payload: z.object({ call_id: z.int(), url: z.string() }),
  max_attempts: 15,
};

/** An hour of telephone sound, uncompressed, is 58 MB. */
const MOST_bytes = 128 * 2 ** 20;
/** Concurrent downloads, each of which is in memory. */
const MOST_AT_ONCE = 2;
const FETCH_MS = 120_000;
const MOST_REDIRECTS = 3;

/** Downloads of one sub-organization run one at a time, so that they don't delay those of others. */
export async function queueRecording(
  db: Db,
  {
    sub_organization_id: tenant,
    ...recording
  }: { sub_organization_id: number; call_id: number; url: string },
): Promise<void> {
  await db.transaction().execute((tx) =>
    enqueue(tx, fetchRecording, recording, {
      key: `recording/${recording.call_id}/${sha256(recording.url)}`,
      queue: `recordings:${tenant}`,
      tenant,
    }),
  );
}

const stemOf = (session_id: number, url: string): string => sha256(`${session_id} ${url}`).slice(0, 40);

/** Every name that the file of a recording may have, for those who delete what a process that died has left of it. */
export const recordingFilesOf = (session_id: number, url: string): string[] =>
  RECORDING_EXTENSIONS.map((extension) => `${stemOf(session_id, url)}.${extension}`);

/** Whole, or a part that a process left which died while it wrote. */
export const isFetchedFile = (name: string): boolean =>
  /^[0-9a-f]{40}\.[0-9a-z]{1,8}(?:\.[0-9A-Za-z]{8}\.part)?$/.test(name);

type Parts = { engine: Engine; carriers: Carriers; dataDir: string };

export const recordingJob = (parts: Parts): JobHandler => {
  const gate = createFairGate(MOST_AT_ONCE);
  return handle(fetchRecording, async (recording, { job }) => {
    // Each sub-organization has its own queue.
    const leave = await gate.enter(
      String(job.job_queue_id),
      PATIENCE_MS,
      "Other recordings are being fetched.",
    );
    try {
      await storeRecording(parts, recording);
    } finally {
      leave();
    }
  });
};

/** Makes the job retry later. */
const PATIENCE_MS = 600_000;

export async function storeRecording(
  { engine, carriers, dataDir }: Parts,
  { call_id, url }: { call_id: number; url: string },
): Promise<void> {
  const { db, egress, clock } = engine;
  const call = await callOfId(db, call_id);
  if (!call) return;
  const stored = await db
    .selectFrom("recordings")
    .select("id")
    .where("session_id", "=", call.session_id)
    .where("source", "=", url)
    .executeTakeFirst();
  if (stored) return;
  const { sub_organization_id: tenant } = call;
  // It stays with the carrier; the event says where.
  const what = "The recording of a call was not fetched from its carrier";
  const notKept = () => tellNotKept(engine, { call, what, url });
  if (!(await engine.storage.hasRoom(db, tenant, 0))) return notKept();

  const bytes = await fetchBytes(egress, url, await signInFor(carriers, db, call.channel_id, url));
  if (!(await engine.storage.hasRoom(db, tenant, bytes.length))) return notKept();
  const type = recordingType(bytes.subarray(0, SIGNATURE_bytes));
  if (!type) throw new Error("what the carrier handed out is no recording");
  // Named after the recording, so that a retry overwrites the file of a process that died before it wrote the row.
  const file_name = `${stemOf(call.session_id, url)}.${type.extension}`;
  const folder = recordingsFolder(dataDir);
  const file = path.join(folder, file_name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeWhole(file, sealBytes(await keyInUse(engine, tenant), bytes));
  const row = db
    .insertInto("recordings")
    .values({
      session_id: call.session_id,
      file_name,
      content_type: type.media_type,
      created_at: clock.now().toISOString(),
      source: url,
      size_bytes: bytes.length,
    })
    .onConflict((conflict) => conflict.doNothing());
  try {
    await row.execute();
  } catch (error) {
    // The session was deleted meanwhile: nothing of it is kept.
    if (!(await callOfId(db, call_id))) return rm(file, { force: true });
    throw error;
  }
}

/**
 * The credentials of the channel's carrier account, only for the carrier's own hosts. The URL comes from a callback, so its
 * signer chooses it, and the account may by now be the operator's.
 */
async function signInFor(
  carriers: Carriers,
  db: Db,
  channel_id: number | null,
  url: string,
): Promise<Record<string, string>> {
  if (channel_id === null) return {};
  const found = await carrierOfChannel({ db, carriers }, channel_id);
  if (!found?.carrier.isOwnAddress?.(url)) return {};
  const { account_sid, auth_token } = found.account.credentials;
  return { authorization: `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString("base64")}` };
}

/** Credentials are not sent along with a redirect. */
async function fetchBytes(egress: Egress, first: string, signIn: Record<string, string>): Promise<Buffer> {
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const outcome: EgressOutcome = await egress.send({
      url,
      method: "GET",
      headers: url === first ? signIn : {},
      timeout_ms: FETCH_MS,
      max_response_bytes: MOST_bytes,
      httpsOnly: true,
    });
    switch (outcome.kind) {
      case "response":
        if (outcome.status !== 200) throw new Error(`the carrier answered ${outcome.status}`);
        if (outcome.truncated) throw new Error(`the recording is larger than ${MOST_bytes} bytes`);
        return outcome.body;
      case "redirect":
        if (outcome.location === null) throw new Error("the carrier's redirect leads nowhere");
        url = outcome.location;
        break;
      case "refused":
      case "failed":
        throw new Error(`the recording could not be fetched: ${outcome.reason}`);
      case "timeout":
        throw new Error(`the recording was not fetched within ${outcome.after_ms} ms`);
      default:
        return unreachable(outcome);
    }
  }
  throw new Error(`the recording was redirected more than ${MOST_REDIRECTS} times`);
}
