import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { WAV_HEAD_BYTES, wavHead } from "../../audio/wav.ts";
import { findDataKey, keyInUse } from "../../data-keys/data-keys.ts";
import { cipherAt, newSealedHead, readSealedHead, SEALED_HEAD_BYTES } from "../../data-keys/sealed-file.ts";
import type { LineRecorder } from "../../media/media-line.ts";
import { recordingsFolder } from "../../sessions/bucket/open-recording.ts";
import type { Engine } from "../../sessions/engine.ts";
import { tellNotKept, tellNotWritten } from "../../sessions/recordings/recording-not-kept.ts";
import { type CallRow, callOfId } from "../call-store.ts";
import { RECORDED_RATE, SidesRecorder } from "./sides-recorder.ts";

/*
 * Records calls whose audio passes through us: stereo, the caller on the left. Audio goes to disk every second, sealed; when
 * a process dies, the process that ends the call completes the file.
 *
 *     part written → its head says how long it is → it takes its name → its row is stored
 *
 * A line's files are named after its call, so whoever deletes the call deletes them, wherever a process has died in between
 * (`filesOfLines`). What nobody has completed a day later is completed then (`erasure/left-recordings.ts`).
 */

const BLOCK_BYTES = 4;
const NOT_RECORDED = "A call was not recorded";

type RecordedCall = Pick<CallRow, "id" | "leg" | "session_id" | "sub_organization_id">;

export type CallRecordings = {
  /** Null when storage is full or the disk can't be written: the call goes on unrecorded, with an event. */
  begin(call: RecordedCall, line_rate: number): Promise<LineRecorder | null>;
  /** Completes the files that dead processes left of the call's lines up to this one, as its recordings. */
  complete(call: RecordedCall): Promise<void>;
  /** The same for one line, of a call that ended at this time. */
  completeLeft(call: RecordedCall, ended_at: Date): Promise<void>;
  /** Resolves once all finished recordings are on disk. */
  written(): Promise<void>;
};

const fileName = ({ id, leg }: Pick<RecordedCall, "id" | "leg">): string => `call-${id}-${leg}.wav`;
const PART = ".part";

/** The line and the state of a file by its name; null: no file of a line. */
export function lineOfFile(name: string): { id: number; leg: number } | null {
  const [, id, leg] = /^call-(\d{1,15})-(\d{1,9})\.wav(?:\.part)?$/.exec(name) ?? [];
  return id === undefined ? null : { id: Number(id), leg: Number(leg) };
}

/** Every file that the lines of a call may have, up to this one, for those who delete it. */
export const filesOfLines = ({ id, leg }: Pick<RecordedCall, "id" | "leg">): string[] =>
  Array.from({ length: leg + 1 }, (_, at) => fileName({ id, leg: at })).flatMap((name) => [
    name,
    `${name}${PART}`,
  ]);

