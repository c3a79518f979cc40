import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { answerText } from "./answer-text.ts";

const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), randomBytes(50_000)]);

test.each([
  [PNG, "image/png", "(image/png of 50008 bytes, which is not text)"],
  [PNG, "", "(an answer of 50008 bytes, which is not text)"],
  [PNG, "application/octet-stream", "(application/octet-stream of 50008 bytes, which is not text)"],
  [
    Buffer.from("%PDF-1.7 and little else"),
    "application/pdf; q=1",
    "(application/pdf of 24 bytes, which is not text)",
  ],
])("a model reads of bytes that are no text only what they are (%#)", (body, type, read) => {
  expect(answerText(body, type)).toBe(read);
});

test.each([
  [Buffer.from("Grüße 👩‍🦰\t\r\n\u001b[0m"), "text/plain", "Grüße 👩‍🦰\t\r\n\u001b[0m"],
  [Buffer.from("Gr\xfc\xdfe", "latin1"), "text/plain; charset=iso-8859-1", "Grüße"],
  [
    Buffer.from("Der Termin ist am fr\xfchen Morgen", "latin1"),
    "text/plain",
    "Der Termin ist am fr\ufffdhen Morgen",
  ],
  [Buffer.from("\ufeffja", "utf16le"), "application/octet-stream", "ja"],
  [Buffer.from("<svg/>"), "image/svg+xml", "<svg/>"],
  [Buffer.from('{"a":1}'), "application/octet-stream", '{"a":1}'],
  [Buffer.alloc(0), "image/png", ""],
])("text stays as it is, whatever its type says (%#)", (body, type, read) => {
  expect(answerText(body, type)).toBe(read);
});
