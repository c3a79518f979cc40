import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { type LineEffect, type LineEvent, type LineState, newLine } from "./line-state.ts";
import { takeLineEvent } from "./turn-taking.ts";

/** A line to which things happen at moments; the machine is woken when it asks for it. */
class Line {
  state: LineState = newLine(0);
  readonly done: { at: number; effect: LineEffect }[] = [];
  readonly language: string;

  constructor(language = "en-US") {
    this.language = language;
  }

  at(moment: number, event: LineEvent): this {
    for (let wake = this.state.wake; wake !== null && wake <= moment; wake = this.state.wake) {
      this.#take({ type: "tick" }, wake);
      // A moment that comes again and again would hold up the line.
      if (this.state.wake !== null && this.state.wake <= wake)
        throw new Error(`woken at ${wake} for nothing`);
    }
    this.#take(event, moment);
    return this;
  }

  #take(event: LineEvent, at: number): void {
    const { state, effects } = takeLineEvent({ language: this.language }, this.state, event, at);
    this.state = state;
    this.done.push(...effects.map((effect) => ({ at, effect })));
  }

  voice = (at: number, speaks: boolean) => this.at(at, { type: "voice", speaks });
  /** A voice ends, of which an ear will say what it was. */
  ends = (at: number) => this.at(at, { type: "voice", speaks: false, words_follow: true });
  heard = (at: number, text: string) => this.at(at, { type: "words", text, final: false });
  final = (at: number, text: string) => this.at(at, { type: "words", text, final: true });
  ours = (at: number, how: { playing: boolean; interruptible?: boolean; asks?: boolean }) =>
    this.at(at, { type: "ours", interruptible: true, asks: false, ...how });
  until = (at: number) => this.at(at, { type: "tick" });

  /** When an answer was prepared, for which words, and when it was dropped. */
  get prepared(): string[] {
    return this.done.flatMap(({ at, effect }) => {
      if (effect.type === "eager") return [`${at} "${effect.text}"`];
      return effect.type === "resumed" ? [`${at} dropped`] : [];
    });
  }

  /** What was done, and when; words on their way and answers prepared left out. */
  get deeds(): string[] {
    return this.done.flatMap(({ at, effect }) => {
      if (effect.type === "eager" || effect.type === "resumed") return [];
      if (effect.type !== "speech")
        return [`${at} ${effect.type}${"reason" in effect ? ` ${effect.reason}` : ""}`];
      return effect.final ? [`${at} "${effect.text}" ${effect.reason}`] : [];
    });
  }
}

const speaking = () => new Line().ours(0, { playing: true });

describe("words that become final after their turn was ended without them", () => {
  const early = () => new Line().voice(0, true).heard(400, "i want to book").voice(500, false).until(2500);
  test("are no second turn, as they were or corrected", () => {
    for (const late of ["i want to book", "i want a book"])
      expect(early().final(2600, late).until(9000).deeds).toEqual(early().deeds);
    expect(early().deeds).toEqual([expect.stringMatching(/"i want to book" (free|goes-on)$/)]);
  });

  test("are one where there is more of them, or the person spoke again", () => {
    const more = early().final(2600, "i want to book a table").until(9000).deeds;
    expect(more[1]).toMatch(/"a table" free$/);
    const corrected = early().final(2600, "i wanted to book a table for two").until(9000).deeds;
    expect(corrected[1]).toMatch(/"a table for two" free$/);
    const joined = new Line("ja-JP").voice(0, true).heard(400, "明日の").voice(500, false).until(2500);
    const deeds = joined.final(2600, "明日の三時に行きます").until(9000).deeds;
    expect(deeds[1]).toMatch(/"三時に行きます" complete$/);
    const again = early()
      .voice(2600, true)
      .voice(3000, false)
      .final(3100, "i want to book")
      .until(9000).deeds;
    expect(again[1]).toMatch(/"i want to book" (free|goes-on)$/);
  });
});

