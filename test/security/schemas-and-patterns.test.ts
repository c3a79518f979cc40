import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { insightsOf, pastSession } from "../harness/insights.ts";
import { expectFreeLoop } from "../harness/loop-watch.ts";
import { createPeer, json, type Peer } from "../harness/peer.ts";

let app: TestApp;
let peer: Peer;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
  peer.respond((_, response) => json(response, 200, {}));
  const { body } = await app.send("POST", "/api/v1/services/", { name: "Calendar", description: "" });
  service_id = body.id;
});

/** Twice itself at each of the levels: 2^levels branches written out, 1.6 KB of text at 30. */
function doubling(levels: number, of: "anyOf" | "allOf") {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { [of]: [next, next] }];
    }),
  );
  return { type: "object", $ref: "#/$defs/d0", $defs: { ...$defs, [`d${levels}`]: { required: ["none"] } } };
}

/** `levels` lists in each other. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
const WIDE = "[ab]{0,1000}".repeat(10);

const trees = { anyOf: [{ type: "array", items: { $ref: "#/$defs/tree" } }, { type: "string" }] };
const ATTACKS: [string, { parameters: object; arguments: object }][] = [
  ["branches doubled thirty times (anyOf)", { parameters: doubling(30, "anyOf"), arguments: {} }],
  ["branches doubled thirty times (allOf)", { parameters: doubling(30, "allOf"), arguments: {} }],
  [
    "branches that double with each level of the value",
    {
      parameters: {
        type: "object",
        properties: { a: { $ref: "#/$defs/tree" } },
        $defs: { tree: { anyOf: [trees.anyOf[0], trees.anyOf[0], trees.anyOf[1]] } },
      },
      arguments: { a: nested(60) },
    },
  ],
  ["a schema that leads to itself", { parameters: { type: "object", $ref: "#" }, arguments: {} }],
  [
    "a schema nested three hundred levels deep",
    {
      parameters: JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(40)}{}${"}}".repeat(40)}`),
      arguments: {},
    },
  ],
  [
    "lists that must have no item twice",
    {
      parameters: { type: "object", properties: { a: { type: "array", uniqueItems: true } } },
      arguments: { a: Array.from({ length: 3_000 }, (_, n) => ({ n })) },
    },
  ],
  [
    "ten wide patterns in 125 characters",
    {
      parameters: { type: "object", properties: { a: { type: "string", pattern: WIDE } } },
      arguments: { a: "ab".repeat(15_000) },
    },
  ],
  [
    "a hundred narrow patterns and a long text",
    {
      parameters: {
        type: "object",
        properties: {
          a: { allOf: Array.from({ length: 100 }, (_, n) => ({ pattern: `([ab]?){${n + 1}}c$` })) },
        },
      },
      arguments: { a: "ab".repeat(15_000) },
    },
  ],
  [
    "a hundred formats of long texts",
    {
      parameters: {
        type: "object",
        properties: { a: { allOf: Array.from({ length: 100 }, () => ({ format: "uri-reference" })) } },
      },
      arguments: { a: "a".repeat(2_000) },
    },
  ],
  [
    "faults without end",
    {
      parameters: { type: "object", properties: { a: { items: { type: "string", enum: ["x"] } } } },
      arguments: { a: Array.from({ length: 15_000 }, () => 1) },
    },
  ],
];

describe("a tool's schema does not hold up the main loop", () => {
  test.each(ATTACKS)("when it is saved, and says what is too much: %s", async (name, { parameters }) => {
    const definition = endpointTool("attack", `${peer.url}/x`, { parameters });
    const { body } = await expectFreeLoop(`saving ${name}`, () =>
      app.send("POST", "/api/v1/tools/check", { name: "attack", definition, service_id }),
    );
    for (const issue of body.validation_issues ?? [])
      expect(issue).toMatchObject({ path: expect.stringContaining("$.tool.function.parameters") });
  });

  test.each(ATTACKS)("when it was saved by an earlier version and is used: %s", async (name, attack) => {
    const tool = `attack_${ATTACKS.findIndex(([other]) => other === name)}`;
    const script = `on "go" -> call ${tool} ${JSON.stringify(attack.arguments)}\nafter ${tool} -> say "Done."`;
    const agent = await createAgent(app, {
      script,
      tools: [endpointTool(tool, `${peer.url}/x`)],
    });
    await sql`update tools set definition = jsonb_set(definition::jsonb, '{tool,function,parameters}',
      ${JSON.stringify(attack.parameters)}::jsonb) where name = ${tool}`.execute(app.db);
    const answer = await expectFreeLoop(`using ${name}`, async () => {
      const { body } = await app.send("POST", "/chat/v1/sessions", { client_id: agent.target });
      return app.send("POST", `/chat/v1/sessions/${body.session_id}/messages?token=${body.token}`, {
        text: "go",
      });
    });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).toContain("Done.");
  });

  test("when thousands of a workflow's call arguments are compared with it", async () => {
    const choices = Array.from({ length: 20_000 }, (_, n) => ({ const: n }));
    const parameters = { type: "object", properties: { a: { anyOf: choices } } };
    const name = "many_choices";
    await createAgent(app, {
      script: 'otherwise -> say "Hi."',
      tools: [endpointTool(name, `${peer.url}/x`)],
    });
    await sql`update tools set definition = jsonb_set(definition::jsonb, '{tool,function,parameters}',
      ${JSON.stringify(parameters)}::jsonb) where name = ${name}`.execute(app.db);
    const enter = Array.from({ length: 300 }, () => ({
      action: "call",
      name,
      arguments: { a: "x", b: 1 },
    }));
    const steps = Array.from({ length: 10 }, (_, n) => ({ id: `S${n}`, goal: "g", on: { enter } }));
    const definition = {
      type: "context",
      tool: { function: { name: "caller", description: "", parameters: {} } },
      context: { task: { type: "steps", tool: { name: "go" }, steps } },
    };
    const { status, body } = await expectFreeLoop("three thousand calls of a tool with 20,000 choices", () =>
      app.send("POST", "/api/v1/tools/check", { name: "caller", definition, service_id }),
    );
    expect(status).toBe(200);
    expect(body.validation_issues).toContainEqual(expect.objectContaining({ id: "call-argument-type" }));
  });

  test("and one that doubles itself is refused at the place where it grows too large", async () => {
    const definition = endpointTool("doubling", `${peer.url}/x`, { parameters: doubling(30, "anyOf") });
    const refused = await app.send("POST", "/api/v1/tools/", { name: "doubling", definition, service_id });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain("With every $ref written out");
    const { body } = await app.send("POST", "/api/v1/tools/check", {
      name: "doubling",
      definition,
      service_id,
    });
    expect(body.validation_issues).toContainEqual(
      expect.objectContaining({
        severity: "error",
        path: expect.stringMatching(/^\$\.tool\.function\.parameters\['\$defs'\]\.d\d+/),
        message: "With every $ref written out, a schema can hold 20000 values; this one has more.",
      }),
    );
  });
});

describe("a pattern does not hold up the main loop", () => {
  test("of an insight: one that is too large is refused, one saved earlier is told as the reason", async () => {
    const make = insightsOf(app);
    const long = await pastSession(app, app.admin, { said: [["user", "ab".repeat(100_000)]] });
    const given = { insight_tool_definition_id: 5, tool_arguments: { pattern: WIDE } };
    const refused = await app.send("POST", "/api/v1/insights/tool-configurations", {
      name: "wide",
      version: 1,
      ...given,
    });
    expect(refused.status).toBe(422);
    for (const pattern of [WIDE, "([ab]{0,100}c){5}", "(a*)*b"]) {
      const { id, name } = await make.tool({
        insight_tool_definition_id: 5,
        tool_arguments: { pattern: "a" },
      });
      await sql`update insight_tools set tool_arguments = ${JSON.stringify({ pattern })}::jsonb where id = ${id}`.execute(
        app.db,
      );
      const answer = await expectFreeLoop(`insight pattern ${pattern.slice(0, 20)}`, () =>
        app.send("POST", "/api/v1/insights/tools-test", { tool_name: name, session_id: long }),
      );
      expect(answer.status).toBeLessThan(500);
    }
  });

  test("of a step's inputs, saved earlier: the input is not taken", async () => {
    const inputs = Array.from({ length: 20 }, (_, n) => ({ name: `i${n}`, required: true }));
    const values = Object.fromEntries(inputs.map(({ name }) => [name, "ab".repeat(50_000)]));
    const { inputFaults } = await import("../../src/workflows/input-faults.ts");
    for (const pattern of [WIDE, "([ab]?){500}c", "[ab]{0,100}c"]) {
      const faults = await expectFreeLoop(`twenty inputs of ${pattern.slice(0, 20)}`, () =>
        inputFaults(
          inputs.map((input) => ({ ...input, pattern, type: "string" as const })),
          values,
        ),
      );
      expect(faults).toHaveLength(20);
    }
  });

  test.each([
    ["wide", `on /${WIDE}/ -> say "a"`],
    [
      "five hundred of them",
      Array.from({ length: 500 }, (_, n) => `on /([ab]{1,50}){${n % 40}}c${n}/ -> say "a"`).join("\n"),
    ],
    [
      "narrow, heard by a long text",
      Array.from({ length: 100 }, (_, n) => `on /([ab]?){80}c${n}/ -> say "a"`).join("\n"),
    ],
    [
      "twenty narrow ones",
      Array.from({ length: 20 }, (_, n) => `on /([ab]?){80}c${n}/ -> say "a"`).join("\n"),
    ],
  ])("of a script's rules, saved earlier: %s", async (name, script) => {
    const agent = await createAgent(app, { script: 'otherwise -> say "Else."' });
    await sql`update prompt_versions set prompt_text = ${`\`\`\`script\n${script}\notherwise -> say "Else."\n\`\`\``}
      where prompt_id = ${agent.prompt_id}`.execute(app.db);
    const answer = await expectFreeLoop(`rules with a pattern, ${name}`, async () => {
      const { body } = await app.send("POST", "/chat/v1/sessions", { client_id: agent.target });
      return app.send("POST", `/chat/v1/sessions/${body.session_id}/messages?token=${body.token}`, {
        text: "ab".repeat(1_900),
      });
    });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).toContain("mistake");
  });

  test("of an expression", async () => {
    const { compileExpression, evaluate } = await import("../../src/expressions/expression.ts");
    const expression = { type: "cel" as const, expression: `text.matches("${WIDE}")` };
    const compilation = compileExpression(expression);
    const text = "ab".repeat(50_000);
    const value = await expectFreeLoop("an expression's pattern", () =>
      compilation.ok ? evaluate(compilation.expression, { text }) : compilation,
    );
    expect(value).toMatchObject({ ok: false });
  });
});
