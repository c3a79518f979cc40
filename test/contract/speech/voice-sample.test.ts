import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { sendForm } from "../../harness/form.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

const paths = ["/api/v1/voice_groups/voices/sample", "/api/v1/language_groups/voices/sample"];
const [path = ""] = paths;
const sample = { language_code: "en-US", voice_provider: "ElevenLabs", voice_display_name: "Alice" };

describe.each(paths)("%s", (path) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp();
  });

  test("a voice that can't be spoken here is told so in a sentence: 501", async () => {
    for (const more of [
      {},
      { voice_speed: 1.1, voice_pitch: null, text: "Hi", apply_pronunciation_overrides: true },
    ]) {
      expect(await app.send("POST", path, { ...sample, ...more })).toMatchObject({
        status: 501,
        body: {
          detail:
            "Alice can't be heard here: this installation has no speech provider for the voices of ElevenLabs.",
        },
      });
    }
  });

  test.each([
    ["no language", { language_code: undefined }, ["language_code"], "missing"],
    ["a language nobody speaks", { language_code: "en" }, ["language_code"], "enum"],
    ["a voice of another provider", { voice_display_name: "Alloy" }, ["voice_display_name"], "enum"],
    ["a speed out of range", { voice_speed: 2 }, ["voice_speed"], "less_than_equal"],
    ["a pitch that the provider can't change", { voice_pitch: 1 }, ["voice_pitch"], "value_error"],
    ["a text that is none", { text: null }, ["text"], "string_type"],
    ["a text for a book", { text: "x".repeat(1001) }, ["text"], "string_too_long"],
  ])("a body with %s is refused at its place before that", async (_, more, at, type) => {
    const answer = await app.send("POST", path, { ...sample, ...more });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

  test("needs the permission to write language groups", async () => {
    const reader = app.sendAs(await app.createToken(["language_groups_read"]));
    expect((await reader("POST", path, sample)).status).toBe(403);
  });
});

test("where no provider speaks, the machine's own speaker stands in, and the answer says so", async () => {
  const heard: string[] = [];
  const app = await createTestApp({}, undefined, {
    async speakOffline({ text }) {
      heard.push(text);
      return { bytes: Buffer.from("RIFF"), content_type: "audio/wav" };
    },
  });
  expect(await app.send("POST", path, { ...sample, text: "Hi" })).toMatchObject({
    status: 200,
    body: "RIFF",
    headers: {
      "x-voice-stand-in": "espeak-ng",
      "content-disposition": expect.stringContaining("sample.wav"),
    },
  });
  expect(heard).toEqual(["Hi"]);
});

/*
 * The services' requests and answers as their public documentation shows them; the pages are named in
 * src/speech/speech-services.ts.
 */