describe("speaking over the agent", () => {
  test("a voice of 140 ms stops us, and 'wait' takes the turn once it is no mere guess", () => {
    const line = speaking()
      .voice(1000, true)
      .heard(1200, "wait")
      .voice(1300, false)
      .final(1500, "wait")
      .until(3000);
    expect(line.deeds).toEqual(["1140 hold", "1500 take", '2320 "wait" free']);
  });

  test("'mm-hm' stops us for a moment, and we go on", () => {
    const line = speaking()
      .voice(1000, true)
      .heard(1200, "mm-hm")
      .voice(1300, false)
      .final(1500, "mm-hm")
      .until(5000);
    expect(line.deeds).toEqual(["1140 hold", "1500 go_on backchannel"]);
    line.ours(6000, { playing: false }).voice(7000, true).heard(7200, "on monday please").voice(7500, false);
    expect(line.final(7600, "on monday please").until(9000).deeds[2]).toBe(
      '7900 "on monday please" complete',
    );
  });

  test("a cough, a door or a noise without words lets us go on within 1.5 s, and at once where the ear says so", () => {
    const noise = () => speaking().voice(1000, true).voice(1300, false);
    expect(noise().until(5000).deeds).toEqual(["1140 hold", "2640 go_on no-words"]);
    expect(noise().final(1500, "").until(5000).deeds).toEqual(["1140 hold", "1500 go_on no-words"]);
  });

  test("a noise that goes on stops us once; the next one stops us again", () => {
    const line = speaking().voice(1000, true).until(6000).voice(6100, false).voice(7000, true).until(8000);
    expect(line.deeds).toEqual(["1140 hold", "2640 go_on no-words", "7140 hold"]);
  });

  test("while we have stopped, nothing of ours begins, and words that never become final are used as they are", () => {
    const line = speaking().voice(1000, true).heard(1200, "tuesday").voice(1300, false);
    line.ours(1400, { playing: true }).until(2159);
    expect(line.deeds).toEqual(["1140 hold"]);
    expect(line.until(2160).deeds[1]).toBe("2160 take");
  });

  test("a 'wait' too short to stop us takes the turn; without it the words are told when ours end", () => {
    const over = (text: string) =>
      speaking().voice(1000, true).voice(1100, false).final(1200, text).ours(1500, { playing: false });
    expect(over("wait").deeds[0]).toBe("1200 take");
    const told = over("tuesday").done.map(({ at, effect }) => [at, effect.type]);
    expect(told).toContainEqual([1500, "speech"]);
    expect(told).not.toContainEqual([1200, "speech"]);
  });

  test("'yes' is an answer where a question is open, and a nod where none is", () => {
    const say = (asks: boolean) =>
      new Line()
        .ours(0, { playing: true, asks })
        .voice(1000, true)
        .voice(1300, false)
        .final(1500, "yes")
        .until(5000);
    expect(say(true).deeds).toEqual(["1140 hold", "1500 take", '2000 "yes" answer']);
    expect(say(false).deeds).toEqual(["1140 hold", "1500 go_on backchannel"]);
  });

  test("three words take the turn before they are finished", () => {
    const line = speaking().voice(1000, true).heard(1400, "i'd like").heard(1600, "i'd like to").until(2000);
    expect(line.deeds).toEqual(["1140 hold", "1900 take"]);
  });

  test("a nod that recognition first took for a 'no' takes no turn", () => {
    const line = speaking()
      .voice(1000, true)
      .heard(1150, "no")
      .heard(1300, "okay")
      .voice(1400, false)
      .final(1600, "okay")
      .until(4000);
    expect(line.deeds).toEqual(["1140 hold", "1600 go_on backchannel"]);
  });

  test("one word that is no nod takes the turn when it is over: 'Tuesday'", () => {
    const line = speaking()
      .voice(1000, true)
      .heard(1300, "tuesday")
      .voice(1500, false)
      .final(1700, "tuesday")
      .until(4000);
    expect(line.deeds).toEqual(["1140 hold", "1700 take", '2520 "tuesday" free']);
  });

  test("the first word is never lost: what was said while we still spoke is part of the turn", () => {
    const line = speaking()
      .voice(1000, true)
      .heard(1050, "no")
      .heard(1300, "no not")
      .final(1800, "no not on monday");
    expect(line.done.find(({ effect }) => effect.type === "speech")?.effect).toMatchObject({
      text: "no not",
    });
  });

  test("words that may not be interrupted are said to their end; what was said meanwhile is heard then", () => {
    const line = new Line().ours(0, { playing: true, interruptible: false });
    line.voice(1000, true).heard(1300, "stop it").voice(1500, false).final(1700, "stop it").until(2900);
    expect(line.deeds).toEqual([]);
    expect(line.ours(3000, { playing: false }).until(5000).deeds).toEqual(['3000 "stop it" free']);
  });

  test("a short 'ok' that never stopped us is no turn after our words either", () => {
    const line = speaking()
      .voice(1000, true)
      .voice(1050, false)
      .final(1200, "ok")
      .ours(2000, { playing: false })
      .until(4000);
    expect(line.deeds).toEqual([]);
  });

  test("a short 'yes' over a question, too short to stop us, answers it once it is asked", () => {
    const line = new Line().ours(0, { playing: true, asks: true }).voice(1000, true).voice(1050, false);
    line.final(1200, "yes").until(1900);
    expect(line.deeds).toEqual([]);
    expect(line.ours(2000, { playing: false }).until(4000).deeds).toEqual(['2000 "yes" answer']);
  });

  test("in a language without lists any words take the turn", () => {
    const line = new Line("tr-TR").ours(0, { playing: true });
    line.voice(1000, true).voice(1300, false).final(1500, "evet").until(4000);
    expect(line.deeds).toEqual(["1140 hold", "1500 take", '2320 "evet" free']);
  });
});

