import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import type { CallOutput } from "../channels/call-socket.ts";
import type { TurnEvent } from "../turns/turn-event.ts";
import { PHRASES, SETTINGS, said, speech, Trial } from "./call-machine.trial.ts";
import { type CallSettings, callTiming, screeningOf } from "./call-settings.ts";
import type { CallEffect, CallEvent } from "./call-state.ts";
import { cutWords, measure } from "./spoken-text.ts";

const sentence = fc.constantFrom(
  "We open at nine.",
  "Yes.",
  "Let me see, one moment please.",
  "Dr. Wu is in.",
  "行。",
);
/** What may happen to a call; `turn` and `over` are of the turn that runs then. */
type Happening =
  | { line: CallEvent }
  | { wait_ms: number }
  | { turn: TurnEvent }
  | { over: { action?: unknown; failed?: boolean } | null };

const ofLine = (event: CallEvent): Happening => ({ line: event });
const weighted = (weight: number, arbitrary: fc.Arbitrary<Happening>) => ({ weight, arbitrary });
const aHappening: fc.Arbitrary<Happening> = fc.oneof(
  weighted(12, fc.record({ wait_ms: fc.integer({ min: 1, max: 9000 }) })),
  weighted(12, fc.constant(ofLine({ type: "played" }))),
  weighted(
    12,
    fc
      .tuple(fc.constantFrom("hello", "hello there", "no", ""), fc.boolean())
      .map(([text, final]) => ofLine(speech(text, final))),
  ),
  weighted(
    4,
    fc.constantFrom("1", "9").map((digit) => ofLine({ type: "digit", digit })),
  ),
  weighted(
    8,
    fc
      .constantFrom("We open", "", "Yes. We", "nonsense")
      .map((heard) => ofLine({ type: "interrupted", heard })),
  ),
  weighted(
    16,
    sentence.map((text): Happening => ({ turn: { type: "delta", text: `${text} ` } })),
  ),
  weighted(4, fc.constant<Happening>({ turn: { type: "text_end" } })),
  weighted(
    4,
    fc.constant<Happening>({
      turn: { type: "tool_call", tool_call_id: "c", tool_name: "find", arguments: {} },
    }),
  ),
  weighted(12, fc.constant<Happening>({ over: {} })),
  weighted(
    1,
    fc.constantFrom<Happening>(
      { over: { action: { action: "hangup", reason: null } } },
      { over: { action: { action: "hangup", reason: null, voicemail: true } } },
      { over: { action: { action: "transfer", number: "+1", member: null, reason: null } } },
      { over: { failed: true } },
      { over: null },
      ofLine({ type: "closed" }),
      ofLine({ type: "closed", heard: "We open" }),
      ofLine({ type: "closed", heard: "" }),
      ofLine({ type: "hang_up", heard: "Yes. We" }),
      ofLine({ type: "stop" }),
      ofLine({ type: "deaf", message: "the ear failed" }),
      ofLine({ type: "answerer", found: "MACHINE" }),
      ofLine({ type: "answerer", by: "voicemail", firm: true }),
      ofLine({ type: "answerer", by: "screener", firm: true }),
      ofLine({ type: "answerer", by: "human", firm: false }),
    ),
  ),
);
const someSettings = fc
  .record({
    screening: fc.constantFrom(null, screeningOf({}), screeningOf({ mode: "v2" })),
    async_enabled: fc.boolean(),
    wait_sound_url: fc.constantFrom(null, "https://x/s.wav"),
    fallback: fc.constantFrom(null, "+15"),
    hears_answerer: fc.boolean(),
  })
  .map(
    ({ async_enabled, ...more }): CallSettings => ({
      ...SETTINGS,
      ...more,
      phrases: PHRASES,
      telephony: callTiming({ async_enabled }),
    }),
  );
const aCall = fc.tuple(someSettings, fc.array(aHappening, { maxLength: 80, size: "max" }));

