import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PronunciationOverride } from "./pronunciation-file.ts";
import { withPronunciations } from "./speech-text.ts";

const override = (
  text: string,
  replacement: string,
  more: Partial<PronunciationOverride> = {},
): PronunciationOverride => ({
  text,
  replacement,
  languages: [],
  provider: "",
  voice: "",
  match_type: "exact",
  match_options: [],
  enabled: true,
  notes: "",
  ...more,
});
const US = { language: "en-US", provider: "OpenAI", voice: "openai:alloy" };
const say = (text: string, ...overrides: PronunciationOverride[]) => withPronunciations(text, overrides, US);

describe("a text that is spoken", () => {
  test.each([
    ["whole words, whatever their case", "AI said: ai, maid", [override("AI", "A I")], "A I said: A I, maid"],
    ["anywhere", "maid", [override("ai", "A I", { match_type: "substring" })], "mA Id"],
    [
      "whole words of a text without blanks",
      "東京はAIの都市",
      [override("東京", "とうきょう"), override("AI", "エーアイ")],
      "とうきょうはエーアイの都市",
    ],
    ["whole words before their endings", "김치는 치다", [override("치", "chi")], "김치는 chi다"],
    ["by case", "AI ai", [override("AI", "A I", { match_options: ["case_sensitive"] })], "A I ai"],
    ["only the first", "AI AI", [override("AI", "A I", { match_options: ["first_only"] })], "A I AI"],
    [
      "the longer at one place",
      "New York City",
      [override("New York", "NY"), override("New York City", "NYC")],
      "NYC",
    ],
    ["the earlier of two", "AI", [override("AI", "one"), override("ai", "two")], "one"],
    ["never another's replacement", "AI", [override("AI", "B I"), override("B", "C")], "B I"],
    [
      "signs as signs",
      "C++ a.b",
      [override("C++", "see plus plus"), override("a.b", "dot")],
      "see plus plus dot",
    ],
    [
      "words of any script",
      "東京 です。 Müllers",
      [override("東京", "tokyo"), override("Müller", "x")],
      "tokyo です。 Müllers",
    ],
    ["what is enabled", "AI", [override("AI", "x", { enabled: false })], "AI"],
    [
      "its language",
      "AI",
      [override("AI", "x", { languages: ["fr-FR"] }), override("AI", "y", { languages: ["en"] })],
      "y",
    ],
    [
      "its provider",
      "AI",
      [override("AI", "x", { provider: "Google" }), override("AI", "y", { provider: "openai" })],
      "y",
    ],
    [
      "its voice",
      "AI",
      [override("AI", "x", { voice: "openai:ash" }), override("AI", "y", { voice: "openai:alloy" })],
      "y",
    ],
  ])("has replaced %s", (_, text, overrides, spoken) => expect(say(text, ...overrides)).toBe(spoken));

  test("keeps all that no override matches, for any text and any rule", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.boolean(), (text, word, exact) => {
        const same = override(word, "", { match_type: exact ? "exact" : "substring" });
        const spoken = say(text, same);
        expect(spoken.length).toBeLessThanOrEqual(text.length);
        if (!text.toLowerCase().includes(word.toLowerCase()) && text.length < 20)
          expect(text).toContain(spoken.slice(0, 1));
      }),
    );
  });
});
