import { z } from "zod";
import { recordId, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import { Peaks } from "../../audio/peaks.ts";
import { WAV_HEAD_BYTES } from "../../audio/wav.ts";
import type { Vault } from "../../base/crypto.ts";
import { isOfOneFile, type OpenedFile } from "../../data-keys/sealed-file.ts";
import type { Db } from "../../db/database.ts";
import type { RecordingBucket } from "../bucket/bucket.ts";
import { openRecording } from "../bucket/open-recording.ts";
import { findSession } from "../session.ts";

/** The number of bars, which fill the width of a page. */
const COLUMNS = 400;
const BLOCK_BYTES = 4;

const Loudness = z.array(z.int().min(0).max(100)).max(COLUMNS + 1);
const Waveform = z
  .object({
    began_at: timestamp().nullable().describe("When its first sample was heard; null: not known."),
    duration_ms: z.int().min(0),
    caller: Loudness.describe("The loudest sample of each stretch: 0 is silence, 100 full scale."),
    agent: Loudness,
  })
  .meta({ id: "Waveform" });
const SessionWaveformResponse = z
  .object({
    recordings: z
      .array(Waveform.nullable())
      .describe(
        "In the order of the session's recordings; null for one that can't be read, or does not hold each side by itself.",
      ),
  })
  .meta({ id: "SessionWaveformResponse" });

export function waveformRoutes(
  api: Api,
  deps: { db: Db; vault: Vault; dataDir: string; bucket?: RecordingBucket | null },
): void {
  const { db } = deps;
  api.get(
    "/api/v1/sessions/:session_id/waveform",
    {
      summary: "Get the waveform of a session's recordings",
      description: "The loudness of each side, for two-channel recordings.",
      tag: "sessions",
      permission: "recording_download",
      opens: { resource: "recordings", by: "session_id" },
      params: z.object({ session_id: recordId() }),
      response: SessionWaveformResponse,
    },
    async ({ caller, params }) => {
      const session = await findSession(db, caller, params.session_id);
      const found = await db
        .selectFrom("recordings")
        .select(["file_name", "began_at", "stored_in"])
        .where("session_id", "=", session.id)
        .orderBy("id")
        .execute();
      const recordings: (z.output<typeof Waveform> | null)[] = [];
      for (const recording of found) {
        const drawn = await openRecording(deps, recording).then(waveformOf).catch(nullIfUnreadable);
        recordings.push(drawn && { began_at: recording.began_at, ...drawn });
      }
      return { recordings };
    },
  );
}

function nullIfUnreadable(error: unknown): null {
  if (isOfOneFile(error)) return null;
  throw error;
}

/** Null for files not in our own format (16-bit stereo). Reads in chunks, whatever the length. */
async function waveformOf(
  sound: OpenedFile | null,
): Promise<Omit<z.output<typeof Waveform>, "began_at"> | null> {
  if (!sound || sound.size < WAV_HEAD_BYTES) return null;
  const head: Buffer[] = [];
  for await (const chunk of sound.stream({ start: 0, end: WAV_HEAD_BYTES - 1 })) head.push(chunk as Buffer);
  const rate = ownRate(Buffer.concat(head));
  if (rate === null) return null;
  const samples = Math.floor((sound.size - WAV_HEAD_BYTES) / BLOCK_BYTES);
  const length = Math.ceil(samples / COLUMNS);
  const [caller, agent] = [new Peaks(length), new Peaks(length)];
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of sound.stream({ start: WAV_HEAD_BYTES })) {
    const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    const whole = bytes.length - (bytes.length % BLOCK_BYTES);
    for (let at = 0; at < whole; at += BLOCK_BYTES) {
      caller.push(bytes.readInt16LE(at));
      agent.push(bytes.readInt16LE(at + 2));
    }
    rest = bytes.subarray(whole);
  }
  const duration_ms = Math.round((samples * 1000) / rate);
  return { duration_ms, caller: caller.columns(), agent: agent.columns() };
}

/** The sample rate of a stereo header as `wavHead` writes it; null for any other. */
function ownRate(head: Buffer): number | null {
  const isOwn =
    head.toString("latin1", 0, 4) === "RIFF" &&
    head.toString("latin1", 8, 16) === "WAVEfmt " &&
    head.readUInt16LE(20) === 1 &&
    head.readUInt16LE(22) === 2 &&
    head.readUInt16LE(34) === 16 &&
    head.toString("latin1", 36, 40) === "data";
  return isOwn ? head.readUInt32LE(24) : null;
}
