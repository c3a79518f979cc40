import { expect, test } from "vitest";
import { digitsAsText, keepingDigits } from "./whole-digits.ts";

const LONG = "12345678901234567891";

test.each([
  [`data: {"args":{"id":${LONG},"n":7,"x":1.5}}`, `data: {"args":{"id":"${LONG}","n":7,"x":1.5}}`],
  [`data:{"id":-${LONG}}`, `data: {"id":"-${LONG}"}`],
  [`data: {"text":"no ${LONG}, \\"${LONG}\\""}`, `data: {"text":"no ${LONG}, \\"${LONG}\\""}`],
  ['data: {"n":7}', 'data: {"n":7}'],
  [`data: {"cut":${LONG}`, `data: {"cut":${LONG}`],
  [`: a comment ${LONG}`, `: a comment ${LONG}`],
])("of the line %s only whole numbers past 2^53 change, into texts", (line, expected) => {
  expect(digitsAsText(line)).toBe(expected);
});

const answering = (type: string, ...chunks: Uint8Array[]): typeof fetch =>
  keepingDigits(async () => {
    const body = new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    return new Response(body as never, { headers: { "content-type": type } });
  });

test("a stream is read in whatever pieces it comes, also in the middle of a character", async () => {
  const events = `data: {"id":${LONG}}\r\n\r\ndata: {"text":"Größe 👋 ${LONG}"}\n\ndata: [DONE]`;
  const bytes = new TextEncoder().encode(events);
  for (const size of [1, 2, 7, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.slice(n * size, (n + 1) * size),
    );
    const response = await answering("text/event-stream; charset=utf-8", ...chunks)("http://127.0.0.1/");
    expect(await response.text()).toBe(
      `data: {"id":"${LONG}"}\n\r\ndata: {"text":"Größe 👋 ${LONG}"}\n\ndata: [DONE]`,
    );
  }
});

test("an answer that is no stream, as an error is, is handed on as it is", async () => {
  const error = `{"error":{"code":${LONG}}}`;
  const response = await answering("application/json", new TextEncoder().encode(error))("http://127.0.0.1/");
  expect(await response.text()).toBe(error);
});
