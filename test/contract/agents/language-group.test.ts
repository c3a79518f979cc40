import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { LanguageGroupResponse } from "../../../src/agents/language-group.ts";
import { VOICES } from "../../../src/speech/voices.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";
import { createGroup, english, group, spanish, VOICE_GROUPS } from "../../harness/voice-groups.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const create = (...of: Parameters<typeof group>) => createGroup(app, ...of);

describe("voice groups", () => {
  test("a created group comes back with every field of its contract, under either path", async () => {
    const { status, body } = await app.send(
      "POST",
      VOICE_GROUPS,
      group("Two", [english(), spanish({ voice_pitch: -2 })]),
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      name: "Two",
      description: null,
      language_configs: [
        {
          language_code: "en-US",
          voice_provider: "ElevenLabs",
          voice_display_name: "Alice",
          voice_speed: null,
          voice_pitch: null,
          dtmf_code: 1,
          skip_current_language_in_message: true,
        },
        {
          language_code: "es-US",
          voice_provider: "Google",
          voice_display_name: "Kore (Spanish)",
          voice_speed: null,
          voice_pitch: -2,
          dtmf_code: 2,
          skip_current_language_in_message: true,
        },
      ],
      skip_current_language_in_message: true,
      id: expect.any(Number),
      edit_comments: null,
      agents_info: [],
      updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      validation_issues: [],
    });
    expect(LanguageGroupResponse.parse(body)).toEqual(body);
    expect((await app.send("GET", `${VOICE_GROUPS}${body.id}`)).body).toEqual(body);
    expect((await app.send("GET", `/api/v1/language_groups/${body.id}`)).body).toEqual(body);
  });

  test("either path creates, lists, updates and deletes the same records", async () => {
    const old = "/api/v1/language_groups/";
    const made = (await app.send("POST", old, group("Either", []))).body;
    const update = { ...group("Either way", [spanish()]), id: made.id, edit_comments: "spanish" };
    expect((await app.send("PUT", VOICE_GROUPS, update)).body).toMatchObject({
      id: made.id,
      name: "Either way",
      edit_comments: "spanish",
      language_configs: [{ language_code: "es-US" }],
    });
    for (const of of [VOICE_GROUPS, old]) {
      const { items } = (await app.send("GET", `${of}?search_fields=name&search_field_values=either`)).body;
      expect(items).toMatchObject([{ id: made.id }]);
    }
    expect((await app.send("DELETE", `${old}${made.id}?reason=x`)).body).toEqual({ success: true });
    expect(await app.send("GET", `${VOICE_GROUPS}${made.id}`)).toMatchObject({
      status: 404,
      body: { detail: `Voice group with ID ${made.id} not found` },
    });
  });

  test("all keys that are missing are named at once", async () => {
    const { status, body } = await app.send("POST", VOICE_GROUPS, {});
    expect(status).toBe(422);
    expect(body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.at(-1), type])).toEqual([
      ["name", "missing"],
      ["language_configs", "missing"],
      ["skip_current_language_in_message", "missing"],
    ]);
  });

  test.each([
    ["an unknown language", { language_code: "de-DE" }, ["language_code"], "enum"],
    ["an unknown provider", { voice_provider: "Acme" }, ["voice_provider"], "enum"],
    ["a voice of another provider", { voice_display_name: "Alloy" }, ["voice_display_name"], "enum"],
    ["no key", { dtmf_code: undefined }, ["dtmf_code"], "missing"],
    ["a key of two digits", { dtmf_code: 10 }, ["dtmf_code"], "less_than_equal"],
    ["a key below 0", { dtmf_code: -1 }, ["dtmf_code"], "greater_than_equal"],
    ["an ElevenLabs speed of 0.69", { voice_speed: 0.69 }, ["voice_speed"], "greater_than_equal"],
    ["an ElevenLabs speed of 1.21", { voice_speed: 1.21 }, ["voice_speed"], "less_than_equal"],
    ["a speed of text", { voice_speed: "fast" }, ["voice_speed"], "float_parsing"],
    ["a pitch that is not Google's", { voice_pitch: 1 }, ["voice_pitch"], "value_error"],
    ["a pitch above 20", { ...spanish({ voice_pitch: 20.5 }) }, ["voice_pitch"], "less_than_equal"],
    ["a Google speed of 4.01", { ...spanish({ voice_speed: 4.01 }) }, ["voice_speed"], "less_than_equal"],
    [
      "an OpenAI speed of 0.24",
      { voice_provider: "OpenAI", voice_display_name: "Alloy", voice_speed: 0.24 },
      ["voice_speed"],
      "greater_than_equal",
    ],
    [
      "a Cartesia speed of 1.51",
      { voice_provider: "Cartesia", voice_display_name: "Emma (US)", voice_speed: 1.51 },
      ["voice_speed"],
      "less_than_equal",
    ],
  ])("a language with %s is refused at its place", async (_, broken, at, type) => {
    const answer = await app.send("POST", VOICE_GROUPS, group("Broken", [english(broken)]));
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([
      { loc: ["body", "language_configs", 0, ...at], msg: expect.any(String), type },
    ]);
  });

  test("a key chooses one language, so it is refused the second time", async () => {
    const answer = await app.send(
      "POST",
      VOICE_GROUPS,
      group("Keys", [english(), spanish({ dtmf_code: 1 })]),
    );
    expect(answer).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ["body", "language_configs", 1, "dtmf_code"],
            msg: "dtmf_code 1 is already the key for en-US",
            type: "value_error",
          },
        ],
      },
    });
  });

  test("a voice of an older generation, or made for another language, is a warning", async () => {
    const made = await create("Warned", [
      english({ voice_provider: "Google", voice_display_name: "en-US-Neural2-F" }),
      spanish({ voice_display_name: "Kore (French)" }),
    ]);
    expect(made.validation_issues).toEqual([
      {
        id: "deprecated-voice",
        severity: "warning",
        message: expect.stringContaining("en-US-Neural2-F"),
        path: "$.language_configs[0].voice_display_name",
        value: "en-US-Neural2-F",
      },
      expect.objectContaining({ id: "voice-language-mismatch", severity: "warning", value: "Kore (French)" }),
    ]);
  });

  test("a language that is listed twice is a warning: only its first voice speaks", async () => {
    const made = await create("Twice", [english(), spanish(), english({ dtmf_code: 3 })]);
    expect(made.validation_issues).toEqual([
      {
        id: "duplicate-language",
        severity: "warning",
        message:
          "English (en-US) is in this group already, and its first voice speaks. Remove one of the two.",
        path: "$.language_configs[2].language_code",
        value: "en-US",
      },
    ]);
  });

  test("a neighbour's group answers 404 like one that never was", async () => {
    const made = await create("Mine");
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${VOICE_GROUPS}${made.id}`],
      ["PUT", VOICE_GROUPS, { ...group("Taken"), id: made.id }],
      ["DELETE", `${VOICE_GROUPS}${made.id}?reason=x`],
    ] as const) {
      expect((await neighbour.send(method, url, body)).status).toBe(404);
    }
    expect((await neighbour.send("GET", VOICE_GROUPS)).body.items).toEqual([]);
  });

  test("a group that agents use names them and can't be deleted", async () => {
    const made = await create("Used");
    const prompt = await app.send("POST", "/api/v1/prompts/", {
      name: "Speaks",
      type: "prompt_v1",
      llm_config: { model: "scripted" },
    });
    const agent = await app.send("POST", "/api/v1/agents/", {
      name: "Speaker",
      type: "ca_v1",
      prompt_id: prompt.body.id,
      language_group_id: made.id,
      timezone: "UTC",
      variables: {},
      tool_headers: null,
    });
    expect((await app.send("GET", `${VOICE_GROUPS}${made.id}`)).body.agents_info).toEqual([
      { id: agent.body.id, name: "Speaker" },
    ]);
    expect(await app.send("DELETE", `${VOICE_GROUPS}${made.id}?reason=x`)).toMatchObject({
      status: 400,
      body: { detail: 'Cannot delete language group "Used" while it is used by agent "Speaker".' },
    });
  });

  test("lists are searched, ordered and paged by the same rules as every list", async () => {
    await create("list a", [], { description: "x" });
    await create("list b", [], { skip_current_language_in_message: false });
    await create("list c", [], { description: "x" });
    const names = async (query: string) =>
      (
        await app.send("GET", `${VOICE_GROUPS}?search_fields=name&search_field_values=list&${query}`)
      ).body.items.map((item: { name: string }) => item.name);
    expect(await names("search_fields=description&search_field_values=x")).toEqual(["list a", "list c"]);
    expect(await names("search_fields=skip_current_language_in_message&search_field_values=false")).toEqual([
      "list b",
    ]);
    expect(await names("order_by=name&order_by_direction=desc&limit=2")).toEqual(["list c", "list b"]);
  });

  test("any accepted group comes back as it was sent", async () => {
    const voice = fc.constantFrom(...VOICES);
    const speeds = { OpenAI: [0.25, 4], Google: [0.25, 4], ElevenLabs: [0.7, 1.2], Cartesia: [0.6, 1.5] };
    const config = voice.chain((of) => {
      const [min, max] = speeds[of.provider] as [number, number];
      return fc.record({
        language_code: fc.constantFrom(...of.supported_languages.map(({ code }) => code)),
        voice_provider: fc.constant(of.provider),
        voice_display_name: fc.constant(of.display_name),
        voice_speed: fc.option(fc.double({ min, max, noNaN: true })),
        voice_pitch:
          of.provider === "Google" ? fc.option(fc.integer({ min: -20, max: 20 })) : fc.constant(null),
        skip_current_language_in_message: fc.boolean(),
      });
    });
    const configs = fc
      .array(config, { maxLength: 10 })
      .map((list) => list.map((one, index) => ({ ...one, dtmf_code: (index * 7) % 10 })));
    const skip = fc.boolean();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(configs, skip, async (language_configs, skip_current_language_in_message) => {
        const sent = { name: `Any ${count++}`, language_configs, skip_current_language_in_message };
        const { body } = await app.send("POST", VOICE_GROUPS, sent);
        expect(body).toEqual({ ...body, ...sent });
        expect((await app.send("PUT", VOICE_GROUPS, body)).body).toEqual(body);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
