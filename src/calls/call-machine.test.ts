import { describe, expect, test } from "vitest";
import { PHRASES, run, SETTINGS, said, speech, Trial, withTelephony } from "./call-machine.trial.ts";
import type { CallSettings } from "./call-settings.ts";
import type { CallEvent } from "./call-state.ts";
import { measure } from "./spoken-text.ts";

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

  test.each([
    ["I would", "I would like to book.", "like to book."],
    ["明日の", "明日の三時に行きます。", "三時に行きます。"],
  ])("leaves what goes on after it to be heard, and nothing twice: %s, %s", (before, whole, rest) => {
    const trial = new Trial().greeted();
    trial.take(speech(before, false));
    expect(trial.wait(900)).toEqual([run(1, before)]);
    trial.take(speech(whole));
    expect(trial.over()).toEqual([run(2, rest)]);
  });

  test("is not what was taken back: nothing is answered, and the silence begins anew", () => {
    const trial = new Trial().greeted();
    trial.take(speech("Yeah", false));
    trial.wait(800);
    expect(trial.take(speech("", false))).toEqual([]);
    expect(trial.wait(3999)).toEqual([]);
    expect(trial.wait(1)).toEqual([{ type: "silence", count: 1 }, run(1, "")]);
    // Over our words, too; what was said before it stays.
    trial.turn({ type: "delta", text: "Are you there?" }, { type: "words_over" });
    trial.take(speech("On Monday.", true));
    trial.take(speech("no", false));
    trial.take(speech("", true));
    trial.over(["Are you there?"]);
    trial.take({ type: "interrupted", heard: "Are" });
    expect(trial.all.at(-1)).toEqual(run(2, "On Monday."));
  });

  test("waits for more where the channel says how long", () => {
    const trial = new Trial(withTelephony({ post_speech_input_timeout: 1.5 })).greeted();
    trial.take(speech("My number is"));
    trial.wait(1000);
    trial.take(speech("five five five."));
    expect(trial.wait(1499)).toEqual([]);
    expect(trial.wait(1)).toEqual([run(1, "My number is five five five.")]);
  });

  test("has words and keys in the order in which they began", () => {
    const trial = new Trial(withTelephony({ post_speech_input_timeout: 1 })).greeted();
    const presses = (...digits: string[]) =>
      trial.take(...digits.map((digit): CallEvent => ({ type: "digit", digit })));
    presses("4", "2");
    trial.take(speech("that is my", false));
    presses("7");
    trial.take(speech("that is my number"));
    presses("8");
    expect(trial.wait(2000)).toEqual([run(1, "42 that is my number 78")]);
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
    expect(trial.take({ type: "played" }).at(-1)).toEqual({ type: "end", reason: "idle", hangs_up: true });
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

describe("words that a voice is given in another way than they are written", () => {
  const override = {
    text: "Siobhan",
    replacement: "shiv awn",
    languages: [],
    provider: "OpenAI",
    voice: "",
    match_type: "exact" as const,
    match_options: [],
    enabled: true,
    notes: "",
  };
  const speakers = [{ language: "en-US", provider: "OpenAI", voice: "openai:alloy" }];
  const settings = { ...SETTINGS, pronunciations: [override], speakers };
  const answered = () => {
    const trial = new Trial(settings).greeted();
    trial.take(speech("hours"));
    trial.turn({ type: "delta", text: "Ask **Siobhan** at nine. 🎉 " }, { type: "words_over" });
    return trial;
  };

  test("go to the line with what the voice says, and what has no sound does not go there", () => {
    const output = {
      type: "say",
      text: "Ask **Siobhan** at nine.",
      spoken: { text: "Ask shiv awn at nine." },
    };
    const trial = answered();
    expect(trial.all.filter(({ type }) => type === "send")).toMatchObject([{ output }]);
    expect(trial.over(["Ask **Siobhan** at nine. 🎉"])).toEqual([]);
    expect(trial.take({ type: "played" })).toEqual([]);
  });

  test.each([
    ["Ask shiv awn at", "nine. 🎉"],
    ["Ask shiv", "Siobhan** at nine. 🎉"],
    ["Ask shiv awn at nine.", ""],
  ])("are cut where they were written when %j was heard of them", (heard, unheard) => {
    const trial = answered();
    trial.over(["Ask **Siobhan** at nine. 🎉"]);
    const cut = unheard === "" ? [] : [{ type: "cut", unheard: measure(unheard) }];
    expect(trial.take({ type: "interrupted", heard })).toEqual(cut);
  });
});

describe("the words before a call", () => {
  test("are spoken to their end once the model begins the call, and their message is not spoken again", () => {
    const trial = new Trial().greeted();
    trial.take(speech("hours"));
    expect(said(trial.turn({ type: "delta", text: "One moment. I look" }))).toEqual(["One moment."]);
    expect(said(trial.turn({ type: "delta", text: " that up." }))).toEqual([]);
    expect(said(trial.turn({ type: "text_end" }))).toEqual(["I look that up."]);
    const text = "One moment. I look that up.";
    const at = new Date(0);
    expect(said(trial.turn({ type: "words_over" }, { type: "message", text, at }))).toEqual([]);
  });

  test("are spoken to their end when the model stalls after a sentence, whose server tells nothing of the call", () => {
    const trial = new Trial().greeted();
    trial.take(speech("hours"));
    trial.turn({ type: "delta", text: "I look that up." });
    expect(trial.wait(499)).toEqual([]);
    expect(said(trial.wait(1))).toEqual(["I look that up."]);
    for (const open of ["It costs 3.", "Dr.", "At 9 a.m.", "And"]) {
      trial.turn({ type: "delta", text: ` ${open}` });
      expect(said(trial.wait(5000))).toEqual([]);
      expect(said(trial.turn({ type: "words_over" }))).toEqual([open]);
    }
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

  test("a tool that runs has its own, until its result is there", () => {
    const trial = waiting();
    const call = { tool_call_id: "c", tool_name: "find" };
    trial.turn({ type: "tool_call", ...call, arguments: {} });
    expect(said(trial.wait(2000))).toEqual(["I look into the calendar."]);
    trial.take({ type: "played" });
    const result = { error: null, duration_ms: 2000, display_result: null, propagated: null };
    trial.turn({ type: "tool_result", ...call, ...result });
    expect(said(trial.wait(60_000))[0]).toMatch(/^(One moment|Still looking)\.$/);
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

describe("the longest duration", () => {
  test("stops the turn and says goodbye; nobody can hold the line beyond it", () => {
    const trial = new Trial({ ...SETTINGS, longest_at: 60_000 }).greeted();
    trial.take(speech("Hi"));
    const effects = trial.wait(60_000);
    expect(effects[0]).toEqual({ type: "interrupt", turn: 1 });
    expect(said(effects)).toEqual(["Goodbye."]);
    expect(trial.wait(15_000).at(-1)).toEqual({ type: "end", reason: "max-duration", hangs_up: true });
  });
});

describe("a turn", () => {
  const at = new Date("2026-11-18T12:00:00Z");
  const message = (text: string) => ({ type: "message" as const, text, at });
  const asked = (settings: Partial<CallSettings> = {}) => {
    const trial = new Trial({ ...SETTINGS, ...settings }).greeted("Hello.");
    trial.take(speech("Hi"));
    return trial;
  };

  test("has the model's words spoken once, as they come, and a workflow's text, which comes whole, in its place among them", () => {
    const trial = asked();
    trial.turn(
      { type: "delta", text: "We are open. " },
      { type: "delta", text: "Come" },
      { type: "words_over" },
    );
    trial.turn(message("We are open. Come"), message("Your name?"), { type: "delta", text: "Or call." });
    trial.turn({ type: "words_over" }, message("Or call."), message("Or call."));
    expect(said(trial.all).slice(1)).toEqual(["We are open.", "Come", "Your name?", "Or call.", "Or call."]);
  });

  test("that leaves a voicemail has its words wait for the beep, where the line hears it", () => {
    const leave = {
      type: "tool_call" as const,
      tool_call_id: "c",
      tool_name: "leave_voicemail",
      arguments: {},
    };
    const wait = [{ type: "send", output: { type: "after_beep", forget: false } }];
    expect(asked({ hears_answerer: true }).turn(leave)).toEqual(wait);
    expect(asked({ hears_answerer: true }).turn({ ...leave, tool_name: "find" })).toEqual([]);
    expect(asked().turn(leave)).toEqual([]);
  });

  test("that changes the language tells the line before the words", () => {
    const trial = asked();
    const effects = trial.turn({ type: "language", language: "fr-FR" }, { type: "delta", text: "Bonjour. " });
    expect(effects.map((effect) => effect.type === "send" && effect.output.type)).toEqual([
      "language",
      "say",
    ]);
    expect([trial.state.language, trial.state.line_language]).toEqual(["fr-FR", "fr-FR"]);
  });

  test("that is lost or fails hands the call to the agent's fallback number; without one, a lost turn ends the call and a failed one does not", () => {
    const fallback = "+15125550199";
    const lost = { type: "turn_over" as const, turn: 1, result: null };
    const to = { ...SETTINGS.transfer, number: fallback };
    const handed = [{ type: "transferring", dial: to, by_agent: false }];
    expect(asked({ fallback }).take(lost)).toEqual(handed);
    expect(asked({ fallback }).over(["Sorry."], { failed: true })).toEqual(handed);
    expect(asked().over(["Sorry."], { failed: true })).toEqual([]);
    const alone = asked();
    expect(said(alone.take(lost))).toEqual(["Goodbye."]);
    expect(alone.take({ type: "played" })).toEqual([{ type: "end", reason: "error", hangs_up: true }]);
  });

  test("in which the agent hangs up or transfers does that once its words were played", () => {
    const ends = (action: object) => {
      const trial = asked({ fallback: "+15125550199" });
      trial.turn({ type: "delta", text: "Bye. " }, { type: "words_over" });
      return [trial.over(["Bye."], { action }), trial.take({ type: "played" })];
    };
    expect(ends({ action: "hangup" })).toEqual([[], [{ type: "end", reason: "agent", hangs_up: true }]]);
    const dial = { ...SETTINGS.transfer, number: "+15125550123" };
    expect(ends({ action: "transfer", number: dial.number })).toEqual([
      [],
      [{ type: "transferring", dial, by_agent: true }],
    ]);
  });
});
