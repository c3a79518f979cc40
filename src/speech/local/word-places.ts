import type { Aligned } from "../../audio/playout.ts";

/*
 * Where in synthesized speech each word sounds. Flite tells its sounds and when each ends, but not which words they belong
 * to; that is found by comparing the sounds with the spelling. Pure.
 */

/** A sound by its name in flite, or `pau` for a pause, and when it ends. */
export type Phone = { name: string; ends_s: number };

/** As flite's `-psdur` prints them: `pau:0.222 w:0.263`. */
export function readPhones(printed: string): Phone[] {
  return [...printed.matchAll(/(\S+):(\d+(?:\.\d+)?)/g)].map(([, name, ends]) => ({
    name: name as string,
    ends_s: Number(ends),
  }));
}

const PAUSE = "pau";
const VOWELS: ReadonlySet<string> = new Set("aa,ae,ah,ao,aw,ax,ay,eh,er,ey,ih,ix,iy,ow,oy,uh,uw".split(","));
/** First sounds that a first letter may stand for. */
const FIRST_SOUNDS: Record<string, string> = {
  b: "b",
  c: "k,ch,s,sh",
  d: "d",
  f: "f",
  g: "g,jh,n",
  h: "hh,aa,ao,eh,w",
  j: "jh,y,hh",
  k: "k,n",
  l: "l",
  m: "m",
  n: "n",
  p: "p,f,s,n",
  q: "k",
  r: "r",
  s: "s,sh,z",
  t: "t,th,dh,ch",
  v: "v",
  w: "w,r,hh",
  x: "z,eh",
  y: "y,ay,ih",
  z: "z",
};
/** No word has more sounds; a written number may. */
const MOST_SOUNDS = 16;
const MOST_SOUNDS_OF_NUMBER = 48;
const WRONG_BEGINNING = 2.5;
const NO_VOWEL = 2;
/** A word that goes on across a pause is unlikely; one that begins after a pause is not. */
const PAUSE_WITHIN = 6;

/** Each word of the text with the samples it sounds from and to, counted from the beginning of the audio. */
export function wordPlaces(text: string, phones: readonly Phone[], rate: number): Aligned[] {
  const words = [...text.matchAll(/\S+/g)].filter(([word]) => /[\p{L}\p{N}]/u.test(word));
  const spoken = phones.flatMap(({ name, ends_s }, at) =>
    name === PAUSE
      ? []
      : [{ name, ends_s, begins_s: phones[at - 1]?.ends_s ?? 0, afterPause: phones[at - 1]?.name === PAUSE }],
  );
  if (words.length === 0 || spoken.length < words.length) return [];
  const breaks = bestBreaks(
    words.map(([word]) => word),
    spoken,
  );
  if (!breaks) return [];
  return words.map((word, at) => ({
    from: word.index,
    to: word.index + word[0].length,
    begins: Math.round((spoken[breaks[at] as number]?.begins_s ?? 0) * rate),
    ends: Math.round((spoken[(breaks[at + 1] as number) - 1]?.ends_s ?? 0) * rate),
  }));
}

type SpokenWord = { name: string; afterPause: boolean };

/** At which sound each word begins, and the end: the way to part the sounds that fits the spelling best. */
function bestBreaks(words: readonly string[], spoken: readonly SpokenWord[]): number[] | null {
  const sounds = spoken.length;
  let costs: number[] = Array.from({ length: sounds + 1 }, (_, at) =>
    at === 0 ? 0 : Number.POSITIVE_INFINITY,
  );
  const origins: number[][] = [];
  for (const word of words) {
    const next = costs.map(() => Number.POSITIVE_INFINITY);
    const origin = costs.map(() => -1);
    const most = /\p{N}/u.test(word) ? MOST_SOUNDS_OF_NUMBER : MOST_SOUNDS;
    for (const [from, before] of costs.entries()) {
      if (before === Number.POSITIVE_INFINITY) continue;
      for (let to = from + 1; to <= Math.min(sounds, from + most); to++) {
        const cost = before + misfit(word, spoken.slice(from, to));
        if (cost >= (next[to] as number)) continue;
        next[to] = cost;
        origin[to] = from;
      }
    }
    costs = next;
    origins.push(origin);
  }
  if (costs[sounds] === Number.POSITIVE_INFINITY) return null;
  const breaks = [sounds];
  for (const origin of origins.toReversed()) breaks.unshift(origin[breaks[0] as number] as number);
  return breaks;
}

/** How badly these sounds fit the spelling: numbers of vowels and consonants, the first sound, pauses inside. */
function misfit(word: string, sounds: readonly SpokenWord[]): number {
  const pauses = sounds.filter(({ afterPause }, at) => afterPause && at > 0).length * PAUSE_WITHIN;
  const vowels = sounds.filter(({ name }) => VOWELS.has(name)).length;
  const consonants = sounds.length - vowels;
  const digits = word.match(/\p{N}/gu)?.length ?? 0;
  if (digits > 0) return pauses + 0.4 * Math.abs(sounds.length - 4 * digits);
  const spelling = word.toLowerCase().replace(/[^a-z]/g, "");
  const expected = expectedSounds(spelling);
  const first = FIRST_SOUNDS[spelling[0] ?? ""]?.split(",");
  const name = sounds[0]?.name ?? "";
  const begins = (first ? first.includes(name) : VOWELS.has(name) || name === "w" || name === "y")
    ? 0
    : WRONG_BEGINNING;
  return (
    pauses +
    begins +
    (vowels === 0 ? NO_VOWEL : 0) +
    1.5 * Math.abs(vowels - expected.vowels) +
    Math.abs(consonants - expected.consonants)
  );
}

/** By the letters: groups of vowels, without a silent e; consonants, two of the same and "th" counted once. */
function expectedSounds(spelling: string): { vowels: number; consonants: number } {
  const body = spelling.length > 2 ? spelling.replace(/(?<=[^aeiouy])e(?=s?$)/, "") : spelling;
  const groups = body.match(/[aeiouy]+/g) ?? [];
  const initialY = body.startsWith("y") && body.length > 1 ? 1 : 0;
  const consonants = body
    .replace(/^y(?=.)/, "j")
    .replace(/[aeiouy]/g, "")
    .replace(/([^x])\1/g, "$1")
    .replace(/th|sh|ch|ck|ph|wh|gh|ng/g, "x");
  const vowels = Math.max(1, groups.length - (initialY && /^y[^aeiou]/.test(body) ? 1 : 0));
  return { vowels, consonants: consonants.length };
}
