import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "./program.ts";
import { typedHere } from "./typed-here.ts";

const TOOL = `tool:
  function: {name: book, description: "", parameters: {type: object}}
context:
  task:
    type: steps
    tool: {name: submit_book}
    steps:
      - id: A
        goal: Ask
        instuctions: [Ask for the age]
        inputs: [{name: age, type: integer}]
        next: [{id: B, if: "age == '5'"}, B]
      - {id: B, goal: Done}
`;
const AGENT = `format: parley-agent-1
name: Bakery
timezone: UTC
variables: {}
prompt:
  name: Bakery
  context: Today is {{ vars.session.today }}.
  llm_config: {provider: azure_openai, model: scripted}
  tools: [book]
services:
  - {name: Own}
tools:
  - name: book
    service: Own
    definition:
      tool: {function: {name: book, description: "", parameters: {type: object}}}
      context: {task: {type: event, on: {start: [{action: call, name: lookup}]}}}
`;

const check = async (text: string, ...options: string[]) => {
  const folder = newFolder();
  writeFileSync(path.join(folder, "file.yaml"), text);
  return typedHere(["check", "file.yaml", ...options], { folder });
};

test("a tool's file: each mistake at its line and column, and 1 as the exit code", async () => {
  expect(await check(TOOL)).toEqual({
    code: 1,
    stderr: "",
    stdout: `file.yaml:10:9: warning: Nothing reads "instuctions" here; "instructions" may be meant. Known: id, goal, instructions, tools, inputs, on, next. (unknown-key)
file.yaml:12:24: warning: age is a number, and "5" is a text: they are never equal. Write \`5\`. (impossible-comparison)
`,
  });
  expect(await check(TOOL.replace("instuctions", "instructions").replace("'5'", "`5`"))).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
});

test("an agent's file: its tools beside each other, and its prompt, also as JSON", async () => {
  const { code, stdout } = await check(AGENT, "--json");
  expect(code).toBe(1);
  const { findings } = JSON.parse(stdout);
  expect(findings.map(({ id, line, path }: Record<string, unknown>) => [id, line, path])).toEqual([
    ["unknown-system-variable", 7, "$.prompt.context"],
    ["workflow-tool-missing", 9, "$.prompt.tools"],
    ["unknown-tool-reference", 17, "$.tools[0].definition.context.task.on.start[0].name"],
  ]);
});

test("an agent's file: its own settings, its greeting and its languages as well", async () => {
  const own = `${AGENT.replace("variables: {}", "variables: {vars.session.voise: openai:alloy}")}
stt_provider: Deepgram Nova 2
enable_verbal_language_change: true
prompt_tool_defaults:
  - {tool_name: transfer, default_values: [{field_name: any_numbr, default_value: true}]}
greeting:
  name: Hello
  text: Hello {{ vars.session.nobody }}
languages:
  name: Spoken
  skip_current_language_in_message: true
  language_configs:
    - {language_code: en-US, voice_provider: Google, voice_display_name: en-US-Neural2-F, dtmf_code: 1}
`.replace("tools: [book]", "tools: [book, transfer]");
  const { code, stdout } = await check(own, "--json");
  expect(code).toBe(1);
  const { findings } = JSON.parse(stdout);
  const ofFile = /^\$\.(prompt|tools)\b/;
  expect(
    findings
      .map(({ id, path }: Record<string, string>) => [id, path])
      .filter(([, path]: [string, string]) => !ofFile.test(path)),
  ).toEqual([
    ["unknown-system-variable", "$.variables['vars.session.voise']"],
    ["deprecated-stt-provider", "$.stt_provider"],
    ["language-change-without-languages", "$.enable_verbal_language_change"],
    ["unknown-tool-setting", "$.prompt_tool_defaults[0].default_values[0].field_name"],
    ["unknown-system-variable", "$.greeting.text"],
    ["deprecated-voice", "$.languages.language_configs[0].voice_display_name"],
  ]);
});

test("a file of another shape, or none: where it is wrong, and 2 as the exit code", async () => {
  expect(await check(AGENT.replace("name: Bakery", "nome: Bakery"))).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^file\.yaml:\d+:\d+: /),
  });
  expect(await check("name: Hours\nagent: Bakery\ncases: []\n")).toEqual({
    code: 2,
    stdout: "",
    stderr: "file.yaml:3:1: cases: This is a suite of tests: ./parley evaluate runs it.\n",
  });
  expect(await check("name: Bakery\nprompt: Bakery\n")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      'file.yaml:1:1: This is no agent\'s file, which says "format: parley-agent-1", and no tool\'s, which has a "definition" or a "tool".\n',
  });
  const folder = newFolder();
  expect(await typedHere(["check", "gone.yaml"], { folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("gone.yaml."),
  });
});
