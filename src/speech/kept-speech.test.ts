import { once } from "node:events";
import { expect, test } from "vitest";
import { keepingSpeech, SpeechStore } from "./kept-speech.ts";
import type { Speaking, SpokenAudio, Utterance } from "./speaking.ts";

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
    { store: new SpeechStore(most_bytes) },
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

/** A service, whose sentences come in two parts when they are let through. */
function service() {
  const made: string[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const voice: Speaking = {
    name: "service",
    rate: 8000,
    async *speak({ text }: Utterance, _signal: AbortSignal) {
      made.push(text);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      yield { samples: new Int16Array(1), aligned: [] };
      await gate.promise;
      yield { samples: new Int16Array(text.length), aligned: [] };
    },
  };
  const store = new SpeechStore();
  const of = (scope: string) => keepingSpeech(voice, { store, scope, only_beforehand: true });
  const say = (speaking: Speaking, text: string) =>
    speaking.speak(utterance(text), new AbortController().signal);
  return { made, gates, of, say };
}

test("of a service only what was made beforehand is kept, for its account alone, and the first line is charged for it", async () => {
  const { made, gates, of, say } = service();
  const [ours, theirs] = [of("our account"), of("another account")];
  const making = ours.beforehand?.make(utterance("Hello."));
  expect(ours.beforehand?.has(utterance("Hello."))).toBe(true);
  expect(theirs.beforehand?.has(utterance("Hello."))).toBe(false);
  // A line that opens meanwhile has its first part already.
  const line = say(ours, "Hello.")[Symbol.asyncIterator]();
  expect((await line.next()).value).toEqual({ samples: new Int16Array(1), aligned: [] });
  gates[0]?.resolve();
  await making;
  expect((await line.next()).value).toEqual({ samples: new Int16Array(6), aligned: [] });
  expect((await line.next()).done).toBe(true);
  expect((await all(say(ours, "Hello."))).map(({ isKept }) => isKept)).toEqual([true, true]);
  expect(made).toEqual(["Hello."]);
  const answers = [say(ours, "No."), say(ours, "No."), say(theirs, "Hello.")].map(all);
  await expect.poll(() => gates.length).toBe(4);
  for (const gate of gates) gate.resolve();
  await Promise.all(answers);
  expect(made).toEqual(["Hello.", "No.", "No.", "Hello."]);
});

test("where it can't be made beforehand, the line makes it", async () => {
  const { made, gates, of, say } = service();
  const ours = of("our account");
  const making = ours.beforehand?.make(utterance("Hello.")).catch((error) => error.message);
  const line = all(say(ours, "Hello."));
  gates[0]?.reject(new Error("the service is gone"));
  expect(await making).toBe("the service is gone");
  await expect(line).rejects.toThrow("the service is gone");
  const again = all(say(ours, "Hello."));
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.resolve();
  expect((await again).map(({ isKept }) => isKept)).toEqual([undefined, undefined]);
  expect(made).toEqual(["Hello.", "Hello."]);
});

test("what was not made in time is not kept as whole: the line that says it makes it", async () => {
  const said: string[] = [];
  const speaking: Speaking = {
    name: "slow at first",
    rate: 8000,
    async *speak({ text }: Utterance, signal: AbortSignal) {
      said.push(text);
      yield { samples: new Int16Array(1), aligned: [] };
      // As engines do: who is told to stop makes no more, and does not complain.
      if (said.length === 1) await once(signal, "abort");
      if (!signal.aborted) yield { samples: new Int16Array(text.length), aligned: [] };
    },
  };
  const kept = keepingSpeech(speaking, { only_beforehand: true, making_ms: 1 });
  await kept.beforehand?.make(utterance("Hello.")).catch(() => {});
  expect(kept.beforehand?.has(utterance("Hello."))).toBe(false);
  const parts = await all(kept.speak(utterance("Hello."), new AbortController().signal));
  expect(parts.map(({ samples }) => samples.length)).toEqual([1, 6]);
  expect(said).toEqual(["Hello.", "Hello."]);
});
