import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { bytesOf } from "../audio/frames.ts";
import { Resampler } from "../audio/resample.ts";
import { TwoSides } from "../audio/two-sides.ts";
import { WAV_HEAD_BYTES, wavHead } from "../audio/wav.ts";
import { findDataKey, keyInUse } from "../data-keys/data-keys.ts";
import { cipherAt, newSealedHead, readSealedHead, SEALED_HEAD_BYTES } from "../data-keys/sealed-file.ts";
import { publish } from "../events/event.ts";
import type { LineRecorder } from "../media/media-line.ts";
import { recordingsFolder } from "../sessions/bucket/open-recording.ts";
import type { Engine } from "../sessions/engine.ts";
import type { CallRow } from "./call-store.ts";

/*
 * Records calls whose audio passes through us: stereo, the caller on the left. Audio goes to disk every second, sealed; when
 * a process dies, the process that ends the call completes the file.
 */

/** The telephone's sample rate: 115 MB an hour. */
const RATE = 8000;
const WRITE_MS = 1000;
/** Audio is written this late, because frames arrive late and audio sent ahead may still be cleared. */
const SETTLED_MS = 400;
/** Recording stops when the disk is this far behind. */
const MOST_WAITING_BYTES = 4 * 2 ** 20;
const BLOCK_BYTES = 4;

type RecordedCall = Pick<CallRow, "id" | "leg" | "session_id" | "sub_organization_id">;

export type CallRecordings = {
  /** Null when storage is full: the call goes on unrecorded, with an event. */
  begin(call: RecordedCall, line_rate: number): Promise<LineRecorder | null>;
  /** Completes the files that dead processes left of the call's lines up to this one, as its recordings. */
  complete(call: RecordedCall): Promise<void>;
  /** Resolves once all finished recordings are on disk. */
  written(): Promise<void>;
};

