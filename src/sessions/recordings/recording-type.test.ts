import fc from "fast-check";
import { expect, test } from "vitest";
import { recordingType, SIGNATURE_bytes } from "./recording-type.ts";

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );

test.each([
  ["wav", bytes("RIFF", [1, 2, 3, 4], "WAVEfmt ")],
  ["ogg", bytes("OggS", [0, 2])],
  ["flac", bytes("fLaC")],
  ["m4a", bytes([0, 0, 0, 32], "ftypM4A ")],
  ["webm", bytes([0x1a, 0x45, 0xdf, 0xa3])],
  ["amr", bytes("#!AMR\n")],
  ["mp3", bytes("ID3", [4, 0])],
  ["mp3", bytes([0xff, 0xfb, 0x90, 0])],
  ["mp3", bytes([0xff, 0xf3, 0x40, 0])],
  ["aac", bytes([0xff, 0xf1, 0x50, 0x80])],
  ["aac", bytes([0xff, 0xf9, 0x50, 0x80])],
])("a recording is told by its first bytes: %s", (extension, head) => {
  expect(recordingType(head)?.extension).toBe(extension);
});

test.each([
  ["nothing", bytes()],
  ["text", bytes("call_id,agent\n1,2")],
  ["a picture", bytes([0x89], "PNG\r\n")],
  ["another RIFF", bytes("RIFF", [1, 2, 3, 4], "AVI LIST")],
  ["a page", bytes("<!DOCTYPE html>")],
  ["UTF-16", bytes([0xff, 0xfe, 0x41, 0])],
])("%s is no recording", (_, head) => {
  expect(recordingType(head)).toBeNull();
});

test("what comes after the signature does not matter", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: SIGNATURE_bytes, maxLength: 64 }),
      fc.uint8Array(),
      (head, rest) => {
        const alone = recordingType(Buffer.from(head.subarray(0, SIGNATURE_bytes)));
        expect(recordingType(Buffer.concat([head, rest]))).toEqual(alone);
      },
    ),
  );
});
