/**
 * A loopback server that speaks the four providers' streaming formats, written from their public API references: OpenAI chat
 * completions (also under Azure's deployment paths), Anthropic messages, and Gemini streamGenerateContent; and OpenAI's and
 * Gemini's embeddings. It answers what a test queued and keeps what it was asked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProviderSettings } from "../../src/llm/providers.ts";

export type Reply = {
  /** 400 and up answers with the provider's error document. */
  status?: number;
  headers?: Record<string, string>;
  error?: { message: string; code?: string };
  text?: string[];
  /** Anthropic's signed thinking, ahead of the text. */
  thinking?: { text: string; signature: string };
  /** `arguments` is sent as it is, so it may be broken JSON (Gemini sends objects and can't). */
  calls?: { id: string; name: string; arguments: string }[];
  /** Left out: that calls are to be made where there are some, else "stop". */
  finish?: "stop" | "length" | "content-filter";
  usage?: { input: number; output: number; cached: number };
  /** What happens after so many events instead of the rest. */
  after?: { events: number; comes: "cut" | "end" | "garbage" | "hang" };
  /** Before every event. */
  delay_ms?: number;
  /** Nothing is answered before this. */
  until?: Promise<unknown>;
  /** Asked for embeddings: the vector of each text. */
  vector?: (text: string) => number[];
};

export type Seen = { path: string; headers: IncomingMessage["headers"]; body: Record<string, unknown> };

export type LlmServer = {
  settings: ProviderSettings;
  requests: Seen[];
  /** Answers the next requests in this order; the last one answers all further ones. */
  reply(...replies: Reply[]): void;
  /** Answers each of the next requests by what it asks; for many that come at once. */
  answer(by: (seen: Seen) => Reply): void;
  /** Resolves once a client has gone away before its answer was complete. */
  left: Promise<void>;
  close(): Promise<void>;
};

export const FAKE_KEY = "sk-loopback-1234567890";
/** What OpenAI's embeddings say they took, unless the reply has a usage. */
export const EMBEDDED_TOKENS = 8;

