import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createNumber, incoming, pickUp } from "../../harness/phone.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL: "https://parley.example" });
});

test.each(["keyboard-1", "keyboard-2", "call-center"])(
  "%s is a WAV file of telephone sound, far below the loudness of speech",
  async (name) => {
    const answer = await app.api.server.inject(`/sounds/${name}.wav`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toBe("audio/wav");
    const bytes = answer.rawPayload;
    expect(bytes.toString("latin1", 0, 4)).toBe("RIFF");
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.readUInt32LE(24)).toBe(8000);
    const samples = Array.from({ length: (bytes.length - 44) / 2 }, (_, i) => bytes.readInt16LE(44 + i * 2));
    const peak = Math.max(...samples.map(Math.abs)) / 32_768;
    expect(20 * Math.log10(peak)).toBeLessThan(-20);
    expect(peak).toBeGreaterThan(0.01);
  },
);

test("there are no other sounds", async () => {
  expect((await app.api.server.inject("/sounds/..%2fpackage.json")).statusCode).toBe(404);
  expect((await app.api.server.inject("/sounds/other.wav")).statusCode).toBe(404);
});

test("a caller hears the agent's sound while the model thinks, and it ends with the answer; the bridge phrases of the agent come over it", async () => {
  const phrases = await app.send("POST", "/api/v1/bridge_phrases/", {
    name: "Waiting",
    config: { phrases: { messages: ["One moment."] }, smart_turn_timeout_seconds: 2 },
  });
  const { number } = await createNumber(app, {
    script: 'otherwise -> wait 400ms then say "Here it is."',
    greeting: { text: "Hello." },
    agent: { wait_sound: "Keyboard 1", bridge_phrases_id: phrases.body.id },
  });
  const phone = await pickUp(app, incoming(number));
  await phone.hears(1);
  phone.says("find it");
  // The model takes a moment of real time; the clock of the program passes two seconds meanwhile.
  app.clock.advance(2000);
  expect(await phone.beginsToHear(1)).toEqual(["One moment."]);
  expect(await phone.hears(1)).toEqual(["Here it is."]);
  expect(phone.outputs.map(({ type }) => type)).toEqual(["say", "play", "say", "say"]);
  expect(phone.outputs[1]).toEqual({
    type: "play",
    url: "https://parley.example/sounds/keyboard-1.wav",
    loop: true,
  });
  const transcript = await app.send("GET", `/api/v1/sessions/transcript/${phone.session_id}`);
  expect(transcript.body.transcription.map(({ text }: { text: string }) => text)).toEqual([
    "Hello.",
    "find it",
    "One moment.",
    "Here it is.",
  ]);
  // The model never said it.
  const rows = await app.db
    .selectFrom("session_messages")
    .select(["text", "aside"])
    .where("session_id", "=", phone.session_id)
    .where("aside", "=", true)
    .execute();
  expect(rows).toEqual([{ text: "One moment.", aside: true }]);
});
