import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readAgentFile } from "../agent-files/agent-file.ts";
import { VOICES } from "../speech/voices.ts";
import { elevenLabsName } from "./elevenlabs.ts";
import { ELEVENLABS_VOICES } from "./elevenlabs-voices.ts";
import { ownText } from "./foreign-text.ts";
import type { ImportPlan } from "./import-draft.ts";
import { type ForeignPlatform, readImport } from "./read-import.ts";
import { fieldPath } from "./report.ts";
import { retellName } from "./retell.ts";
import { vapiName } from "./vapi.ts";

const TODAY = "2026-11-24";
const FILES = [
  "vapi-front-desk",
  "vapi-reminder",
  "vapi-legacy-server",
  "retell-single-prompt",
  "retell-states",
  "retell-export",
  "elevenlabs-bookings",
  "elevenlabs-minimal",
  "elevenlabs-support",
] as const;
const platformOf = (file: string) => file.split("-")[0] as ForeignPlatform;
const contentOf = (file: string): string => readFileSync(`test/fixtures/importers/${file}.json`, "utf8");

function planned(file: string, text = contentOf(file)): ImportPlan {
  const read = readImport(platformOf(file), text, TODAY);
  if (!read.ok) throw new Error(read.faults.join("\n"));
  return read.plan;
}
const fateOf = ({ fields }: ImportPlan, path: string) => fields.find((field) => field.path === path)?.fate;

describe("texts", () => {
  test.each([
    ["Hello {{name}}", "Hello {{ vars.name }}"],
    ["Hello {{ first name }}", "Hello {{ vars.first_name }}"],
    ["{{name | capitalize}}", "{{ vars.name }}"],
    ['{{"now" | date: "%H:%M"}}', "{{ vars.session.datetime }}"],
    ["{{customer.number}}", "{{ vars.session.source }}"],
    ["{{ 1 + }}.", "{{ vars._1 }}."],
    ["{{ }}.", "."],
    [`\${price} and {name} and {{name}} and {}`, `\\\${price} and \\{name} and {{ vars.name }} and {}`],
  ])("%s becomes %s", (foreign, own) => {
    expect(ownText(foreign, vapiName).text).toBe(own);
  });
});

test.each([
  ["Retell", retellName, "{{current_time_Europe/Paris}}", "vars.session.datetime", "agent's own time zone"],
  ["Retell", retellName, "{{ current_hour }}", "vars.session.datetime", "not the hour alone"],
  ["ElevenLabs", elevenLabsName, "{{system__time_utc}}", "vars.session.datetime", "not in UTC"],
])(
  "%s: a name that is not quite the same here is filled in, and what differs is said",
  (_platform, names, foreign, own, said) => {
    expect(ownText(foreign, names)).toEqual({
      text: `{{ ${own} }}`,
      problems: [expect.stringContaining(said)],
    });
  },
);

test("a voice of ElevenLabs is found by its id, and each id by a voice that Parley has", () => {
  expect(planned("elevenlabs-bookings").text).toContain("voice_display_name: Eric");
  expect(fateOf(planned("elevenlabs-bookings"), "conversation_config.tts.voice_id")).toBe("mapped");
  const own = VOICES.filter(({ provider }) => provider === "ElevenLabs").map((voice) => voice.display_name);
  expect(Object.values(ELEVENLABS_VOICES).toSorted()).toEqual(own.toSorted());
});

test.each([
  ["vapi-front-desk", "transcriber.language"],
  ["retell-export", "language"],
])(
  "%s: an agent that hears several languages keeps its voice, and the plan says what to add",
  (file, path) => {
    const input = JSON.parse(contentOf(file));
    if (path === "language") input.language = "multi";
    else input.transcriber = { ...input.transcriber, language: "multi" };
    const plan = planned(file, JSON.stringify(input));
    expect(plan.fields.find((each) => each.path === path)).toMatchObject({
      fate: "approximated",
      sentence: expect.stringContaining("one language at a time"),
    });
    expect(plan.text).toContain("language_code: en-US");
    expect(plan.fields.find((each) => /voiceId|voice_id$/.test(each.path))?.sentence).not.toContain(
      "does not speak",
    );
  },
);

