import fc from "fast-check";
import { expect, test } from "vitest";
import { NOTHING_SENT, partsOf, refsOf, type SentParts, sentSoFar } from "./sent-parts.ts";

const key = fc.constantFrom(..."abcdefgh").map((letter) => letter.repeat(22));
const round: fc.Arbitrary<SentParts> = fc.record({
  messages: fc.array(key, { maxLength: 12 }),
  tools: fc.option(key),
});

test("the parts of every round are read back from the references of all rounds, also where the first ones are known", () => {
  fc.assert(
    fc.property(fc.array(round, { maxLength: 8 }), (rounds) => {
      const refs = rounds.map((parts, at) => refsOf(parts, rounds[at - 1] ?? null));
      let before: SentParts | null = null;
      for (const [at, each] of refs.entries()) {
        before = partsOf(each, before);
        expect(before).toEqual(rounds[at]);
      }
      const stored = JSON.parse(JSON.stringify(refs));
      const { known, last } = sentSoFar(stored);
      for (const [read] of stored.entries())
        expect(sentSoFar(stored.slice(read), sentSoFar(stored.slice(0, read)))).toEqual({ known, last });
      expect(last).toEqual(rounds.at(-1) ?? NOTHING_SENT.last);
      expect(known).toEqual(
        new Set(rounds.flatMap(({ messages, tools }) => [...messages, ...(tools === null ? [] : [tools])])),
      );
    }),
  );
});

test("a conversation that goes on names the round before and what is new", () => {
  const before = { messages: ["system", "user", "assistant"], tools: "tools" };
  const now = { messages: ["system", "user", "assistant", "user 2"], tools: "tools" };
  const refs = refsOf(now, before);
  expect(refs).toMatchObject({ messages: [[0, 3], "user 2"], same_tools: true });
  expect(refs).not.toHaveProperty("tools");
  const instructed = { messages: ["system 2", ...now.messages.slice(1)], tools: null };
  expect(refsOf(instructed, now)).toMatchObject({ messages: ["system 2", [1, 3]], tools: null });
});

test("references to a round that is gone are told from those that hold", () => {
  const before = { messages: ["system", "user"], tools: "tools" };
  const refs = refsOf({ messages: ["system", "user", "assistant"], tools: "tools" }, before);
  expect(partsOf(refs, null)).toBeNull();
  expect(partsOf(refs, { messages: ["other", "user"], tools: "tools" })).toBeNull();
});
