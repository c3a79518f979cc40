/**
 * What the person of a replay says next. They read their recorded lines as long as these fit what the agent says. Where the
 * next line does not fit, they answer with the line that followed words like these elsewhere in the recording. Where none
 * did, they have nothing to say. Pure.
 */

export type RecordedTurn = {
  /** Empty: silence. */
  said: string;
  /** The agent's words before it. */
  heard: string;
  /** Tools that were called since the person's last line; `!` after a name: the call failed. */
  calls: string[];
};

/** How far the recording was followed. */
export type RecordingFollowed = {
  /** The next line, if it fits. */
  next: number;
  /** Lines that were said. */
  said: readonly number[];
};

export type PersonMove =
  /** Line `line` of the recording. */
  | { type: "as recorded"; line: number }
  /** The next line did not fit, but this one answers words like these. */
  | { type: "elsewhere"; line: number }
  /** Nothing in the recording answers this. */
  | { type: "nothing fits" }
  | { type: "over" };

type HeardTurn = {
  words: string;
  calls: readonly string[];
};

/** Words as alike as this are the same to the person. */
const SAME = 0.8;
/** Words less alike than this are no question that was answered before. */
const ALIKE = 0.6;
/** Another place of the recording has to be nearer by so much before it counts as the place. */
const MARGIN = 0.15;

export const BEGINNING: RecordingFollowed = { next: 0, said: [] };

/** `end`: the agent's last words in the recording, after which the person said nothing more. */
export function nextMove(
  turns: readonly RecordedTurn[],
  end: { heard: string; calls: string[] },
  { next: after, said }: RecordingFollowed,
  now: HeardTurn,
): PersonMove {
  let next = after;
  while (said.includes(next)) next++;
  const place = turns[next] ?? end;
  const words = wordsOf(now.words);
  const likeness = (heard: string) => overlap(words, wordsOf(heard));
  const left = turns.flatMap(({ heard }, line) =>
    said.includes(line) ? [] : [{ line, likeness: likeness(heard) }],
  );
  const nearest = left.toSorted(
    (a, b) => b.likeness - a.likeness || distance(a.line, next) - distance(b.line, next),
  )[0];
  const here = likeness(place.heard);
  // Before the first line nothing was called that the person could have asked for.
  const isFamiliar = next === 0 || here >= SAME || isSameCalls(place.calls, now.calls);
  const fits = isFamiliar && here >= (nearest?.likeness ?? 0) - MARGIN;
  if (fits) return next < turns.length ? { type: "as recorded", line: next } : { type: "over" };
  if (nearest && nearest.likeness >= ALIKE) return { type: "elsewhere", line: nearest.line };
  return { type: "nothing fits" };
}

/** What was followed after a line was said. */
export const follow = ({ said }: RecordingFollowed, line: number): RecordingFollowed => ({
  next: line + 1,
  said: [...said, line],
});

/** A line further on is nearer than one that was passed over. */
const distance = (line: number, next: number): number => (line >= next ? line - next : 10_000 + next - line);

const isSameCalls = (before: readonly string[], now: readonly string[]): boolean =>
  new Set(before).symmetricDifference(new Set(now)).size === 0;

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "word" });
/** A longer text is compared by its beginning. */
const MAX_COMPARED = 4_000;

function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const { segment, isWordLike } of SEGMENTER.segment(text.slice(0, MAX_COMPARED).toLowerCase()))
    if (isWordLike) words.add(segment);
  return words;
}

/** Dice's coefficient: 1 for the same words, 0 where none is common. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size + other.size === 0) return 1;
  return (2 * one.intersection(other).size) / (one.size + other.size);
}
