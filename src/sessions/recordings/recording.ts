import { z } from "zod";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import { fileElsewhere, LostKey } from "../../data-keys/sealed-file.ts";
import type { Db } from "../../db/database.ts";
import type { RecordingBucket } from "../bucket/bucket.ts";
import { openRecording } from "../bucket/open-recording.ts";
import { findSession, sessionNumber } from "../session.ts";
import { sessionParam } from "../transcript.ts";
import { parseByteRange } from "./byte-range.ts";
import { DOWNLOAD_TYPE, recordingMediaType } from "./recording-media-type.ts";

/** A link to a recording works for a quarter of an hour, without signing in. */
const LINK_LIFE_MS = 15 * 60_000;
const PURPOSE = "recording";

const SessionRecordingResponse = z
  .object({ session_id: z.string().nullish(), recordings: z.array(z.string()).nullish() })
  .meta({ id: "SessionRecordingResponse" });

type Deps = {
  db: Db;
  clock: Clock;
  vault: Vault;
  publicUrl: string;
  dataDir: string;
  bucket?: RecordingBucket | null;
};

export function recordingRoutes(api: Api, deps: Deps): void {
  const { db, clock, vault, publicUrl } = deps;
  const tag = "sessions";
  const streamPath = "/api/v1/sessions/recording/stream";

  api.post(
    "/api/v1/sessions/recording/:session_id",
    {
      summary: "Get links to a session's recordings",
      description: "Each works for 15 minutes. A transferred call has a second recording.",
      tag,
      permission: "recording_download",
      opens: { resource: "recordings", by: "session_id" },
      params: sessionParam,
      response: SessionRecordingResponse,
    },
    async ({ caller, params }) => {
      const session = await findSession(db, caller, sessionNumber(params.session_id));
      const found = await db
        .selectFrom("recordings")
        .select("id")
        .where("session_id", "=", session.id)
        .orderBy("id")
        .execute();
      const link = (id: number) =>
        `${publicUrl}${streamPath}?token=${recordingToken(vault, clock.now(), id, caller.bound?.until)}`;
      return { session_id: String(session.id), recordings: found.map(({ id }) => link(id)) };
    },
  );

  api.get(
    streamPath,
    {
      summary: "Listen to a recording",
      description:
        "The token stands for a sign-in, so that a player can open the link. `Range` is honoured. Answers `application/octet-stream`, and the sound's own type where `Accept` prefers `audio/*`.",
      tag,
      permission: "public",
      query: z.object({ token: z.string().max(200) }),
      response: z.string().meta({ format: "binary" }),
      produces: [DOWNLOAD_TYPE, "audio/*"],
    },
    async ({ query, request, reply }) => {
      const id = readRecordingToken(vault, clock.now(), query.token);
      const recording = await db
        .selectFrom("recordings")
        .select(["file_name", "content_type", "stored_in"])
        .where("id", "=", id)
        .executeTakeFirst();
      const notKept = () => new Fault("not-found", "This recording is not kept any more.");
      if (!recording) throw notKept();
      const sound = await openRecording(deps, recording).catch(sayLostKey);
      if (!sound) throw recording.stored_in === "disk" ? fileElsewhere() : notKept();

      const range = parseByteRange(request.headers.range, sound.size);
      reply
        .type(recordingMediaType(recording.content_type, request.headers))
        .header("vary", "accept, sec-fetch-dest")
        .header("accept-ranges", "bytes")
        .header("cache-control", "private, no-store");
      switch (range.kind) {
        case "unsatisfiable":
          return reply
            .code(416)
            .type("application/json")
            .header("content-range", `bytes */${sound.size}`)
            .send({ detail: `The recording has ${sound.size} bytes.` });
        case "part":
          return reply
            .code(206)
            .header("content-range", `bytes ${range.start}-${range.end}/${sound.size}`)
            .header("content-length", range.end - range.start + 1)
            .send(sound.stream({ start: range.start, end: range.end }));
        case "whole":
          return reply.header("content-length", sound.size).send(sound.stream());
      }
    },
  );
}

function sayLostKey(error: unknown): never {
  if (!(error instanceof LostKey)) throw error;
  const message = "This recording can't be read: the key that sealed it is gone.";
  throw new Fault("not-found", message, { cause: error });
}

/** `<recording>.<when it ends>.<signature>`: nothing has to be stored, and one recording's token opens no other. */
function recordingToken(vault: Vault, now: Date, id: number, no_later_than: Date | null = null): string {
  const end = Math.min(now.getTime() + LINK_LIFE_MS, no_later_than?.getTime() ?? Number.POSITIVE_INFINITY);
  const claim = `${id}.${end}`;
  return `${claim}.${vault.sign(PURPOSE, claim)}`;
}

function readRecordingToken(vault: Vault, now: Date, token: string): number {
  const [id = "", expires = "", signature = ""] = token.split(".");
  const genuine = vault.verify(PURPOSE, `${id}.${expires}`, signature);
  if (!genuine || Number(expires) <= now.getTime()) {
    throw new Fault("not-authenticated", "This link to a recording has expired. Ask for a new one.");
  }
  return Number(id);
}
