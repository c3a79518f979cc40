import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const paths = ["/api/v1/voice_groups/voices/sample", "/api/v1/language_groups/voices/sample"];
const sample = { language_code: "en-US", voice_provider: "ElevenLabs", voice_display_name: "Alice" };

describe.each(paths)("%s", (path) => {
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
