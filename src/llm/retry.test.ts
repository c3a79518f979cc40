import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type LlmServer, startLlmServer } from "../../test/harness/llm-server.ts";
import { movedClock } from "../base/clock.ts";
import { type LanguageModel, type ModelError, type ModelRequest, readAnswer } from "./model.ts";
import { resolveModel } from "./providers.ts";
import { withRetry } from "./retry.ts";
import { withTimeouts } from "./timeouts.ts";

let server: LlmServer;
beforeAll(async () => {
  server = await startLlmServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

const openai = () =>
  resolveModel({ provider: "openai", model: "gpt-4.1", api_version: null }, server.settings);

const request: ModelRequest = {
  messages: [{ role: "user", text: "What is the weather in Paris?" }],
  tools: [],
  tool_choice: "auto",
  temperature: null,
  seed: null,
  signal: new AbortController().signal,
};

const failure = (work: Promise<unknown>): Promise<ModelError> =>
  work.then(
    () => expect.unreachable("this should have failed"),
    (thrown) => thrown,
  );

test("a key without credit is not tried again", async () => {
  server.reply({ status: 429, error: { message: "quota", code: "insufficient_quota" } });
  const error = await failure(readAnswer(withRetry(openai(), { wait_ms: 1 }), request));
  expect(error.message).toBe("OpenAI has no credit left for this API key. (HTTP 429)");
  expect(server.requests).toHaveLength(1);
});

test("a wait longer than a caller would bear is not waited", async () => {
  server.reply({ status: 429, headers: { "retry-after": "60" } });
  const error = await failure(readAnswer(withRetry(openai()), request));
  expect(error).toMatchObject({ kind: "rate-limited", retry_after_ms: 60_000 });
  expect(server.requests).toHaveLength(1);
});

test("a provider that is silent gets a second chance, and its time limit is told apart from a cancellation", async () => {
  const clock = movedClock("2026-11-18T12:00:00Z");
  const limits = { first_token_ms: 60, between_tokens_ms: 5_000, total_ms: 5_000 };
  const timed = withTimeouts(openai(), limits, clock);
  const seen = async (count: number) => {
    while (server.requests.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  const heard = async () => {
    let text = "";
    for await (const part of withRetry(timed).stream(request)) if (part.type === "text") text += part.delta;
    return text;
  };
  server.reply({ text: ["late"], after: { events: 0, comes: "hang" } }, { text: ["fine"] });
  const answer = heard();
  await seen(1);
  clock.advance(60);
  expect(await answer).toBe("fine");

  server.reply({ text: ["word "], after: { events: 2, comes: "hang" } });
  const slow = withTimeouts(openai(), { ...limits, total_ms: 80 }, clock);
  const error = await failure(
    (async () => {
      for await (const part of slow.stream(request)) if (part.type === "text") clock.advance(80);
    })(),
  );
  expect(error).toMatchObject({ kind: "timeout", retryable: false });
  expect(error.message).toBe("The language model did not finish within 0.08 s.");
});

test("a clock that is set back while a provider is silent lengthens the wait by no more than the wait", async () => {
  const clock = movedClock("2026-11-18T12:00:00Z");
  // Timers of the runtime take no notice of a clock that is set.
  let back_ms = 0;
  const setBack = {
    ...clock,
    now: () => new Date(clock.now().getTime() - back_ms),
    wakeAt: (at: Date, wake: () => void) => clock.wakeAt(new Date(at.getTime() + back_ms), wake),
  };
  const limits = { first_token_ms: 60_000, between_tokens_ms: 60_000, total_ms: 600_000 };
  const silent: LanguageModel = {
    ...openai(),
    async *stream({ signal }) {
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  };
  const answer = failure(readAnswer(withTimeouts(silent, limits, setBack), request));
  back_ms = 3_600_000;
  clock.advance(120_000);
  expect((await answer).message).toBe("The language model did not begin to answer within 60 s.");
});
