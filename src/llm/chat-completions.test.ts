import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { chatCompletions, type StreamingModel } from "./chat-completions.ts";
import { readAnswer } from "./model.ts";
import { providerError } from "./provider-error.ts";
import { openaiAt, resolveModel } from "./providers.ts";

const make = async (fetch_?: typeof fetch) =>
  (await openaiAt({ api_key: "sk-test" }, fetch_ && { fetch: fetch_ })).chat("gpt-4.1");

type Call = { url: string; body: unknown; headers: Headers };

/** Answers with these bytes, cut where a network might cut them. */
function answering(text: string, status: number, every: number) {
  const calls: Call[] = [];
  const bytes = new TextEncoder().encode(text);
  const answer: typeof fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    calls.push({ url: String(url), body: JSON.parse(String(init?.body)), headers });
    let at = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + every));
        at += every;
      },
    });
    return new Response(body, {
      status,
      headers: { "content-type": status === 200 ? "text/event-stream" : "application/json" },
    });
  };
  return { answer, calls };
}

const OPTIONS: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: "You are brief." },
    { role: "user", content: [{ type: "text", text: "Weather?" }] },
  ],
  tools: [{ type: "function", name: "weather", inputSchema: { type: "object", properties: {} } }],
  toolChoice: { type: "auto" },
  temperature: 0.3,
};

/** What the rest of the program reads of a stream: `provider-stream.ts` looks at nothing else. */
async function read(model: StreamingModel): Promise<{ seen: unknown[]; failed?: object }> {
  const seen: unknown[][] = [];
  try {
    const { stream } = await model.doStream(OPTIONS);
    for await (const part of stream) {
      if (part.type === "error") throw part.error;
      const shown = shownOf(part);
      if (!shown) continue;
      // The library passes on each text of its own; ours those of one piece together.
      const [kind, text] = shown;
      const last = seen.at(-1);
      if (kind === "text" && last?.[0] === "text") last[1] = `${last[1]}${text}`;
      else seen.push(shown);
    }
  } catch (error) {
    const { kind, message, status, retryable, retry_after_ms } = providerError(error, {
      provider: "openai",
      model: "gpt-4.1",
      api_key: "sk-test",
      signal: new AbortController().signal,
    });
    return { seen, failed: { kind, message, status, retryable, retry_after_ms } };
  }
  return { seen };
}

function shownOf(part: LanguageModelV4StreamPart): unknown[] | null {
  switch (part.type) {
    case "stream-start":
      return ["start", part];
    case "text-delta":
      return part.delta === "" ? null : ["text", part.delta];
    case "tool-call": {
      const { toolCallId, toolName, input } = part;
      // The library invents an id where the provider gave none.
      return ["call", toolCallId.startsWith("call_") ? toolCallId : "invented", toolName, input];
    }
    case "finish": {
      const { total, cacheRead } = part.usage.inputTokens;
      return [part.finishReason, total, cacheRead, part.usage.outputTokens.total];
    }
    default:
      return null;
  }
}

async function compare(text: string, status = 200, every = 7): Promise<unknown> {
  const ours = answering(text, status, every);
  const theirs = answering(text, status, every);
  const mine = await read(await chatCompletions(make, ours.answer));
  const wanted = await read(await make(theirs.answer));
  if (wanted.failed) expect(mine.failed).toEqual(wanted.failed);
  else expect(mine).toEqual(wanted);
  expect(ours.calls[0]?.url).toBe(theirs.calls[0]?.url);
  expect(ours.calls[0]?.body).toEqual(theirs.calls[0]?.body);
  for (const name of ["authorization", "content-type"])
    expect(ours.calls[0]?.headers.get(name)).toBe(theirs.calls[0]?.headers.get(name));
  return mine;
}