describe("fields", () => {
  test.each([
    ["vapi-front-desk", "firstMessage", "mapped"],
    ["vapi-front-desk", "model.model", "mapped"],
    ["vapi-front-desk", "model.messages[0].content", "approximated"],
    ["vapi-front-desk", "model.tools[0].type", "approximated"],
    ["vapi-front-desk", "model.tools[0].server.headers.X-Api-Key", "approximated"],
    ["vapi-front-desk", "model.toolIds", "no equivalent"],
    ["vapi-front-desk", "backgroundSound", "no equivalent"],
    ["vapi-reminder", "transcriber.language", "approximated"],
    ["vapi-reminder", "model.tools[1]", "no equivalent"],
    ["vapi-legacy-server", "model.model", "approximated"],
    ["vapi-legacy-server", "model.tools[1]", "no equivalent"],
    ["retell-single-prompt", "general_prompt", "approximated"],
    ["retell-single-prompt", "begin_message", "mapped"],
    ["retell-single-prompt", "general_tools[2].query_params.channel", "mapped"],
    ["retell-single-prompt", "general_tools[3]", "no equivalent"],
    ["retell-states", "llm.states[1].edges[0]", "mapped"],
    ["retell-states", "agent.voice_speed", "approximated"],
    ["retell-states", "agent.webhook_url", "no equivalent"],
    ["retell-export", "retellLlmData.states[0]", "approximated"],
    ["elevenlabs-bookings", "conversation_config.language_presets.es", "approximated"],
    ["elevenlabs-bookings", "conversation_config.agent.prompt.knowledge_base", "no equivalent"],
    ["elevenlabs-support", "conversation_config.agent.prompt.timezone", "mapped"],
  ])("%s: %s is %s", (file, path, fate) => {
    expect(fateOf(planned(file), path)).toBe(fate);
  });

  test.each([
    ["vapi-front-desk", "silenceTimeoutSeconds", "no equivalent", "pre_input_timeout"],
    ["vapi-front-desk", "analysisPlan", "no equivalent", "docs/insights.md"],
    ["vapi-front-desk", "id", "mapped", "numbers"],
    ["retell-states", "agent.interruption_sensitivity", "no equivalent", "interruptibility"],
    ["retell-export", "response_engine", "mapped", "numbers"],
    ["retell-single-prompt", "model_high_priority", "no equivalent", "no such setting"],
    ["elevenlabs-bookings", "conversation_config.turn.turn_timeout", "no equivalent", "pre_input_timeout"],
    ["elevenlabs-bookings", "conversation_config.conversation.max_duration_seconds", "no equivalent", "hour"],
    ["elevenlabs-bookings", "platform_settings.widget", "no equivalent", "docs/web-chat.md"],
  ])("%s: the plan says where Parley has %s, or what it does instead", (file, path, fate, words) => {
    const field = planned(file).fields.find((each) => each.path === path);
    expect(field).toMatchObject({ fate, sentence: expect.stringContaining(words) });
  });

  test.each([
    ["assistant-speaks-first-with-model-generated-message", "the model writes the first message"],
    ["assistant-waits-for-user", "the assistant waits for the user"],
  ])("vapi: with %s the plan says why the first message is not said", (firstMessageMode, why) => {
    const input = { ...JSON.parse(contentOf("vapi-front-desk")), firstMessageMode };
    const field = planned("vapi-front-desk", JSON.stringify(input)).fields.find(
      ({ path }) => path === "firstMessage",
    );
    expect(field).toMatchObject({ fate: "no equivalent", sentence: expect.stringContaining(why) });
  });

  test.each([
    ["15125550102", "+15125550102", "Read as +15125550102."],
    ["49 30 90182000", "+493090182000", "Read as +493090182000."],
    ["5125550102", "5125550102", "Write the number with + and the country's code"],
    ["+15125550102", "+15125550102", "member"],
  ])("a number to transfer to that is %s in the file is %s here", (there, here, said) => {
    for (const [file, path, number] of [
      ["retell-single-prompt", "general_tools[1].transfer_destination.number", "+15550102"],
      ["vapi-legacy-server", "forwardingPhoneNumber", "+15550101"],
    ] as const) {
      const plan = planned(file, contentOf(file).replace(number, there));
      expect(plan.text).toMatch(new RegExp(`(transferred to|destination) ${RegExp.escape(here)}\\.`));
      expect(plan.missing.map(({ name }) => name)).toContain(here);
      expect(plan.fields.find((each) => each.path === path)?.sentence).toContain(said);
    }
  });

  test("every page that a plan names is there", () => {
    const named = FILES.flatMap((file) => planned(file).fields.map(({ sentence }) => sentence)).flatMap(
      (sentence) => sentence.match(/docs\/[\w-]+\.md/g) ?? [],
    );
    expect(new Set(named).size).toBeGreaterThan(3);
    for (const page of named) expect(existsSync(page)).toBe(true);
  });

  test("every field of a file, also one that nobody knows, is in the plan", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FILES),
        fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== "__proto__"),
        fc.jsonValue({ maxDepth: 3 }),
        fc.nat(),
        (file, name, value, seed) => {
          const input = JSON.parse(contentOf(file));
          const places = recordsIn(input);
          const place = places[seed % places.length] as Record<string, unknown>;
          if (!Object.hasOwn(place, name)) place[`new ${name}`] = value;
          const paths = planned(file, JSON.stringify(input)).fields.map((field) => field.path);
          const covered = (leaf: string) =>
            paths.some((path) => leaf === path || leaf.startsWith(`${path}.`) || leaf.startsWith(`${path}[`));
          expect(leavesOf(input).filter((leaf) => !covered(leaf))).toEqual([]);
        },
      ),
      { numRuns: process.env.NIGHTLY === "1" ? 2_000 : 60 },
    );
  });
});

