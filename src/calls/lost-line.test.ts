import { describe, expect, test } from "vitest";
import { run, SETTINGS, said, speech, Trial } from "./call-machine.trial.ts";
import { type CallSettings, screeningOf } from "./call-settings.ts";
import type { CallEvent } from "./call-state.ts";
import { measure } from "./spoken-text.ts";

describe("a line that is gone in the middle of our words", () => {
  const speaking = () => {
    const trial = new Trial().greeted();
    trial.take(speech("hours"));
    trial.turn({ type: "delta", text: "We open at nine. We close at five." }, { type: "words_over" });
    return trial;
  };
  const END = { type: "end", reason: "user", hangs_up: false };

  test("leaves in the transcript what came out of them", () => {
    const trial = speaking();
    trial.over(["We open at nine. We close at five."]);
    expect(trial.take({ type: "closed", heard: "We open at" })).toEqual([
      { type: "cut", unheard: measure("nine. We close at five.") },
      END,
    ]);
  });

  test("while their turn runs stops the model, and cuts all but what came out once the turn is stored", () => {
    const trial = speaking();
    expect(trial.take({ type: "closed", heard: "We open" })).toEqual([
      { type: "cut_turn", turn: 1, heard: measure("We open"), unheard_before: 0 },
      { type: "interrupt", turn: 1 },
      END,
    ]);
  });

  test("cuts nothing where the line does not know what came out", () => {
    const trial = speaking();
    trial.over(["We open at nine. We close at five."]);
    expect(trial.take({ type: "closed" })).toEqual([END]);
  });

  test("cuts as well where an operator hangs up", () => {
    const trial = speaking();
    trial.over(["We open at nine. We close at five."]);
    expect(trial.take({ type: "hang_up", heard: "We" })[0]).toEqual({
      type: "cut",
      unheard: measure("open at nine. We close at five."),
    });
  });
});

describe("a line that is opened anew", () => {
  const again: CallSettings = { ...SETTINGS, resumes: true, goes_on_with: "We are open from nine to five." };

  test("says its last words once more, and an interruption takes nothing out of what was heard before", () => {
    const trial = new Trial(again);
    expect(said(trial.take({ type: "open", sid: "CA1" }))).toEqual(["We are open from nine to five."]);
    const effects = trial.take({ type: "interrupted", heard: "We" }, speech("Thanks."));
    expect(effects).toEqual([run(1, "Thanks.")]);
  });

  test("answers what was said to the line that broke, where nobody had answered it", () => {
    const trial = new Trial({ ...again, goes_on_with: null });
    expect(trial.take({ type: "open", sid: "CA1" })).toEqual([run(1, null)]);
  });
});

describe("a line on which nothing hears any more", () => {
  const DEAF: CallEvent = { type: "deaf", message: "the ear failed" };
  const APOLOGY = "I'm sorry, I can't answer right now. Please try again in a moment.";

  test("ends by an apology, once what is being said is said, and its turn says no more", () => {
    const trial = new Trial().greeted();
    trial.take(speech("When are you open?"));
    trial.turn({ type: "delta", text: "We are open from nine to five. " });
    const told = trial.take(DEAF);
    expect(said(told)).toEqual([APOLOGY]);
    expect(told).toContainEqual({ type: "interrupt", turn: 1 });
    expect(told).toContainEqual({ type: "note", role: "agent", text: APOLOGY, aside: false });
    expect(trial.take(DEAF)).toEqual([]);
    expect(trial.turn({ type: "delta", text: "On Sundays, too. " })).toEqual([]);
    trial.over(["We are open from nine to five."]);
    expect(trial.take({ type: "played" })).toEqual([{ type: "end", reason: "error", hangs_up: true }]);
  });

  test("is handed on where the agent has somebody who takes its calls", () => {
    const trial = new Trial({ ...SETTINGS, fallback: "+15125550100" }).greeted();
    expect(said(trial.take(DEAF))).toEqual([APOLOGY]);
    expect(trial.take({ type: "played" })).toMatchObject([
      { type: "transferring", dial: { number: "+15125550100" }, by_agent: false },
    ]);
  });

  test("leaves the message of a voicemail, which nobody has to hear", () => {
    const trial = new Trial({ ...SETTINGS, screening: screeningOf({}) });
    trial.take({ type: "open", sid: "CA1" }, { type: "answerer", found: "MACHINE" });
    expect(trial.take(DEAF)).toEqual([]);
  });
});
