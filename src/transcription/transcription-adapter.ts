import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { KeyAccess } from "../accounts/provider-keys.ts";
import type { EgressRequest } from "../egress/egress.ts";
import type { Spoken } from "../insights/text-transcript.ts";
import type { TranscriptionArguments } from "../insights/tool-arguments.ts";

/** How one service takes a recording, and tells what is said in it. */
export type TranscriptionAdapter = {
  name: string;
  /** Of one recording; a larger one is not sent. */
  max_bytes: number;
  /** Throws ENOENT where the recording is gone. */
  request(
    asked: TranscriptionArguments,
    recording: { filename: string; media_type: string; path: string },
    access: KeyAccess,
  ): Promise<Pick<EgressRequest, "url" | "headers" | "body">>;
  /** null: no answer of this service. Pure. */
  read(answer: unknown): Spoken[] | null;
};

/** For services that want a recording inside of something else; they take small ones only. */
export const bytesOf = (path: string): Promise<Buffer> => readFile(path);

/** Read from the disk as it is sent; opened when the first byte is wanted. */
export async function streamOf(path: string): Promise<Readable> {
  await stat(path);
  async function* chunks() {
    yield* createReadStream(path);
  }
  return Readable.from(chunks(), { objectMode: false });
}