export async function startLlmServer(): Promise<LlmServer> {
  const requests: Seen[] = [];
  let queue: Reply[] = [{ text: ["ok"] }];
  let by: ((seen: Seen) => Reply) | null = null;
  const left = Promise.withResolvers<void>();

  const server = createServer(async (req, res) => {
    let raw = "";
    for await (const chunk of req) raw += chunk;
    const seen = { path: req.url ?? "", headers: req.headers, body: JSON.parse(raw) };
    requests.push(seen);
    res.on("close", () => {
      if (!res.writableFinished) left.resolve();
    });
    const next = by ? by(seen) : queue.length > 1 ? queue.shift() : queue[0];
    await answer(res, seen, next ?? {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    settings: {
      openai: { api_key: FAKE_KEY, base_url: `${url}/openai/v1` },
      azure_openai: { api_key: FAKE_KEY, base_url: `${url}/azure/openai` },
      anthropic: { api_key: FAKE_KEY, base_url: `${url}/anthropic/v1` },
      google: { api_key: FAKE_KEY, base_url: `${url}/google/v1beta` },
    },
    requests,
    reply: (...replies) => {
      queue = replies;
      by = null;
    },
    answer: (next) => {
      by = next;
    },
    left: left.promise,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The texts that a request for embeddings gives. */
export function embeddedTexts({ body }: Seen): string[] {
  type Content = { content: { parts: { text: string }[] } };
  if (Array.isArray(body.input)) return body.input;
  const requests = (body.requests ?? [body]) as Content[];
  return requests.map(({ content }) => content.parts.map(({ text }) => text).join(""));
}

function embeddingsOf(seen: Seen, vector: (text: string) => number[], tokens: number): object {
  const vectors = embeddedTexts(seen).map(vector);
  if (seen.path.includes(":batchEmbedContents")) return { embeddings: vectors.map((values) => ({ values })) };
  if (seen.path.includes(":embedContent")) return { embedding: { values: vectors[0] } };
  return {
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    model: "m",
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

async function answer(res: ServerResponse, seen: Seen, reply: Reply): Promise<void> {
  await reply.until;
  const { path } = seen;
  const format = path.startsWith("/anthropic") ? ANTHROPIC : path.startsWith("/google") ? GOOGLE : OPENAI;
  if ((reply.status ?? 200) >= 400) {
    res.writeHead(reply.status ?? 500, { "content-type": "application/json", ...reply.headers });
    res.end(JSON.stringify(format.error(reply.status ?? 500, reply.error ?? { message: "made to fail" })));
    return;
  }
  if (reply.vector) {
    if (reply.delay_ms) await sleep(reply.delay_ms);
    res.writeHead(200, { "content-type": "application/json", ...reply.headers });
    res.end(JSON.stringify(embeddingsOf(seen, reply.vector, reply.usage?.input ?? EMBEDDED_TOKENS)));
    return;
  }
  res.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
  for (const [index, event] of format.events(reply).entries()) {
    if (reply.delay_ms) await sleep(reply.delay_ms);
    if (res.destroyed) return;
    if (index === reply.after?.events) {
      if (reply.after.comes === "hang") return;
      if (reply.after.comes === "garbage") res.write("data: {not json\n\n");
      else if (reply.after.comes === "cut") return void res.destroy();
      else break;
    }
    res.write(event);
  }
  res.end();
}

type Format = {
  events(reply: Reply): string[];
  error(status: number, error: { message: string; code?: string }): object;
};

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const usageOf = (reply: Reply) => reply.usage ?? { input: 11, output: 7, cached: 3 };
/** Arguments arrive in pieces, as from a model. */
const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

const OPENAI: Format = {
  events(reply) {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      data({ ...OPENAI_CHUNK, choices: [{ index: 0, delta, finish_reason }] });
    const calls = reply.calls ?? [];
    const { input, output, cached } = usageOf(reply);
    const finish = { stop: "stop", length: "length", "content-filter": "content_filter" }[
      reply.finish ?? "stop"
    ];
    return [
      chunk({ role: "assistant", content: "" }),
      ...(reply.text ?? []).map((content) => chunk({ content })),
      ...calls.flatMap(({ id, name, arguments: json }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...halves(json).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
      ]),
      chunk({}, calls.length > 0 && !reply.finish ? "tool_calls" : finish),
      data({
        ...OPENAI_CHUNK,
        choices: [],
        usage: {
          prompt_tokens: input,
          completion_tokens: output,
          total_tokens: input + output,
          prompt_tokens_details: { cached_tokens: cached },
        },
      }),
      "data: [DONE]\n\n",
    ];
  },
  error: (_status, { message, code }) => ({
    error: { message, type: "error", param: null, code: code ?? null },
  }),
};
const OPENAI_CHUNK = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_763_000_000,
  model: "m",
};

const ANTHROPIC: Format = {
  events(reply) {
    const event = (type: string, fields: object) => `event: ${type}\n${data({ type, ...fields })}`;
    const block = (index: number, content_block: object, deltas: object[]) => [
      event("content_block_start", { index, content_block }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ];
    const calls = reply.calls ?? [];
    const { input, output, cached } = usageOf(reply);
    const reason = { stop: "end_turn", length: "max_tokens", "content-filter": "refusal" }[
      reply.finish ?? "stop"
    ];
    const texts = (reply.text ?? []).map((text) => ({ type: "text_delta", text }));
    const thought = reply.thinking;
    const lead = thought ? 1 : 0;
    const first = lead + (texts.length > 0 ? 1 : 0);
    return [
      event("message_start", {
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          usage: { input_tokens: input - cached, output_tokens: 1, cache_read_input_tokens: cached },
        },
      }),
      ...(thought
        ? block(0, { type: "thinking", thinking: "", signature: "" }, [
            { type: "thinking_delta", thinking: thought.text },
            { type: "signature_delta", signature: thought.signature },
          ])
        : []),
      ...(texts.length > 0 ? block(lead, { type: "text", text: "" }, texts) : []),
      ...calls.flatMap(({ id, name, arguments: json }, index) =>
        block(
          first + index,
          { type: "tool_use", id, name, input: {} },
          halves(json).map((partial_json) => ({ type: "input_json_delta", partial_json })),
        ),
      ),
      event("message_delta", {
        delta: { stop_reason: calls.length > 0 && !reply.finish ? "tool_use" : reason, stop_sequence: null },
        usage: { output_tokens: output },
      }),
      event("message_stop", {}),
    ];
  },
  error: (status, { message }) => ({
    type: "error",
    error: { type: status === 429 ? "rate_limit_error" : "api_error", message },
  }),
};

/** The document with its numbers as they are written, for `JSON.stringify`. */
const digitByDigit = (json: string): unknown => {
  const { parse, rawJSON } = JSON as unknown as {
    parse(
      text: string,
      revive: (key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown;
    rawJSON(text: string): unknown;
  };
  return parse(json, (_, value, { source }) => (typeof value === "number" ? rawJSON(source) : value));
};

const GOOGLE: Format = {
  events(reply) {
    const { input, output, cached } = usageOf(reply);
    const chunk = (parts: object[], finish: object = {}) =>
      data({ candidates: [{ index: 0, content: { role: "model", parts }, ...finish }], modelVersion: "m" });
    const calls = (reply.calls ?? []).map(({ name, arguments: json }) => ({
      functionCall: { name, args: digitByDigit(json) },
      thoughtSignature: `signature-of-${name}`,
    }));
    const finish = { stop: "STOP", length: "MAX_TOKENS", "content-filter": "SAFETY" }[reply.finish ?? "stop"];
    return [
      ...(reply.text ?? []).map((text) => chunk([{ text }])),
      ...(calls.length > 0 ? [chunk(calls)] : []),
      data({
        candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: finish }],
        usageMetadata: {
          promptTokenCount: input,
          candidatesTokenCount: output,
          totalTokenCount: input + output,
          cachedContentTokenCount: cached,
        },
      }),
    ];
  },
  error: (status, { message }) => ({ error: { code: status, message, status: "MADE_TO_FAIL" } }),
};
