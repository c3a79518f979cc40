import { expect, test } from "vitest";
import { parseSpeechPrices } from "../base/engine-order.ts";
import { hearingPrice, speakingPrice } from "./speech-prices.ts";

const none = { hearing: {}, speaking: {} };

test("the operator's price replaces the list price, and a price nobody found is unknown", () => {
  const own = parseSpeechPrices("deepgram.hearing=0.0065, deepgram.speaking=0.03,openai.speaking=0.02");
  expect(own).toEqual({ hearing: { deepgram: 0.0065 }, speaking: { deepgram: 0.03, openai: 0.02 } });
  expect(hearingPrice("deepgram", own ?? none)).toEqual({ minute_usd: 0.0065 });
  expect(hearingPrice("deepgram", none)).toEqual({ minute_usd: 0.0078 });
  expect(speakingPrice("deepgram", none)).toEqual({});
  expect(speakingPrice("openai", own ?? none)).toEqual({ thousand_characters_usd: 0.02 });
  expect(speakingPrice("offline", none)).toEqual({ minute_usd: 0 });
});

test("what is no price is not taken for one", () => {
  for (const text of [
    "",
    "deepgram=1",
    "deepgram.hearing=-1",
    "elevenlabs.hearing=1",
    "deepgram.hearing=1e3",
  ])
    expect(parseSpeechPrices(text), text).toBeNull();
});