describe("the end of a turn", () => {
  const say = (awaited: LineEvent | null, text: string) => {
    const line = new Line();
    if (awaited) line.at(0, awaited);
    return line.voice(1000, true).heard(1500, text).voice(2000, false).final(2100, text).until(6000).deeds;
  };

  test("a yes to a question of yes or no is over in 250 ms, and so is a choice of a menu", () => {
    const awaited = {
      type: "awaited",
      awaited: { kind: "choice", choices: ["yes", "no", "check-up"] },
    } as const;
    expect(say(awaited, "yes please")).toEqual(['2250 "yes please" choice']);
    expect(say(awaited, "a check-up")).toEqual(['2250 "a check-up" choice']);
    expect(say(awaited, "i am not sure about that")).toEqual(['3020 "i am not sure about that" free']);
  });

  test("a question and a 'please' are over in 400 ms, a wish in 1020; after 'and', 'um' or a comma it is a second", () => {
    expect(say(null, "when are you open")).toEqual(['2400 "when are you open" complete']);
    expect(say(null, "on monday please")).toEqual(['2400 "on monday please" complete']);
    expect(say(null, "i want to book an appointment")).toEqual(['3020 "i want to book an appointment" free']);
    for (const text of ["on monday and", "on monday,", "i would like to make"])
      expect(say(null, text)).toEqual([`3000 "${text}" goes-on`]);
  });

  test("a short answer to what we asked is over in 700 ms", () => {
    const line = new Line().ours(0, { playing: true, asks: true }).ours(900, { playing: false });
    line.voice(1000, true).heard(1500, "on monday").voice(2000, false).final(2100, "on monday");
    expect(line.until(6000).deeds).toEqual(['2700 "on monday" answer']);
  });

  test("a dictated number waits 1.2 s until it is whole, then 250 ms", () => {
    const awaited = { type: "awaited", awaited: { kind: "dictated", characters: 6 } } as const;
    expect(say(awaited, "one two three")).toEqual(['3200 "one two three" dictated']);
    expect(say(awaited, "one two three 4 56")).toEqual(['2250 "one two three 4 56" whole']);
    expect(say(awaited, "zéro deux trois 4 56")).toEqual(['2250 "zéro deux trois 4 56" whole']);
  });

  test("a caller who pauses is not interrupted: the pauses of before count", () => {
    const line = new Line();
    line.voice(0, true).voice(500, false).final(700, "i would like").voice(900, true).heard(1000, "to come");
    line.voice(1500, false).final(1700, "to come on monday").until(4000);
    expect(line.deeds).toEqual(['2520 "i would like to come on monday" free']);
    // A pause of 700 ms was heard: half as much again is waited.
    const slow = new Line().voice(0, true).voice(500, false).final(700, "i would like").voice(1200, true);
    slow.heard(1300, "to come").voice(1500, false).final(1700, "to come on monday").until(4000);
    expect(slow.deeds).toEqual(['2550 "i would like to come on monday" free']);
  });

  test("an engine that judges turns ends one at once, but not a number that is dictated, nor what we still say", () => {
    const words = (line: Line) => line.voice(1000, true).voice(2000, false).final(2050, "one two three");
    const over = (line: Line) => line.at(2100, { type: "turn_over" }).until(2200);
    expect(over(words(new Line())).deeds).toEqual(['2100 "one two three" engine']);
    const dictated = { type: "awaited", awaited: { kind: "dictated", characters: 6 } } as const;
    expect(over(words(new Line().at(0, dictated))).deeds).toEqual([]);
    const said = over(words(new Line().ours(0, { playing: true, interruptible: false })));
    expect(said.ours(2300, { playing: false }).until(9000).deeds).toEqual([
      expect.stringMatching(/"one two three" free$/),
    ]);
    // Its words are still to come.
    const owed = new Line().voice(1000, true).heard(1500, "on sunday").voice(2000, false);
    expect(owed.at(2100, { type: "turn_over" }).final(2200, "on monday").until(9000).deeds).toEqual([
      expect.stringMatching(/"on monday" free$/),
    ]);
  });

  test("an ear that is late with its words is waited for, but not for ever", () => {
    const late = new Line()
      .voice(0, true)
      .heard(400, "on monday")
      .voice(500, false)
      .final(1150, "on sunday")
      .until(4000);
    expect(late.deeds).toEqual(['1520 "on sunday" free']);
    const never = new Line().voice(0, true).heard(400, "on monday").voice(500, false).until(4000);
    expect(never.deeds).toEqual(['1520 "on monday" free']);
  });

  test("an ear that is sure to have words is waited for longer, and half a sentence is not answered", () => {
    const half = () => new Line().voice(0, true).heard(400, "thanks").ends(500);
    expect(half().final(2300, "thanks but no").until(9000).deeds).toEqual(['2300 "thanks but no" free']);
    expect(half().final(600, "thanks").until(9000).deeds).toEqual(['900 "thanks" complete']);
    expect(half().until(9000).deeds).toEqual(['2900 "thanks" complete']);
    const over = () => speaking().voice(1000, true).heard(1300, "thanks").ends(1500);
    expect(over().final(3600, "thanks but no").until(9000).deeds.slice(0, 2)).toEqual([
      "1140 hold",
      "3600 take",
    ]);
    expect(over().until(9000).deeds.slice(0, 2)).toEqual(["1140 hold", "3900 take"]);
  });

  test("the words of a voice are waited for, too, where those of the one before come late", () => {
    const monday = (words_follow: boolean) =>
      new Line()
        .voice(0, true)
        .ends(500)
        .voice(900, true)
        .ends(1500)
        .at(1800, { type: "words", text: "on monday", final: true, words_follow });
    expect(monday(true).final(3200, "or on tuesday please").until(9000).deeds).toEqual([
      '3200 "on monday or on tuesday please" complete',
    ]);
    expect(monday(false).until(9000).deeds).toEqual(['2520 "on monday" free']);
  });

  test("a word that was none after all is taken back: no answer is given or prepared, and our words go on at once", () => {
    const hummed = new Line().voice(0, true).heard(400, "yeah").ends(500).final(800, "").until(9000);
    const words = hummed.done.flatMap(({ at, effect }) =>
      effect.type === "speech" ? [`${at} "${effect.text}"`] : [],
    );
    expect(words).toEqual(['400 "yeah"', '800 ""']);
    expect(hummed.prepared).toEqual(['650 "yeah"', "800 dropped"]);
    const over = speaking().voice(1000, true).heard(1300, "yeah").ends(1500).final(1800, "").until(9000);
    expect(over.deeds).toEqual(["1140 hold", "1800 go_on no-words"]);
    // What was said before it stays.
    const behind = new Line().voice(0, true).ends(500).final(600, "on monday").voice(900, true);
    expect(behind.heard(1000, "no").ends(1100).final(1400, "").until(9000).deeds).toEqual([
      '2120 "on monday" free',
    ]);
  });
});