export function createCallRecordings({
  engine,
  dataDir,
}: {
  engine: Engine;
  dataDir: string;
}): CallRecordings {
  const { db, clock } = engine;
  const folder = recordingsFolder(dataDir);
  const ending = new Set<Promise<void>>();
  const fileOf = (call: RecordedCall) => path.join(folder, fileName(call));
  const partOf = (call: RecordedCall) => `${fileOf(call)}${PART}`;

  async function complete(call: RecordedCall): Promise<void> {
    for (let leg = 0; leg <= call.leg; leg++) await completeLine({ ...call, leg });
  }

  /** `began_at` null: its process has died, and the file alone says when it was begun. */
  async function completeLine(
    call: RecordedCall,
    began_at: Date | null = null,
    stored_at: Date = clock.now(),
  ): Promise<void> {
    const part = await open(partOf(call), "r+").catch(ifMissing);
    if (part && !(await finishPart(call, part))) return;
    await storeRow(call, began_at, stored_at);
  }

  /** False where it is not kept. */
  async function finishPart(call: RecordedCall, part: FileHandle): Promise<boolean> {
    let sound: RecordedSound;
    try {
      sound = await soundOf(part);
      const head = wavHead({ rate: RECORDED_RATE, channels: 2, samples: sound.samples });
      const { sealed } = sound;
      const seal = sealed && cipherAt(await findDataKey(engine)(sealed.key_id), sealed.counter);
      await part.write(seal ? seal(head) : head, 0, WAV_HEAD_BYTES, sealed ? SEALED_HEAD_BYTES : 0);
      await part.sync();
    } finally {
      await part.close();
    }
    const hasRoom = await engine.storage.hasRoom(db, call.sub_organization_id, sound.size_bytes);
    if (sound.samples > 0 && hasRoom) {
      // Another process may have completed it at the same time.
      await rename(partOf(call), fileOf(call)).catch(ifMissing);
      return true;
    }
    await rm(partOf(call), { force: true });
    if (sound.samples > 0) await tellNotKept(engine, { call, what: NOT_RECORDED });
    return false;
  }

  /** Nothing happens where it is stored. Whoever gave the file its name may have died before. */
  async function storeRow(call: RecordedCall, began_at: Date | null, stored_at: Date): Promise<void> {
    const file = await open(fileOf(call), "r").catch(ifMissing);
    if (!file) return;
    const { size_bytes, made_at } = await soundOf(file).finally(() => file.close());
    const row = db
      .insertInto("recordings")
      .values({
        session_id: call.session_id,
        file_name: fileName(call),
        content_type: "audio/wav",
        created_at: stored_at.toISOString(),
        source: null,
        began_at: (began_at ?? made_at)?.toISOString() ?? null,
        size_bytes,
      })
      .onConflict((conflict) => conflict.doNothing());
    try {
      await row.execute();
    } catch (error) {
      // The session was deleted meanwhile: nothing of it is kept.
      if (await callOfId(db, call.id)) throw error;
      await rm(fileOf(call), { force: true });
    }
  }

  async function openRecorder(call: RecordedCall, line_rate: number): Promise<LineRecorder> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const began_at = clock.now();
    const key = await keyInUse(engine, call.sub_organization_id);
    const { head, counter } = newSealedHead(key);
    const seal = cipherAt(key, counter);
    const file = await open(partOf(call), "w", 0o600);
    try {
      const empty = wavHead({ rate: RECORDED_RATE, channels: 2, samples: 0 });
      await file.write(Buffer.concat([head, seal(empty)]));
    } catch (error) {
      await file.close();
      throw error;
    }
    const tell = (what: string) => (error: unknown) => tellNotWritten(engine, { call, what }, error);
    return new SidesRecorder(clock, { file, seal }, line_rate, (closed) => {
      const ended: Promise<void> = closed
        .catch(tell("A call's recording is not whole"))
        .then(() => completeLine(call, began_at))
        .catch(tell("A call's recording was lost"))
        .finally(() => ending.delete(ended));
      ending.add(ended);
    });
  }

  return {
    complete,
    completeLeft: (call, ended_at) => completeLine(call, null, ended_at),
    async begin(call, line_rate) {
      if (!(await engine.storage.hasRoom(db, call.sub_organization_id, 0))) {
        await tellNotKept(engine, { call, what: NOT_RECORDED });
        return null;
      }
      try {
        return await openRecorder(call, line_rate);
      } catch (error) {
        await tellNotWritten(engine, { call, what: NOT_RECORDED }, error);
        return null;
      }
    },
    async written() {
      await Promise.all(ending);
    },
  };
}

type RecordedSound = {
  /** Null: of an earlier version, which did not seal. */
  sealed: Awaited<ReturnType<typeof readSealedHead>>;
  /** Without the seal's head. */
  size_bytes: number;
  samples: number;
  /** Null: some file systems don't know when a file was made. */
  made_at: Date | null;
};

async function soundOf(file: FileHandle): Promise<RecordedSound> {
  const sealed = await readSealedHead(file);
  const { size, birthtimeMs } = await file.stat();
  const size_bytes = size - (sealed ? SEALED_HEAD_BYTES : 0);
  return {
    sealed,
    size_bytes,
    samples: Math.max(0, Math.floor((size_bytes - WAV_HEAD_BYTES) / BLOCK_BYTES)),
    made_at: birthtimeMs > 0 ? new Date(birthtimeMs) : null,
  };
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
