import { beforeAll, describe, expect, test } from "vitest";
import { steps } from "../../../src/workflows/run-steps.examples.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { freshName, plannedSession, workflow } from "../../harness/planned-session.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

type Task = Record<string, unknown> & { local: Record<string, unknown> };
const workflowsOf = async (session_id: number) => {
  const { state } = await app.db
    .selectFrom("sessions")
    .select("state")
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  return state as { workflows: { tasks: Record<string, Task> } };
};
const tasksOf = async (session_id: number) => (await workflowsOf(session_id)).workflows.tasks;

/** An order that has the address checked by a task of its own. */
function orderAndAddress(more: { order?: object; address?: object[] } = {}) {
  const check = freshName("check_address");
  const flow = workflow(
    {
      ...steps([
        {
          id: "ORDER",
          inputs: [{ name: "item", type: "string" }],
          on: {
            submit: [
              { action: "save" },
              {
                action: "call",
                name: check,
                wait: true,
                result: { save: [{ from: "output.zip", to: "zip" }] },
              },
            ],
          },
          next: [{ id: "FAILED", if: "local.last_call_error" }, "CONFIRM"],
          ...more.order,
        },
        { id: "CONFIRM", instructions: ["Confirm {{ item }} to {{ local.zip }}."], next: ["ORDER"] },
        { id: "FAILED", instructions: ["{{ local.last_call_error.message }}"] },
      ]),
      id: "order",
    },
    {
      ...steps(
        more.address ?? [
          {
            id: "ZIP",
            instructions: ["Ask for the ZIP code."],
            inputs: [{ name: "zip", type: "string" }],
            on: { submit: [{ action: "set", name: "output.zip", value: "{{ inputs.zip }}" }] },
          },
        ],
      ),
      id: "address",
      start: "manual",
      tool: { name: check, description: "Checks the address" },
    },
  );
  return { ...flow, check };
}

describe("a task that is called with wait", () => {
  test("is led to its end while the caller's tool is hidden; then the caller has its output and goes on", async () => {
    const flow = orderAndAddress();
    const { say, session_id, requests } = await plannedSession(app, [flow.record], {
      plans: [
        { calls: [[flow.submit, { item: "pizza" }]] },
        { text: "Your ZIP code?" },
        { calls: [[flow.check, { zip: "10001" }]] },
        { text: "A pizza to 10001, right?" },
      ],
    });
    await say("a pizza");
    expect(await tasksOf(session_id)).toMatchObject({
      order: { status: "active", step: "ORDER", awaiting: true, waits_for: "address" },
      address: { status: "active", step: "ZIP" },
    });
    const offered = requests[1]?.tools.map(({ name }) => name);
    expect(offered).toContain(flow.check);
    expect(offered).not.toContain(flow.submit);
    await say("10001");
    expect(await tasksOf(session_id)).toMatchObject({
      order: { step: "CONFIRM", awaiting: false, waits_for: null, local: { zip: "10001" } },
      address: { status: "completed" },
    });
    expect(JSON.stringify(requests[3]?.messages.at(-1))).toContain("Confirm pizza to 10001.");
    expect(requests[3]?.tools.map(({ name }) => name)).toContain(flow.submit);
  });

  test("that ends at once returns at once, and one that is called again begins anew", async () => {
    const flow = orderAndAddress({
      address: [
        {
          id: "KNOWN",
          tools: { call: true },
          on: { submit: [{ action: "set", name: "output.zip", value: "20002" }] },
          next: [{ id: "NEVER", if: "`false`" }],
        },
        { id: "NEVER" },
      ],
    });
    const { say, session_id } = await plannedSession(app, [flow.record], {
      plans: [
        { calls: [[flow.submit, { item: "pizza" }]] },
        { text: "Right?" },
        { calls: [[flow.submit, {}]] },
        { text: "What else?" },
        { calls: [[flow.submit, { item: "tea" }]] },
        { text: "Right?" },
      ],
    });
    for (const words of ["a pizza", "yes", "a tea"]) await say(words);
    expect(await tasksOf(session_id)).toMatchObject({
      order: { step: "CONFIRM", waits_for: null, visits: { ORDER: 2, CONFIRM: 2 }, local: { zip: "20002" } },
      address: { status: "completed", visits: { KNOWN: 1 } },
    });
  });

  test("that ends in an error gives the caller no result, but local.last_call_error", async () => {
    const flow = orderAndAddress({
      address: [
        { id: "A", tools: { call: true }, next: ["B"] },
        { id: "B", tools: { call: true }, next: ["A"] },
      ],
    });
    const { say, session_id } = await plannedSession(app, [flow.record], {
      plans: [{ calls: [[flow.submit, { item: "pizza" }]] }, { text: "Sorry." }],
    });
    await say("a pizza");
    const { order } = await tasksOf(session_id);
    expect(order).toMatchObject({ step: "FAILED", local: { last_call_error: { tool: flow.check } } });
    expect(order?.local.zip).toBeUndefined();
  });

  test("ends when the caller goes to another step", async () => {
    const flow = orderAndAddress({ order: { tools: { allowGoToStep: true } } });
    const { say, session_id } = await plannedSession(app, [flow.record], {
      plans: [
        { calls: [[flow.submit, { item: "pizza" }]] },
        { text: "Your ZIP code?" },
        { calls: [["go_to_step", { step_id: "CONFIRM" }]] },
        { text: "Without an address." },
      ],
    });
    await say("a pizza");
    await say("never mind the address");
    expect(await tasksOf(session_id)).toMatchObject({
      order: { step: "CONFIRM", awaiting: false, waits_for: null },
      address: { status: "completed", error: "Its caller went to another step." },
    });
  });

  test("returns with the next turn when the program stopped between its end and the return", async () => {
    const flow = orderAndAddress();
    const { say, session_id } = await plannedSession(app, [flow.record], {
      plans: [{ calls: [[flow.submit, { item: "pizza" }]] }, { text: "Your ZIP code?" }, { text: "Right?" }],
    });
    await say("a pizza");
    const state = await workflowsOf(session_id);
    const address = { ...state.workflows.tasks.address, status: "completed", output: { zip: "30003" } };
    const tasks = { ...state.workflows.tasks, address };
    await app.db
      .updateTable("sessions")
      .set({ state: JSON.stringify({ ...state, workflows: { ...state.workflows, tasks } }) as never })
      .where("id", "=", session_id)
      .execute();
    await say("hello?");
    expect((await tasksOf(session_id)).order).toMatchObject({ step: "CONFIRM", local: { zip: "30003" } });
  });

  test("waits on over turns in which nothing happens to it, and is told of no failure", async () => {
    const flow = orderAndAddress();
    const { say, session_id } = await plannedSession(app, [flow.record], {
      plans: [
        { calls: [[flow.submit, { item: "pizza" }]] },
        { text: "Your ZIP code?" },
        { text: "Five digits." },
      ],
    });
    await say("a pizza");
    await say("what is that?");
    const { order } = await tasksOf(session_id);
    expect(order).toMatchObject({ awaiting: true, waits_for: "address" });
    expect(order?.local.last_call_error).toBeUndefined();
  });
});
