import type { AnnouncementRow } from "../api-types.ts";

type Texts = Pick<AnnouncementRow, "texts" | "default_language">;

/** Texts as they are written: a line for each language, the default first; what follows a line break is indented. */
export function linesOf({ texts, default_language }: Texts): string {
  const { [default_language]: first = "", ...others } = texts;
  return [[default_language, first] as const, ...Object.entries(others)]
    .map(([language, text]) => `${language}: ${text.replaceAll("\n", "\n  ")}`)
    .join("\n");
}

/** The languages that are written, each with its text, in their order. */
function written(lines: string): [language: string, text: string][] {
  const found: [string, string][] = [];
  for (const line of lines.split("\n")) {
    const last = found.at(-1);
    if (last && (line.trim() === "" || /^\s/.test(line))) last[1] += `\n${line.trim()}`;
    else if (line.trim() !== "") {
      const at = line.indexOf(":");
      found.push([line.slice(0, Math.max(0, at)).trim(), line.slice(at + 1).trim()]);
    }
  }
  return found.map(([language, text]) => [language, text.trimEnd()]);
}

export function textsOf(lines: string): Texts {
  const found = written(lines);
  return { texts: Object.fromEntries(found), default_language: found[0]?.[0] ?? "" };
}

/** Which language is written twice: only one of its texts could be kept. */
export function twiceWritten(lines: string): string | undefined {
  const languages = written(lines).map(([language]) => language.toLowerCase());
  return languages.find((language, at) => languages.indexOf(language) < at);
}
