import { beforeAll, expect, test } from "vitest";
import { tone } from "../../../src/audio/tones.ts";
import type { VoiceEngines } from "../../../src/media/voice-engines.ts";
import { HEARING_RATE } from "../../../src/speech/hearing.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { PageCaller } from "../../harness/page-caller.ts";
import { endOf } from "../../harness/phone.ts";
import { runClock } from "../../harness/run-clock.ts";
import { LOUD_ENGINES } from "../../harness/voice-stand-ins.ts";

/** How many of the next ears of a line fail over the caller's first words. */
let failing = 0;
const { hearing } = LOUD_ENGINES;
const engines: VoiceEngines = {
  ...LOUD_ENGINES,
  hearing: {
    ...hearing,
    open(listening, tell) {
      const ear = hearing.open(listening, tell);
      const fails = failing-- > 0;
      return {
        push(frame) {
          if (fails && frame.some((sample) => Math.abs(sample) > 2000))
            return tell({ type: "fault", message: "The ear failed" });
          ear.push(frame);
        },
        close: () => ear.close(),
      };
    },
  },
};

let app: TestApp;
let url: string;
let client_id: string;
beforeAll(async () => {
  app = await createTestApp({}, undefined, { voiceEngines: engines });
  const stop = runClock(app.clock);
  url = await app.listen();
  const agent = await createAgent(app, {
    script: 'on /open/ -> say "From nine to five."',
    greeting: { text: "Hello." },
  });
  client_id = agent.target;
  const { items } = (await app.send("GET", `/api/v1/channels/targets?target=${client_id}`)).body;
  const path = `/api/v1/channels/${items[0].channel_id}/targets/${items[0].id}/browser_calls`;
  expect((await app.send("PUT", path, { browser_calls: true })).status).toBe(200);
  return stop;
});

/** A caller who asks once they were greeted. */
async function ask(ears_that_fail: number): Promise<PageCaller> {
  failing = ears_that_fail;
  const { body } = await app.send("POST", "/chat/v1/calls", { client_id });
  const caller = await PageCaller.call(url, body, LOUD_ENGINES.speaking);
  await caller.agentSays("Hello.");
  await caller.play(tone(300, { rate: HEARING_RATE, ms: 600 }));
  return caller;
}
const lastSession = async () => (await app.send("GET", "/api/v1/sessions/")).body.items[0];

test("a caller whose ear dies in mid-word is heard by a new one, several times over, and answered", async () => {
  const caller = await ask(5);
  await caller.agentSays("From nine to five.");
  caller.hangUp();
  const { session_id } = await lastSession();
  const trace = async () =>
    JSON.stringify((await app.send("GET", `/api/v1/sessions/${session_id}/trace`)).body);
  await expect.poll(async () => (await trace()).split("The ear failed. Tried once more.").length).toBe(6);
});

test("a caller whom nothing can hear any more is told so, and the call ends as failed", async () => {
  const caller = await ask(100);
  await caller.agentSays("I'm sorry, I can't answer right now.");
  const { session_id } = await lastSession();
  await expect
    .poll(() => endOf(app, session_id))
    .toMatchObject({ end_reason: "error", user_terminated: false });
  const { body } = await app.send("GET", `/api/v1/sessions/transcript/${session_id}`);
  expect(body.transcription.map(({ text }: { text: string }) => text)).toEqual([
    "Hello.",
    "I'm sorry, I can't answer right now. Please try again in a moment.",
  ]);
});
