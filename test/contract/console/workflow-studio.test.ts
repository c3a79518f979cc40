import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { StepsTask as ConsoleTask } from "../../../src/console/api-types.ts";
import { type Condition, writeCondition } from "../../../src/console/workflows/condition.ts";
import { renameStep } from "../../../src/console/workflows/step-edits.ts";
import { newWorkflow, WORKFLOW_TEMPLATES } from "../../../src/console/workflows/workflow-templates.ts";
import { seedDemo } from "../../../src/demo/seed.ts";
import { compileExpression, evaluate } from "../../../src/expressions/expression.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

/** What the console makes of workflows, against the checker, the interpreter and the expressions of the program. */
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({}, seedDemo);
});

const BEFORE: Record<string, object[]> = {
  appointment: [
    { service: "check-up", date: "2026-12-04" },
    { name: "Ada", phone: "+4930123" },
    { is_right: true },
  ],
  survey: [{ score: 10 }, { liked: "All of it" }],
  routing: [{ topic: "complaint" }, { matter: "Cold soup", phone: "+4930123" }],
  reminder: [{ coming: false }, {}, { other_day: "2026-12-04" }],
};
const ENDS: Record<string, string> = {
  appointment: "BOOKED",
  survey: "THANKS",
  routing: "GOODBYE",
  reminder: "MOVED",
};

const play = (definition: object, answers: object[]) =>
  app.send("POST", "/api/v1/tools/play", {
    definition,
    events: [{ type: "activate" }, ...answers.map((values) => ({ type: "submit", arguments: values }))],
  });
const steps = ({ body }: { body: { played: { step: string }[] } }) => body.played.map(({ step }) => step);

test.each(WORKFLOW_TEMPLATES)(
  "the template $key is saved without a finding, and leads to its end",
  async (template) => {
    const definition = newWorkflow(`a_${template.key}`, template.title, template);
    const saved = await app.send("POST", "/api/v1/tools/", {
      name: `a_${template.key}`,
      definition,
      service_id: 2,
    });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    expect(saved.body.validation_issues ?? []).toEqual([]);
    const played = await play(definition, BEFORE[template.key] ?? []);
    expect(steps(played).at(-1)).toBe(ENDS[template.key]);
  },
);

test("the template of a survey takes no score beyond 0 to 10", async () => {
  const survey = WORKFLOW_TEMPLATES.find(({ key }) => key === "survey") ?? expect.fail();
  const definition = newWorkflow("any", "any", survey);
  const played = await play(definition, [{ score: 42 }, { score: -1 }, { score: 0 }]);
  expect(steps(played)).toEqual(["ASK_SCORE", "ASK_SCORE", "ASK_SCORE", "ASK_BETTER"]);
});

test("a workflow with its steps renamed leads the same way, by the new names", async () => {
  for (const template of WORKFLOW_TEMPLATES) {
    const definition = newWorkflow("any", "any", template);
    const task = definition.context?.task as ConsoleTask;
    const renamed = task.steps.reduce((made, { id }) => renameStep(made, id, `${id}_2`), task);
    const answers = BEFORE[template.key] ?? [];
    const before = steps(await play(definition, answers));
    const after = steps(await play({ ...definition, context: { task: renamed } }, answers));
    expect(after).toEqual(before.map((step) => `${step}_2`));
  }
});

test("what the condition builder writes is what its lines say, for every text", () => {
  const holds = (condition: Condition, root: object) => {
    const compiled = compileExpression(writeCondition(condition) as string);
    if (!compiled.ok) throw new Error(compiled.message);
    const found = evaluate(compiled.expression, root);
    return found.ok ? found.value : found.message;
  };
  const line = (comparison: Condition["lines"][number]["comparison"], value: string): Condition => ({
    join: "and",
    lines: [{ name: "größe.x", comparison, value: { kind: "text", value } }],
  });
  fc.assert(
    fc.property(fc.string(), fc.string(), (is, asked) => {
      const root = { größe: { x: is } };
      expect(holds(line("is", asked), root)).toBe(is === asked);
      expect(holds(line("is not", asked), root)).toBe(is !== asked);
      expect(holds(line("contains", asked), root)).toBe(is.includes(asked));
      expect(holds(line("starts with", asked), root)).toBe(is.startsWith(asked));
      // Without a value it contains nothing, and nothing fails that stands beside it.
      expect(holds(line("does not contain", `${asked}x`), {})).toBe(true);
    }),
  );
});

test("a debugged turn says which workflows its session had, and by which tool they are moved on", async () => {
  const { body: agents } = await app.send("GET", "/api/v1/agents/");
  const { id } = agents.items.find(({ name }: { name: string }) => /remind/i.test(name));
  const say = async (text: string, more: object = {}) =>
    (
      await app.send("POST", "/api/v1/agents/test/messages", {
        service_name: "console",
        source: "someone",
        test_id: "studio",
        agent_id: String(id),
        text,
        ...more,
      })
    ).body;
  await say("", { session_start: true, variables: { name: "Ada", visit_date: "2026-12-04" } });
  const { response } = await say("yes");
  const turn = await app.send(
    "GET",
    `/api/v1/sessions/${response.content.session_id}/debug_turn?turn_index=1`,
  );
  expect(turn.body.tasks).toMatchObject([
    { workflow: "confirm-visit", tool: "visit_workflow", index: 0, submit_tool: "confirm_visit" },
  ]);
  expect(turn.body.tasks[0].task.steps[0].id).toBe("ASK_COMING");
});