describe("sounds", () => {
  const none = { type: "sound", stirs: false, far: false, hums: false } as const;

  test("an answer is prepared in a silence of 150 ms, dropped when they go on, and prepared for other words again", () => {
    const line = new Line().voice(0, true).heard(400, "i want").voice(500, false).final(600, "i want it");
    line.voice(900, true).heard(1000, "now").voice(1100, false).final(1200, "now please").until(4000);
    expect(line.prepared).toEqual(['650 "i want it"', "900 dropped", '1250 "i want it now please"']);
    expect(line.deeds).toEqual(['1700 "i want it now please" complete']);
    const corrected = new Line().voice(0, true).heard(400, "i want").voice(500, false).final(700, "i won it");
    expect(corrected.prepared).toEqual(['650 "i want"', "700 dropped", '700 "i won it"']);
  });

  test("what begins to sound when a turn would end is waited for, and ends it where it was no voice", () => {
    const begins = () =>
      new Line()
        .voice(0, true)
        .heard(400, "when are you open")
        .voice(500, false)
        .final(600, "when are you open")
        .at(850, { ...none, stirs: true });
    expect(begins().until(3000).deeds).toEqual(['1090 "when are you open" complete']);
    expect(begins().voice(950, true).until(3000).deeds).toEqual([]);
  });

  test("where both would begin together, they go first; for a mere sound we wait a moment", () => {
    const line = new Line().at(900, { ...none, stirs: true }).ours(1000, { playing: true });
    expect(line.until(3000).deeds).toEqual(["1000 hold", "1140 go_on no-words"]);
    const both = new Line().voice(900, true).ours(1000, { playing: true }).heard(1200, "for a check up");
    expect(both.until(3000).deeds).toEqual(["1000 hold", "1500 take"]);
  });

  test("a sound that has ended, and one over words that go on or may not be interrupted, stops nothing", () => {
    const stirs = { ...none, stirs: true };
    const ended = new Line().at(900, stirs).at(950, none).ours(1000, { playing: true });
    expect(ended.until(3000).deeds).toEqual([]);
    const firm = new Line().at(900, stirs).ours(1000, { playing: true, interruptible: false });
    expect(firm.until(3000).deeds).toEqual([]);
    const going = speaking().at(900, stirs).ours(1000, { playing: true });
    expect(going.until(3000).deeds).toEqual([]);
  });

  test("people in the background don't stop us, whatever they say; the caller does", () => {
    const far = speaking()
      .at(900, { ...none, far: true })
      .voice(1000, true)
      .heard(1300, "no it is on the way");
    expect(far.voice(2000, false).final(2100, "no it is on the way").until(4000).deeds).toEqual([]);
    expect(far.state.finals).toEqual([]);
  });

  test("a hum that recognition takes for a word is a nod", () => {
    const line = speaking()
      .voice(1000, true)
      .at(1100, { ...none, hums: true })
      .heard(1200, "no");
    expect(line.voice(1400, false).final(1600, "no").until(4000).deeds).toEqual([
      "1140 hold",
      "1600 go_on backchannel",
    ]);
  });

  test("a voice counts from when it began, however late that is told", () => {
    const line = speaking().at(1100, { type: "voice", speaks: true, since: 1000 });
    expect(line.until(1200).deeds).toEqual(["1140 hold"]);
  });
});

