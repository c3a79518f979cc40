import { PassThrough, Writable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { createVault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { ArchiveHeader } from "./archive-format.ts";
import { readArchive } from "./archive-reader.ts";
import { createArchiveWriter } from "./archive-writer.ts";

const vault = createVault("a key of forty characters, as long as it is");
const HEADER: ArchiveHeader = {
  parley: "0.1.0",
  postgres: "18.4",
  taken_at: "2026-11-23T11:40:02.000Z",
  migrations: [],
  jobs_migration: 20,
  key_check: null,
  sequences: [],
  expected_bytes: 0,
};

type Section = { name: string; pieces: Uint8Array[] };

async function written(sections: Section[], header = HEADER, by = vault): Promise<Buffer> {
  const out = new PassThrough();
  const all: Buffer[] = [];
  out.on("data", (piece: Buffer) => all.push(piece));
  const writer = await createArchiveWriter(out, header, by);
  for (const { name, pieces } of sections) {
    const head = { schema: "parley", table: name, columns: ["a"], expected_bytes: 0 };
    await writer.table(head, from(pieces), () => pieces.length);
  }
  await writer.close();
  return Buffer.concat(all);
}

async function* from(pieces: Uint8Array[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

/** What an archive holds, read in pieces of this size. */
async function read(
  bytes: Buffer,
  piece_bytes = 4096,
): Promise<{ name: string; bytes: Buffer; rows: number }[]> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += piece_bytes) pieces.push(bytes.subarray(at, at + piece_bytes));
  const found: { name: string; bytes: Buffer; rows: number }[] = [];
  const archive = await readArchive(from(pieces));
  for await (const part of archive.parts(vault)) {
    if (part.kind !== "table") continue;
    const data: Buffer[] = [];
    let next = await part.data.next();
    for (; !next.done; next = await part.data.next()) data.push(Buffer.from(next.value));
    found.push({ name: part.head.table, bytes: Buffer.concat(data), rows: next.value.rows ?? -1 });
  }
  return found;
}

/** Up to 200 kB: a few bytes again and again, as drawing each would take seconds. */
const PIECE = fc
  .tuple(fc.uint8Array({ maxLength: 1_000 }), fc.nat({ max: 200 }))
  .map(([bytes, times]) => Buffer.concat(Array<Uint8Array>(times).fill(bytes)));

const SECTIONS = fc.array(
  fc.record({ name: fc.string({ minLength: 1 }), pieces: fc.array(PIECE, { maxLength: 4 }) }),
  { maxLength: 4 },
);

test("any bytes, in any pieces, come back as they were written", async () => {
  await fc.assert(
    fc.asyncProperty(SECTIONS, fc.integer({ min: 1, max: 70_000 }), async (sections, piece_bytes) => {
      const expected = sections.map(({ name, pieces }) => ({
        name,
        bytes: Buffer.concat(pieces),
        rows: pieces.length,
      }));
      expect(await read(await written(sections), Math.max(piece_bytes, 50))).toEqual(expected);
    }),
    { numRuns: rounds(30) },
  );
});

describe("an archive is refused in words", () => {
  const sections = [
    { name: "agents", pieces: [Buffer.from("a row of an agent ".repeat(2_000))] },
    { name: "sessions", pieces: [Buffer.from(Array.from({ length: 90_000 }, (_, at) => (at * at) % 251))] },
  ];
  const whyNot = async (bytes: Buffer): Promise<string> => {
    const error = await read(bytes).then(
      () => undefined,
      (cause) => cause,
    );
    expect(error).toBeInstanceOf(Fault);
    return error.message;
  };

  /** Zstandard has a few bytes at its end, and bits here and there, that say nothing of the contents. */
  const isAsWritten = async (bytes: Buffer): Promise<boolean> => {
    const expected = sections.map(({ name, pieces }) => ({
      name,
      bytes: Buffer.concat(pieces),
      rows: pieces.length,
    }));
    return read(bytes).then(
      (found) => {
        expect(found).toEqual(expected);
        return true;
      },
      () => false,
    );
  };

  test("wherever it is cut off", async () => {
    const whole = await written(sections);
    const cutAt = async (length: number) => {
      if (length > whole.length - 16 && (await isAsWritten(whole.subarray(0, length)))) return;
      expect(await whyNot(whole.subarray(0, length))).toMatch(
        /^(This is not a backup of Parley\.( It is empty\.)?|The backup is cut off: it ends at .+ Use another copy of it\.)$/,
      );
    };
    await fc.assert(fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1 }), cutAt), {
      numRuns: rounds(100),
    });
  });

  test("whichever bit of it was changed", async () => {
    const whole = await written(sections);
    const changedAt = async (bit: number) => {
      const changed = Buffer.from(whole);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if (await isAsWritten(changed)) return;
      expect(await whyNot(changed)).toMatch(
        /^(This is not a backup of Parley\.|The backup (is damaged at |is cut off: |was made by Parley ).+)$/,
      );
    };
    await fc.assert(fc.asyncProperty(fc.integer({ min: 0, max: 8 * whole.length - 1 }), changedAt), {
      numRuns: rounds(300),
    });
  });

  test("when it was put together by somebody without the key", async () => {
    const forged = await written(sections, HEADER, createVault("another key, of just as many characters"));
    expect(await whyNot(forged)).toMatch(/damaged at its end: its signature is another/);
  });

  test.each([
    ["", "It is empty."],
    ["age-encryption.org/v1\n-> X25519 ", "It is encrypted with age."],
    ["-----BEGIN PGP MESSAGE-----\n", "It is encrypted with PGP."],
    ["PK\x03\x04\x14\x00", "It is a ZIP archive."],
    ["PGDMP\x01\x0f", "It is a dump of PostgreSQL."],
    ["--\n-- PostgreSQL database dump\n--\n", "It is a dump of PostgreSQL."],
    ["\x1f\x8b\x08\n\x00", "It is compressed with gzip."],
    ["\x28\xb5\x2f\xfd\x24", "It is compressed with Zstandard."],
  ])("when it is something else, and says what (%j)", async (begins, what) => {
    const why = await whyNot(Buffer.from(begins, "latin1"));
    expect(why).toContain(`This is not a backup of Parley. ${what}`);
  });

  test("when it is a picture, or of a later format", async () => {
    expect(await whyNot(Buffer.alloc(100_000, "PNG"))).toBe("This is not a backup of Parley.");
    expect(await whyNot(Buffer.from("Parley backup 7, made by Parley 3.2.1\nwhatever"))).toBe(
      "The backup was made by Parley 3.2.1 in a format that this version can't read (7). Restore it with Parley 3.2.1.",
    );
  });
});

test("a disk that is full ends the writing, whatever is still to come", async () => {
  const out = new Writable({
    write: (_piece, _encoding, done) => done(Object.assign(new Error("no space left"), { code: "ENOSPC" })),
  });
  const endless = async function* () {
    for (;;) yield Buffer.alloc(100_000, Math.random().toString());
  };
  const writing = (async () => {
    const writer = await createArchiveWriter(out, HEADER, vault);
    await writer.table({ schema: "parley", table: "a", columns: [], expected_bytes: 0 }, endless(), () => 0);
  })();
  await expect(writing).rejects.toMatchObject({ code: "ENOSPC" });
});