/** Plays a call, and stores beside it what the program would: the agent's words, cut where the machine says so. */
function play(settings: CallSettings, happenings: Happening[]) {
  const trial = new Trial(settings);
  const original: string[] = [];
  const history: { seq: number; text: string }[] = [];
  let written = "";
  let done = 0;
  const store = (text: string) => {
    history.push({ seq: original.length, text });
    original.push(text);
  };
  const cutEnd = (unheard: number) => {
    for (const { seq, text } of cutWords(history, unheard)) history[seq] = { seq, text };
  };
  const cutHistory = () => {
    for (const effect of trial.all.slice(done)) {
      if (effect.type === "note" && effect.role === "agent") store(effect.text);
      if (effect.type === "cut") cutEnd(effect.unheard);
      if (effect.type !== "cut_turn") continue;
      // The line is gone, and the turn stores what it has.
      const stored = written.trim();
      if (stored !== "") store(stored);
      written = "";
      cutEnd(Math.max(0, measure(stored) - effect.heard) + effect.unheard_before);
    }
    done = trial.all.length;
  };
  trial.take({ type: "open", sid: "CA1" });
  for (const happening of happenings) {
    if (trial.state.greeting) {
      const parts = [{ text: "Hello.", language: null, interruptible: true, is_menu: false }];
      store("Hello.");
      trial.take({ type: "greeting", parts, wants_turn: false, action: null });
    }
    if ("line" in happening) trial.take(happening.line);
    else if ("wait_ms" in happening) trial.wait(happening.wait_ms);
    else if (!trial.state.turn) continue;
    else if ("turn" in happening) {
      if (trial.state.turn.interrupted) continue;
      if (happening.turn.type === "delta") written += happening.turn.text;
      trial.turn(happening.turn);
    } else {
      const messages = written.trim() === "" ? [] : [written.trim()];
      if (!trial.state.turn.interrupted) trial.turn({ type: "words_over" });
      messages.forEach(store);
      written = "";
      if (happening.over === null) trial.take({ type: "turn_over", turn: trial.running, result: null });
      else trial.over(messages, happening.over);
    }
    cutHistory();
  }
  return { trial, original, history };
}

describe("for all calls", () => {
  const runs = { numRuns: rounds(2000) };

  test("nothing is done after the end, and it ends once", () => {
    fc.assert(
      fc.property(aCall, ([settings, happenings]) => {
        const { trial } = play(settings, happenings);
        const ends = trial.all.flatMap((effect, index) =>
          effect.type === "end" || effect.type === "transferring" ? [index] : [],
        );
        expect(ends.length).toBeLessThanOrEqual(1);
        if (ends.length === 1) expect(ends[0]).toBe(trial.all.length - 1);
      }),
      runs,
    );
  });

  test("there is never more than one turn, and each is run with something or unasked", () => {
    fc.assert(
      fc.property(aCall, ([settings, happenings]) => {
        const { trial } = play(settings, happenings);
        const numbers = trial.all.flatMap((effect) => (effect.type === "run" ? [effect.turn] : []));
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      }),
      runs,
    );
  });

  test("what the model reads back of each message is its beginning", () => {
    let cuts = 0;
    fc.assert(
      fc.property(aCall, ([settings, happenings]) => {
        const { trial, original, history } = play(settings, happenings);
        cuts += trial.all.filter(({ type }) => type === "cut" || type === "cut_turn").length;
        for (const { seq, text } of history) expect(original[seq]?.startsWith(text)).toBe(true);
      }),
      runs,
    );
    expect(cuts).toBeGreaterThan(100);
  });

  test("all of what was stored and never cut was said", () => {
    fc.assert(
      fc.property(aCall, ([settings, happenings]) => {
        const { trial, history } = play(settings, happenings);
        if (trial.state.turn || trial.all.some((effect) => effect.type === "end")) return;
        const spoken = said(trial.all).join("").replace(/\s/g, "");
        for (const { text } of history) expect(spoken).toContain(text.replace(/\s/g, ""));
      }),
      runs,
    );
  });

  test("every silence is counted once, no more than three in a row, and the third says goodbye", () => {
    fc.assert(
      fc.property(aCall, ([settings, happenings]) => {
        const { trial } = play(settings, happenings);
        const counts = trial.all.flatMap((effect) => (effect.type === "silence" ? [effect.count] : []));
        for (const [index, count] of counts.entries()) {
          expect(count === 1 || count === (counts[index - 1] ?? 0) + 1).toBe(true);
          expect(count).toBeLessThanOrEqual(3);
        }
      }),
      runs,
    );
  });

  test("a phrase is only said while a turn has said nothing", () => {
    fc.assert(
      fc.property(aCall, ([settings, happenings]) => {
        const { trial } = play(settings, happenings);
        let begun = false;
        for (const [index, effect] of trial.all.entries()) {
          if (effect.type === "run") begun = false;
          else if (effect.type === "aside") expect(begun).toBe(false);
          else if (isSaid(effect) && trial.all[index - 1]?.type !== "aside") begun = true;
        }
      }),
      runs,
    );
  });

  test("the same call is the same again", () => {
    fc.assert(
      fc.property(aCall, ([settings, happenings]) => {
        expect(play(settings, happenings).trial.all).toEqual(play(settings, happenings).trial.all);
      }),
      { numRuns: rounds(300) },
    );
  });
});

const isSaid = (effect: CallEffect): effect is { type: "send"; output: CallOutput & { type: "say" } } =>
  effect.type === "send" && effect.output.type === "say" && effect.output.text !== "";