export function createCallRecordings({
  engine,
  dataDir,
}: {
  engine: Engine;
  dataDir: string;
}): CallRecordings {
  const { db, clock, log } = engine;
  const folder = recordingsFolder(dataDir);
  const ending = new Set<Promise<void>>();
  const fileOf = ({ id, leg }: RecordedCall) => path.join(folder, `call-${id}-${leg}.wav`);
  const partOf = (call: RecordedCall) => `${fileOf(call)}.part`;

  async function complete(call: RecordedCall): Promise<void> {
    for (let leg = 0; leg <= call.leg; leg++) await completeLine({ ...call, leg });
  }

  /** `began_at` null: its process has died, and the file alone says when it was begun. */
  async function completeLine(call: RecordedCall, began_at: Date | null = null): Promise<void> {
    const part = await open(partOf(call), "r+").catch(ifMissing);
    if (!part) return;
    let samples = 0;
    let size_bytes = 0;
    let made_ms = 0;
    try {
      // One of an earlier version is not sealed.
      const sealed = await readSealedHead(part);
      const begin = sealed ? SEALED_HEAD_BYTES : 0;
      const { size, birthtimeMs } = await part.stat();
      size_bytes = size - begin;
      made_ms = birthtimeMs;
      samples = Math.max(0, Math.floor((size_bytes - WAV_HEAD_BYTES) / BLOCK_BYTES));
      const head = wavHead({ rate: RATE, channels: 2, samples });
      const seal = sealed && cipherAt(await findDataKey(engine)(sealed.key_id), sealed.counter);
      await part.write(seal ? seal(head) : head, 0, WAV_HEAD_BYTES, begin);
      await part.sync();
    } finally {
      await part.close();
    }
    // Some file systems don't know when a file was made.
    const began = began_at ?? (made_ms > 0 ? new Date(made_ms) : null);
    const hasRoom = await engine.storage.hasRoom(db, call.sub_organization_id, size_bytes);
    if (samples <= 0 || !hasRoom) {
      await rm(partOf(call), { force: true });
      if (samples > 0) await tellNotKept(engine, call);
      return;
    }
    // Another process may have completed it at the same time.
    if ((await rename(partOf(call), fileOf(call)).catch(ifMissing)) === null) return;
    await db
      .insertInto("recordings")
      .values({
        session_id: call.session_id,
        file_name: path.basename(fileOf(call)),
        content_type: "audio/wav",
        created_at: clock.now().toISOString(),
        source: null,
        began_at: began?.toISOString() ?? null,
        size_bytes,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  return {
    complete,
    async begin(call, line_rate) {
      if (!(await engine.storage.hasRoom(db, call.sub_organization_id, 0))) {
        await tellNotKept(engine, call);
        return null;
      }
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const began_at = clock.now();
      const key = await keyInUse(engine, call.sub_organization_id);
      const { head, counter } = newSealedHead(key);
      const seal = cipherAt(key, counter);
      const file = await open(partOf(call), "w", 0o600);
      try {
        await file.write(Buffer.concat([head, seal(wavHead({ rate: RATE, channels: 2, samples: 0 }))]));
      } catch (error) {
        await file.close();
        throw error;
      }
      return new SidesRecorder(clock, { file, seal }, line_rate, (closed) => {
        const ended: Promise<void> = closed
          .catch((error) =>
            log.error({ err: error, session_id: call.session_id }, "a call's recording is not whole"),
          )
          .then(() => completeLine(call, began_at))
          .catch((error) =>
            log.error({ err: error, session_id: call.session_id }, "a call's recording is lost"),
          )
          .finally(() => ending.delete(ended));
        ending.add(ended);
      });
    },
    async written() {
      await Promise.all(ending);
    },
  };
}

class SidesRecorder implements LineRecorder {
  readonly #clock: Engine["clock"];
  readonly #file: FileHandle;
  readonly #seal: (bytes: Uint8Array) => Buffer;
  readonly #sides = new TwoSides(RATE);
  readonly #began: number;
  readonly #caller: Resampler | null;
  #agent: Resampler | null;
  readonly #line_rate: number;
  readonly #ended: (closed: Promise<void>) => void;
  #wake: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();
  #waiting = 0;
  #failure: Error | null = null;
  #isOver = false;

  constructor(
    clock: Engine["clock"],
    { file, seal }: { file: FileHandle; seal: (bytes: Uint8Array) => Buffer },
    line_rate: number,
    ended: (closed: Promise<void>) => void,
  ) {
    this.#clock = clock;
    this.#file = file;
    this.#seal = seal;
    this.#line_rate = line_rate;
    this.#began = clock.now().getTime();
    this.#caller = this.#resampler();
    this.#agent = this.#resampler();
    this.#ended = ended;
    this.#setAlarm();
  }

  caller(frame: Int16Array): void {
    this.#sides.caller(this.#caller?.push(frame) ?? frame, this.#now());
  }

  agent(frame: Int16Array): void {
    this.#sides.agent(this.#agent?.push(frame) ?? frame, this.#now());
  }

  clear(): void {
    this.#sides.clear(this.#now());
    this.#agent = this.#resampler();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake?.();
    this.#write(this.#now());
    this.#ended(this.#close());
  }

  async #close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
    if (this.#failure) throw this.#failure;
  }

  #resampler(): Resampler | null {
    return this.#line_rate === RATE ? null : new Resampler(this.#line_rate, RATE);
  }

  #now(): number {
    return this.#clock.now().getTime() - this.#began;
  }

  #setAlarm(): void {
    this.#wake = this.#clock.wakeAt(new Date(this.#clock.now().getTime() + WRITE_MS), () => {
      this.#write(this.#now() - SETTLED_MS);
      if (!this.#isOver) this.#setAlarm();
    });
  }

  /** Writes run one after the other and never delay the call. */
  #write(until_ms: number): void {
    const bytes = bytesOf(this.#sides.take(until_ms));
    if (this.#failure || bytes.length === 0) return;
    this.#waiting += bytes.length;
    if (this.#waiting > MOST_WAITING_BYTES) this.#fail(new Error("the disk is too slow"));
    this.#writing = this.#writing
      .then(async () => {
        await this.#file.write(this.#seal(bytes));
        this.#waiting -= bytes.length;
      })
      .catch((error) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
  }
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

async function tellNotKept(
  { db, clock }: Engine,
  { sub_organization_id, session_id }: RecordedCall,
): Promise<void> {
  await db.transaction().execute((tx) =>
    publish(tx, sub_organization_id, [
      {
        at: clock.now(),
        source: "job",
        source_id: null,
        category: "limits",
        type: "recording-not-kept",
        description:
          "A call was not recorded: the organization's storage is full. Delete what is no longer needed, or ask the operator for more (STORAGE_GB_PER_ORGANIZATION).",
        session_id,
      },
    ]),
  );
}
