import type { SnapshotLanguageGroup } from "../../agents/snapshot.ts";
import { asciiDigits } from "../../redaction/digit-runs.ts";
import { wordsOf } from "./language-words.ts";

/*
 * The language menu, which replaces `{{ language.mode }}` in a greeting: a key or number for each language of the agent's
 * group. Pure.
 */

/** The tag in templates; it is no variable of a session. */
const TAG = /\{\{\s*language\.mode\s*\}\}/;

export const holdsMenu = (text: string): boolean => TAG.test(text);

/** The texts before and after the tag. */
export const splitAtMenu = (text: string): string[] => text.split(new RegExp(TAG, "g"));

type MenuEntry = { key: string; language: string };

/** The languages other than the current one, in the group's order. */
export function menuEntries(group: SnapshotLanguageGroup | null, current: string): MenuEntry[] {
  if (!group) return [];
  return group.language_configs
    .filter((config) => {
      const skips = config.skip_current_language_in_message ?? group.skip_current_language_in_message;
      return config.language_code !== current || !skips;
    })
    .map((config) => ({ key: String(config.dtmf_code), language: config.language_code }));
}

/** The spoken menu: each line in the language that it offers, for that language's voice. */
export const spokenMenu = (entries: MenuEntry[]): { text: string; language: string }[] =>
  entries.map(({ key, language }) => ({ text: wordsOf(language).press.replace("{key}", key), language }));

/** The written menu: "1 English / 2 Español". */
export const writtenMenu = (entries: MenuEntry[]): string =>
  entries.map(({ key, language }) => `${key} ${wordsOf(language).name}`).join(" / ");

/** The language whose key is the whole message, in the digits of any script. Each has one, whether it was offered or not. */
export function chosenLanguage(group: SnapshotLanguageGroup | null, said: string): string | null {
  const key = asciiDigits(said.trim());
  if (!/^\d$/.test(key)) return null;
  return group?.language_configs.find((config) => String(config.dtmf_code) === key)?.language_code ?? null;
}