test("a file with any value anywhere is read, or refused with a sentence", () => {
  const strange = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("", "{{x}}", "{{{{", "https://{a}{b}", "https://user:p@h", "constructor", -1, 1e9),
  );
  fc.assert(
    fc.property(fc.constantFrom(...FILES), fc.nat(), strange, (file, seed, value) => {
      const input = JSON.parse(contentOf(file));
      const places = slotsIn(input);
      const [record, key] = places[seed % places.length] as [Record<string, unknown>, string];
      record[key] = value;
      const read = readImport(platformOf(file), JSON.stringify(input), TODAY);
      expect(read.ok || read.faults.length > 0).toBe(true);
    }),
    { numRuns: process.env.NIGHTLY === "1" ? 4_000 : 100 },
  );
});

describe("the agent", () => {
  test.each(FILES)("%s makes a file that is read again, and holds no credential", async (file) => {
    const plan = planned(file);
    expect(await readAgentFile(plan.text)).toMatchObject({ ok: true });
    expect(JSON.stringify(plan)).not.toContain("planted");
    expect(plan.findings.filter((finding) => finding.startsWith("error"))).toEqual([]);
  });

  test("credentials are names to fill in", () => {
    expect(planned("vapi-reminder").missing.map(({ name }) => name)).toEqual([
      "API_EXAMPLE_COM_TOKEN",
      "API_EXAMPLE_COM_AUTHORIZATION",
      "timezone",
    ]);
  });

  test("Retell's states are steps, the first where it begins; the model says which edge it takes", () => {
    const { tools } = parse(planned("retell-states").text);
    const { definition } = tools.find(({ name }: { name: string }) => name === "repairs_states");
    const [first, ...rest] = definition.context.task.steps;
    expect(first).toMatchObject({
      id: "collect",
      inputs: [
        { name: "next_state", enum: ["report", "emergency"], required: true },
        { name: "appliance", required: false },
      ],
      next: [
        { id: "report", if: "inputs.next_state == 'report'", requires: ["appliance"] },
        { id: "emergency" },
      ],
    });
    expect(rest.map(({ id, tools }: { id: string; tools: object }) => [id, tools])).toEqual([
      ["report", { allow: ["hangup", "report_repair"] }],
      ["emergency", { allow: ["hangup"] }],
    ]);
  });

  test("a value that the platform sets is set by the tool", () => {
    const { tools } = parse(planned("elevenlabs-bookings").text);
    expect(tools[0].definition).toMatchObject({
      endpoint: {
        url: "https://api.example.com/restaurants/{restaurant}/tables",
        argument_location: "path",
      },
      tool: { function: { parameters: { required: ["guests"] } } },
      static_parameters: [
        { name: "restaurant", default: "harbour" },
        { name: "caller", default: "{{ vars.session.source }}" },
      ],
    });
  });
});

/** Every place of a file that has a value. */
const slotsIn = (value: unknown): [object, string][] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]): [object, string][] => [[value, key], ...slotsIn(inner)]);

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every record in a file, where another field may stand; a list of JSON Schema's properties is one, too. */
const recordsIn = (value: unknown): Record<string, unknown>[] =>
  typeof value !== "object" || value === null
    ? []
    : [
        ...(isMap(value) && !("properties" in value) ? [value] : []),
        ...Object.entries(value).flatMap(([key, inner]) =>
          // Its entries are of a known shape.
          key === "built_in_tools" ? [] : recordsIn(inner),
        ),
      ];

function leavesOf(value: unknown, path: (string | number)[] = []): string[] {
  if (typeof value !== "object" || value === null) return [fieldPath(path)];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((inner, index) => [index, inner])
    : Object.entries(value);
  if (entries.length === 0) return [fieldPath(path)];
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}
