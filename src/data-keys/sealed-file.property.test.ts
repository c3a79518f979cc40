import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { afterFile } from "../../test/harness/after-file.ts";
import { rounds } from "../../test/harness/seed.ts";
import { ChangedFile, chunkSealer } from "./sealed-chunks.ts";
import { cipherAt, newSealedHead, openSealed, sealBytes } from "./sealed-file.ts";

const folder = mkdtempSync(path.join(tmpdir(), "parley-sealed-"));
afterFile(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "sound");
const key = { id: 7, key: randomBytes(32) };
const findKey = async () => key;

test("any part of a sealed file reads as it was written, whatever pieces it was written in", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 100 }), { minLength: 1, maxLength: 8 }),
      fc.nat(400),
      fc.nat(400),
      async (pieces, from, length) => {
        const { head, counter } = newSealedHead(key);
        const seal = cipherAt(key, counter);
        writeFileSync(file, Buffer.concat([head, ...pieces.map(seal)]));
        const content = Buffer.concat(pieces);
        const found = await openSealed(file, findKey);
        expect([found?.size, found?.key_id]).toEqual([content.length, key.id]);
        expect(Buffer.concat((await found?.stream().toArray()) ?? [])).toEqual(content);
        const start = from % content.length;
        const end = Math.min(content.length - 1, start + length);
        const part = Buffer.concat((await found?.stream({ start, end }).toArray()) ?? []);
        expect(part).toEqual(content.subarray(start, end + 1));
      },
    ),
    { numRuns: rounds(60) },
  );
});

test("any part of a file in chunks reads as it was written, and nothing that was changed, moved or cut off is read", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1, 65_535, 65_536, 65_537, 131_072, 200_000),
      fc.array(fc.integer({ min: 1, max: 90_000 }), { maxLength: 5 }),
      fc.nat(200_000),
      fc.nat(80_000),
      fc.nat(),
      async (length, cuts, from, more, fault) => {
        const content = randomBytes(length);
        const sealer = chunkSealer(key);
        const parts: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          parts.push(sealer.push(content.subarray(at, at + cut)));
          at += cut;
        }
        parts.push(sealer.push(content.subarray(at)), sealer.end());
        const sealed = Buffer.concat(parts);
        writeFileSync(file, sealed);
        const found = await openSealed(file, findKey);
        expect([found?.size, found?.key_id]).toEqual([length, key.id]);
        expect(Buffer.concat((await found?.stream().toArray()) ?? []).equals(content)).toBe(true);
        if (length > 0) {
          const start = from % length;
          const end = Math.min(length - 1, start + more);
          const part = Buffer.concat((await found?.stream({ start, end }).toArray()) ?? []);
          expect(part.equals(content.subarray(start, end + 1))).toBe(true);
        }
        // Any byte behind the mark and the key's id, or any end.
        const place = 16 + (fault % (sealed.length - 16));
        const flipped = Buffer.from(sealed);
        flipped[place] = (flipped[place] as number) ^ 1;
        for (const broken of [flipped, sealed.subarray(0, Math.max(48, place))]) {
          writeFileSync(file, broken);
          const read = openSealed(file, findKey).then((one) => one?.stream().toArray());
          await expect(read).rejects.toThrow(ChangedFile);
        }
      },
    ),
    { numRuns: rounds(30) },
  );
});

test("the same content is sealed differently each time, and an older file is read as it is", async () => {
  const content = Buffer.from("RIFF the same words, again and again and again and again");
  expect(sealBytes(key, content).equals(sealBytes(key, content))).toBe(false);
  expect(sealBytes(key, content).includes("the same words")).toBe(false);
  writeFileSync(file, content);
  const found = await openSealed(file, findKey);
  expect(found?.key_id).toBeNull();
  expect(Buffer.concat((await found?.stream({ start: 5, end: 7 }).toArray()) ?? []).toString()).toBe("the");
  expect(await openSealed(path.join(folder, "none"), findKey)).toBeNull();
});
