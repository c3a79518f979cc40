import { wholeCharacter } from "../base/storable.ts";
import { mostSegments } from "./outbound/text-segments.ts";
import type { Medium } from "./text-store.ts";

/** What Twilio takes in one text, whatever it is made of. */
const LONGEST_TEXT = 1600;
/**
 * Telnyx refuses a text of more (error 40302), and most networks don't deliver one (Twilio's 30019): 1,530 characters, or
 * 670 where one of them needs an alphabet of two bytes.
 */
export const MOST_SEGMENTS = 10;

/**
 * A long answer as texts that carriers take, cut where a reader would pause: between paragraphs, else sentences, else
 * words. No word is lost; only the white space of a cut is.
 */
export const splitText = (text: string, medium: Medium): string[] =>
  splitInto(
    text,
    (part) => part.length <= LONGEST_TEXT && (medium !== "sms" || mostSegments(part) <= MOST_SEGMENTS),
  );

/** `fits` stays false for longer ones once it is false. */
export function splitInto(text: string, fits: (part: string) => boolean): string[] {
  const parts: string[] = [];
  let left = text.trim();
  while (left !== "" && !fits(left)) {
    const cut = cutWithin(left, longestThat(fits, left));
    parts.push(left.slice(0, cut).trimEnd());
    left = left.slice(cut).trimStart();
  }
  if (left !== "") parts.push(left);
  return parts;
}

/** How much of the beginning fits, by halves. */
function longestThat(fits: (part: string) => boolean, left: string): number {
  let [most, tooMany] = [1, Math.min(left.length, LONGEST_TEXT + 1)];
  while (tooMany - most > 1) {
    const half = Math.floor((most + tooMany) / 2);
    if (fits(left.slice(0, half))) most = half;
    else tooMany = half;
  }
  return most;
}

/** Later than this share of what fits, a finer cut is worth it. */
const FULL_ENOUGH = 0.5;
const SENTENCE_END = /[。！？]["'”’）」』]*\s?|[\p{Sentence_Terminal}…]["'”’»)\]]*\s/gu;
const PAUSES = [/\n\s*\n/g, SENTENCE_END, /\n/g, /[\s，；、]/gu];
/** Of scripts without blanks. */
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });

function cutWithin(text: string, longest: number): number {
  // One character more: a pause right behind the last that fits is the best one.
  const window = text.slice(0, longest + 1);
  for (const pause of PAUSES) {
    const last = [...window.matchAll(pause)].at(-1);
    const cut = last ? Math.min(longest, last.index + last[0].length) : 0;
    if (cut > longest * FULL_ENOUGH) return cut;
  }
  const word = WORDS.segment(window).containing(longest)?.index ?? longest;
  return word > longest * FULL_ENOUGH ? word : wholeCharacter(text, longest);
}
