import fc from "fast-check";
import { expect, test } from "vitest";
import messages from "../../../test/fixtures/twilio/relay-messages.json" with { type: "json" };
import { readHandoff, readRelay, readSetup, writeRelay } from "./twilio-relay.ts";

const frames = messages.in.map((message) => JSON.stringify(message));

test("the messages of the documentation are read one for one", () => {
  expect(frames.map(readRelay)).toEqual([
    { type: "open", sid: "CA00000000000000000000000000000001" },
    { type: "speech", text: "Hi! Can you tell me about life?", final: true, lang: "en-US" },
    { type: "digit", digit: "1" },
    { type: "interrupted", heard: "Life is a complex set of" },
    { type: "fault", message: 'Invalid message received: { "foo" : "bar" }' },
  ]);
  expect(readSetup(frames[0] ?? "")).toEqual({
    sid: "CA00000000000000000000000000000001",
    call_id: "7",
    token: "secret",
  });
});

test.each([
  [
    { type: "prompt", voicePrompt: "Hi", last: false },
    { type: "speech", text: "Hi", final: false, lang: null },
  ],
  [{ type: "info", name: "agentSpeaking", value: "off" }, { type: "played" }],
  [{ type: "info", name: "agentSpeaking", value: "on" }, null],
  [{ type: "info", name: "tokensPlayed", value: "Hi" }, null],
])("%j is %j", (message, event) => {
  expect(readRelay(JSON.stringify(message))).toEqual(event);
});

test.each<[Parameters<typeof writeRelay>[0], object]>([
  [
    { type: "say", text: "Hello", last: true, lang: null, interruptible: false },
    { type: "text", token: "Hello", last: true, interruptible: false },
  ],
  [
    { type: "say", text: "Hola", last: false, lang: "es-US", interruptible: true },
    { type: "text", token: "Hola", last: false, interruptible: true, lang: "es-US" },
  ],
  [
    { type: "play", url: "https://x.example/wait.mp3", loop: true },
    { type: "play", source: "https://x.example/wait.mp3", loop: 0, preemptible: true },
  ],
  [
    { type: "digits", digits: "1w2" },
    { type: "sendDigits", digits: "1w2" },
  ],
  [
    { type: "language", lang: "es-US" },
    { type: "language", ttsLanguage: "es-US", transcriptionLanguage: "es-US" },
  ],
])("%j goes out as %j", (output, message) => {
  expect(JSON.parse(writeRelay(output))).toEqual(message);
});

test("what we said should follow comes back as it went", () => {
  for (const next of [
    { action: "hangup" },
    { action: "dial", number: "+15125550100", caller_id: null, detect_answerer: true },
  ] as const) {
    const { handoffData } = JSON.parse(writeRelay({ type: "end", next }));
    expect(readHandoff(handoffData)).toEqual(next);
  }
});

test("no frame of whatever makes it throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (frame) => {
      readRelay(frame);
      readSetup(frame);
      readHandoff(frame);
    }),
  );
});
