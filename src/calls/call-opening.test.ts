import { describe, expect, test } from "vitest";
import type { AnsweredKind } from "../channels/call-socket.ts";
import { SETTINGS, said, speech, Trial } from "./call-machine.trial.ts";
import { screeningOf } from "./call-settings.ts";
import type { CallEvent } from "./call-state.ts";
import { measure } from "./spoken-text.ts";

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

test.each([
  ["of a person, a short one", "喂，您好，请问哪位", undefined],
  ["of a machine, a long one", "您好，这里是王氏牙科诊所，我们现在不方便接听您的电话", "MACHINE"],
])("first words in one piece, without blanks, are %s", (_what, words, found) => {
  const trial = new Trial({ ...SETTINGS, screening: screeningOf({}) });
  trial.take({ type: "open", sid: "CA1" });
  trial.wait(3000);
  const answerer = trial.take(speech(words)).find((effect) => effect.type === "answerer");
  expect(answerer?.found).toBe(found);
});

describe("what our own line hears of who answered", () => {
  const v1 = { ...SETTINGS, screening: screeningOf({}), hears_answerer: true };
  const opened = (settings = v1) => {
    const trial = new Trial(settings);
    trial.take({ type: "open", sid: "CA1" });
    return trial;
  };
  const answered = (by: AnsweredKind, firm = true): CallEvent => ({ type: "answerer", by, firm });
  const afterBeep = (forget: boolean) => ({ type: "send", output: { type: "after_beep", forget } });
  const greeting: CallEvent = {
    type: "greeting",
    parts: [{ text: "Hello.", language: null, interruptible: true, is_menu: false }],
    wants_turn: false,
    action: null,
  };

  test("a person is greeted once their words came, or did not come in time", () => {
    const trial = opened();
    expect(trial.take(answered("human"))).toEqual([]);
    expect(trial.take(speech("Hello?")).map(({ type }) => type)).toEqual(["note", "answerer", "greet"]);
    const mute = opened();
    mute.take(answered("human"));
    expect(mute.wait(800).map(({ type }) => type)).toEqual(["answerer", "greet"]);
  });

  test("it wins over the carrier's, before and after", () => {
    const trial = opened();
    trial.take({ type: "answerer", found: "MACHINE" }, answered("human"), speech("Hello?"));
    expect(trial.all.filter(({ type }) => type === "answerer").at(-1)).toEqual({
      type: "answerer",
      found: "HUMAN",
    });
    expect(trial.take({ type: "answerer", found: "MACHINE" })).toEqual([]);
  });

  test("a voicemail known by its words has its message made at once, to be said after the beep", () => {
    const trial = opened();
    expect(trial.take(answered("voicemail"))).toEqual([
      { type: "answerer", found: "MACHINE" },
      afterBeep(false),
      { type: "run", turn: 1, text: null, answerer: "MACHINE" },
    ]);
  });

  test("one that only speaks for long is heard to its end, and may turn out to be a screener", () => {
    const trial = opened();
    expect(trial.take(answered("voicemail", false))).toEqual([]);
    trial.take(answered("screener"), speech("Who is calling, and why?"));
    expect(trial.wait(1750)).toEqual([
      { type: "run", turn: 1, text: "Who is calling, and why?", answerer: "SCREENER" },
    ]);
    // It is not asked "are you there?" after four seconds.
    trial.over(["It is the clinic."]);
    expect(trial.wait(59_000)).toEqual([]);
    expect(said(trial.wait(1000))).toEqual(["Goodbye."]);
  });

  test("a message is left only where its line says that all of it was played", () => {
    for (const [unsaid, left] of [
      [false, 1],
      [true, 0],
    ] as const) {
      const trial = new Trial().greeted();
      trial.take(speech("Please leave a message."));
      trial.turn({ type: "delta", text: "Please call us back. " });
      trial.over(["Please call us back."], { action: { action: "hangup", reason: null, voicemail: true } });
      const end = trial.take(unsaid ? { type: "played", unsaid } : { type: "played" });
      expect(end.filter(({ type }) => type === "voicemail_left")).toHaveLength(left);
      expect(end.at(-1)).toMatchObject({ type: "end", reason: "agent" });
    }
  });

  test("a greeting that a voicemail got is taken back, since nobody heard it", () => {
    const trial = opened();
    trial.take(answered("human"), speech("Hi."), greeting);
    expect(trial.take(answered("voicemail"))).toEqual([
      { type: "answerer", found: "MACHINE" },
      afterBeep(true),
      { type: "cut", unheard: measure("Hello.") },
      { type: "run", turn: 1, text: null, answerer: "MACHINE" },
    ]);
    const later = opened();
    later.take(answered("human"), speech("Hi."), answered("voicemail"));
    expect(later.take(greeting)).toEqual([
      { type: "cut", unheard: measure("Hello.") },
      afterBeep(false),
      { type: "run", turn: 1, text: null, answerer: "MACHINE" },
    ]);
  });

  test("a fax ends the call at once, in the middle of our words", () => {
    const trial = opened({ ...v1, screening: null });
    trial.take(greeting);
    expect(trial.take(answered("fax"))).toEqual([
      { type: "answerer", found: "MACHINE" },
      { type: "end", reason: "agent", hangs_up: true },
    ]);
  });

  test("a call on hold waits, and greets the next person who speaks", () => {
    const trial = opened();
    trial.take(answered("hold"), speech("Please hold."));
    expect(trial.wait(60_000)).toEqual([]);
    trial.take(speech("Thank you for waiting."));
    expect(trial.wait(1750).map(({ type }) => type)).toEqual(["note", "answerer", "greet"]);
  });
});