const event: fc.Arbitrary<LineEvent> = fc.oneof(
  fc
    .record({ stirs: fc.boolean(), far: fc.boolean(), hums: fc.boolean() })
    .map((sound): LineEvent => ({ type: "sound", ...sound })),
  fc.boolean().map((speaks): LineEvent => ({ type: "voice", speaks })),
  fc
    .record({
      text: fc.constantFrom("", "mm-hm", "wait", "yes", "on monday and", "one two three"),
      final: fc.boolean(),
    })
    .map((words): LineEvent => ({ type: "words", ...words })),
  fc
    .record({ playing: fc.boolean(), interruptible: fc.boolean(), asks: fc.boolean() })
    .map((ours): LineEvent => ({ type: "ours", ...ours })),
  fc
    .constantFrom({ kind: "dictated", characters: 6 } as const, { kind: "choice", choices: ["yes"] } as const)
    .map((awaited): LineEvent => ({ type: "awaited", awaited })),
  fc.constant<LineEvent>({ type: "turn_over" }),
);

test("for all calls: we go on or give up only what is held, no word of the caller is lost, and nobody waits for ever", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 900 }), event), { maxLength: 60 }), (history) => {
      const line = new Line();
      let now = 0;
      for (const [after, next] of history) {
        now += after;
        line.at(now, next);
      }
      line
        .at(now + 1, { type: "sound", stirs: false, far: false, hums: false })
        .voice(now + 1, false)
        .final(now + 2, "")
        .ours(now + 3, { playing: false })
        .until(now + 10_000);
      let held = false;
      let prepared = false;
      for (const { effect } of line.done) {
        if (effect.type === "resumed") expect(prepared).toBe(true);
        if (effect.type === "eager") prepared = true;
        if (effect.type === "resumed" || (effect.type === "speech" && effect.final)) prepared = false;
        if (effect.type === "hold") held = true;
        if (effect.type === "go_on") expect(held).toBe(true);
        if (effect.type === "go_on" || effect.type === "take") held = false;
      }
      expect(line.state.wake).toBeNull();
      expect(line.state.finals).toEqual([]);
      expect(line.state.partial).toBe("");
      expect(line.state.ours.phase).toBe("silent");
    }),
    { numRuns: rounds(300) },
  );
});

