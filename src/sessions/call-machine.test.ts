import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallOutput } from "../channels/call-socket.ts";
import { step } from "./call-machine.ts";
import type { CallSettings } from "./call-settings.ts";
import { callTiming, screeningOf } from "./call-settings.ts";
import { type CallEffect, type CallEvent, type CallState, newCall, nextWake } from "./call-state.ts";
import { cutWords, measure } from "./spoken-text.ts";
import type { TurnEvent } from "./turn-event.ts";

const SETTINGS: CallSettings = {
  telephony: callTiming(null),
  interruptibility: "all",
  screening: null,
  can_leave_voicemail: true,
  longest_at: 3_600_000,
  menu_keys: ["1", "2"],
  repeats_greeting: false,
  wait_sound_url: null,
  phrases: { named: null, scoped: [], agent_id: 1 },
  fallback: null,
  transfer: { caller_id: null, detect_answerer: false },
  seed: 7,
  resumes: false,
};
const withTelephony = (given: Parameters<typeof callTiming>[0]): CallSettings => ({
  ...SETTINGS,
  telephony: callTiming(given),
});
const PHRASES: CallSettings["phrases"] = {
  named: {
    phrases: { messages: ["One moment.", "Still looking."] },
    tools: [{ tool_name: "find", phrases: { messages: ["I look into the calendar."] } }],
    smart_turn_timeout_seconds: 2,
    randomize_bridge_phrases: false,
  },
  scoped: [],
  agent_id: 1,
};

/** A call by hand: what happens at which moment, and what was to be done about it. */
class Trial {
  state: CallState = newCall("en-US");
  now = 0;
  all: CallEffect[] = [];
  readonly #settings: CallSettings;
  constructor(settings: CallSettings = SETTINGS) {
    this.#settings = settings;
  }

