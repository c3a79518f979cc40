import fc from "fast-check";
import { expect, test } from "vitest";
import { choosePhrases, type PhraseSources, phraseAt, phraseWait_ms } from "./choose-phrases.ts";

const set = (message: string, localized: Record<string, string> = {}) => ({
  messages: message === "" ? [] : [message],
  localized: Object.fromEntries(Object.entries(localized).map(([tag, text]) => [tag, { messages: [text] }])),
});
const scoped = (agent_id: number | null, tool_name: string | null, config: object) => ({
  agent_id,
  tool_name,
  config: { messages: [], ...config },
});
const ALL: PhraseSources = {
  agent_id: 1,
  named: {
    phrases: set("config", { es: "config es", "es-US": "config es-US" }),
    tools: [{ tool_name: "find", phrases: set("tool", { es: "tool es" }) }],
    smart_turn_timeout_seconds: 1.5,
    randomize_bridge_phrases: true,
  },
  scoped: [
    scoped(1, "find", { messages: ["agent and tool"] }),
    scoped(1, null, { messages: ["agent"], localized: { es: { messages: ["agent es"] } } }),
    scoped(null, "find", { tool_responses: ["tool response"], first_slow_messages: ["slow"] }),
    scoped(null, null, { first_slow_messages: ["slow"], very_slow_messages: ["very slow"] }),
  ],
};
const without = (
  named: Partial<NonNullable<PhraseSources["named"]>> | null,
  ...scopes: number[]
): PhraseSources => ({
  ...ALL,
  named: named && { ...(ALL.named as NonNullable<PhraseSources["named"]>), ...named },
  scoped: scopes.map((index) => ALL.scoped[index] as PhraseSources["scoped"][number]),
});

test.each<[string, PhraseSources, string | null, string, string[]]>([
  ["the tool in the language", ALL, "find", "es-US", ["tool es"]],
  ["the tool", ALL, "find", "fr-FR", ["tool"]],
  ["the configuration in the exact language", ALL, "other", "es-US", ["config es-US"]],
  ["the configuration in the base language", ALL, null, "es-MX", ["config es"]],
  ["the configuration", ALL, null, "en-US", ["config"]],
  [
    "an empty tool falls to the configuration",
    without({ tools: [{ tool_name: "find", phrases: set("") }] }),
    "find",
    "en-US",
    ["config"],
  ],
  ["agent and tool", without(null, 0, 1, 2, 3), "find", "en-US", ["agent and tool"]],
  ["agent", without(null, 0, 1, 2, 3), "other", "en-US", ["agent"]],
  ["agent in the language", without(null, 1), null, "es-US", ["agent es"]],
  ["tool for everybody, its answers first", without(null, 2, 3), "find", "en-US", ["tool response", "slow"]],
  ["everybody, slow ones before very slow ones", without(null, 3), "other", "en-US", ["slow", "very slow"]],
  ["nothing", without(null), "find", "en-US", []],
])("phrases come from the first place that has any: %s", (_what, sources, tool_name, language, messages) => {
  expect(choosePhrases(sources, { tool_name, language }).messages).toEqual(messages);
});

test("the place that has the phrases says when, and whether at random; 2.75 s where none says", () => {
  expect(choosePhrases(ALL, { tool_name: null, language: "en-US" })).toMatchObject({
    base_ms: 1500,
    random: true,
  });
  expect(choosePhrases(without(null, 1), { tool_name: null, language: "en-US" })).toMatchObject({
    base_ms: 2750,
    random: false,
  });
});

test("waits grow to four times the base and stay there", () => {
  expect([0, 1, 2, 3, 4, 9].map((n) => phraseWait_ms(1000, n))).toEqual([1000, 2000, 3000, 4000, 4000, 4000]);
});

test("at random, each phrase comes once in every round and never twice in a row; the seed decides the order", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 6 }), fc.integer(), (count, seed) => {
      const messages = Array.from({ length: count }, (_, index) => String(index));
      const heard = Array.from({ length: count * 4 }, (_, n) => phraseAt(messages, true, seed, n));
      for (let round = 0; round < 4; round++) {
        expect(heard.slice(round * count, (round + 1) * count).toSorted()).toEqual(messages);
      }
      for (const [n, text] of heard.entries()) expect(text).not.toBe(heard[n + 1]);
      expect(heard).toEqual(heard.map((_, n) => phraseAt(messages, true, seed, n)));
    }),
  );
});
