import fc, { type Arbitrary } from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type Send, type TestApp } from "../../harness/app.ts";
import { arbitraryDefinition } from "../../harness/arbitrary-definition.ts";
import { rounds } from "../../harness/seed.ts";
import { english, spanish } from "../../harness/voice-groups.ts";
import { commandsOf, contents, emptyOrganization, newFolder } from "./folder.ts";

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await createTestApp();
  url = await app.listen();
});

/** Texts that YAML, names of files and references to the environment have to live with. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }).filter((value) => !value.includes("\0")),
  fc.constantFrom(
    "",
    "Line one.\n\nLine three with a blank at its end. \n",
    `\${env:NOT_A_REFERENCE} and $\${env:NEITHER}`,
    "- yes: no # nothing",
    "{{ vars.name }}: |",
    "\ttab\r\nreturn",
    "null",
    "2026-01-01",
    "'\"\\",
  ),
);
const name = fc
  .oneof(fc.constantFrom("Clinic", "clinic", "Praxis Größe", "人", "a/b", "..", "x".repeat(80)), text)
  .map((value) => value.trim() || "name");
const word = fc.stringMatching(/^[a-z][a-z0-9_]{2,8}$/);
const nullable = <T>(value: Arbitrary<T>) => fc.option(value, { nil: null });

const configuration = fc.record({
  services: fc.uniqueArray(
    fc.record({ name, description: text, keys: fc.uniqueArray(word, { maxLength: 2 }) }),
    { selector: ({ name: of }) => of, minLength: 1, maxLength: 3 },
  ),
  sources: fc.uniqueArray(
    fc.record({
      name: word,
      description: nullable(text),
      labels: fc.array(word, { maxLength: 2 }),
      chunk: fc.boolean(),
      text,
    }),
    { selector: ({ name: of }) => of, maxLength: 2 },
  ),
  tools: fc.uniqueArray(
    word.chain((of) => fc.record({ name: fc.constant(of), definition: arbitraryDefinition(of) })),
    { selector: ({ name: of }) => of, maxLength: 3 },
  ),
  groups: fc.array(fc.record({ name, description: nullable(text), two: fc.boolean() }), { maxLength: 1 }),
  phrases: fc.array(
    fc.record({
      name,
      config: fc.record({ phrases: fc.record({ messages: fc.array(text, { maxLength: 2 }) }) }),
    }),
    { maxLength: 1 },
  ),
  messages: fc.uniqueArray(
    fc.record({
      name,
      text,
      preamble: nullable(fc.constant("Hello")),
      rules: fc.array(
        fc.record({ description: text, invert: fc.boolean(), text, days_of_week: fc.constant(["mo"]) }),
        { maxLength: 1 },
      ),
    }),
    { selector: ({ name: of }) => of, maxLength: 2 },
  ),
  members: fc.array(fc.record({ name, type: word }), { maxLength: 1 }),
  prompts: fc.uniqueArray(fc.record({ name, description: nullable(text), context: nullable(text) }), {
    selector: ({ name: of }) => of,
    minLength: 1,
    maxLength: 2,
  }),
  agents: fc.uniqueArray(
    fc.record({
      name,
      description: nullable(text),
      variables: fc.dictionary(
        word.map((of) => `vars.${of}`),
        text,
        { maxKeys: 2, noNullPrototype: true },
      ),
      tool_headers: nullable(fc.constant({ "x-branch": "planted-header" })),
      agent_initiated: fc.boolean(),
    }),
    { selector: ({ name: of }) => of, maxLength: 2 },
  ),
  cases: fc.uniqueArray(
    fc.record({
      name,
      person: fc.array(text, { maxLength: 2 }),
      mocks: fc.array(fc.record({ tool: word, result: fc.jsonValue({ maxDepth: 2 }) }), { maxLength: 1 }),
    }),
    { selector: ({ name: of }) => of, maxLength: 2 },
  ),
});
const MCP_TOOL = {
  name: "booked_by_mcp",
  definition: {
    type: "mcp",
    tool: {
      type: "function",
      function: {
        name: "booked_by_mcp",
        description: "Books.",
        parameters: { type: "object", properties: {} },
      },
    },
    mcp: { tool: "calendar.book", schema_hash: "a".repeat(64), description_hash: "b".repeat(64) },
  },
};

type Configuration = typeof configuration extends Arbitrary<infer T> ? T : never;

async function create(send: Send, made: Configuration): Promise<void> {
  const post = async (path: string, body: object): Promise<{ id: number }> => {
    const answer = await send("POST", `/api/v1/${path}/`, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const services = [];
  for (const { keys, ...service } of made.services)
    services.push(
      await post("services", {
        ...service,
        ...(keys.length > 0 && {
          auth_type: "custom_headers",
          auth_values: Object.fromEntries(keys.map((key) => [key, `planted-secret-${key}`])),
          allowed_hosts: ["example.com"],
        }),
      }),
    );
  // Of a service without credentials, for these bind to hosts.
  const mcp_url = "https://example.com/mcp";
  const { id: service_id } = await post("services", { name: "Plain", description: "", mcp_url });
  for (const source of made.sources) await post("data_sources", source);
  const tools: string[] = [];
  for (const tool of [...made.tools, MCP_TOOL]) {
    const answer = await send("POST", "/api/v1/tools/", { ...tool, service_id });
    // What the tool's own checks refuse is no matter of a folder.
    if (answer.status === 200) tools.push(tool.name);
  }
  const groups = [];
  for (const { two, ...group } of made.groups)
    groups.push(
      await post("voice_groups", {
        ...group,
        language_configs: two ? [english(), spanish()] : [english()],
        skip_current_language_in_message: two,
      }),
    );
  const phrases = [];
  for (const each of made.phrases) phrases.push(await post("bridge_phrases", each));
  const messages = [];
  for (const message of made.messages) messages.push(await post("custom_messages", message));
  for (const member of made.members) await post("directory_members", member);
  const prompts = [];
  for (const prompt of made.prompts)
    prompts.push(
      await post("prompts", {
        ...prompt,
        type: "prompt_v1",
        llm_config: { model: "scripted" },
        tools: [...tools, "hangup"],
        include_default_tools: false,
      }),
    );
  for (const [at, agent] of made.agents.entries()) {
    await post("agents", {
      ...agent,
      type: "ca_v1",
      timezone: "Europe/Berlin",
      prompt_id: prompts[at % prompts.length]?.id,
      custom_message_id: messages[at]?.id ?? null,
      language_group_id: groups[0]?.id ?? null,
      bridge_phrases_id: phrases[0]?.id ?? null,
    });
    await post("test_suites", { name: `Suite ${at}`, agent: agent.name, cases: made.cases });
  }
}

/** The variables that an export asks for, with the values that were planted. */
const variablesOf = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.values(files)
      .flatMap((file) => [...file.matchAll(/(?<!\$)\$\{env:(\w+)\}/g)])
      .map(([, variable = ""]) => [
        variable,
        variable.endsWith("X_BRANCH") ? "planted-header" : "a new secret",
      ]),
  );