  /** Gives what this alone brought about. */
  take(...events: CallEvent[]): CallEffect[] {
    const before = this.all.length;
    for (const event of events) {
      const { state, effects } = step(this.#settings, this.state, event, this.now);
      this.state = state;
      this.all.push(...effects);
    }
    return this.all.slice(before);
  }

  /** Time passes; each alarm rings on the way. */
  wait(ms: number): CallEffect[] {
    const before = this.all.length;
    const until = this.now + ms;
    for (let at = nextWake(this.state); at !== null && at <= until; at = nextWake(this.state)) {
      this.now = Math.max(this.now, at);
      this.take({ type: "tick" });
    }
    this.now = until;
    return this.all.slice(before);
  }

  greeted(...texts: string[]): this {
    const parts = texts.map((text) => ({ text, language: null, interruptible: true, is_menu: false }));
    this.take({ type: "open", sid: "CA1" }, { type: "greeting", parts, wants_turn: false, action: null });
    if (texts.length > 0) this.take({ type: "played" });
    return this;
  }

  get running(): number {
    return this.state.turn?.number ?? 0;
  }

  turn(...events: TurnEvent[]): CallEffect[] {
    return this.take(...events.map((event): CallEvent => ({ type: "turn", turn: this.running, event })));
  }

  over(messages: string[] = [], more: object = {}): CallEffect[] {
    const result = { messages, action: null, failed: false, answerer: null, ...more };
    return this.take({ type: "turn_over", turn: this.running, result });
  }
}

const speech = (text: string, final = true): CallEvent => ({ type: "speech", text, final, lang: null });
const run = (turn: number, text: string | null) => ({ type: "run", turn, text, answerer: null });
const said = (effects: CallEffect[]): string[] =>
  effects.flatMap((effect) =>
    effect.type === "send" && effect.output.type === "say" ? [effect.output.text] : [],
  );

describe("the end of an input", () => {
  test("is the carrier's word for it; then the turn begins at once", () => {
    const trial = new Trial().greeted();
    expect(trial.take(speech("I would", false))).toEqual([]);
    expect(trial.take(speech("I would like to book."))).toEqual([run(1, "I would like to book.")]);
  });

  test("is silence after it where the carrier says nothing, and each word begins that anew", () => {
    const trial = new Trial().greeted();
    trial.take(speech("I", false));
    trial.wait(800);
    trial.take(speech("I would", false));
    expect(trial.wait(899)).toEqual([]);
    expect(trial.wait(1)).toEqual([run(1, "I would")]);
    // The carrier's final word comes late: what was answered is not answered again, what is new is.
    expect(trial.take(speech("I would"))).toEqual([]);
    expect(trial.take(speech("like to book."))).toEqual([{ type: "interrupt", turn: 1 }]);
    expect(trial.over()).toEqual([run(2, "like to book.")]);
  });

  test("waits for more where the channel says how long", () => {
    const trial = new Trial(withTelephony({ post_speech_input_timeout: 1.5 })).greeted();
    trial.take(speech("My number is"));
    trial.wait(1000);
    trial.take(speech("five five five."));
    expect(trial.wait(1499)).toEqual([]);
    expect(trial.wait(1)).toEqual([run(1, "My number is five five five.")]);
  });

  test("of keys is the wait after the last", () => {
    const trial = new Trial().greeted();
    trial.take({ type: "digit", digit: "4" });
    trial.wait(1500);
    trial.take({ type: "digit", digit: "2" });
    expect(trial.wait(1999)).toEqual([]);
    expect(trial.wait(1)).toEqual([run(1, "42")]);
  });
});

describe("silence", () => {
  test("after a positive padding counts from its end, and what is said before that is not heard", () => {
    const trial = new Trial(withTelephony({ output_padding: 1 })).greeted("Hello.");
    expect(trial.take(speech("tail"))).toEqual([]);
    expect(trial.wait(4999)).toEqual([]);
    expect(trial.wait(1)).toEqual([{ type: "silence", count: 1 }, run(1, "")]);
  });

  test("counts in a row only", () => {
    const trial = new Trial().greeted("Hello.");
    const silent = () => {
      trial.wait(4000);
      trial.over(["Hm?"]);
    };
    silent();
    silent();
    trial.take(speech("I am here"));
    trial.over();
    silent();
    silent();
    expect(trial.all.filter((effect) => effect.type === "silence")).toHaveLength(4);
    expect(trial.all.some((effect) => effect.type === "end")).toBe(false);
    trial.wait(4000);
    expect(said(trial.all).at(-1)).toBe("Goodbye.");
    expect(trial.take({ type: "played" }).at(-1)).toEqual({ type: "end", reason: "idle" });
  });

  test("that runs out the whole wait twice ends the call", () => {
    const trial = new Trial(withTelephony({ pre_input_timeout: 0, overall_input_timeout: 20 })).greeted(
      "Hello.",
    );
    expect(trial.wait(19_999)).toEqual([]);
    expect(trial.wait(1)).toEqual([{ type: "silence", count: 1 }, run(1, "")]);
    trial.over();
    expect(said(trial.wait(20_000))).toEqual(["Goodbye."]);
  });

  test("is not what goes on being said: the whole wait makes an input of it", () => {
    const trial = new Trial(withTelephony({ overall_input_timeout: 5 })).greeted();
    for (let i = 0; i < 20; i++) {
      trial.take(speech(`word ${i}`, false));
      trial.wait(300);
    }
    expect(trial.all).toContainEqual(run(1, "word 16"));
    expect(trial.all.some((effect) => effect.type === "silence")).toBe(false);
  });

  test("does not begin while a turn runs or words are played", () => {
    const trial = new Trial().greeted();
    trial.take(speech("Hi"));
    expect(trial.wait(60_000)).toEqual([]);
    trial.turn({ type: "delta", text: "A long story." }, { type: "words_over" });
    trial.over(["A long story."]);
    expect(trial.wait(4000)).toEqual([]);
    trial.take({ type: "played" });
    expect(trial.wait(4000)[0]).toEqual({ type: "silence", count: 1 });
  });
});

describe("speech over the agent", () => {
  const speaking = (settings = SETTINGS) => {
    const trial = new Trial(settings).greeted();
    trial.take(speech("hours"));
    trial.turn({ type: "delta", text: "We open at nine. We close at five." }, { type: "words_over" });
    return trial;
  };
  const STORED = ["We open at nine. We close at five."];

  test("of a finished turn cuts what is stored at once", () => {
    const trial = speaking();
    trial.over(STORED);
    expect(trial.take({ type: "interrupted", heard: "We open at" })).toEqual([
      { type: "cut", unheard: measure("nine. We close at five.") },
    ]);
  });

  test("of a running turn stops the model, and cuts when the turn is over; then what was said is answered", () => {
    const trial = speaking();
    expect(trial.take({ type: "interrupted", heard: "We open" })).toEqual([{ type: "interrupt", turn: 1 }]);
    expect(trial.turn({ type: "delta", text: " And so on." })).toEqual([]);
    expect(trial.take(speech("stop"))).toEqual([]);
    expect(trial.over(["We open at nine. We close at five. And so on."])).toEqual([
      { type: "cut", unheard: measure("at nine. We close at five. And so on.") },
      run(2, "stop"),
    ]);
  });

  test("counts what was played before as heard", () => {
    const trial = speaking();
    trial.take({ type: "played" });
    trial.turn({ type: "delta", text: " On Saturday at noon. " });
    trial.take({ type: "interrupted", heard: "On Saturday" });
    expect(trial.over(["We open at nine. We close at five. On Saturday at noon."])).toEqual([
      { type: "cut", unheard: measure("at noon.") },
    ]);
  });

  test("that stops nobody is an input once the words were played, if it came late enough after their start", () => {
    const trial = speaking(withTelephony({ interruptibility: "none" }));
    trial.wait(499);
    trial.take(speech("echo"));
    trial.wait(100);
    trial.take(speech("yes please"));
    trial.over(STORED);
    expect(trial.take({ type: "played" })).toEqual([run(2, "yes please")]);
  });

  test("is not heard at all where passive input is off, but for a negative padding's last moments", () => {
    const trial = speaking(withTelephony({ passive_speech_input_enabled: false, output_padding: -1 }));
    trial.wait(2000);
    trial.take(speech("too early"));
    trial.wait(1500);
    trial.take(speech("just in time"));
    trial.over(STORED);
    trial.wait(500);
    expect(trial.take({ type: "played" })).toEqual([run(2, "just in time")]);
  });
});

describe("speech while a turn works", () => {
  test("lets the tool finish, and is the next input", () => {
    const trial = new Trial().greeted();
    trial.take(speech("find a slot"));
    trial.turn({ type: "tool_call", tool_call_id: "c", tool_name: "find", arguments: {} });
    expect(trial.take(speech("on Monday"))).toEqual([{ type: "interrupt", turn: 1 }]);
    expect(trial.over()).toEqual([run(2, "on Monday")]);
  });

  test("waits for the answer to be played where the channel is not responsive", () => {
    const trial = new Trial(withTelephony({ async_enabled: false })).greeted();
    trial.take(speech("find a slot"));
    expect(trial.take(speech("on Monday"))).toEqual([]);
    trial.turn({ type: "delta", text: "Nothing is free." }, { type: "words_over" });
    expect(trial.over(["Nothing is free."])).toEqual([]);
    expect(trial.take({ type: "played" })).toEqual([run(2, "on Monday")]);
  });
});

describe("filling a wait", () => {
  const waiting = (more: Partial<CallSettings> = {}) => {
    const trial = new Trial({ ...SETTINGS, phrases: PHRASES, ...more }).greeted();
    trial.take(speech("Hi"));
    return trial;
  };

  test("phrases come after once, twice, three and four times the base, then every four times", () => {
    const trial = waiting();
    const heard = [2000, 4000, 6000, 8000, 8000].map((ms) => {
      expect(said(trial.wait(ms - 1))).toEqual([]);
      const [text] = said(trial.wait(1));
      trial.take({ type: "played" });
      return text;
    });
    expect(heard).toEqual(["One moment.", "Still looking.", "One moment.", "Still looking.", "One moment."]);
    expect(trial.all.filter((effect) => effect.type === "aside")).toHaveLength(5);
  });

  test("a tool that runs has its own", () => {
    const trial = waiting();
    trial.turn({ type: "tool_call", tool_call_id: "c", tool_name: "find", arguments: {} });
    expect(said(trial.wait(2000))).toEqual(["I look into the calendar."]);
  });

  test("nothing fills the wait once the answer has begun", () => {
    const trial = waiting();
    trial.turn({ type: "delta", text: "Let me see. And" });
    trial.take({ type: "played" });
    expect(said(trial.wait(60_000))).toEqual([]);
  });

  test("a phrase that is spoken over costs the turn nothing", () => {
    const trial = waiting();
    trial.wait(2000);
    expect(trial.take({ type: "interrupted", heard: "One" })).toEqual([]);
    trial.turn({ type: "delta", text: "Nine it is." }, { type: "words_over" });
    expect(trial.over(["Nine it is."])).toEqual([]);
    expect(said(trial.all).at(-1)).toBe("Nine it is.");
  });

  test("the wait sound plays when nothing comes for a moment, and words end it", () => {
    const trial = waiting({ wait_sound_url: "https://parley.example/sounds/keyboard-1.wav" });
    expect(trial.wait(399)).toEqual([]);
    expect(trial.wait(1)).toMatchObject([{ output: { type: "play", loop: true } }]);
    expect(said(trial.over())).toEqual([""]);
  });
});

describe("the carrier's word on who answered", () => {
  const v1 = { ...SETTINGS, screening: screeningOf({}) };
  const told = (found: "HUMAN" | "MACHINE") => {
    const trial = new Trial(v1);
    trial.take({ type: "answerer", found });
    return trial;
  };

  test("may come before the line is open: a person is greeted at once", () => {
    expect(told("HUMAN").take({ type: "open", sid: "CA1" })).toEqual([{ type: "greet" }]);
  });

  test("of a machine: it is heard to its end first", () => {
    const trial = told("MACHINE");
    expect(trial.take({ type: "open", sid: "CA1" })).toEqual([]);
    trial.wait(1000);
    trial.take(speech("leave a message"));
    expect(trial.wait(1749)).toEqual([]);
    expect(trial.wait(1).at(-1)).toEqual({ type: "run", turn: 1, text: null, answerer: "MACHINE" });
  });

  test("that comes while the greeting is spoken to a machine still has the message left", () => {
    const trial = new Trial(v1);
    trial.take({ type: "open", sid: "CA1" });
    trial.wait(3500);
    trial.take({
      type: "greeting",
      parts: [{ text: "Hello.", language: null, interruptible: true, is_menu: false }],
      wants_turn: false,
      action: null,
    });
    expect(trial.take({ type: "answerer", found: "MACHINE" })).toEqual([
      { type: "answerer", found: "MACHINE" },
      { type: "run", turn: 1, text: null, answerer: "MACHINE" },
    ]);
  });
});

describe("the longest duration", () => {
  test("stops the turn and says goodbye; nobody can hold the line beyond it", () => {
    const trial = new Trial({ ...SETTINGS, longest_at: 60_000 }).greeted();
    trial.take(speech("Hi"));
    const effects = trial.wait(60_000);
    expect(effects[0]).toEqual({ type: "interrupt", turn: 1 });
    expect(said(effects)).toEqual(["Goodbye."]);
    expect(trial.wait(15_000).at(-1)).toEqual({ type: "end", reason: "max-duration" });
  });
});

// ── for all calls ────────────────────────────────────────────────────────────────────────────────────────────────────

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
      ofLine({ type: "stop" }),
      ofLine({ type: "answerer", found: "MACHINE" }),
    ),
  ),
);
const someSettings = fc
  .record({
    screening: fc.constantFrom(null, screeningOf({}), screeningOf({ mode: "v2" })),
    async_enabled: fc.boolean(),
    wait_sound_url: fc.constantFrom(null, "https://x/s.wav"),
    fallback: fc.constantFrom(null, "+15"),
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
  const cutHistory = () => {
    for (const effect of trial.all.slice(done)) {
      if (effect.type === "note" && effect.role === "agent") store(effect.text);
      if (effect.type !== "cut") continue;
      for (const { seq, text } of cutWords(history, effect.unheard)) history[seq] = { seq, text };
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
  const runs = { numRuns: 2000 };

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
        cuts += trial.all.filter((effect) => effect.type === "cut").length;
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
      { numRuns: 300 },
    );
  });
});

const isSaid = (effect: CallEffect): effect is { type: "send"; output: CallOutput & { type: "say" } } =>
  effect.type === "send" && effect.output.type === "say" && effect.output.text !== "";
