import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { expandShared } from "../../src/api/openapi/expand-shared.ts";
import { renderTemplate, variableLookup } from "../../src/expressions/template.ts";
import { localTime, systemVariables } from "../../src/sessions/variables.ts";
import { displayResult } from "../../src/tool-calls/display-result.ts";
import { SYSTEM_VARIABLES } from "../../src/tools/system-variable.ts";
import { ToolDefinition } from "../../src/tools/tool-definition.ts";
import { taskOf } from "../../src/workflows/run-steps.examples.ts";
import { TaskRun } from "../../src/workflows/task-run.ts";
import { freshTask } from "../../src/workflows/workflow-state.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createPeer, json, type Peer } from "../harness/peer.ts";
import { plannedSession } from "../harness/planned-session.ts";

/*
 * The author's reference: every example is saved and run, and every field of the schemas stands in the table of its
 * section, none beside them.
 */

const DOCS = new URL("../../docs/", import.meta.url);
const PAGES = ["authors-reference.md", "reference/tasks.md", "reference/templates.md"];
const textOf = (page: string) => readFileSync(new URL(page, DOCS), "utf8");

type Example = { page: string; kind: string; text: string; line: number };
const examplesOf = (page: string): Example[] =>
  [...textOf(page).matchAll(/```json (\w+)\n(.*?)\n```/gs)].map((found) => ({
    page,
    kind: found[1] as string,
    text: found[2] as string,
    line: textOf(page).slice(0, found.index).split("\n").length,
  }));
const examples = PAGES.flatMap(examplesOf);

let app: TestApp;
let peer: Peer;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
  service_id = (await app.send("POST", "/api/v1/services/", { name: "Plain", description: "" })).body.id;
});

/** With the service of the tests in place of the documented one. */
// biome-ignore lint/suspicious/noExplicitAny: whatever an example holds
const read = ({ text }: Example): any =>
  JSON.parse(
    text
      .replaceAll("https://api.example.com", peer.url)
      .replaceAll('"api.example.com"', `"${new URL(peer.url).host}"`),
  );

type Definition = { tool: { function: { name: string } } };
let definition: Definition;

async function saved(given: Definition): Promise<void> {
  definition = given;
  const { name } = given.tool.function;
  const answer = await app.send("POST", "/api/v1/tools/", { name, definition, service_id });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body.validation_issues).toEqual([]);
}

const holding = (task: { tool?: { name: string } } | { tool?: { name: string } }[]): Definition => {
  const [first] = [task].flat();
  const name = `${first?.tool?.name ?? "event"}_flow`;
  const parameters = { type: "object", properties: {} };
  return {
    type: "context",
    tool: { type: "function", function: { name, description: "A workflow", parameters } },
    context: { task },
  } as Definition;
};

const bodyOf = (text: string) => (text.startsWith("{") ? JSON.parse(text) : text);

