import { parseJson } from "../base/parse-json.ts";

const LONG_DIGITS = /\d{16}/;
/** More than the arguments of a call may have. A longer line is not worth holding everybody up for: this one takes 75 ms. */
const MAX_LINE_CHARACTERS = 300 * 1024;

/**
 * `fetch` for a provider whose arguments are JSON inside the events of its stream, not a text of their own: the library
 * reads the event, and whole numbers past 2^53 lose their last digits there. They are put into texts before it does.
 */
export const keepingDigits =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
    const { status, statusText, headers, body } = response;
    const events = body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(lines(digitsAsText))
      .pipeThrough(new TextEncoderStream());
    return new Response(events ?? null, { status, statusText, headers });
  };

/** A line of an event stream; one that is no JSON stays as it is, for the library to complain of. */
export function digitsAsText(line: string): string {
  if (!line.startsWith("data:") || line.length > MAX_LINE_CHARACTERS || !LONG_DIGITS.test(line)) return line;
  try {
    return `data: ${JSON.stringify(parseJson(line.slice("data:".length)))}`;
  } catch {
    return line;
  }
}

function lines(change: (line: string) => string): TransformStream<string, string> {
  let begun: string[] = [];
  return new TransformStream({
    transform(chunk, controller) {
      const parts = chunk.split("\n");
      const rest = parts.pop() ?? "";
      for (const part of parts) {
        controller.enqueue(`${change([...begun, part].join(""))}\n`);
        begun = [];
      }
      begun.push(rest);
    },
    flush(controller) {
      controller.enqueue(change(begun.join("")));
    },
  });
}
