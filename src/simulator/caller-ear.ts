import { Framer } from "../audio/frames.ts";
import { join, level_dbfs } from "../audio/level.ts";
import { silence } from "../audio/tones.ts";
import { Fault } from "../base/errors.ts";
import { HEARING_RATE } from "../speech/hearing.ts";
import { wordsOf } from "../speech/local/language-model.ts";
import type { LocalHearing } from "../speech/local/local-hearing.ts";

/** Louder than this a frame holds sound and no hiss, in dBFS. */
const LOUD_DBFS = -45;

export const isLoud = (frame: Int16Array): boolean => level_dbfs(frame) > LOUD_DBFS;

/**
 * The words in audio of 16 kHz, by the offline recognizer. It is no English speaker: `expected` names the sentences that
 * may be heard, and more than were said, so that a word that does not sound is not found.
 */
export async function wordsHeard(
  hearing: LocalHearing,
  samples: Int16Array,
  expected: readonly string[],
): Promise<string> {
  const texts: string[] = [];
  let failure = "";
  const quiet = silence(HEARING_RATE, 600);
  const ear = hearing.open({ language: "en-US", expected }, (heard) => {
    if (heard.type === "final" && heard.text !== "") texts.push(heard.text);
    else if (heard.type === "fault") failure = heard.message;
  });
  try {
    for (const frame of new Framer(HEARING_RATE).push(join([quiet, samples, quiet]))) ear.push(frame);
    await hearing.caughtUp();
  } finally {
    ear.close();
  }
  if (failure !== "") throw new Fault("unavailable", failure);
  return texts.join(" ");
}

/** Words that one text has and the other lacks: the edit distance, in words. */
export function wordsApart(a: string, b: string): number {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  let row = right.map((_, at) => at + 1);
  row.unshift(0);
  for (const [at, word] of left.entries()) {
    const next = [at + 1];
    for (const [column, other] of right.entries()) {
      next.push(
        Math.min(
          (row[column] as number) + (word === other ? 0 : 1),
          (row[column + 1] as number) + 1,
          (next[column] as number) + 1,
        ),
      );
    }
    row = next;
  }
  return row.at(-1) as number;
}
