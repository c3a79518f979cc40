import { expect, test } from "vitest";
import type { SnapshotLanguageGroup } from "../../agents/snapshot.ts";
import { LANGUAGES } from "../../speech/languages.ts";
import {
  chosenLanguage,
  holdsMenu,
  menuEntries,
  splitAtMenu,
  spokenMenu,
  writtenMenu,
} from "./language-menu.ts";
import { wordsOf } from "./language-words.ts";

const config = (language_code: string, dtmf_code: number, skip?: boolean) => ({
  language_code,
  dtmf_code,
  voice_provider: "Google",
  voice_display_name: "Kore",
  skip_current_language_in_message: skip ?? null,
});
const group = (
  skip: boolean,
  ...configs: SnapshotLanguageGroup["language_configs"]
): SnapshotLanguageGroup => ({
  id: 1,
  skip_current_language_in_message: skip,
  language_configs: configs,
});
const THREE = group(true, config("en-US", 1), config("es-US", 2), config("zh-CN", 0));

test("the menu has the group's order, and leaves out the language being spoken where it says so", () => {
  expect(menuEntries(THREE, "en-US").map(({ key }) => key)).toEqual(["2", "0"]);
  expect(menuEntries(THREE, "es-US").map(({ key }) => key)).toEqual(["1", "0"]);
  expect(menuEntries(group(false, ...THREE.language_configs), "en-US").map(({ key }) => key)).toEqual([
    "1",
    "2",
    "0",
  ]);
  expect(menuEntries(group(true, config("en-US", 1, false), config("es-US", 2)), "en-US")).toHaveLength(2);
  expect(menuEntries(null, "en-US")).toEqual([]);
});

test("each line is in its own language's words", () => {
  expect(spokenMenu(menuEntries(THREE, "fr-FR"))).toEqual([
    { text: "For English, press 1.", language: "en-US" },
    { text: "Para español, oprima 2.", language: "es-US" },
    { text: "普通话请按 0。", language: "zh-CN" },
  ]);
  expect(writtenMenu(menuEntries(THREE, "zh-CN"))).toBe("1 English / 2 Español");
});

test("only a bare key of the group chooses, in whatever script it is typed", () => {
  for (const said of ["２", "٢", "२"]) expect(chosenLanguage(THREE, said)).toBe("es-US");
  expect(chosenLanguage(THREE, " 2 ")).toBe("es-US");
  expect(chosenLanguage(THREE, "0")).toBe("zh-CN");
  for (const said of ["3", "22", "2.", "two", "", "I want 2"]) expect(chosenLanguage(THREE, said)).toBeNull();
  expect(chosenLanguage(null, "1")).toBeNull();
});

test("the tag may stand anywhere, with any blanks", () => {
  expect(holdsMenu("Hi {{language.mode}}")).toBe(true);
  expect(holdsMenu("Hi {{ language.model }}")).toBe(false);
  expect(splitAtMenu("A {{  language.mode }} B")).toEqual(["A ", " B"]);
});

test("every language has its own words, with a place for the key", () => {
  for (const code of Object.keys(LANGUAGES)) {
    const { name, press, goodbye } = wordsOf(code);
    expect(press).toContain("{key}");
    expect(`${name}${goodbye}`).not.toMatch(code === "en-US" ? /^$/ : /English/);
  }
  expect(wordsOf("es-MX").name).toBe("Español");
  expect(wordsOf("xx-XX").name).toBe("English");
});
