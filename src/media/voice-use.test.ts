import { expect, test } from "vitest";
import { bothUses, counted, NO_USE } from "./voice-use.ts";

const engines = (hearing_usd?: number) => ({
  missing: null,
  detection: null,
  hearing: {
    name: "ear",
    ...(hearing_usd === undefined ? {} : { minute_usd: hearing_usd }),
    open: () => ({ push() {}, close() {} }),
  },
  speaking: {
    name: "mouth",
    minute_usd: 0.06,
    rate: 8000,
    async *speak() {
      yield { samples: new Int16Array(4000), aligned: [] };
      yield { samples: new Int16Array(4000), aligned: [] };
    },
  },
});

test("what ears are given and what is made to be spoken is counted, with all ears of a line and its price", async () => {
  const { engines: ours, use } = counted(engines(0.6));
  expect(use()).toEqual(NO_USE);
  const listening = { language: "en-US", expected: [] };
  for (const ear of [ours.hearing.open(listening, () => {}), ours.hearing.open(listening, () => {})])
    for (let frame = 0; frame < 50; frame++) ear.push(new Int16Array(320));
  const utterance = { text: "Hello.", language: "en-US", voice: null, speed: null };
  for await (const _ of ours.speaking.speak(utterance, new AbortController().signal)) break;
  expect(use()).toEqual({
    hearing_ms: 2000,
    speaking_ms: 500,
    cost_usd: expect.closeTo((2 * 0.6 + 0.5 * 0.06) / 60, 9),
  });
});

test("the cost of two lines is the sum of both, and unknown where one is", () => {
  const known = { hearing_ms: 10, speaking_ms: 20, cost_usd: 0.5 };
  expect(bothUses(known, known)).toEqual({ hearing_ms: 20, speaking_ms: 40, cost_usd: 1 });
  expect(bothUses(known, counted(engines()).use()).cost_usd).toBeNull();
});
