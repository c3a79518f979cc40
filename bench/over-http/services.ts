import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A model, a tool and a receiver of webhooks that answer at once, in a process of their own: chat completions as OpenAI
 * streams them, and a list of free times. Whoever asks without a tool's result is told to call `find`. Sends its address to whoever started it.
 */
const CHUNK = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_763_000_000, model: "m" };
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null) =>
  data({ ...CHUNK, choices: [{ index: 0, delta, finish_reason }] });
const END = `${data({ ...CHUNK, choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } })}data: [DONE]\n\n`;

const WORDS = `${chunk({ role: "assistant", content: "" })}${["We ", "have ", "nine ", "and ", "two."].map((content) => chunk({ content })).join("")}${chunk({}, "stop")}${END}`;

let calls = 0;
const call = () =>
  chunk({ role: "assistant", content: null }) +
  chunk({
    tool_calls: [
      { index: 0, id: `call_${++calls}`, type: "function", function: { name: "find", arguments: "" } },
    ],
  }) +
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"day":"monday"}' } }] }) +
  chunk({}, "tool_calls") +
  END;

const server = createServer((request, response) => {
  if (request.url?.startsWith("/slots")) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"slots":[{"time":"09:00"},{"time":"14:00"}]}');
    return;
  }
  if (request.url?.startsWith("/webhook")) {
    request.resume().on("end", () => response.writeHead(200).end());
    return;
  }
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => {
    body += part;
  });
  request.on("end", () => {
    const { messages } = JSON.parse(body) as { messages: { role: string }[] };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(messages.at(-1)?.role === "tool" ? WORDS : call());
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit());
