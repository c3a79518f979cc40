import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createNumber, endOf, eventsOf, incoming, pickUp, quiet, transcriptOf } from "../../harness/phone.ts";
import { voiceTry } from "../../harness/voice-try.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const SCRIPT = `
  on start -> call leave_voicemail {"message": "Hello, this is the clinic. Please call us back."}
  otherwise -> say "You said {user.text}."`;
const GREETING = { text: "Hello, this is the clinic. Is this a good time?" };
const PERSON = "+14155550142";

/** A try of a campaign that was picked up: the program as campaigns see it, which here is a list. */
async function called(options: {
  script?: string;
  systemTools?: string[];
  voicemail_detection: Record<string, unknown> | null;
}) {
  const { script = SCRIPT, systemTools = ["leave_voicemail"], voicemail_detection } = options;
  const target = await createNumber(app, { script, systemTools, greeting: GREETING });
  const { key, voiceCalls, started, signals } = voiceTry(app, target, {
    target: PERSON,
    variables: { "vars.name": "Ann" },
    voicemail_detection,
  });
  const call = incoming(PERSON, { key, from: target.number });
  const phone = await pickUp({ db: app.db, voiceCalls }, call);
  return { phone, call, voiceCalls, started, signals };
}

test("a try that is answered becomes the campaign's session: the person is its source, and it is told at once", async () => {
  const { phone, started, call } = await called({ voicemail_detection: null });
  expect(await phone.hears(1)).toEqual(["Hello, this is the clinic. Is this a good time?"]);
  expect(started).toMatchObject([{ session_id: phone.session_id }]);
  const session = await app.send("GET", `/api/v1/sessions/${phone.session_id}`);
  expect(session.body).toMatchObject({
    source: PERSON,
    is_outbound: true,
    channel_manager_service: "voice",
    channel_manager_type: "voice_sip_v1",
    channel_manager_sid: call.sid,
  });
});

describe("listening before the greeting (mode v1)", () => {
  const v1 = { voicemail_detection: { mode: "v1" } };

  test("a short word and silence is a person, who is greeted", async () => {
    const { phone, signals } = await called(v1);
    phone.says("Hello?");
    app.clock.advance(1749);
    expect(phone.outputs).toEqual([]);
    app.clock.advance(1);
    expect(await phone.hears(1)).toEqual(["Hello, this is the clinic. Is this a good time?"]);
    expect(signals).toMatchObject([{ status: "HUMAN" }]);
    expect(await transcriptOf(app, phone.session_id)).toEqual([
      "user: Hello?",
      "agent: Hello, this is the clinic. Is this a good time?",
    ]);
  });

  test("silence is a person, too", async () => {
    const { phone, signals } = await called(v1);
    app.clock.advance(3500);
    expect(await phone.hears(1)).toHaveLength(1);
    expect(signals).toMatchObject([{ status: "HUMAN" }]);
  });

  test("times that were written in milliseconds leave nobody in silence: ten seconds count", async () => {
    const times = { overall_timeout: 30_000, pre_speech_timeout: 3500, post_speech_timeout: 1750 };
    const config = Object.entries(times).map(([name, ms]) => [`voicemail_detection_${name}`, ms]);
    const { phone, signals } = await called({
      voicemail_detection: { mode: "v1", ...Object.fromEntries(config) },
    });
    app.clock.advance(10_000);
    expect(await phone.hears(1)).toHaveLength(1);
    expect(signals).toMatchObject([{ status: "HUMAN" }]);
  });

  test("an announcement is a machine: it is heard to its end, then the agent leaves its message, and only what was played to its end was left", async () => {
    const { phone, signals } = await called(v1);
    phone.does(
      { type: "speech", text: "Hi, you have reached the Smiths.", final: false, lang: null },
      { type: "speech", text: "Hi, you have reached the Smiths.", final: true, lang: null },
    );
    app.clock.advance(1000);
    phone.says("Please leave a message after the tone.");
    app.clock.advance(1750);
    expect(await phone.beginsToHear(1)).toEqual(["Hello, this is the clinic. Please call us back."]);
    await quiet(app, phone.session_id);
    expect(await eventsOf(app, phone.session_id, "voicemail-left")).toEqual([]);
    phone.does({ type: "played" });
    expect(await phone.isLeft()).toEqual({ action: "hangup" });
    expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "agent" });
    expect(await eventsOf(app, phone.session_id, "voicemail-left")).toHaveLength(1);
    expect(signals).toMatchObject([{ status: "MACHINE" }]);
  });

  test("a message that the line broke off was not left", async () => {
    const { phone } = await called(v1);
    phone.says("Please leave a message after the tone.");
    app.clock.advance(1750);
    await phone.beginsToHear(1);
    await quiet(app, phone.session_id);
    phone.does({ type: "closed" });
    await endOf(app, phone.session_id);
    expect(await eventsOf(app, phone.session_id, "voicemail-left")).toEqual([]);
  });

  test("an agent that can't leave a message hangs up on a machine", async () => {
    const { phone, signals } = await called({ ...v1, systemTools: [] });
    phone.says("Please leave a message after the tone.");
    app.clock.advance(1750);
    expect(await phone.isLeft()).toEqual({ action: "hangup" });
    expect(phone.outputs.filter((output) => output.type === "say")).toEqual([]);
    await endOf(app, phone.session_id);
    expect(signals).toMatchObject([{ status: "MACHINE" }]);
  });

  test("the carrier's own listening settles it sooner", async () => {
    const { phone, call, voiceCalls } = await called(v1);
    const heard = { status: "HUMAN", word: "human", error_code: null, is_transient: null } as const;
    await voiceCalls.signal({ key: call.key, sid: call.sid, ...heard, at: app.clock.now() }, null);
    expect(await phone.hears(1)).toHaveLength(1);
  });
});

describe("the model judges who answered (mode v2)", () => {
  const v2 = (script: string) => ({
    script,
    systemTools: ["deliver_greeting", "leave_voicemail", "check_voicemail"],
    voicemail_detection: { mode: "v2" },
  });

  test("nothing is said before the first words; a person gets the greeting", async () => {
    const { phone, signals } = await called(
      v2(`on "hello" -> call deliver_greeting {}
          after deliver_greeting -> wait 1ms
          otherwise -> say "Go on."`),
    );
    phone.says("Hello?");
    expect((await phone.hears(1))[0]).toBe("Hello, this is the clinic. Is this a good time?");
    phone.says("Yes");
    await phone.hears(1);
    expect(signals).toMatchObject([{ status: "HUMAN" }]);
  });

  test("an agent whose prompt has no greeting tool has it on such calls, and on no others", async () => {
    const script = `on "hello" -> call deliver_greeting {}
          after deliver_greeting -> wait 1ms`;
    const judged = await called({ ...v2(script), systemTools: [] });
    judged.phone.says("Hello?");
    expect((await judged.phone.hears(1))[0]).toBe(GREETING.text);
    const other = await called({ script, systemTools: [], voicemail_detection: null });
    expect(await other.phone.hears(1)).toEqual([GREETING.text]);
    other.phone.does({ type: "played" });
    other.phone.says("Hello?");
    expect((await other.phone.hears(1))[0]).toMatch(/would use deliver greeting/);
  });

  test("a machine gets the agent's own message when the model says none", async () => {
    const { phone, signals } = await called(v2("on /message/ -> call leave_voicemail {}"));
    phone.says("Please leave a message after the tone.");
    expect(await phone.hears(1)).toEqual(["Hello, this is the clinic. Is this a good time?"]);
    expect(await phone.isLeft()).toEqual({ action: "hangup" });
    await endOf(app, phone.session_id);
    expect(signals).toMatchObject([{ status: "MACHINE" }]);
    expect(await eventsOf(app, phone.session_id, "voicemail-left")).toHaveLength(1);
  });

  test("silence goes to the model after its own wait", async () => {
    const { phone } = await called(v2('on silence -> say "Anybody there?"'));
    app.clock.advance(3500);
    expect(await phone.hears(1)).toEqual(["Anybody there?"]);
    expect(await eventsOf(app, phone.session_id, "silence-timeout")).toEqual([]);
  });
});

test("an opt-out said on the telephone keeps the person's own words as its proof, though the model told none", async () => {
  const { phone } = await called({
    script: 'on /stop calling/ -> call opt_out {} then say "Done."',
    systemTools: ["opt_out"],
    voicemail_detection: null,
  });
  await phone.hears(1);
  phone.does({ type: "played" });
  phone.says("Please stop calling me, I mean it.");
  app.clock.advance(5_000);
  await phone.hears(2);
  await quiet(app, phone.session_id);
  const entries = app.db.selectFrom("suppressions").select(["address", "through", "said"]);
  expect(await entries.where("session_id", "=", phone.session_id).execute()).toEqual([
    { address: PERSON, through: "speech", said: "Please stop calling me, I mean it." },
  ]);
});
