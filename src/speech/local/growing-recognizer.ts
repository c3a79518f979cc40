import { join } from "../../audio/level.ts";
import { HEARING_RATE } from "../hearing.ts";
import type { TakenRecognizer } from "./recognizers.ts";

/** A model that understands audio as a whole, one piece at a time. */
export type WholeModel = {
  /** Nothing waits for it. */
  readonly isFree: boolean;
  /** No words where nobody wants them any more when their turn has come. */
  understand(samples: Int16Array, asked?: Asked): Promise<string>;
};
type Asked = { isWanted: boolean };

const FIRST = 0.4 * HEARING_RATE;
const GROWTH = 1.4;
/** Of more at once such a model leaves out words; and nobody's answer should wait for a minute of somebody's music. */
const LONGEST = 12 * HEARING_RATE;

/**
 * Words while somebody speaks, of a model that has none before the end: it hears the utterance again whenever that has
 * grown by two fifths. All of these together take at most four times as long as hearing it once, however long it gets. Where
 * the model is busy with another line they are left out; what was said until a pause waits its turn, and is the end's words
 * when nothing follows.
 */
export function growingRecognizer(model: WholeModel): TakenRecognizer {
  /** What was longer, in pieces. */
  let before: Promise<string>[] = [];
  let heard: Int16Array[] = [];
  let length = 0;
  let next = FIRST;
  let text = "";
  let paused: { asked: Asked; words: Promise<string> } | null = null;
  let utterance = 0;

  const begin = () => {
    utterance += 1;
    [before, heard, length, next, text, paused] = [[], [], 0, FIRST, "", null];
  };
  const understand = (asked?: Asked) => {
    const own = utterance;
    next = length * GROWTH;
    const understood = Promise.all([...before, model.understand(join(heard), asked)]).then((pieces) =>
      pieces.filter((piece) => piece !== "").join(" "),
    );
    understood.then(
      (found) => {
        if (own === utterance && asked?.isWanted !== false && found !== "") text = withoutMarks(found);
      },
      // Who asks for the end is told.
      () => {},
    );
    return understood;
  };
  const setAside = () => {
    const piece = model.understand(join(heard));
    piece.catch(() => {});
    before.push(piece);
    [heard, length, next] = [[], 0, FIRST];
  };
  return {
    begin,
    push(samples) {
      heard.push(samples);
      length += samples.length;
      if (length >= LONGEST) setAside();
      else if (length >= next && model.isFree) understand();
      return text;
    },
    pause() {
      if (paused) paused.asked.isWanted = false;
      const asked = { isWanted: true };
      paused = { asked, words: understand(asked) };
    },
    end() {
      const all = paused?.words ?? understand();
      begin();
      return all;
    },
    giveBack: begin,
  };
}

/** Of words that may go on the marks at their end mean nothing. */
const withoutMarks = (text: string): string => text.replace(/[\p{P}\s]+$/u, "");
