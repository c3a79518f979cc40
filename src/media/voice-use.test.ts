import { expect, test } from "vitest";
import { bothUses, NO_USE, VoiceMeter } from "./voice-use.ts";

const engines = (hearing_usd?: number) => ({
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
  const meter = new VoiceMeter();
  const { hearing, speaking } = engines(0.6);
  const ours = { hearing: meter.hearing(hearing), speaking: meter.speaking(speaking) };
  expect(meter.use()).toEqual(NO_USE);
  const listening = { language: "en-US", expected: [] };
  for (const ear of [ours.hearing.open(listening, () => {}), ours.hearing.open(listening, () => {})])
    for (let frame = 0; frame < 50; frame++) ear.push(new Int16Array(320));
  const utterance = { text: "Hello.", language: "en-US", voice: null, speed: null };
  for await (const _ of ours.speaking.speak(utterance, new AbortController().signal)) break;
  expect(meter.use()).toEqual({
    hearing_ms: 2000,
    speaking_ms: 500,
    cost_usd: expect.closeTo((2 * 0.6 + 0.5 * 0.06) / 60, 9),
  });
});

test("the cost of two lines is the sum of both, and unknown where one is", () => {
  const meter = new VoiceMeter();
  const ear = meter.hearing(engines().hearing).open({ language: "en-US", expected: [] }, () => {});
  expect(meter.use().cost_usd).toBe(0);
  ear.push(new Int16Array(320));
  const known = { hearing_ms: 10, speaking_ms: 20, cost_usd: 0.5 };
  expect(bothUses(known, known)).toEqual({ hearing_ms: 20, speaking_ms: 40, cost_usd: 1 });
  expect(bothUses(known, meter.use()).cost_usd).toBeNull();
});

test("an engine that charges by text costs what it was given to say, also where it was cut short", async () => {
  const meter = new VoiceMeter();
  const speaking = meter.speaking({ ...engines().speaking, thousand_characters_usd: 0.05 });
  const utterance = { text: "x".repeat(200), language: "en-US", voice: null, speed: null };
  for await (const _ of speaking.speak(utterance, new AbortController().signal)) break;
  expect(meter.use()).toMatchObject({ speaking_ms: 500, cost_usd: expect.closeTo(0.01, 9) });
});
