import { expect, test } from "vitest";
import { catalogueOf } from "../llm/catalogue.ts";
import { usedCost } from "../llm/used-cost.ts";
import { costOf, estimateTool, tokensOfAll } from "./tool-cost.ts";
import { transcriptionPrice } from "./transcription-prices.ts";

const catalogue = catalogueOf();
const asking = (tool_arguments: object, insight_tool_definition_id = 1) => ({
  id: 7,
  name: "tool",
  insight_tool_definition_id,
  tool_arguments,
});
const priced = { provider: "openai", model: "gpt-6-sol", prompt: "x".repeat(400) };

test("what was used costs list prices, cached tokens theirs, and what nobody counted nothing", () => {
  const price = { input_usd: 2, output_usd: 10, cached_input_usd: 0.2 };
  const used = (
    input_tokens: number | null,
    output_tokens: number | null,
    cached_input_tokens: number | null,
  ) => usedCost({ input_tokens, output_tokens, cached_input_tokens }, price);
  expect(used(1000, 200, null)).toBeCloseTo(0.004, 12);
  expect(used(1000, 200, 500)).toBeCloseTo(0.0031, 12);
  expect(used(null, null, null)).toBe(0);
  // A provider that counts more cached tokens than there were is not paid for it.
  expect(used(100, 0, 500)).toBeCloseTo(0.00002, 12);
});

test("a tool that ran is judged by its runs, one that did not by transcript and prompt, and any other not at all", () => {
  const known = { transcript_characters: 4000, catalogue };
  const measured = { runs: 3, input_tokens: 1000, output_tokens: 200 };
  expect(estimateTool(asking(priced), { ...known, measured })).toMatchObject({
    basis: "measured",
    measured_runs: 3,
    input_tokens: 1000,
    cost_usd: 0.004,
    price: { input_usd: 2, source: expect.any(String) },
  });
  const guessed = estimateTool(asking(priced), { ...known, measured: undefined });
  expect(guessed).toMatchObject({ basis: "transcripts", measured_runs: 0, output_tokens: 60 });
  expect(guessed.input_tokens).toBeGreaterThan(1100);
  expect(guessed.input_tokens).toBeLessThan(1300);
  for (const [tool, characters] of [
    [asking(priced), 0],
    [asking({ pattern: "x" }, 5), 4000],
    [asking({ nonsense: true }), 4000],
    [asking({}, 99), 4000],
  ] as const) {
    expect(
      estimateTool(tool, { measured: undefined, transcript_characters: characters, catalogue }),
    ).toMatchObject({ basis: "none", input_tokens: 0, cost_usd: 0 });
  }
});

test("transcription costs by the minute, and all tools together what each costs", () => {
  const known = { measured: undefined, transcript_characters: 4000, catalogue };
  const transcribe = estimateTool(asking({ provider: "deepgram" }, 2), known);
  // 0.0043 a minute, and 0.002 for telling speakers apart.
  expect(transcribe).toMatchObject({ price: null, minute_price: { minute_usd: 0.0063 } });
  const ask = estimateTool(asking(priced), known);
  expect(costOf([transcribe, ask], { count: 10, duration_s: 600 })).toBeCloseTo(0.063 + 10 * ask.cost_usd, 9);
  expect(tokensOfAll([transcribe, ask], 10)).toEqual({
    input_tokens: 10 * ask.input_tokens,
    output_tokens: 600,
  });
  const priceOf = (provider: "openai" | "deepgram", model: string, diarize: boolean) =>
    transcriptionPrice({ provider, model, diarize })?.minute_usd;
  expect(priceOf("openai", "gpt-4o-mini-transcribe-2025-12-15", true)).toBe(0.003);
  expect(priceOf("deepgram", "nova-3", false)).toBe(0.0043);
  expect(priceOf("openai", "a-model-of-ours", true)).toBeUndefined();
});
