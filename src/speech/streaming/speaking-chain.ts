import type { Aligned } from "../../audio/playout.ts";
import { errorText, Fault } from "../../base/errors.ts";
import type { Speaking, SpokenAudio, Utterance } from "../speaking.ts";

/**
 * A voice that goes on where an engine fails: each is tried a second time, then the next takes over for the rest of the
 * call. What was made of a sentence is not said twice where its alignment tells how far it came. `note` is told each
 * change, for the trace. All engines give audio of the same rate.
 */
export function speakingChain(engines: readonly Speaking[], note: (message: string) => void): Speaking {
  const [first] = engines;
  if (!first) throw new Error("a chain of no engines");
  const rate = first.rate;
  if (engines.some((engine) => engine.rate !== rate))
    throw new Error("engines of several rates in one chain");
  let at = 0;
  let retried = false;

  /** The engine for the next try. */
  const replace = (failed: Speaking, why: string): Speaking => {
    if (retried) {
      at++;
      retried = false;
    } else retried = true;
    const next = engines[at];
    if (!next) {
      // The next sentence may go well again.
      at = engines.length - 1;
      throw new Fault("unavailable", `${why} Nothing else speaks on this line.`);
    }
    note(next === failed ? `${why} Tried once more.` : `${why} ${next.name} speaks from now on.`);
    return next;
  };

  async function* speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpokenAudio> {
    let engine = engines[at] as Speaking;
    /** Characters and samples of earlier tries. */
    let character = 0;
    let samples = 0;
    for (;;) {
      const spans: Aligned[] = [];
      let made = 0;
      try {
        const rest = { ...utterance, text: utterance.text.slice(character) };
        for await (const part of engine.speak(rest, signal)) {
          made += part.samples.length;
          const aligned = part.aligned.map((span) => ({
            from: span.from + character,
            to: span.to + character,
            begins: span.begins + samples,
            ends: span.ends + samples,
          }));
          spans.push(...aligned);
          yield { samples: part.samples, aligned };
        }
        retried = false;
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        const why = error instanceof Fault ? error.message : `${engine.name}: ${errorText(error)}`;
        const sounded = spans.filter(({ ends }) => ends <= samples + made);
        const reached = sounded.reduce((most, { to }) => Math.max(most, to), character);
        if (made > 0 && reached === character) {
          // Nobody knows how much of it was said: the rest is lost rather than said twice.
          note(`${why} The rest of a sentence was lost.`);
          return;
        }
        character = wordAt(utterance.text, reached);
        samples += made;
        if (utterance.text.slice(character).trim() === "") return;
        engine = replace(engine, why.endsWith(".") ? why : `${why}.`);
      }
    }
  }

  return {
    name: first.name,
    ...(first.minute_usd !== undefined && { minute_usd: first.minute_usd }),
    ...(first.thousand_characters_usd !== undefined && {
      thousand_characters_usd: first.thousand_characters_usd,
    }),
    rate,
    speak,
    prepare: (utterance) => engines[at]?.prepare?.(utterance),
  };
}

/** The beginning of the word that a place is inside of. */
function wordAt(text: string, place: number): number {
  if (place >= text.length || /\s/.test(text[place] ?? "")) return place;
  const before = text.slice(0, place);
  return before.length - (/\S*$/.exec(before)?.[0].length ?? 0);
}