const RUNS: Record<string, (example: Example) => Promise<void>> = {
  tool: (example) => saved(read(example)),
  task: (example) => saved(holding(read(example))),

  async try(example) {
    const { arguments: given, variables = {}, request, answer, status = 200, result } = read(example);
    peer.respond((_, response) => json(response, status, answer));
    const before = peer.requests.length;
    const body = { definition, service_id, arguments: given, variables };
    const tried = await app.send("POST", "/api/v1/tools/try", body);
    expect(tried.status, JSON.stringify(tried.body)).toBe(200);
    expect(tried.body.result).toEqual(result);
    const [sent] = peer.requests.slice(before);
    if (request) expect({ ...sent, body: bodyOf(sent?.body ?? "") }).toMatchObject(request);
  },

  async play(example) {
    const { variables = {}, events } = read(example);
    const body = { definition, variables, events: events.map(({ event }: { event: object }) => event) };
    const { body: answer } = await app.send("POST", "/api/v1/tools/play", body);
    for (const [index, shown] of events.entries()) {
      const played = answer.played[index];
      const effects: { type: string; text: string; result: unknown; tool: string; arguments: unknown }[] =
        played.effects;
      const of = (type: string) => effects.filter((effect) => effect.type === type);
      if (shown.step) expect(played.step).toBe(shown.step);
      if (shown.reply) expect(of("reply")[0]?.result).toMatchObject(shown.reply);
      if (shown.say) expect(of("say").map(({ text }) => text)).toEqual(shown.say);
      if (shown.calls) expect(of("call")[0]).toMatchObject(shown.calls);
      if (shown.local) expect(played.local).toMatchObject(shown.local);
      if (shown.after) expect(played.variables).toMatchObject(shown.after);
      const known = ["event", "step", "reply", "say", "calls", "local", "after"];
      expect(Object.keys(shown).filter((key) => !known.includes(key))).toEqual([]);
    }
  },

  async talk(example) {
    const rows: {
      user: string;
      calls?: [string, object];
      model: string;
      reads?: string;
      waiting?: Record<string, string>;
    }[] = read(example);
    const record = structuredClone(definition);
    record.tool.function.name += "_talk";
    const { say, session_id, requests } = await plannedSession(app, [record], {
      plans: rows.flatMap(({ calls, model }) => [
        ...(calls ? [{ calls: [calls] }] : []),
        { text: model },
      ]) as never,
    });
    for (const { user, reads, waiting = {} } of rows) {
      await say(user);
      const { state } = await app.db
        .selectFrom("sessions")
        .select("state")
        .where("id", "=", session_id)
        .executeTakeFirstOrThrow();
      const { tasks } = (state as { workflows: { tasks: Record<string, { waits_for?: string | null }> } })
        .workflows;
      for (const [caller, called] of Object.entries(waiting)) expect(tasks[caller]?.waits_for).toBe(called);
      if (reads) expect(JSON.stringify(requests.at(-1)?.messages)).toContain(reads);
    }
  },

  async cards(example) {
    const { answer, cards } = read(example);
    expect(displayResult(ToolDefinition.parse(definition), answer, false)?.items).toEqual(cards);
  },

  async service(example) {
    const answer = await app.send("POST", "/api/v1/services/", read(example));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    signedIn = answer.body.id;
  },

  async sent(example) {
    peer.respond(({ path }, response) =>
      json(response, 200, path === "/token" ? { access_token: "the-token", expires_in: 300 } : {}),
    );
    const tool = {
      tool: { function: { name: "ask", description: "", parameters: { type: "object" } } },
      endpoint: { url: `${peer.url}/ask`, method: "get", argument_location: "query" },
    };
    await app.send("POST", "/api/v1/tools/try", { definition: tool, service_id: signedIn, arguments: {} });
    const request = peer.requests.findLast(({ path }) => path === "/ask");
    expect(request?.headers).toMatchObject(read(example));
  },

  async templates(example) {
    const { variables, results } = read(example);
    for (const [text, shown] of Object.entries(results))
      expect(renderTemplate(text, variableLookup(variables)), text).toBe(shown);
  },

  async expressions(example) {
    const { scope, results } = read(example);
    const { inputs, local, variables } = scope;
    const state = { ...freshTask(), inputs, local };
    const run = new TaskRun(taskOf({ type: "expression", id: "e" }), state, {
      variables,
      system: {},
      callable: () => undefined,
    });
    for (const [expression, value] of results)
      expect(run.valueOf(expression, run.scope), JSON.stringify(expression)).toEqual(value);
  },

  async system(example) {
    const { at, timezone, results } = read(example);
    const facts = {
      session_id: 1842,
      conversation_id: 977,
      agent_name: "Front desk",
      timezone,
      channel: "voice",
      source: "+12125550123",
      target: "+12125550199",
      is_outbound: false,
      verified: true,
      claimed_user: null,
      user_name: null,
    };
    const variables = systemVariables(facts, "en-US", localTime(new Date(at), timezone));
    for (const [text, shown] of Object.entries(results))
      expect(renderTemplate(text, variableLookup(variables)), text).toBe(shown);
  },
};
let signedIn: number;