test("what is exported and applied to an empty organization is exported as the same bytes, and applying it again changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(configuration, async (made) => {
      const [from, to] = [await emptyOrganization(app), await emptyOrganization(app)];
      await create(from.send, made);
      const first = newFolder();
      expect((await commandsOf(url, from.token).export(first)).code).toBe(0);
      const exported = contents(first);
      expect(JSON.stringify(exported)).not.toMatch(/planted-(secret|header)/);

      const there = commandsOf(url, to.token, variablesOf(exported));
      const applied = await there.apply(first);
      expect(applied).toMatchObject({ code: 0, err: "" });
      const second = newFolder();
      await there.export(second);
      expect(contents(second)).toEqual(exported);

      expect(await there.drift(first)).toMatchObject({ code: 0, err: "" });
      expect((await there.apply(first)).out).toContain("Done: 0 of 0 changes.");
      expect((await commandsOf(url, from.token, variablesOf(exported)).drift(first)).code).toBe(0);
    }),
    { numRuns: rounds(8, 60) },
  );
});

test("a file is called as its record is, without marks on its letters", async () => {
  const { send, token } = await emptyOrganization(app);
  for (const called of ["Praxis Müller", "Água & Luz"])
    await send("POST", "/api/v1/services/", { name: called, description: "" });
  const folder = newFolder();
  await commandsOf(url, token).export(folder);
  expect(Object.keys(contents(folder))).toEqual(
    expect.arrayContaining(["services/praxis-muller.yaml", "services/agua-luz.yaml"]),
  );
});
