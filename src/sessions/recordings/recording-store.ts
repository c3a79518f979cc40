import { createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { randomId } from "../../base/ids.ts";
import { type DataKey, type FindKey, type OpenedFile, openSealed } from "../../data-keys/sealed-file.ts";
import { sealing } from "../../data-keys/sealing-stream.ts";
import { type RecordingType, recordingType, SIGNATURE_bytes } from "./recording-type.ts";

/** Recordings on disk, below the data directory. Several machines share it by a mounted volume. */
export type RecordingStore = {
  /** A new, unused `object_key`, without its file extension. */
  newStem(place: { sub_organization_id: number; at: Date }): string;
  /**
   * Streams to disk with one chunk in memory; a failed save leaves no file behind. `text`: data that is no recording but
   * text is accepted as a transcript of this type. `key`: what it lies sealed with; its size is that of the content.
   */
  save(
    bytes: Readable,
    stem: string,
    accepted?: { text: RecordingType | null; key?: DataKey | null },
  ): Promise<Saved>;
  remove(object_key: string): Promise<void>;
  /** Deletes the file, including a partial one. */
  removeStem(stem: string): Promise<void>;
  /** Null where its bytes are gone. */
  open(object_key: string): Promise<OpenedFile | null>;
};

export type Saved =
  | { kind: "saved"; object_key: string; size_bytes: number; type: RecordingType }
  | { kind: "no-recording" };

export function createRecordingStore(data_dir: string, findKey: FindKey): RecordingStore {
  const pathOf = (object_key: string) => path.join(data_dir, object_key);
  return {
    open: (object_key) => openSealed(pathOf(object_key), findKey),
    newStem: ({ sub_organization_id, at }) =>
      `insights/${sub_organization_id}/recording/${minuteFolder(at)}/${randomId()}`,
    async save(bytes, stem, { text, key } = { text: null }) {
      const half = pathOf(`${stem}.part`);
      await mkdir(path.dirname(half), { recursive: true, mode: 0o700 });
      const seen = new Inspection(text);
      try {
        const file = createWriteStream(half, { flags: "wx", mode: 0o600 });
        await (key ? pipeline(bytes, seen, sealing(key), file) : pipeline(bytes, seen, file));
        if (!seen.type) throw new NoRecording();
        const object_key = `${stem}.${seen.type.extension}`;
        await rename(half, pathOf(object_key));
        return { kind: "saved", object_key, size_bytes: seen.size_bytes, type: seen.type };
      } catch (error) {
        await rm(half, { force: true });
        if (error instanceof NoRecording) return { kind: "no-recording" };
        throw error;
      }
    },
    remove: (object_key) => rm(pathOf(object_key), { force: true }),
    async removeStem(stem) {
      const folder = path.dirname(pathOf(stem));
      const names = await readdir(folder).catch(ifMissing([]));
      const there = names.filter((name) => name.startsWith(`${path.basename(stem)}.`));
      await Promise.all(there.map((name) => rm(path.join(folder, name), { force: true })));
    },
  };
}

const ifMissing =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };

/** One folder per minute, so that folders stay small enough to be listed. */
const minuteFolder = (at: Date): string => at.toISOString().slice(0, 16).replace(/[-T:]/g, "/");

class NoRecording extends Error {}

/** Counts bytes, and rejects data that begins like no recording and, where text is accepted, is no text either. */
class Inspection extends Transform {
  type: RecordingType | null = null;
  size_bytes = 0;
  #head: Buffer | null = Buffer.alloc(0);
  #text: RecordingType | null;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });

  constructor(text: RecordingType | null) {
    super();
    this.#text = text;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error?: Error | null, data?: Buffer) => void) {
    this.size_bytes += chunk.length;
    if (this.#head === null) {
      return this.#passes(chunk, false) ? done(null, chunk) : done(new NoRecording());
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    if (this.#head.length < SIGNATURE_bytes) return done();
    this.#judge(done, false);
  }

  override _flush(done: (error?: Error | null, data?: Buffer) => void) {
    if (this.#head !== null) return this.#judge(done, true);
    if (this.#passes(Buffer.alloc(0), true)) done();
    else done(new NoRecording());
  }

  #judge(done: (error?: Error | null, data?: Buffer) => void, last: boolean) {
    const head = this.#head as Buffer;
    this.#head = null;
    this.type = recordingType(head);
    if (this.type) this.#text = null;
    else if (head.length > 0) this.type = this.#text;
    if (this.type && this.#passes(head, last)) done(null, head);
    else done(new NoRecording());
  }

  /** Checks that text continues as UTF-8 without control characters of binary files. */
  #passes(bytes: Buffer, last: boolean): boolean {
    if (this.#text === null) return true;
    try {
      return !this.#decoder.decode(bytes, { stream: !last }).includes("\0");
    } catch {
      return false;
    }
  }
}