describe("every example of the author's reference does what the page says", () => {
  test.each(examples)("$page, line $line: $kind", async (example) => {
    const run = RUNS[example.kind];
    if (!run) throw new Error(`Nothing runs an example of the kind ${example.kind}`);
    await run(example);
  });

  test("and there is no example that nothing runs", () => {
    for (const page of PAGES)
      expect([...textOf(page).matchAll(/```json/g)].length).toBe(examplesOf(page).length);
  });
});

/** The sections that list the fields of a schema; what several share stands once. */
const SECTIONS: Record<string, string[]> = {
  ToolDefinition: ["## Tool"],
  InternalTool: ["### Function"],
  ToolFunction: ["### Function"],
  ToolHttpEndpoint: ["### Endpoint"],
  ToolMcpCall: ["### MCP call"],
  ToolClientRun: ["### Client call"],
  Context: ["### Context"],
  ToolOptions: ["### Options"],
  StaticToolParameter: ["### Static parameters"],
  ToolParameterDefault: ["### Defaults and transforms"],
  ToolParameterTransform: ["### Defaults and transforms"],
  ToolParameterTransformCondition: ["### Defaults and transforms"],
  ResponseDisplayConfig: ["## Cards"],
  DisplayMapping: ["## Cards"],
  DisplayValueSource: ["## Cards"],
  DisplayActionMapping: ["### Card actions"],
  DisplayCtaMapping: ["### Main button"],
  ServiceCreateRequest: ["## Services"],
  ContextToolInfo: ["## Every task"],
  ContextTaskMetadata: ["## Every task"],
  Variable: ["### Variables"],
  InputParameter: ["### Inputs"],
  StepsTask: ["## Every task", "## Steps task"],
  Step: ["### Step"],
  ConditionalText: ["### Step"],
  NextStep: ["### Step"],
  StepTools: ["### Step"],
  StepEventActions: ["### Step"],
  SetValueAction: ["### Every action", "### set"],
  IncrementAction: ["### Every action", "### inc"],
  GetValueAction: ["### Every action", "### get and load"],
  SaveAction: ["### Every action", "### save"],
  SayAction: ["### Every action", "### say"],
  CallAction: ["### Every action", "### call"],
  CallResult: ["### call"],
  CallResultSaveMapping: ["### call"],
  ExpressionTask: ["## Every task", "## Expression task"],
  ExpressionTaskEvents: ["## Expression task"],
  EventTask: ["## Every task", "## Event task"],
  EventTaskEvents: ["## Event task"],
  LoadToolFromFileTask: ["## Every task", "## Import task"],
  Expression: ["## Expressions"],
};

/** Heading → the fields that its tables name. A section ends at the next heading. */
const listed = new Map(
  PAGES.flatMap((page) =>
    textOf(page)
      .replaceAll(/```.*?```/gs, "")
      .split(/^(?=##+ )/m)
      .map((section): [string, string[]] => [
        section.split("\n", 1)[0] as string,
        section
          .split(/\n\n/)
          .filter((block) => /^\| field/m.test(block))
          .flatMap((table) => [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name as string)),
      ]),
  ),
);

type Schema = { properties?: Record<string, { deprecated?: boolean }>; anyOf?: Schema[] };
const document: { components: { schemas: Record<string, Schema> } } = expandShared(
  JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")),
);
const { schemas } = document.components;
const fieldsOf = ({ properties = {}, anyOf = [] }: Schema): string[] => [
  ...Object.keys(properties).filter((name) => !properties[name]?.deprecated),
  ...anyOf.flatMap(fieldsOf),
];

function reached(id: string, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const [, ref] of JSON.stringify(schemas[id]).matchAll(/#\/components\/schemas\/(\w+)/g))
    reached(ref as string, found);
  return found;
}
const ids = [...new Set([...reached("ToolDefinition"), ...reached("ServiceCreateRequest")])].filter(
  (id) => fieldsOf(schemas[id] as Schema).length > 0,
);

describe("every field of a schema stands in the tables of its section", () => {
  test.each(ids)("%s", (id) => {
    const sections = SECTIONS[id] ?? [];
    expect(sections, `${id} needs a section`).not.toEqual([]);
    const named = sections.flatMap((heading) => listed.get(heading) ?? []);
    for (const field of fieldsOf(schemas[id] as Schema)) expect(named).toContain(field);
  });

  test.each([...new Set(Object.values(SECTIONS).flat())])(
    "%s lists no field that no schema has",
    (heading) => {
      const sharing = ids.filter((id) => SECTIONS[id]?.includes(heading));
      const known = new Set(sharing.flatMap((id) => fieldsOf(schemas[id] as Schema)));
      expect((listed.get(heading) ?? []).filter((field) => !known.has(field))).toEqual([]);
    },
  );

  test("and every system variable in theirs", () => {
    const page = textOf("reference/templates.md");
    const named = [...page.matchAll(/^\| `(vars\.session\.[a-z_.]+)` \|/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual([...SYSTEM_VARIABLES].toSorted());
  });
});

test("every other tool that the documentation shows is saved without findings", async () => {
  const pages = readdirSync(DOCS, { recursive: true }).map(String);
  const shown = pages
    .filter((page) => page.endsWith(".md"))
    .flatMap((page) =>
      [...textOf(page).matchAll(/```json\n(.*?)\n```/gs)].flatMap(([, text]) => {
        const value = parsed(text as string);
        return value?.tool?.function ? [{ page, definition: value as Definition }] : [];
      }),
    );
  expect(shown.length).toBeGreaterThan(0);
  for (const { page, definition } of shown) {
    const body = { name: definition.tool.function.name, definition, service_id };
    const answer = await app.send("POST", "/api/v1/tools/check", body);
    expect([page, answer.body.validation_issues]).toEqual([page, []]);
  }
});

function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
