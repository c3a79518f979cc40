import { beforeAll, describe, expect, test } from "vitest";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { sendForm } from "../../harness/form.ts";
import { createNumber, endOf, eventsOf, incoming, pickUp, quiet, transcriptOf } from "../../harness/phone.ts";
import { createGroup } from "../../harness/voice-groups.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const SCRIPT = `
  on "hours" -> say "We are open from nine to five. On Saturdays we close at noon. Sundays we rest."
  on "bye" -> say "Thank you for calling. Goodbye." then call hangup {"reason": "done"}
  on silence -> say "Are you still there?"
  otherwise -> say "You said {user.text}."`;
const GREETING = { preamble: "This call is recorded.", text: "Hello, how can I help?" };

describe("a call", () => {
  test("is greeted, answered sentence by sentence, and ends when the person hangs up", async () => {
    const { number } = await createNumber(app, { script: SCRIPT, greeting: GREETING });
    const phone = await pickUp(app, incoming(number));
    expect(await phone.hears(2)).toEqual(["This call is recorded.", "Hello, how can I help?"]);
    expect(phone.outputs[0]).toMatchObject({ type: "say", interruptible: false });
    expect(phone.outputs[1]).toMatchObject({ type: "say", interruptible: true });

    phone.says("What are your hours?");
    expect(await phone.hears(3)).toEqual([
      "We are open from nine to five.",
      "On Saturdays we close at noon.",
      "Sundays we rest.",
    ]);
    app.clock.advance(3000);
    phone.does({ type: "closed" });
    const end = await endOf(app, phone.session_id);
    expect(end).toMatchObject({ end_reason: "user", user_terminated: true, duration: 3 });
    expect(await transcriptOf(app, phone.session_id)).toEqual([
      "agent: This call is recorded.\n\nHello, how can I help?",
      "user: What are your hours?",
      "agent: We are open from nine to five. On Saturdays we close at noon. Sundays we rest.",
    ]);
  });

  test("that the agent ends is hung up once the last words were played", async () => {
    const { number } = await createNumber(app, { script: SCRIPT, systemTools: ["hangup"] });
    const phone = await pickUp(app, incoming(number));
    phone.says("bye");
    await phone.beginsToHear(2);
    await quiet(app, phone.session_id);
    expect(phone.outputs.some((output) => output.type === "end")).toBe(false);
    phone.does({ type: "played" });
    expect(await phone.isLeft()).toEqual({ action: "hangup" });
    expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "agent", user_terminated: false });
  });
});

test("all words before a call of a tool are spoken while the model still writes the call", async () => {
  const { number } = await createNumber(app, {
    script: `on "hours" -> say "One moment. I look that up." then wait 600s then call hangup {}`,
    systemTools: ["hangup"],
  });
  const phone = await pickUp(app, incoming(number));
  phone.says("What are your hours?");
  expect(await phone.beginsToHear(2)).toEqual(["One moment.", "I look that up."]);
  phone.does({ type: "closed" });
  await endOf(app, phone.session_id);
});

test("a name is pronounced as the dictionary has it from the agent's next turn on, and stands as it is written in the transcript", async () => {
  const script = `on "hours" -> say "Ask **Siobhan** from nine."\notherwise -> say "Siobhan is out."`;
  const { number } = await createNumber(app, { script });
  const phone = await pickUp(app, incoming(number));
  const upload = async (csv: string) => {
    const file = { filename: "pronunciations.csv", content: csv };
    expect((await sendForm(app, "POST", "/api/v1/pronunciations/csv", { file })).status).toBe(202);
  };
  const voiced = () =>
    phone.outputs.flatMap((output) => (output.type === "say" ? [output.spoken?.text ?? output.text] : []));
  await upload("text,replacement\nSiobhan,shiv awn\n");
  phone.says("hours please");
  await phone.hears(1);
  phone.says("thanks");
  await phone.beginsToHear(1);
  await quiet(app, phone.session_id);
  phone.does({ type: "interrupted", heard: "shiv awn is" });
  await app.send("DELETE", "/api/v1/pronunciations/csv");
  phone.says("again");
  await phone.hears(1);
  phone.says("once more");
  await phone.hears(1);
  expect(voiced()).toEqual([
    ...["Ask shiv awn from nine.", "shiv awn is out.", "Siobhan is out.", "Siobhan is out."],
  ]);
  expect((await transcriptOf(app, phone.session_id)).filter((line) => line.startsWith("agent"))).toEqual([
    ...["agent: Ask **Siobhan** from nine.", "agent: Siobhan is —"],
    ...["agent: Siobhan is out.", "agent: Siobhan is out."],
  ]);
  phone.does({ type: "closed" });
  await endOf(app, phone.session_id);
});

describe("barge-in", () => {
  test("cuts what is stored at what was heard: the model reads back that, and the transcript shows it", async () => {
    const { number } = await createNumber(app, { script: SCRIPT });
    const phone = await pickUp(app, incoming(number));
    phone.says("hours please");
    await phone.beginsToHear(3);
    await quiet(app, phone.session_id);
    phone.does({ type: "interrupted", heard: "We are open from nine to five. On Saturdays" });
    phone.says("and on Sundays?");
    expect(await phone.hears(1)).toEqual(["You said and on Sundays?."]);
    expect(await transcriptOf(app, phone.session_id)).toEqual([
      "user: hours please",
      "agent: We are open from nine to five. On Saturdays —",
      "user: and on Sundays?",
      "agent: You said and on Sundays?.",
    ]);
  });
});

describe("silence", () => {
  test("is checked in on twice; the third ends the call with a goodbye", async () => {
    const { number } = await createNumber(app, { script: SCRIPT, greeting: GREETING });
    const phone = await pickUp(app, incoming(number));
    await phone.hears(2);
    for (const _ of [1, 2]) {
      app.clock.advance(3999);
      app.clock.advance(1);
      expect(await phone.hears(1)).toEqual(["Are you still there?"]);
    }
    app.clock.advance(4000);
    expect(await phone.hears(1)).toEqual(["Goodbye."]);
    expect(await phone.isLeft()).toEqual({ action: "hangup" });
    expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "idle", user_terminated: false });
    expect(await eventsOf(app, phone.session_id, "silence-timeout")).toHaveLength(3);
  });

  test("is noticed as soon where the clock is set back meanwhile, and no sooner where it is set ahead", async () => {
    for (const ms of [-3_600_000, 3_600_000]) {
      const { number } = await createNumber(app, { script: SCRIPT, greeting: GREETING });
      const phone = await pickUp(app, incoming(number));
      await phone.hears(2);
      app.clock.advance(2000);
      app.clock.jump(ms);
      app.clock.advance(1999);
      await quiet(app, phone.session_id);
      expect(await eventsOf(app, phone.session_id, "silence-timeout")).toHaveLength(0);
      app.clock.advance(1);
      expect(await phone.hears(1)).toEqual(["Are you still there?"]);
      phone.does({ type: "closed" });
      await endOf(app, phone.session_id);
    }
  });
});

test("what a line of our own tells of an answer stands in the answer's turn, the silence before it too", async () => {
  const { number } = await createNumber(app, { script: SCRIPT, greeting: GREETING });
  const phone = await pickUp(app, incoming(number));
  const sounds = (mouth_to_ear_ms: number | null) =>
    phone.reports({ type: "first_sound", making_ms: 20, mouth_to_ear_ms }, app.clock.now());
  const asks = (text: string, silence_ms: number) => {
    phone.reports({ type: "end_of_turn", text, silence_ms, reason: "free" }, app.clock.now());
    phone.says(text);
  };
  sounds(null);
  await phone.hears(2);
  asks("hours", 401);
  await phone.beginsToHear(3);
  await quiet(app, phone.session_id);
  sounds(701);
  phone.reports({ type: "cut", heard: "We are open" }, app.clock.now());
  phone.does({ type: "interrupted", heard: "We are open" });
  asks("and on Sundays?", 402);
  await phone.beginsToHear(1);
  sounds(702);
  phone.does({ type: "played" }, { type: "closed" });
  await endOf(app, phone.session_id);
  const { body } = await app.send("GET", `/api/v1/sessions/${phone.session_id}/trace`);
  const told = body.entries
    .filter(
      ({ category, label }: { category: string; label: string }) =>
        ["stt", "tts"].includes(category) || ["mouth to ear", "interrupted"].includes(label),
    )
    .map(({ turn_index, label, duration_ms }: { turn_index: number; label: string; duration_ms: number }) =>
      [turn_index, label, duration_ms].join(" ").trim(),
    )
    .toSorted();
  expect(told).toEqual([
    "0 first sound 20",
    "1 end of turn 401",
    "1 first sound 20",
    "1 interrupted",
    "1 mouth to ear 701",
    "2 end of turn 402",
    "2 first sound 20",
    "2 mouth to ear 702",
  ]);
});

describe("the voice that vars.session.voice names", () => {
  const voiceOf = async (name: string, more: object = {}) => {
    const variables = { "vars.session.voice": name };
    const { number } = await createNumber(app, { script: SCRIPT, agent: { variables, ...more } });
    const answered = await app.voiceCalls.answer(incoming(number));
    if (!answered || "dial" in answered) throw new Error("not answered");
    return answered.voice.languages;
  };

  test.each([
    ["openai:alloy", "OpenAI", "alloy"],
    ["elevenlabs:Alice", "ElevenLabs", "Alice"],
    ["wavenet:female/en-US-Chirp3-HD-Kore", "Google", "en-US-Chirp3-HD-Kore"],
    // A carrier that is given what it doesn't have gives the call up.
    ["elevenlabs:Nobody", null, null],
    ["wavenet:female/es-US-Chirp3-HD-Kore", null, null],
    ["", null, null],
  ])("speaks where no voice group does: %s", async (name, provider, voice) => {
    expect(await voiceOf(name)).toEqual([{ code: "en-US", provider, voice, speed: null, pitch: null }]);
  });

  test("yields to the group's, where the group has the language", async () => {
    const { id } = await createGroup(app, "Their own voice");
    expect(await voiceOf("openai:alloy", { language_group_id: id })).toMatchObject([
      { code: "en-US", provider: "ElevenLabs", voice: "Alice" },
    ]);
  });
});

describe("languages", () => {
  const group = async (more: object = {}) => {
    const configs = [
      { language_code: "en-US", voice_provider: "ElevenLabs", voice_display_name: "Alice", dtmf_code: 1 },
      {
        language_code: "es-US",
        voice_provider: "Google",
        voice_display_name: "Kore (Spanish)",
        voice_speed: 1.2,
        voice_pitch: -2,
        dtmf_code: 2,
      },
      {
        language_code: "zh-CN",
        voice_provider: "Google",
        voice_display_name: "Kore (Mandarin)",
        dtmf_code: 3,
      },
    ];
    const answer = await app.send("POST", "/api/v1/voice_groups/", {
      name: `Group ${Math.random()}`,
      language_configs: configs,
      skip_current_language_in_message: true,
      ...more,
    });
    expect(answer.status).toBe(200);
    return { agent: { language_group_id: answer.body.id } };
  };
  const greeting = { text: "Welcome to the clinic. {{ language.mode }} How can I help?" };

  test("the carrier is told each language with its voice, the session's first", async () => {
    const { number } = await createNumber(app, { script: SCRIPT, ...(await group()) });
    const answered = await app.voiceCalls.answer(incoming(number));
    expect(answered).toMatchObject({
      voice: {
        interruptible_by: "all",
        languages: [
          { code: "en-US", provider: "ElevenLabs", voice: "Alice", speed: null, pitch: null },
          { code: "es-US", provider: "Google", voice: "es-US-Chirp3-HD-Kore", speed: 1.2, pitch: -2 },
          { code: "zh-CN", provider: "Google", voice: "cmn-CN-Chirp3-HD-Kore" },
        ],
      },
    });
  });

  test("the menu is spoken line by line in each language, and a key changes the language at once", async () => {
    const { number } = await createNumber(app, { script: SCRIPT, greeting, ...(await group()) });
    const phone = await pickUp(app, incoming(number));
    expect(await phone.hears(4)).toEqual([
      "Welcome to the clinic.",
      "Para español, oprima 2.",
      "普通话请按 3。",
      "How can I help?",
    ]);
    const langs = phone.outputs.map((output) => (output.type === "say" ? output.lang : null));
    expect(langs).toEqual([null, "es-US", "zh-CN", "en-US"]);
    phone.presses("2");
    // The scripted model hears the key: it goes on in the language that was chosen.
    expect(await phone.hears(1)).toEqual(["You said 2."]);
    expect(phone.outputs).toContainEqual({ type: "language", lang: "es-US" });
    expect(await eventsOf(app, phone.session_id, "language-change")).toMatchObject([
      { attributes: { from: "en-US", to: "es-US" } },
    ]);
    // The menu was for the first answer only.
    phone.presses("3");
    app.clock.advance(2000);
    expect(await phone.hears(1)).toEqual(["You said 3."]);
    expect(phone.outputs.filter((output) => output.type === "language")).toHaveLength(1);
  });

  test("the greeting is repeated without its menu where it says so, and chooses once more", async () => {
    const repeated = { ...greeting, repeat_after_language_change: true };
    const { number } = await createNumber(app, { script: SCRIPT, greeting: repeated, ...(await group()) });
    const phone = await pickUp(app, incoming(number));
    await phone.hears(4);
    phone.presses("2");
    expect(await phone.hears(1)).toEqual(["Welcome to the clinic. How can I help?"]);
    phone.presses("1");
    expect(await phone.hears(1)).toEqual(["Welcome to the clinic. How can I help?"]);
    expect(phone.outputs.filter((output) => output.type === "language")).toEqual([
      { type: "language", lang: "es-US" },
      { type: "language", lang: "en-US" },
    ]);
  });

  test("a key that is none of the menu is what the person says", async () => {
    const { number } = await createNumber(app, { script: SCRIPT, greeting, ...(await group()) });
    const phone = await pickUp(app, incoming(number));
    await phone.hears(4);
    phone.presses("97");
    app.clock.advance(1999);
    expect(phone.outputs).toHaveLength(4);
    app.clock.advance(1);
    expect(await phone.hears(1)).toEqual(["You said 97."]);
  });

  test("a bare number chooses in a chat, too", async () => {
    const { agent_id } = await createAgent(app, { script: SCRIPT, greeting, ...(await group()) });
    const say = converse(app, agent_id);
    expect((await say("")).text).toBe("Welcome to the clinic. 2 Español / 3 普通话 How can I help?");
    expect((await say("2")).content.language).toBe("es-US");
    expect((await say("3")).content.language).toBe("es-US");
  });
});
