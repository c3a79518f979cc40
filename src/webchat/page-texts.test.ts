import { describe, expect, test } from "vitest";
import { LANGUAGES } from "../speech/languages.ts";
import { directionOf, inLanguage, PAGE_TEXTS, pageLanguage } from "./page-texts.ts";

const ENGLISH = inLanguage("en");
const filledIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted();

test("the page says all it says in every language that agents speak", () => {
  const spoken = Object.keys(LANGUAGES).map((language) => pageLanguage(language, undefined));
  expect(spoken.filter((language) => language === "en")).toHaveLength(1);
  for (const [language, texts] of PAGE_TEXTS) {
    expect([language, Object.keys(texts)]).toEqual([language, Object.keys(ENGLISH)]);
    const names = Object.keys(ENGLISH) as (keyof typeof ENGLISH)[];
    const wrong = names.filter(
      (name) => !texts[name].trim() || String(filledIn(texts[name])) !== String(filledIn(ENGLISH[name])),
    );
    expect([language, wrong]).toEqual([language, []]);
  }
});

describe("the language of the page", () => {
  test.each<[wanted: string | undefined, accepted: string | undefined, language: string]>([
    [undefined, undefined, "en"],
    [undefined, "ja", "ja"],
    [undefined, "de-AT,de;q=0.9,en;q=0.8", "de"],
    [undefined, "xx, tlh;q=0.9, es-419;q=0.5, fr;q=0.7", "fr"],
    [undefined, "ko;q=0, ru", "ru"],
    [undefined, "zh-Hant-HK", "yue"],
    [undefined, "zh-Hans-CN", "zh"],
    [undefined, "hr-HR", "bs"],
    [undefined, ";;,q=,*,en;q=x, fa", "fa"],
    ["es_MX", "ja", "es"],
    ["", "ja", "ja"],
    ["tlh", "ja", "ja"],
    ['"><script>', "*", "en"],
    ["__proto__", "constructor", "en"],
  ])("asked for %j, accepted %j: %s", (wanted, accepted, language) => {
    expect(pageLanguage(wanted, accepted)).toBe(language);
  });

  test("is read from the right where it is written so", () => {
    expect(["ar", "fa", "en", "ja"].map(directionOf)).toEqual(["rtl", "rtl", "ltr", "ltr"]);
  });
});
