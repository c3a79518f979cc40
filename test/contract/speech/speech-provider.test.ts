import { beforeAll, expect, test } from "vitest";
import { createSocketDoor } from "../../../src/egress/socket-door.ts";
import { enginesOfCall, makeBeforehand } from "../../../src/media/call-engines.ts";
import { withServices } from "../../../src/media/choose-engines.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { elevenLabsDouble } from "../../harness/speaking-doubles.ts";
import { LOUD_ENGINES } from "../../harness/voice-stand-ins.ts";

let app: TestApp;
let sub_organization_id: number;
beforeAll(async () => {
  app = await createTestApp();
  const { id } = await app.db.selectFrom("sub_organizations").select("id").executeTakeFirstOrThrow();
  sub_organization_id = id;
});

/** Engines of an installation whose environment has these keys. */
function installed(speech: Parameters<typeof withServices>[0]["environment"]["speech"]) {
  const door = createSocketDoor({ allow: app.config.egress_allow });
  const local = {
    ...LOUD_ENGINES,
    speaking: { ...LOUD_ENGINES.speaking, rate: 16_000 },
    missing: "No ear is here.",
    detect: () => ({ push() {}, close() {} }),
  };
  return withServices({
    ...app,
    door,
    environment: { speech, llm: {}, google: {} },
    order: app.config.voice_order,
    prices: app.config.speech_prices,
    local,
  });
}
const key = { api_key: "a key" };

test("a call is heard and spoken by what there are keys for, in the operator's order, with the stand-ins last", async () => {
  const engines = installed({ assemblyai: key, deepgram: key, cartesia: key });
  expect(engines.missing).toBeNull();
  const chosen = await engines.choose?.({ sub_organization_id, stt_provider: null });
  const ears = (language: string) => chosen?.hearings(language).map(({ name }) => name);
  const mouths = (language: string, provider: string | null) =>
    chosen?.speakings(language, provider).map(({ name }) => name);
  expect(ears("en-US")).toEqual(["Deepgram Flux", "AssemblyAI Universal-Streaming", "test"]);
  expect(ears("ko-KR")).toEqual(["test"]);
  expect(mouths("en-US", null)).toEqual(["Cartesia", "Deepgram Aura", "test"]);
  // No key for these voices, and no voice of Aura's in the language.
  expect(mouths("ko-KR", "ElevenLabs")).toEqual(["Cartesia", "test"]);
  chosen?.close();
});

test("an organization's own key is used on its calls only, and can't be read", async () => {
  const double = await elevenLabsDouble();
  const set = await app.send("PUT", "/api/v1/speech_providers/elevenlabs", {
    api_key: "the secret of one",
    base_url: double.url,
  });
  expect(set).toMatchObject({ status: 200, body: { source: "organization" } });
  expect(JSON.stringify((await app.send("GET", "/api/v1/speech_providers/")).body)).not.toContain("secret");
  const neighbour = await app.createNeighbour();
  const theirs = (await neighbour.send("GET", "/api/v1/speech_providers/")).body;
  expect(theirs.map(({ source }: { source: string }) => source)).toEqual(["none", "none", "none", "none"]);

  const chosen = await installed({}).choose?.({ sub_organization_id, stt_provider: null });
  const [mouth] = chosen?.speakings("en-US", "ElevenLabs") ?? [];
  expect(mouth?.name).toBe("ElevenLabs");
  const utterance = { text: "Hello there.", language: "en-US", voice: "Alice", speed: null };
  let samples = 0;
  for await (const part of mouth?.speak(utterance, new AbortController().signal) ?? [])
    samples += part.samples.length;
  expect(samples).toBeGreaterThan(0);
  // The voice was looked up by its name.
  expect(double.sockets[0]?.path).toContain(
    "/v1/text-to-speech/v-alice/multi-stream-input?model_id=eleven_flash_v2_5",
  );
  expect(double.sockets[0]?.headers["xi-api-key"]).toBe("the secret of one");
  chosen?.close();
});

test("a greeting is made beforehand by the service of its voice, and kept for the calls of that account", async () => {
  const double = await elevenLabsDouble();
  const engines = installed({ elevenlabs: { ...key, base_url: double.url } });
  const wish = { sub_organization_id: 0, stt_provider: null };
  const languages = [{ code: "en-US", provider: "ElevenLabs", voice: "Alice", speed: null, pitch: null }];
  const voice = { languages, interruptible_by: "all" as const, hints: [], wish };
  await makeBeforehand(engines, voice, [{ text: "Hello there.", language: "en-US" }]);
  const asked = () =>
    double.sockets.flatMap(({ sent }) => sent.filter(({ text }) => text === "Hello there. "));
  expect(asked()).toHaveLength(1);
  const utterance = { text: "Hello there.", language: "en-US", voice: "Alice", speed: null };
  for (const free of [false, true]) {
    const own = await enginesOfCall(engines, voice, () => {});
    let samples = 0;
    for await (const part of own.speaking.speak(utterance, new AbortController().signal))
      samples += part.samples.length;
    expect(samples).toBeGreaterThan(0);
    // The first call pays what it cost.
    expect((own.use().cost_usd ?? 0) > 0).toBe(!free);
    own.close();
  }
  expect(asked()).toHaveLength(1);
});
