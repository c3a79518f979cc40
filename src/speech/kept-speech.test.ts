import { expect, test } from "vitest";
import { keepingSpeech } from "./kept-speech.ts";
import type { SpokenAudio, Utterance } from "./speaking.ts";

const utterance = (text: string): Utterance => ({ text, language: "en-US", voice: null, speed: null });
const all = async (speech: AsyncIterable<SpokenAudio>) => {
  const parts: SpokenAudio[] = [];
  for await (const part of speech) parts.push(part);
  return parts;
};

function mouth(most_bytes = 1000) {
  const made: string[] = [];
  const speaking = keepingSpeech(
    {
      name: "mouth",
      rate: 8000,
      async *speak({ text }: Utterance, _signal: AbortSignal) {
        made.push(text);
        await Promise.resolve();
        yield { samples: new Int16Array(text.length), aligned: [] };
      },
    },
    { most_bytes },
  );
  const say = (text: string) => all(speaking.speak(utterance(text), new AbortController().signal));
  return { made, say };
}

test("what comes again is made once, also where it is asked for twice at the same time, and is told apart", async () => {
  const { made, say } = mouth();
  const [first, second] = await Promise.all([say("hello"), say("hello")]);
  expect(made).toEqual(["hello"]);
  expect(first).toEqual([{ samples: new Int16Array(5), aligned: [] }]);
  expect(second).toEqual([{ samples: new Int16Array(5), aligned: [], isKept: true }]);
});

test("the least recently said is let go", async () => {
  const { made, say } = mouth(20);
  await say("aaaaa");
  await say("bbbbb");
  await say("aaaaa");
  await say("ccccc");
  await say("aaaaa");
  await say("bbbbb");
  expect(made).toEqual(["aaaaa", "bbbbb", "ccccc", "bbbbb"]);
});
