import { expect, test } from "vitest";
import type { VoiceEngines } from "../../../src/media/voice-engines.ts";
import { keepingSpeech } from "../../../src/speech/kept-speech.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp } from "../../harness/app.ts";
import { PageCaller } from "../../harness/page-caller.ts";
import { runClock } from "../../harness/run-clock.ts";
import { LOUD_ENGINES } from "../../harness/voice-stand-ins.ts";

const GREETING = "Hello, this is the clinic. How can I help you today?";

test("a greeting is made while the line is opened, and once: later calls hear it at once, though the voice has stopped working", async () => {
  const made: string[] = [];
  const { speak } = LOUD_ENGINES.speaking;
  const engines: VoiceEngines = {
    ...LOUD_ENGINES,
    speaking: keepingSpeech({
      ...LOUD_ENGINES.speaking,
      async *speak(utterance, signal) {
        made.push(utterance.text);
        if (made.length > 1) throw new Error("the voice has stopped working");
        yield* speak(utterance, signal);
      },
    }),
  };
  const app = await createTestApp({}, undefined, { voiceEngines: engines });
  const stop = runClock(app.clock);
  const url = await app.listen();
  const agent = await createAgent(app, {
    script: 'on /.*/ -> say "Please say that again."',
    greeting: { text: GREETING, preamble: "" },
  });
  const { items } = (await app.send("GET", `/api/v1/channels/targets?target=${agent.target}`)).body;
  const path = `/api/v1/channels/${items[0].channel_id}/targets/${items[0].id}/browser_calls`;
  expect((await app.send("PUT", path, { browser_calls: true })).status).toBe(200);

  for (let call = 0; call < 2; call++) {
    const { status, body } = await app.send("POST", "/chat/v1/calls", { client_id: agent.target });
    expect(status).toBe(200);
    // Made before anybody has opened the line.
    await expect.poll(() => made).toEqual([GREETING]);
    const caller = await PageCaller.call(url, body, engines.speaking);
    await caller.until(() => caller.isHearing);
    caller.hangUp();
  }
  expect(made).toEqual([GREETING]);
  const uses = async () =>
    (await app.send("GET", "/api/v1/sessions/")).body.items.map(
      ({ session_id }: { session_id: number }) => session_id,
    );
  const [second, first] = await uses();
  const spoken = async (id: number) => (await app.send("GET", `/api/v1/sessions/${id}`)).body.voice;
  // The call it was made for pays for it, and no other.
  await expect.poll(() => spoken(first)).toMatchObject({ speaking_seconds: 0.4 });
  await expect.poll(() => spoken(second)).toMatchObject({ speaking_seconds: 0 });
  stop();
});
