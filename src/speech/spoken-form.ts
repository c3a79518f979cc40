import { SPACED } from "../base/writing/scripts.ts";
import type { PronunciationOverride } from "./pronunciation-file.ts";
import { pronunciationsIn, type Speaker } from "./speech-text.ts";

/*
 * Our words as a voice is given them: without the marks of Markdown, which it would read aloud, and as the dictionary has
 * words pronounced. For speech only: transcripts keep what was written. Pure.
 */

/** `origin`: where each character is in the written text; those of a replacement are where it begins. */
export type SpokenForm = { text: string; origin: readonly number[] };

/** A dictionary, and who speaks in each language. */
export type Pronouncing = {
  pronunciations: readonly PronunciationOverride[];
  speakers: readonly Speaker[];
};

type Edit = { start: number; end: number; replacement: string };

/** Beside these a mark stands within a word or a number; in scripts without blanks it does not. */
const INSIDE = String.raw`[${SPACED}\p{N}]`;

const emphasis = (mark: string): RegExp =>
  new RegExp(
    String.raw`(?<!${INSIDE}|${mark})${mark}([^\s${mark}](?:[^${mark}\n]{0,200}[^\s${mark}])?)${mark}(?!${INSIDE}|${mark})`,
    "dgv",
  );

/** What group 1 holds is kept; `instead` replaces the rest. Lengths are bounded, since a text may have no end. */
const MARKS: readonly { pattern: RegExp; instead?: string }[] = [
  // Rules, fences, and the line below the head of a table.
  { pattern: /^[ \t]*(?:```|~~~)\w*[ \t]*$/dgmu },
  { pattern: /^[\s|:=*_-]{3,}$/dgmu },
  // Headings, quotes and the items of a list.
  { pattern: /^[ \t]*(?:#{1,6}|>+|[-*+•◦▪‣·–—])[ \t]+/dgmu },
  // Cells of a table.
  { pattern: /^[ \t]*\|[ \t]*|[ \t]{0,9}\|[ \t]{0,9}$/dgmu },
  { pattern: /(?<=\S)[ \t]+\|[ \t]+/dgu, instead: ", " },
  // Links are their words; sources that models name are none.
  { pattern: /!?\[([^[\]\n]{1,200})\]\([^()\n]{0,500}\)/dgu },
  { pattern: /[ \t]?【[^【】\n]{0,80}】/dgu },
  { pattern: /<((?:https?:\/\/|mailto:)[^<>\s]{1,500})>/dgiu },
  { pattern: /<\/?(?:b|br|em|i|li|p|strong|u|ul)[ \t]{0,9}\/?>/dgiu, instead: " " },
  { pattern: new RegExp(String.raw`(?<!${INSIDE})(?:https?:\/\/|mailto:(?=\S)|tel:(?=[+\d]))`, "dgiv") },
  { pattern: /(?<=\.\p{L}{2,24})\/(?=[\s.,;:!?)]|$)/dgu },
  // Emphasis and code. An asterisk that stands alone is the key.
  { pattern: new RegExp(`\`+|~~|\\*{2,}|(?<!${INSIDE}|_)__(?=\\S)|(?<=\\S)__(?!${INSIDE}|_)`, "dgv") },
  { pattern: emphasis("\\*") },
  // Of emphasis that goes on over several sentences.
  { pattern: /^\*(?=\p{L})|(?<=[\p{L}.!?…])\*$/dgu },
  { pattern: emphasis("_") },
  { pattern: /([0-9#*])\u{FE0F}?\u{20E3}/dgu },
  { pattern: /\p{RGI_Emoji}|[\p{Extended_Pictographic}--[©®™‼⁉]]\u{FE0F}?/dgv },
  { pattern: /[ \t]{0,9}(?:[→⇒➔➜]|(?<=[ \t])[-=]>)[ \t]{0,9}/dgu, instead: ", " },
];

export function spokenForm(written: string, how: Pronouncing, language: string): SpokenForm {
  const speaker = how.speakers.find((one) => one.language === language) ?? {
    language,
    provider: "",
    voice: "",
  };
  let form: SpokenForm = { text: written, origin: Array.from({ length: written.length }, (_, at) => at) };
  for (const { pattern, instead = "" } of MARKS) form = edited(form, marksIn(form.text, pattern, instead));
  form = edited(form, datesIn(form.text, language));
  return edited(form, pronunciationsIn(form.text, how.pronunciations, speaker));
}

/** "2026-12-07", as tools answer and nobody says. */
const DATE = new RegExp(String.raw`(?<!${INSIDE}|-)\d{4}-\d{2}-\d{2}(?!${INSIDE}|-)`, "gv");

function datesIn(text: string, language: string): Edit[] {
  return [...text.matchAll(DATE)].flatMap(({ index: start, 0: date }): Edit[] => {
    const day = new Date(`${date}T00:00:00Z`);
    // Of the thirtieth of February, Date makes another day.
    if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return [];
    const replacement = day.toLocaleDateString(language, { dateStyle: "long", timeZone: "UTC" });
    return [{ start, end: start + date.length, replacement }];
  });
}

/** What was written up to the first word that was not heard; `heard`: how many characters were, without blanks. */
export function writtenUntil(written: string, { text, origin }: SpokenForm, heard: number): string {
  let left = heard;
  for (let at = 0; at < text.length; at++) {
    if (/\s/u.test(text[at] as string)) continue;
    if (left === 0) return written.slice(0, origin[at]);
    left--;
  }
  return written;
}

function marksIn(text: string, pattern: RegExp, instead: string): Edit[] {
  return [...text.matchAll(pattern)].flatMap(({ index: start, 0: { length }, indices }): Edit[] => {
    const end = start + length;
    const kept = indices?.[1];
    if (!kept) return [{ start, end, replacement: instead }];
    return [
      { start, end: kept[0], replacement: "" },
      { start: kept[1], end, replacement: "" },
    ];
  });
}

function edited({ text, origin }: SpokenForm, edits: readonly Edit[]): SpokenForm {
  if (edits.length === 0) return { text, origin };
  let spoken = "";
  const places: number[] = [];
  let at = 0;
  const keep = (to: number) => {
    spoken += text.slice(at, to);
    for (; at < to; at++) places.push(origin[at] as number);
  };
  for (const { start, end, replacement } of edits) {
    keep(start);
    spoken += replacement;
    for (let n = 0; n < replacement.length; n++) places.push(origin[start] as number);
    at = end;
  }
  keep(text.length);
  return { text: spoken, origin: places };
}