describe("a voice of a provider with a key", () => {
  let app: TestApp;
  let peer: Peer;
  beforeAll(async () => {
    peer = await createPeer();
    const access = { api_key: "key", base_url: peer.url };
    app = await createTestApp({}, undefined, {
      speechProviders: { OpenAI: access, ElevenLabs: access, Google: access, Cartesia: access },
    });
    peer.respond((request, response) => {
      if (request.path.startsWith("/v2/voices")) {
        return json(response, 200, {
          voices: [
            { voice_id: "other", name: "Alicent" },
            { voice_id: "Xb7hH8MSUJpSbSDYk0k2", name: "Alice - Clear, Engaging Educator" },
          ],
          has_more: false,
        });
      }
      if (request.path.startsWith("/voices")) {
        return json(response, 200, {
          data: [{ id: "694f9389-aac1-45b6-b726-9d9369183238", name: "Skylar" }],
        });
      }
      if (request.path.startsWith("/v1/text:synthesize")) {
        return json(response, 200, { audioContent: Buffer.from("ID3 google").toString("base64") });
      }
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.end("ID3 sound");
    });
  });
  const hear = async (more: object) => {
    peer.requests.length = 0;
    const answer = await app.send("POST", path, { ...sample, text: "Hi AI", ...more });
    const { method, path: asked, headers, body } = peer.requests.at(-1) ?? {};
    return { answer, method, asked, headers, body: body ? JSON.parse(body) : null };
  };

  test("is spoken by OpenAI", async () => {
    const heard = await hear({ voice_provider: "OpenAI", voice_display_name: "Alloy", voice_speed: 1.5 });
    expect(heard).toMatchObject({
      answer: { status: 200, body: "ID3 sound", headers: { "content-type": "application/octet-stream" } },
      method: "POST",
      asked: "/audio/speech",
      headers: { authorization: "Bearer key" },
      body: { model: "gpt-4o-mini-tts", voice: "alloy", input: "Hi AI", response_format: "mp3", speed: 1.5 },
    });
    expect(heard.answer.headers["x-voice-stand-in"]).toBeUndefined();
  });

  test("is spoken by ElevenLabs, by the id its account has for the name", async () => {
    expect(await hear({ voice_speed: 0.9 })).toMatchObject({
      answer: { status: 200 },
      asked: "/v1/text-to-speech/Xb7hH8MSUJpSbSDYk0k2?output_format=mp3_44100_128",
      headers: { "xi-api-key": "key" },
      body: {
        text: "Hi AI",
        model_id: "eleven_flash_v2_5",
        language_code: "en",
        voice_settings: { speed: 0.9 },
      },
    });
    expect(await hear({ voice_display_name: "Bill" })).toMatchObject({
      answer: { status: 400, body: { detail: expect.stringContaining("has no voice Bill") } },
    });
  });

  test("is spoken by Google, as high and fast as asked", async () => {
    const voice = {
      voice_provider: "Google",
      voice_display_name: "en-US-Neural2-D",
      voice_speed: 0.5,
      voice_pitch: -3,
    };
    expect(await hear(voice)).toMatchObject({
      answer: { status: 200, body: "ID3 google" },
      asked: "/v1/text:synthesize",
      headers: { "x-goog-api-key": "key" },
      body: {
        input: { text: "Hi AI" },
        voice: { languageCode: "en-US", name: "en-US-Neural2-D" },
        audioConfig: { audioEncoding: "MP3", speakingRate: 0.5, pitch: -3 },
      },
    });
    const mandarin = {
      voice_provider: "Google",
      voice_display_name: "Aoede (Mandarin)",
      language_code: "zh-CN",
    };
    expect((await hear(mandarin)).body.voice).toEqual({
      languageCode: "cmn-CN",
      name: "cmn-CN-Chirp3-HD-Aoede",
    });
  });

  test("is spoken by Cartesia", async () => {
    const voice = { voice_provider: "Cartesia", voice_display_name: "Skylar (US)", voice_speed: 1.2 };
    expect(await hear(voice)).toMatchObject({
      answer: { status: 200, body: "ID3 sound" },
      asked: "/tts/bytes",
      headers: { authorization: "Bearer key", "cartesia-version": "2026-03-01" },
      body: {
        model_id: "sonic-3.5",
        transcript: "Hi AI",
        voice: { mode: "id", id: "694f9389-aac1-45b6-b726-9d9369183238" },
        language: "en",
        output_format: { container: "mp3", sample_rate: 44100, bit_rate: 128000 },
        generation_config: { speed: 1.2 },
      },
    });
  });

  test("says its own sentence where none is given, and words as the dictionary has them where asked", async () => {
    const alloy = { voice_provider: "OpenAI", voice_display_name: "Alloy" };
    expect((await hear({ ...alloy, text: "", language_code: "es-US" })).body.input).toContain("Hola");
    const content = "text,replacement,provider\r\nAI,A I,OpenAI\r\nHi,Ho,Google\r\n";
    await sendForm(app, "POST", "/api/v1/pronunciations/csv", { file: { filename: "p.csv", content } });
    expect((await hear({ ...alloy, apply_pronunciation_overrides: true })).body.input).toBe("Hi A I");
    expect((await hear(alloy)).body.input).toBe("Hi AI");
  });

  test.each([
    [401, { error: { message: "Incorrect API key" } }, 503, "OpenAI answered 401: Incorrect API key"],
    [400, { error: { message: "input too long" } }, 400, "OpenAI answered 400: input too long"],
    [429, {}, 429, "OpenAI answered 429"],
    [500, "oops", 503, "OpenAI answered 500"],
    [200, null, 503, "without any sound"],
  ])("that answers %d is told in words", async (status, body, expected, words) => {
    peer.respond((_, response) => {
      if (body !== null) return json(response, status, body);
      response.writeHead(status);
      response.end();
    });
    const { answer } = await hear({ voice_provider: "OpenAI", voice_display_name: "Alloy" });
    expect(answer).toMatchObject({ status: expected, body: { detail: expect.stringContaining(words) } });
    expect(JSON.stringify(answer.body)).not.toContain("Bearer");
  });
});
