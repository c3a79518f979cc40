import { SPACED } from "../base/writing/scripts.ts";
import type { PronunciationOverride } from "./pronunciation-file.ts";

/** Who speaks a text. `voice` is a voice's variable name. */
export type Speaker = { language: string; provider: string; voice: string };

type Match = { start: number; end: number; replacement: string; rule: number };

/** A text as it is to be spoken, by the overrides of a dictionary. Pure. */
export function withPronunciations(
  text: string,
  overrides: readonly PronunciationOverride[],
  speaker: Speaker,
): string {
  let spoken = "";
  let at = 0;
  for (const { start, end, replacement } of pronunciationsIn(text, overrides, speaker)) {
    spoken += text.slice(at, start) + replacement;
    at = end;
  }
  return spoken + text.slice(at);
}

/**
 * What is replaced, in the order of the text. All that match are found in the text as it stands, so none is applied to
 * another's replacement; where two begin at one place the longer wins, then the earlier rule.
 */
export function pronunciationsIn(
  text: string,
  overrides: readonly PronunciationOverride[],
  speaker: Speaker,
): Match[] {
  const lower = text.toLowerCase();
  const matches = overrides
    .flatMap((override, rule) =>
      // A dictionary has thousands of entries, of which a sentence has few.
      lower.includes(override.text.toLowerCase()) && isFor(override, speaker)
        ? matchesOf(text, override, rule)
        : [],
    )
    .toSorted((a, b) => a.start - b.start || b.end - a.end || a.rule - b.rule);
  const spentRules = new Set<number>();
  const applied: Match[] = [];
  let at = 0;
  for (const match of matches) {
    const { start, end, rule } = match;
    if (start < at || spentRules.has(rule)) continue;
    applied.push(match);
    at = end;
    if (overrides[rule]?.match_options.includes("first_only")) spentRules.add(rule);
  }
  return applied;
}

/** Empty languages, provider and voice mean all; `en` means every English. */
function isFor(override: PronunciationOverride, { language, provider, voice }: Speaker): boolean {
  const { enabled, languages } = override;
  const code = language.toLowerCase();
  const spoken = languages.map((entry) => entry.toLowerCase());
  return (
    enabled &&
    (spoken.length === 0 || spoken.some((entry) => entry === code || code.startsWith(`${entry}-`))) &&
    (override.provider === "" || override.provider.toLowerCase() === provider.toLowerCase()) &&
    (override.voice === "" || override.voice === voice)
  );
}

/** What makes a word longer: a match beside it is part of another word. Of Korean only what stands before it does. */
const IN_WORD = String.raw`[${SPACED}\p{N}_]`;

function matchesOf(text: string, override: PronunciationOverride, rule: number): Match[] {
  if (override.text === "") return [];
  const words = RegExp.escape(override.text);
  const before = /^\p{scx=Hang}/u.test(override.text) ? String.raw`(?<!\p{scx=Hang})` : "";
  const whole = override.match_type === "exact" ? `(?<!${IN_WORD})${before}${words}(?!${IN_WORD})` : words;
  const flags = override.match_options.includes("case_sensitive") ? "gv" : "giv";
  const { replacement } = override;
  return [...text.matchAll(new RegExp(whole, flags))].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    replacement,
    rule,
  }));
}
