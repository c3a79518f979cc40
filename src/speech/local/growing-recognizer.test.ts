import fc from "fast-check";
import { expect, test } from "vitest";
import { HEARING_RATE } from "../hearing.ts";
import { growingRecognizer, type WholeModel } from "./growing-recognizer.ts";

const FRAME = HEARING_RATE / 50;
const frames = (seconds: number) => Array.from({ length: seconds * 50 }, () => new Int16Array(FRAME));
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Tells how many tenths of a second it was given. */
function counting({ isFree = (): boolean => true } = {}) {
  const given: number[] = [];
  const model: WholeModel = {
    get isFree() {
      return isFree();
    },
    async understand(samples) {
      given.push(samples.length / HEARING_RATE);
      return `${Math.round((10 * samples.length) / HEARING_RATE)},`;
    },
  };
  return { given, model };
}

async function say(recognizer: ReturnType<typeof growingRecognizer>, seconds: number): Promise<string[]> {
  const told: string[] = [];
  for (const frame of frames(seconds)) {
    told.push(recognizer.push(frame));
    await settle();
  }
  return told;
}

test("words come while somebody speaks, without the marks that only an end has", async () => {
  const recognizer = growingRecognizer(counting().model);
  recognizer.begin();
  const told = await say(recognizer, 1);
  expect([...new Set(told)]).toEqual(["", "4", "6", "8"]);
});

test("hearing while somebody speaks takes at most four and a half times what hearing once takes, however long they speak", async () => {
  for (const seconds of [1, 3, 8, 11]) {
    const { given, model } = counting();
    const recognizer = growingRecognizer(model);
    recognizer.begin();
    await say(recognizer, seconds);
    recognizer.pause?.();
    await recognizer.end();
    expect(given.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(4.5 * seconds);
  }
});

test("what was understood at the pause is the end's, and is not asked for twice", async () => {
  const { given, model } = counting({ isFree: () => false });
  const recognizer = growingRecognizer(model);
  recognizer.begin();
  await say(recognizer, 1);
  recognizer.pause?.();
  await say(recognizer, 0.5);
  recognizer.pause?.();
  await say(recognizer, 0.3);
  expect(await recognizer.end()).toBe("15,");
  expect(given).toEqual([1, 1.5]);
});

test("of pauses that somebody went on after, those whose turn has not come are no longer wanted", async () => {
  const turns: (() => void)[] = [];
  const wanted: (boolean | undefined)[] = [];
  const recognizer = growingRecognizer({
    isFree: false,
    understand: (samples, asked) =>
      new Promise((resolve) => {
        turns.push(() => {
          wanted.push(asked?.isWanted);
          resolve(`${samples.length / HEARING_RATE}`);
        });
      }),
  });
  recognizer.begin();
  for (let pause = 0; pause < 3; pause++) {
    await say(recognizer, 1);
    recognizer.pause?.();
  }
  const end = recognizer.end();
  recognizer.begin();
  for (const come of turns) come();
  expect(await end).toBe("3");
  expect(wanted).toEqual([false, false, true]);
});

test("for all lengths, every sample is understood once at the end, in pieces of at most 12 s, and in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 70 }), async (seconds) => {
      const heard: number[] = [];
      const model: WholeModel = {
        isFree: false,
        async understand(samples) {
          heard.push(samples.length / HEARING_RATE);
          return `${samples[0]}`;
        },
      };
      const recognizer = growingRecognizer(model);
      recognizer.begin();
      for (let second = 0; second < seconds; second++)
        recognizer.push(new Int16Array(HEARING_RATE).fill(second));
      const words = await recognizer.end();
      expect(heard.reduce((sum, one) => sum + one, 0)).toBe(seconds);
      expect(Math.max(...heard)).toBeLessThanOrEqual(12);
      const begun = Array.from({ length: Math.ceil(seconds / 12) }, (_, piece) => String(piece * 12));
      expect(String(words).split(" ").slice(0, begun.length)).toEqual(begun);
    }),
    { numRuns: 20 },
  );
});

test("words of the utterance before never come with the next, however late they are", async () => {
  const late: ((words: string) => void)[] = [];
  const recognizer = growingRecognizer({
    isFree: true,
    understand: () => new Promise((resolve) => late.push(resolve)),
  });
  recognizer.begin();
  await say(recognizer, 0.5);
  const end = recognizer.end();
  recognizer.begin();
  for (const tell of late) tell("of the first");
  await settle();
  expect(recognizer.push(new Int16Array(FRAME))).toBe("");
  expect(await end).toBe("of the first");
});

test("a failure on the way is no end; at the end it is told", async () => {
  const recognizer = growingRecognizer({
    isFree: true,
    understand: () => Promise.reject(new Error("no memory")),
  });
  recognizer.begin();
  await say(recognizer, 25);
  await expect(recognizer.end()).rejects.toThrow("no memory");
});
