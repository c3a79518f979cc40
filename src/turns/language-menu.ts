import type { SnapshotLanguageGroup } from "../agents/snapshot.ts";
import { wordsOf } from "./language-words.ts";

/*
 * The menu that `{{ language.mode }}` in a greeting stands for: which key or number leads to which language of the
 * agent's group. Pure.
 */

/** As a template names it; a session has no variable of that name. */
const TAG = /\{\{\s*language\.mode\s*\}\}/;

export const holdsMenu = (text: string): boolean => TAG.test(text);

/** What stands around the tag; the texts come without it. */
export const splitAtMenu = (text: string): string[] => text.split(new RegExp(TAG, "g"));

type MenuEntry = { key: string; language: string };

/** The languages offered while one is spoken, in the group's order. */
export function menuEntries(group: SnapshotLanguageGroup | null, current: string): MenuEntry[] {
  if (!group) return [];
  return group.language_configs
    .filter((config) => {
      const skips = config.skip_current_language_in_message ?? group.skip_current_language_in_message;
      return config.language_code !== current || !skips;
    })
    .map((config) => ({ key: String(config.dtmf_code), language: config.language_code }));
}

/** Each line in the words, and for the voice, of the language it offers. */
export const spokenMenu = (entries: MenuEntry[]): { text: string; language: string }[] =>
  entries.map(({ key, language }) => ({ text: wordsOf(language).press.replace("{key}", key), language }));

/** For people who read: "1 English / 2 Español". */
export const writtenMenu = (entries: MenuEntry[]): string =>
  entries.map(({ key, language }) => `${key} ${wordsOf(language).name}`).join(" / ");

/** The language that a person chose by writing or pressing nothing but its key. Every language has its key, offered or not. */
export function chosenLanguage(group: SnapshotLanguageGroup | null, said: string): string | null {
  const key = said.trim();
  if (!/^\d$/.test(key)) return null;
  return group?.language_configs.find((config) => String(config.dtmf_code) === key)?.language_code ?? null;
}
