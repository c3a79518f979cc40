import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { AGENTS, agentCalls } from "../../harness/agents.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";
import { createGroup, english, spanish } from "../../harness/voice-groups.ts";

let app: TestApp;
let prompt_id: number;
beforeAll(async () => {
  app = await createTestApp();
  prompt_id = (await createPrompt("Shared prompt")).id;
});

const { post, createPrompt, agent, create, get } = agentCalls(() => ({ app, prompt_id }));

describe("what an agent may be", () => {
  test.each([
    ["no name", { name: undefined }, ["name"], "missing"],
    ["no type", { type: undefined }, ["type"], "missing"],
    ["another type", { type: "voice" }, ["type"], "literal_error"],
    ["no prompt", { prompt_id: undefined }, ["prompt_id"], "missing"],
    ["no timezone", { timezone: undefined }, ["timezone"], "missing"],
    ["an invented timezone", { timezone: "Mars/Olympus" }, ["timezone"], "value_error"],
    ["an offset for a timezone", { timezone: "+05:00" }, ["timezone"], "value_error"],
    ["no variables", { variables: undefined }, ["variables"], "missing"],
    ["variables in a list", { variables: [{ name: "a", value: "b" }] }, ["variables"], "dict_type"],
    ["a variable that is no text", { variables: { a: 1 } }, ["variables", "a"], "string_type"],
    ["no tool_headers", { tool_headers: undefined }, ["tool_headers"], "missing"],
    [
      "a header name with a blank",
      { tool_headers: { "X A": "b" } },
      ["tool_headers", "X A"],
      "string_pattern_mismatch",
    ],
    [
      "a header with a line break",
      { tool_headers: { "X-A": "a\nb" } },
      ["tool_headers", "X-A"],
      "string_pattern_mismatch",
    ],
    [
      "a header that the connection sets",
      { tool_headers: { "X-A": "a", Host: "b.example" } },
      ["tool_headers", "Host"],
      "value_error",
    ],
    ["an unknown stt_provider", { stt_provider: "Ears" }, ["stt_provider"], "enum"],
    ["an unknown wait_sound", { wait_sound: "Jazz" }, ["wait_sound"], "enum"],
    ["labels that are no texts", { labels: ["a", 1] }, ["labels", 1], "string_type"],
    [
      "a tool default without its value",
      { prompt_tool_defaults: [{ tool_name: "t", default_values: [{ field_name: "f" }] }] },
      ["prompt_tool_defaults", 0, "default_values", 0, "default_value"],
      "missing",
    ],
    ["a truth of text", { agent_initiated: "true" }, ["agent_initiated"], "bool_type"],
  ])("an agent with %s is refused at its place", async (_, broken, at, type) => {
    const answer = await app.send("POST", AGENTS, agent("Broken", broken));
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

  test.each([
    [{ prompt_id: 999_999 }, "Prompt with ID 999999 not found"],
    [{ custom_message_id: 999_999 }, "Custom message with ID 999999 not found"],
    [{ language_group_id: 999_999 }, "Language group with ID 999999 not found"],
    [{ bridge_phrases_id: 999_999 }, "Bridge phrases with ID 999999 not found"],
    [{ prompt_version_number: 2 }, expect.stringContaining("has no version 2; GET /api/v1/prompts/")],
  ])("what an agent is made of must be there: %j", async (broken, detail) => {
    const made = await create(`Whole ${JSON.stringify(broken)}`);
    expect(await app.send("POST", AGENTS, agent("Hollow", broken))).toMatchObject({
      status: 400,
      body: { detail },
    });
    const update = { ...agent(made.name, broken), id: made.id };
    expect(await app.send("PUT", AGENTS, update)).toMatchObject({ status: 400, body: { detail } });
  });

  test("a version of another prompt does not count", async () => {
    const other = await createPrompt("Two versions");
    await app.send("PUT", "/api/v1/prompts/", other);
    expect((await app.send("POST", AGENTS, agent("Pinned", { prompt_version_number: 2 }))).status).toBe(400);
    const pinned = await create("Pinned", { prompt_id: other.id, prompt_version_number: 2 });
    expect(pinned.prompt_version_number).toBe(2);
  });

  test("an engine of an older generation is a warning", async () => {
    const made = await create("Old ears", { stt_provider: "Deepgram Nova 2" });
    expect(made.validation_issues).toEqual([
      {
        id: "deprecated-stt-provider",
        severity: "warning",
        message: "Deepgram Nova 2 is of an older generation; choose Deepgram Nova 3.",
        path: "$.stt_provider",
        value: "Deepgram Nova 2",
      },
    ]);
  });

  test("a credential among the headers of tools is a warning, which doesn't repeat it", async () => {
    const made = await create("Open headers", {
      tool_headers: {
        "X-Tenant": "north",
        Authorization: "Bearer s3cret",
        "X-Forward": "Basic dXNlcjpw",
        "X-Auth-Token": "{{ vars.token }}",
      },
    });
    const found = (name: string, path: string) => ({
      id: "credential-in-tool-headers",
      severity: "warning",
      message: `The header "${name}" looks like a credential. Headers of an agent are not encrypted: give it to the tool's service.`,
      path,
      value: name,
    });
    expect(made.validation_issues).toEqual([
      found("Authorization", "$.tool_headers.Authorization"),
      found("X-Forward", "$.tool_headers['X-Forward']"),
    ]);
  });

  test("a variable that has no effect is a warning at its place", async () => {
    const variables = { "vars.session.date": "2026-01-01", "first name": "Ann" };
    const { validation_issues } = await create("Without effect", { variables });
    expect(validation_issues.map(({ id, path }: { id: string; path: string }) => [id, path])).toEqual([
      ["system-variable-written", "$.variables['vars.session.date']"],
      ["unnamable-variable", "$.variables['first name']"],
    ]);
  });

  test("a change of language by speech is a warning where there is none to change to", async () => {
    const found = async (name: string, more: object) => {
      const { validation_issues } = await create(name, { enable_verbal_language_change: true, ...more });
      return validation_issues.map(({ id, path: at }: { id: string; path: string }) => [id, at]);
    };
    const warning = [["language-change-without-languages", "$.enable_verbal_language_change"]];
    expect(await found("No group", {})).toEqual(warning);
    const { id: language_group_id } = await createGroup(app, "One language");
    expect(await found("One language", { language_group_id })).toEqual(warning);
    expect(await found("Off", { language_group_id, enable_verbal_language_change: false })).toEqual([]);
    const two = await createGroup(app, "Two languages", [english(), spanish()]);
    expect(await found("Two languages", { language_group_id: two.id })).toEqual([]);
  });

  test.each(["UTC", "Etc/GMT+5", "Asia/Calcutta", "America/Argentina/Buenos_Aires", "america/new_york"])(
    "%s is a timezone",
    async (timezone) => {
      const made = await create(`In ${timezone}`, { timezone });
      expect(made.timezone).toBe(timezone === "america/new_york" ? "America/New_York" : timezone);
    },
  );

  test("any accepted agent comes back as it was sent", async () => {
    const text = fc.string({ unit: "grapheme" });
    const value = fc.jsonValue().map((one) => JSON.parse(JSON.stringify(one)));
    const key = fc.string({ unit: "grapheme" }).filter((one) => one !== "__proto__");
    const input = fc.record({
      description: fc.option(text),
      labels: fc.option(fc.array(text)),
      timezone: fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
      prompt_tool_defaults: fc.array(
        fc.record({
          tool_name: text,
          default_values: fc.array(fc.record({ field_name: text, default_value: value })),
        }),
        { maxLength: 3 },
      ),
      languages: fc.array(text, { maxLength: 3 }),
      variables: fc.dictionary(key, text),
      tool_headers: fc.option(
        fc.dictionary(
          fc.stringMatching(/^[A-Za-z0-9-]+$/),
          text.filter((one) => !/\p{Cc}/u.test(one)),
        ),
      ),
      agent_initiated: fc.boolean(),
      enable_verbal_language_change: fc.boolean(),
      wait_sound: fc.constantFrom(null, "No Sound", "Keyboard 1", "Keyboard 2", "Call Center"),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(input, async (one) => {
        const sent = agent(`Any ${count++}`, one);
        const body = await post(AGENTS, sent);
        expect(body).toEqual({ ...body, ...JSON.parse(JSON.stringify(sent)) });
        expect(await get(body.id)).toEqual(body);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
