import { beforeAll, describe, expect, test } from "vitest";
import { AgentVoice, VOICES } from "../../../src/speech/voices.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

describe("the voices", () => {
  test("are 196, each with a name of its own, and listed as they are", async () => {
    const { status, body } = await app.send("GET", "/api/v1/agents/voices/available");
    expect(status).toBe(200);
    expect(body).toHaveLength(196);
    expect(new Set(body.map((voice: AgentVoice) => voice.display_name)).size).toBe(196);
    expect(new Set(body.map((voice: AgentVoice) => voice.var_name)).size).toBe(196);
    for (const voice of body) expect(AgentVoice.parse(voice)).toEqual(voice);
    expect(body).toContainEqual({
      provider: "Google",
      display_name: "Kore (Mandarin)",
      var_name: "wavenet:female/cmn-CN-Chirp3-HD-Kore",
      gender: "female",
      model: "Chirp 3 HD",
      supported_languages: [{ name: "Mandarin", code: "zh-CN" }],
      deprecated: false,
    });
  });

  test("speak every language that a group can hold, without a voice of an older generation", () => {
    const codes = new Set(
      VOICES.filter((voice) => !voice.deprecated).flatMap((voice) =>
        voice.supported_languages.map(({ code }) => code),
      ),
    );
    expect(codes.size).toBe(17);
  });
});
