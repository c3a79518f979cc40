import { Readable } from "node:stream";
import type { KeyAccess } from "../accounts/provider-keys.ts";
import type { OpenedFile } from "../data-keys/sealed-file.ts";
import type { EgressRequest } from "../egress/egress.ts";
import type { Spoken } from "../insights/text-transcript.ts";
import type { TranscriptionArguments } from "../insights/tool-arguments.ts";

type GivenRecording = { filename: string; media_type: string; open(): Promise<OpenedFile | null> };

/** How one service takes a recording, and tells what is said in it. */
export type TranscriptionAdapter = {
  name: string;
  /** Of one recording; a larger one is not sent. */
  max_bytes: number;
  /** Throws `RecordingGone` where it is. */
  request(
    asked: TranscriptionArguments,
    recording: GivenRecording,
    access: KeyAccess,
  ): Promise<Pick<EgressRequest, "url" | "headers" | "body">>;
  /** null: no answer of this service. Pure. */
  read(answer: unknown): Spoken[] | null;
};

/** For services that want a recording inside of something else; they take small ones only. */
export const bytesOf = async (recording: GivenRecording): Promise<Buffer> =>
  Buffer.concat(await (await opened(recording)).stream().toArray());

/** Read from the disk as it is sent; opened when the first byte is wanted. */
export async function streamOf(recording: GivenRecording): Promise<Readable> {
  const file = await opened(recording);
  async function* chunks() {
    yield* file.stream();
  }
  return Readable.from(chunks(), { objectMode: false });
}

/** Its bytes are not in the data directory any more. */
export class RecordingGone extends Error {}

async function opened({ open }: GivenRecording): Promise<OpenedFile> {
  const file = await open();
  if (!file) throw new RecordingGone();
  return file;
}