const events = (...chunks: unknown[]): string =>
  chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`).join("");
const delta = (of: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: of, finish_reason }],
});

test("a plain answer is read as the library reads it", async () => {
  const usage = { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 3 } };
  const text = events(
    delta({ content: "Grüß " }),
    delta({ content: "Gott" }, "stop"),
    { choices: [], usage },
    "[DONE]",
  );
  expect(await compare(text, 200, 1)).toMatchObject({ seen: [{}, ["text", "Grüß Gott"], {}] });
});

test("an error is told in the library's words, before the first words, after them and instead of an answer", async () => {
  const errors = [
    { error: { message: "slow down", type: "rate_limit_error", code: "rate_limit_exceeded" } },
    { error: { message: "too long", code: "context_length_exceeded" } },
    { error: { message: "no credit", code: "insufficient_quota" } },
    { choices: "none" },
    { choices: [], usage: { prompt_tokens: "3" } },
    { choices: [{ index: 0, delta: { role: "user", content: "a" } }] },
    { choices: [{ delta: { content: "a" } }] },
    { choices: [null] },
    { choices: [{ delta: { content: 5 } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, type: "other", function: { name: "a" } }] } }] },
    "{broken",
    "null",
  ];
  for (const error of errors) {
    await compare(events(error));
    await compare(events(delta({ content: "One " }), error, delta({ content: "two" }, "stop")));
    await compare(typeof error === "string" ? error : JSON.stringify(error), 429);
    await compare(typeof error === "string" ? error : JSON.stringify(error), 500);
  }
  await compare("", 503);
  await compare("");
});

test("whatever chunks arrive, cut anywhere, is read as the library reads it", async () => {
  const text = fc.option(fc.oneof(fc.constantFrom("", "a", "Grüß", "\n\ndata: x", "🙂"), fc.string()));
  const call = fc.record(
    {
      index: fc.constantFrom(0, 1, 2),
      id: fc.constantFrom("call_a", "call_b", "", null),
      type: fc.constant("function"),
      function: fc.record(
        {
          name: fc.constantFrom("weather", "find", ""),
          arguments: fc.constantFrom("", "{", "{}", '{"a":1}', '"a":1}'),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  );
  const chunk = fc.record(
    {
      choices: fc.array(
        fc.record(
          {
            index: fc.constant(0),
            delta: fc.option(
              fc.record(
                {
                  content: text,
                  refusal: fc.option(fc.constant("no"), { freq: 1 }),
                  tool_calls: fc.array(call, { maxLength: 2 }),
                },
                { requiredKeys: [] },
              ),
            ),
            finish_reason: fc.constantFrom(
              null,
              null,
              "stop",
              "length",
              "content_filter",
              "tool_calls",
              "odd",
            ),
          },
          { requiredKeys: ["index"] },
        ),
        { maxLength: 2 },
      ),
      error: fc.constant(null),
      usage: fc.constantFrom(null, { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }),
    },
    { requiredKeys: ["choices"] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(chunk, { maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      async (chunks, every) => {
        await compare(events(...chunks), 200, every);
      },
    ),
    { numRuns: rounds(300) },
  );
});

test("words before [DONE] are whole without a reason for their end; calls, and nothing, are not", async () => {
  const endOf = async (...chunks: unknown[]) => {
    const { answer } = answering(events(...chunks), 200, 1_000);
    const { stream } = await (await chatCompletions(make, answer)).doStream(OPTIONS);
    for await (const part of stream) if (part.type === "finish") return part.finishReason.unified;
    return null;
  };
  const words = delta({ content: "Sunny." });
  const call = delta({
    tool_calls: [{ index: 0, id: "a", function: { name: "weather", arguments: '{"a":1}' } }],
  });
  expect(await endOf(words, "[DONE]")).toBe("stop");
  expect(await endOf(words)).toBe("interrupted");
  expect(await endOf(words, call, "[DONE]")).toBe("interrupted");
  expect(await endOf("[DONE]")).toBe("interrupted");
});

test.each(["reasoning_content", "reasoning"])(
  "what a server tells of thoughts as %s is a sign of an answer",
  async (name) => {
    const thought = events(delta({ [name]: "They ask" }), delta({ content: "", [name]: " for Paris." }));
    const { answer } = answering(
      `${thought}${events(delta({ content: "Sunny." }, "stop"), "[DONE]")}`,
      200,
      1_000,
    );
    const { stream } = await (await chatCompletions(make, answer)).doStream(OPTIONS);
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual(["stream-start", "reasoning-delta", "text-delta", "finish"]);
  },
);

const FAILED = { choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }] };

test.each([
  ["beside choices", { ...FAILED, error: { code: 502, message: "the server behind it is gone" } }],
  ["by the end alone", FAILED],
  ["as the event itself", { object: "error", message: "out of memory", param: null, code: 500 }],
  ["as a text", { error: "out of memory" }],
])("an answer that a server gives up on is not taken for whole: told %s", async (_how, event) => {
  const choice = { provider: "openai" as const, model: "gpt-4.1", api_version: null };
  const signal = new AbortController().signal;
  for (const before of ["", events(delta({ content: "One moment, I am " }))]) {
    const { answer } = answering(`${before}${events(event, "[DONE]")}`, 200, 1_000);
    const model = resolveModel(choice, { openai: { api_key: "sk-test" } }, undefined, { fetch: answer });
    const asked = {
      messages: [],
      tools: [],
      tool_choice: "auto" as const,
      temperature: null,
      seed: null,
      signal,
    };
    await expect(readAnswer(model, asked)).rejects.toMatchObject({ kind: "unavailable", retryable: true });
  }
});

const LONG = "The decoder prompt (length 9254) is longer than the maximum model length of 8192.";

test.each([
  ["an older vLLM", { object: "error", message: LONG, type: "BadRequestError", code: 400 }],
  ["Ollama", { error: "the input length exceeds the context length" }],
  ["a gateway", { detail: "Input is too long for requested model." }],
  [
    "llama.cpp",
    { error: { code: 400, message: "the request exceeds the available context size, try increasing it" } },
  ],
  ["TGI", { error: "`inputs` must have less than 4096 tokens. Given: 5004", error_type: "validation" }],
])(
  "what %s says of a conversation that is too long is understood, so that it is shortened",
  async (_who, refusal) => {
    for (const status of [400, 422, 500]) {
      const { answer } = answering(JSON.stringify(refusal), status, 1_000);
      expect(await read(await chatCompletions(make, answer))).toMatchObject({ failed: { kind: "too-long" } });
    }
  },
);
