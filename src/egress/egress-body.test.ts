import { once } from "node:events";
import { Readable } from "node:stream";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readBody } from "./egress-body.ts";

const TEXT = "What the caller hears. ".repeat(200);

/** The bytes as a socket might hand them over, in pieces of `size`. */
function inPieces(bytes: Buffer, size = 700): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return Readable.from(pieces);
}

describe("a body", () => {
  test.each([
    ["gzip", gzipSync(TEXT)],
    ["x-gzip", gzipSync(TEXT)],
    ["GZIP", gzipSync(TEXT)],
    ["br", brotliCompressSync(TEXT)],
    ["deflate", deflateSync(TEXT)],
    ["deflate", deflateRawSync(TEXT)],
  ])("in %s is decoded", async (encoding, bytes) => {
    const read = await readBody(inPieces(bytes, 10), encoding, 1_000_000);
    expect(read).toEqual({ bytes: Buffer.from(TEXT), truncated: false, decoded: true });
  });

  test("in an encoding nobody offered is handed on as it came", async () => {
    for (const encoding of ["zstd", "gzip, br", "identity", undefined]) {
      const read = await readBody(inPieces(gzipSync(TEXT)), encoding, 1_000_000);
      expect(read).toEqual({ bytes: gzipSync(TEXT), truncated: false, decoded: false });
    }
  });

  test("of exactly the cap is whole, one byte more is truncated", async () => {
    for (const [encoding, bytes] of [
      [undefined, Buffer.from(TEXT)],
      ["gzip", gzipSync(TEXT)],
    ] as const) {
      const whole = await readBody(inPieces(bytes), encoding, TEXT.length);
      expect(whole).toMatchObject({ bytes: Buffer.from(TEXT), truncated: false });
      const cut = await readBody(inPieces(bytes), encoding, TEXT.length - 1);
      expect(cut).toMatchObject({ bytes: Buffer.from(TEXT.slice(0, -1)), truncated: true });
    }
  });

  test("of which enough has come is whole without its end; it is read out where that comes soon, else destroyed", async () => {
    for (const encoding of [undefined, "gzip"]) {
      const open = new Readable({ read() {} });
      open.push(encoding ? gzipSync("enough", { finishFlush: constants.Z_SYNC_FLUSH }) : "enough");
      const read = await readBody(open, encoding, 100, (piece) => piece.includes("enough"));
      expect(read).toMatchObject({ bytes: Buffer.from("enough"), truncated: false });
      await once(open, "close");
    }
    const ending = new Readable({ read() {} });
    ending.push("enough");
    await readBody(ending, undefined, 100, () => true);
    ending.push(" and more");
    ending.push(null);
    await once(ending, "end");
    const long = inPieces(Buffer.alloc(1_000), 60);
    await readBody(long, undefined, 100, () => true);
    await new Promise((resolve) => long.on("close", resolve));
    expect(long.readableEnded).toBe(false);
  });

  test("that is empty needs no decoder", async () => {
    const read = await readBody(Readable.from([]), "gzip", 100);
    expect(read).toEqual({ bytes: Buffer.alloc(0), truncated: false, decoded: true });
  });

  test("beyond the cap is left unread and destroyed", async () => {
    for (const encoding of [undefined, "gzip"]) {
      let read_bytes = 0;
      const endless = Readable.from(
        (function* () {
          const bomb = gzipSync(Buffer.alloc(1_000_000));
          for (;;) {
            read_bytes += bomb.length;
            yield bomb;
          }
        })(),
        { highWaterMark: 1 },
      );
      const read = await readBody(endless, encoding, 10_000);
      expect(read.truncated).toBe(true);
      expect(read.bytes).toHaveLength(10_000);
      expect(endless.destroyed).toBe(true);
      expect(read_bytes).toBeLessThan(200_000);
    }
  });

  test("of endless blocks that decode to nothing is cut off", async () => {
    const header = gzipSync("").subarray(0, 10);
    const emptyBlocks = Buffer.alloc(5_000, Buffer.from([0, 0, 0, 0xff, 0xff]));
    const endless = Readable.from(
      (function* () {
        yield header;
        for (;;) yield emptyBlocks;
      })(),
    );
    expect(await readBody(endless, "gzip", 10_000)).toEqual({
      bytes: Buffer.alloc(0),
      truncated: true,
      decoded: true,
    });
  });

  test("that is not what its encoding says, or ends too early, is an error with a code", async () => {
    const gzipped = gzipSync(TEXT);
    await expect(readBody(inPieces(Buffer.from(TEXT)), "gzip", 10_000)).rejects.toHaveProperty(
      "code",
      "Z_DATA_ERROR",
    );
    await expect(readBody(inPieces(gzipped.subarray(0, -9)), "gzip", 10_000)).rejects.toHaveProperty(
      "code",
      "Z_BUF_ERROR",
    );
    await expect(readBody(inPieces(Buffer.from(TEXT)), "br", 10_000)).rejects.toHaveProperty("code");
  });

  test("whose source breaks is that error, decoded or not", async () => {
    for (const encoding of [undefined, "gzip"]) {
      const breaking = Readable.from(
        (async function* () {
          yield gzipSync(TEXT).subarray(0, 20);
          throw Object.assign(new Error("gone"), { code: "ECONNRESET" });
        })(),
      );
      await expect(readBody(breaking, encoding, 10_000)).rejects.toHaveProperty("code", "ECONNRESET");
    }
  });
});
