import type { IncomingMessage } from "node:http";
import type { MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { Fault, invalid } from "../../base/errors.ts";
import { fileName, refuseLeft } from "./form.ts";

/** A sender from whom nothing comes for so long is given up: its place, and its database connection, are others' too. */
const STALLED_MS = 60_000;
const LOOK_MS = 5_000;

type Limits = { max_bytes: number; too_large: string };

/**
 * Hands over the file of a streamed form (`file`) while it comes. Refused past `max_bytes`, and once its sender stalls,
 * before the file or in the middle of it.
 */
export async function readStreamedFile<Result>(
  request: FastifyRequest,
  { max_bytes, too_large }: Limits,
  store: (file: MultipartFile["file"], file_name: string) => Promise<Result>,
): Promise<Result> {
  const sender = watchSender(request.raw);
  try {
    refuseLeft(request);
    const part = request.isMultipart()
      ? await Promise.race([
          request.file({ limits: { fileSize: max_bytes, files: 1, fields: 20 } }),
          sender.stalled,
        ])
      : undefined;
    if (part?.fieldname !== "file") throw invalid(["body", "file"], "Field required", "missing");
    const name = fileName(part) || "file.csv";
    const stream = part.file;
    stream.once("limit", () => stream.destroy(new Fault("too-large", too_large)));
    sender.stalled.catch((fault) => stream.destroy(fault));
    return await store(stream, name);
  } finally {
    sender.leave();
    // Many senders read an answer that comes before the file's end only after they have sent the rest.
    request.raw.unpipe().resume();
  }
}

/** `stalled` rejects once nothing came for too long while there was nothing left to read: a slow reader is no fault of the sender. */
function watchSender(raw: IncomingMessage): { stalled: Promise<never>; leave(): void } {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  stalled.catch(() => {});
  let before = raw.socket.bytesRead;
  let idle_ms = 0;
  const timer = setInterval(() => {
    const isWaiting = !raw.complete && raw.readableLength === 0 && raw.socket.bytesRead === before;
    idle_ms = isWaiting ? idle_ms + LOOK_MS : 0;
    before = raw.socket.bytesRead;
    if (idle_ms >= STALLED_MS)
      reject(new Fault("refused", "The upload stalled, and nothing was stored. Send the file again."));
  }, LOOK_MS);
  return { stalled, leave: () => clearInterval(timer) };
}
