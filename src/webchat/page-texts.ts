import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ENGLISH } from "../../public/chat/english.js";

export type PageTexts = typeof ENGLISH;

const FOLDER = path.join(import.meta.dirname, "../../public/chat/texts");
const READ_FROM_THE_RIGHT: ReadonlySet<string> = new Set(["ar", "fa"]);
/** Those who read one of these know it by another code. */
const READ_AS: Record<string, string> = { "zh-hk": "yue", "zh-mo": "yue", hr: "bs", sr: "bs" };

/** What the page says, by language (the first part of BCP 47): a file each, and English. */
export const PAGE_TEXTS: ReadonlyMap<string, PageTexts> = new Map([
  ["en", ENGLISH],
  ...readdirSync(FOLDER).map((file): [string, PageTexts] => [
    path.basename(file, ".json"),
    JSON.parse(readFileSync(path.join(FOLDER, file), "utf8")),
  ]),
]);

/** `wanted`: what the site or the link asks for (BCP 47); without a language that is known, what the browser accepts. Pure. */
export function pageLanguage(wanted: string | undefined, accepted: string | undefined): string {
  return [wanted ?? "", ...byPreference(accepted ?? "")].map(known).find((one) => one !== null) ?? "en";
}

/** `language`: one that `pageLanguage` named. */
export const inLanguage = (language: string): PageTexts => PAGE_TEXTS.get(language) ?? ENGLISH;

export const directionOf = (language: string): "ltr" | "rtl" =>
  READ_FROM_THE_RIGHT.has(language) ? "rtl" : "ltr";

/** `Accept-Language: de-AT, en;q=0.8` (RFC 9110, 12.5.4). */
const byPreference = (accepted: string): string[] =>
  accepted
    .split(",")
    .map((entry) => {
      const [language = "", ...rest] = entry.split(";").map((part) => part.trim());
      const weight = rest.find((part) => part.startsWith("q="));
      return { language, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ language }) => language);

function known(tag: string): string | null {
  const [main = "", ...parts] = tag.toLowerCase().split(/[-_]/);
  const region = parts.at(-1) ?? "";
  const language = READ_AS[`${main}-${region}`] ?? READ_AS[main] ?? main;
  return PAGE_TEXTS.has(language) ? language : null;
}