test("whatever is said while we are silent, the turns are its words, each once and in order, told as they come, with the silence after them", () => {
  const ms = (max: number) => fc.integer({ min: 1, max });
  const utterance = fc.record({
    text: fc.constantFrom("mm-hm", "on monday and", "i want to book", "when are you open", "four"),
    pause_ms: ms(3_000),
    guessed_ms: fc.option(ms(900), { nil: null }),
    voice_ms: ms(2_000),
    final_ms: ms(2_000),
  });
  fc.assert(
    fc.property(fc.array(utterance, { minLength: 1, maxLength: 30 }), (utterances) => {
      const line = new Line();
      const quiet: number[] = [];
      let now = 0;
      const later = (ms: number) => {
        now += ms;
        return now;
      };
      for (const { text, pause_ms, guessed_ms, voice_ms, final_ms } of utterances) {
        line.voice(later(pause_ms), true);
        if (guessed_ms !== null) line.heard(later(guessed_ms), text);
        line.voice(later(voice_ms), false);
        quiet.push(now);
        line.final(later(final_ms), text);
      }
      line.until(now + 10_000);
      const turns: string[] = [];
      let told = "";
      for (const { at, effect } of line.done) {
        if (effect.type !== "speech") continue;
        if (!effect.final) told = effect.text;
        else {
          turns.push(effect.text);
          expect(told).toBe(effect.text);
          expect(effect.silence_ms).toBe(at - (quiet.findLast((moment) => moment <= at) as number));
        }
      }
      expect(turns.join(" ")).toBe(utterances.map(({ text }) => text).join(" "));
    }),
    { numRuns: rounds(300) },
  );
});
