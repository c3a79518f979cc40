import { beforeAll, describe, expect, test } from "vitest";
import { steps } from "../../../src/workflows/run-steps.examples.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { freshName, plannedSession, workflow } from "../../harness/planned-session.ts";

let app: TestApp;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { name: "Ann" }));
});

const stateOf = async (session_id: number) => {
  const { state } = await app.db
    .selectFrom("sessions")
    .select("state")
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  return state as {
    variables: Record<string, unknown>;
    workflows: { tasks: Record<string, { local: Record<string, unknown>; step: string; awaiting: boolean }> };
  };
};

describe("a workflow that calls another task", () => {
  test("gets its result at every submission, and goes on", async () => {
    const double = freshName("double");
    const flow = workflow(
      {
        ...steps([
          {
            id: "A",
            inputs: [{ name: "n", type: "integer" }],
            on: {
              submit: [
                {
                  action: "call",
                  name: double,
                  arguments: { n: { valueFrom: "inputs.n" } },
                  result: { save: [{ from: "result", to: "doubled" }] },
                },
              ],
            },
            next: ["A"],
          },
        ]),
        id: "outer",
      },
      {
        type: "expression",
        id: "double",
        tool: { name: double, description: "" },
        inputs: [{ name: "n", type: "integer" }],
        expression: { type: "cel", expression: "inputs.n * 2" },
      },
    );
    const { say, session_id, requests } = await plannedSession(app, [flow.record], {
      plans: [
        { calls: [[flow.submit, { n: 4 }]] },
        { text: "Next?" },
        { calls: [[flow.submit, { n: 21 }]] },
        { text: "Good." },
      ],
    });
    await say("four");
    const { tasks } = (await stateOf(session_id)).workflows;
    expect(tasks.outer).toMatchObject({ awaiting: false, local: { doubled: 8 } });
    await say("twenty-one");
    expect((await stateOf(session_id)).workflows.tasks.outer?.local).toEqual({ doubled: 42 });
    expect(JSON.stringify(requests)).not.toContain("still busy");
  });

  test("enters it, moves it on by a later call, and saves what it answers", async () => {
    const inner = freshName("inner");
    const call = (given: object) => ({
      action: "call",
      name: inner,
      arguments: given,
      result: { save: [{ from: "step", to: "inner_step" }] },
    });
    const flow = workflow(
      {
        ...steps([
          { id: "A", on: { submit: [call({})] }, next: ["B"] },
          { id: "B", on: { submit: [call({ color: "red" })] }, next: ["C"] },
          { id: "C" },
        ]),
        id: "outer",
      },
      {
        ...steps([
          {
            id: "ONE",
            inputs: [{ name: "color", type: "string" }],
            on: { submit: [{ action: "save" }] },
            next: ["TWO"],
          },
          { id: "TWO", next: ["TWO"] },
        ]),
        id: "inner",
        start: "manual",
        tool: { name: inner, description: "" },
      },
    );
    const { say, session_id } = await plannedSession(app, [flow.record], {
      plans: [
        { calls: [[flow.submit, {}]] },
        { text: "On?" },
        { calls: [[flow.submit, {}]] },
        { text: "Done." },
      ],
    });
    await say("go");
    expect((await stateOf(session_id)).workflows.tasks.outer).toMatchObject({
      step: "B",
      local: { inner_step: "ONE" },
    });
    await say("on");
    const { workflows, variables } = await stateOf(session_id);
    expect(workflows.tasks.outer).toMatchObject({ step: "C", local: { inner_step: "TWO" } });
    expect(workflows.tasks.inner).toMatchObject({ step: "TWO" });
    expect(variables).toMatchObject({ color: "red" });
  });

  test("remembers its refusal as the last call's error, and saves nothing of it", async () => {
    const half = freshName("half");
    const flow = workflow(
      {
        ...steps([
          {
            id: "A",
            on: {
              submit: [
                {
                  action: "call",
                  name: half,
                  arguments: { n: { valueFrom: "'not a number'" } },
                  result: { save: [{ from: "errors", to: "saved" }] },
                },
              ],
            },
          },
        ]),
        id: "outer",
      },
      {
        type: "expression",
        tool: { name: half, description: "" },
        inputs: [{ name: "n", type: "number" }],
        expression: "n",
      },
    );
    const { say, session_id } = await plannedSession(app, [flow.record], {
      plans: [{ calls: [[flow.submit, {}]] }],
    });
    await say("go");
    expect((await stateOf(session_id)).workflows.tasks.outer?.local).toEqual({
      last_call_error: {
        tool: half,
        message: expect.stringContaining("n must be of type number"),
        status: null,
        body: null,
      },
    });
  });
});

describe("the arguments of a call", () => {
  /** What a tool was sent by a workflow that had these variables. */
  async function sent(given: object, variables: Record<string, unknown>, parameters: object = {}) {
    const name = freshName("book");
    const tool = endpointTool(name, `${peer.url}/${name}`, {
      parameters: { type: "object", ...parameters },
      endpoint: { method: "post", argument_location: "body" },
    });
    const set = Object.entries(variables).map(([variable, value]) => ({
      action: "set",
      name: variable,
      value,
    }));
    const flow = workflow(
      steps([{ id: "A", on: { submit: [...set, { action: "call", name, arguments: given }] } }]),
    );
    const { say, session_id } = await plannedSession(app, [flow.record, tool], {
      plans: [{ calls: [[flow.submit, {}]] }],
    });
    await say("go");
    const request = peer.requests.find(({ path }) => path === `/${name}`);
    return { body: request && JSON.parse(String(request.body)), session_id, name };
  }

  test("keep the types of what a workflow collected, also inside lists and objects", async () => {
    const variables = { amount: 12.5, wanted: true, days: ["mon", "tue"], address: { zip: "10001" } };
    const { body } = await sent(
      {
        amount: "{{ amount }}",
        wanted: "{{wanted}}",
        days: "{{ days }}",
        deep: { address: "{{ address }}", list: ["{{ amount }}", "{{ nothing }}"] },
        mixed: "{{ amount }} dollars",
        missing: "{{ nothing }}",
      },
      variables,
    );
    expect(body).toEqual({
      amount: 12.5,
      wanted: true,
      days: ["mon", "tue"],
      deep: { address: { zip: "10001" }, list: [12.5, null] },
      mixed: "12.5 dollars",
    });
  });

  test("may be expressions, in JMESPath and CEL", async () => {
    const { body } = await sent(
      {
        count: { valueFrom: "length(days)" },
        next: { value_from: { type: "cel", expression: "int(amount) + 1" } },
        plain: { valueFrom: "days", beside: 1 },
      },
      { amount: 2, days: ["mon"] },
    );
    expect(body).toEqual({ count: 1, next: 3, plain: { valueFrom: "days", beside: 1 } });
  });

  test("a number stays a number where the tool takes one, and becomes a text where it takes only texts", async () => {
    const parameters = { properties: { n: { type: "integer" }, zip: { type: "string" } }, required: ["n"] };
    const { body } = await sent({ n: "{{ n }}", zip: "{{ zip }}" }, { n: 7, zip: 10001 }, parameters);
    expect(body).toEqual({ n: 7, zip: "10001" });
  });

  test("that a tool refused are told with the status and the body of its answer", async () => {
    peer.respond((_, response) => json(response, 409, { taken: ["9:00"] }));
    const { session_id, name } = await sent({ at: "9:00" }, {});
    peer.respond((_, response) => json(response, 200, { name: "Ann" }));
    const [task] = Object.values((await stateOf(session_id)).workflows.tasks);
    expect(task?.local.last_call_error).toEqual({
      tool: name,
      message: "The service answered 409.",
      status: 409,
      body: { taken: ["9:00"] },
    });
  });
});

describe("the arguments of a call, when a workflow is saved", () => {
  const book = {
    type: "object",
    properties: {
      n: { type: "integer" },
      days: { type: "array", items: { type: "integer" } },
      note: { type: "string" },
      size: { enum: ["small", "large"] },
      person: { type: "object", properties: { age: { type: "integer" } } },
    },
  };
  const serviceId = async () => {
    const { body } = await app.send("GET", "/api/v1/services/");
    return body.items.find((service: { name: string }) => service.name.startsWith("Service")).id;
  };
  const calling = (name: string, given: object) =>
    workflow(steps([{ id: "A", on: { enter: [{ action: "call", name, arguments: given }] } }])).record as {
      tool: { function: { name: string } };
      context: { task: object[] };
    };
  const save = async (definition: { tool: { function: { name: string } } }) =>
    app.send("POST", "/api/v1/tools/", {
      name: definition.tool.function.name,
      definition,
      service_id: await serviceId(),
    });
  const at = (name: string) => `$.context.task[0].steps[0].on.enter[0].arguments.${name}`;
  const findings = async (definition: { tool: { function: { name: string } } }) => {
    const name = definition.tool.function.name;
    const body = { name, definition, service_id: await serviceId() };
    const answer = await app.send("POST", "/api/v1/tools/check", body);
    return answer.body.validation_issues
      .filter(({ id }: { id: string }) => /call-argument/.test(id))
      .map(({ severity, path }: { severity: string; path: string }) => [severity, path]);
  };

  test("are refused at their place where they can never fit what the tool of a service takes", async () => {
    const name = freshName("book");
    await plannedSession(app, [endpointTool(name, peer.url, { parameters: book })]);
    const given = { n: "many", days: 3, size: "{{ size }}", person: { name: "{{ name }}", age: "old" } };
    const { status, body } = await save(calling(name, given));
    expect(status).toBe(422);
    const loc = ["body", "definition", "context", "task", 0, "steps", 0, "on", "enter", 0, "arguments"];
    expect(body.detail).toEqual([
      {
        loc: [...loc, "n"],
        msg: `The argument n of ${name} must be integer.`,
        type: "call-argument-type",
      },
      {
        loc: [...loc, "days"],
        msg: `The argument days of ${name} must be array.`,
        type: "call-argument-type",
      },
      {
        loc: [...loc, "person", "age"],
        msg: `The argument person.age of ${name} must be integer.`,
        type: "call-argument-type",
      },
    ]);
  });

  test("may be templates, expressions, and texts that are read in the tool's type", async () => {
    const name = freshName("book");
    await plannedSession(app, [endpointTool(name, peer.url, { parameters: book })]);
    for (const given of [
      { n: "{{ n }}", days: { valueFrom: "days" }, note: "for {{ n }}", size: "small" },
      { n: "5", days: ["1", "{{ n }}"], note: 5, person: { age: "{{ age }}" } },
      { n: "{{ tens }}{{ ones }}", days: [] },
      { n: "", days: null },
    ])
      expect(await findings(calling(name, given))).toEqual([]);
    for (const [given, where] of [
      [{ n: "{{ n }} people" }, "n"],
      [{ n: 1.5 }, "n"],
      [{ size: "huge" }, "size"],
      [{ days: ["{{ n }}", "mon"] }, "days[1]"],
      [{ days: "{{ from }} to {{ to }}" }, "days"],
    ] as const)
      expect(await findings(calling(name, given))).toEqual([["error", at(where)]]);
  });

  test("are judged for a task too, one of the same tool and one of another", async () => {
    const double = freshName("double");
    const task = {
      type: "expression",
      tool: { name: double, description: "" },
      inputs: [
        { name: "n", type: "integer" },
        { name: "unit", enum: ["cm", "in"] },
      ],
      expression: { type: "cel", expression: "inputs.n * 2" },
    };
    const caller = calling(double, { n: "many", unit: "ell" });
    const both = { ...caller, context: { task: [...caller.context.task, task] } };
    const wrong = [
      ["error", at("n")],
      ["error", at("unit")],
    ];
    expect(await findings(both)).toEqual(wrong);
    await plannedSession(app, [workflow(task).record]);
    expect(await findings(caller)).toEqual(wrong);
    expect(await findings(calling(double, { n: "{{ n }}", unit: "cm" }))).toEqual([]);
  });

  test("of a name that the tool doesn't know are told, and refused where its schema is closed", async () => {
    const [open, closed] = [freshName("open"), freshName("closed")];
    await plannedSession(app, [
      endpointTool(open, peer.url, { parameters: book }),
      endpointTool(closed, peer.url, { parameters: { ...book, additionalProperties: false } }),
    ]);
    expect(await findings(calling(open, { day: "mon" }))).toEqual([["warning", at("day")]]);
    expect(await findings(calling(closed, { day: "mon" }))).toEqual([["error", at("day")]]);
  });

  test("that the tool sets itself are not judged", async () => {
    const name = freshName("book");
    const defaults = { n: { transform: { action: "override", value: 1 } } };
    await plannedSession(app, [endpointTool(name, peer.url, { parameters: book, definition: { defaults } })]);
    expect(await findings(calling(name, { n: "many" }))).toEqual([]);
  });
});

describe("what is said before a slow call", () => {
  test("is shown in the chat, and stored, before the call begins", async () => {
    const name = freshName("slow");
    const flow = workflow(
      steps([
        {
          id: "A",
          on: {
            submit: [
              { action: "say", text: "One moment." },
              { action: "call", name },
              { action: "say", text: "There." },
            ],
          },
        },
      ]),
    );
    const { say, events } = await plannedSession(
      app,
      [flow.record, endpointTool(name, `${peer.url}/${name}`)],
      {
        plans: [{ calls: [[flow.submit, {}]] }, { text: "Done." }],
      },
    );
    const atCall: unknown[] = [];
    peer.respond((_, response) => {
      atCall.push(...events.filter((event) => event.type === "message"));
      json(response, 200, {});
    });
    const turn = await say("go");
    expect(atCall).toEqual([{ type: "message", text: "One moment.", at: expect.any(Date) }]);
    expect(turn.messages).toEqual(["One moment.", "There.", "Done."]);
  });

  test("a session whose program died during the call goes on, and says that its fate is unknown", async () => {
    const name = freshName("slow");
    const flow = workflow({
      ...steps([
        {
          id: "A",
          on: {
            submit: [
              { action: "say", text: "One moment." },
              { action: "call", name },
            ],
          },
          next: ["B"],
        },
        { id: "B", next: ["B"] },
      ]),
      id: "flow",
    });
    const { session_id, say } = await plannedSession(
      app,
      [flow.record, endpointTool(name, `${peer.url}/${name}`)],
      { plans: [{ calls: [[flow.submit, {}]] }, { text: "Here." }] },
    );
    // Nothing that this turn does from now on is stored.
    peer.respond(async (_, response) => {
      const dead = { lease_owner: null, lease_expires_at: null };
      await app.db.updateTable("sessions").set(dead).where("id", "=", session_id).execute();
      json(response, 200, {});
    });
    await expect(say("go")).rejects.toThrow();
    expect((await stateOf(session_id)).workflows.tasks.flow).toMatchObject({ awaiting: true });
    peer.respond((_, response) => json(response, 200, {}));
    await say("still there?");
    expect((await stateOf(session_id)).workflows.tasks.flow).toMatchObject({
      awaiting: false,
      step: "B",
      local: { last_call_error: { tool: name, message: expect.stringContaining("not known") } },
    });
  });
});

describe("the tools of a workflow", () => {
  test("are offered in the steps that name them, called by its own calls, and nowhere else, also after it", async () => {
    const [pay, free] = [freshName("pay"), freshName("free")];
    peer.respond((_, response) => json(response, 200, { ok: true }));
    const flow = workflow(
      {
        ...steps([
          { id: "A", on: { submit: [{ action: "call", name: pay }] }, next: ["B"] },
          { id: "B", tools: { allow: [pay] }, next: ["C"] },
          { id: "C" },
        ]),
        tools: [pay],
      },
      { type: "event", on: { start: [{ action: "call", name: pay }] } },
    );
    const tools = [
      flow.record,
      endpointTool(pay, `${peer.url}/${pay}`),
      endpointTool(free, `${peer.url}/${free}`),
    ];
    const { say, requests } = await plannedSession(app, tools, {
      plans: [
        { calls: [[pay, {}]] },
        { calls: [[flow.submit, {}]] },
        { text: "Now B." },
        { calls: [[flow.submit, {}]] },
        { text: "Now C." },
        { calls: [[flow.submit, {}]] },
        { text: "Completed." },
        { text: "Free." },
      ],
    });
    const sent = () => peer.requests.filter(({ path }) => path === `/${pay}`).length;
    await say("begin");
    expect(sent()).toBe(1);
    const names = (index: number) =>
      requests[index]?.tools
        .map((tool) => tool.name)
        .filter((name) => name !== flow.submits[1])
        .toSorted();
    expect(names(0)).toEqual([flow.submit, free, "hangup"].toSorted());
    expect(names(2)).toEqual([flow.submit, pay].toSorted());
    await say("on");
    expect(names(4)).toEqual([flow.submit, free, "hangup"].toSorted());
    await say("on");
    expect(names(6)).toEqual([free, "hangup"].toSorted());
    await say("anything else?");
    expect(names(7)).toEqual([free, "hangup"].toSorted());
  });

  test("an empty allow leaves the submit tool and hangup", async () => {
    const free = freshName("free");
    const flow = workflow(steps([{ id: "A", tools: { allow: [] }, next: ["A"] }]));
    const { say, requests } = await plannedSession(app, [flow.record, endpointTool(free, peer.url)]);
    await say("hi");
    expect(requests[0]?.tools.map((tool) => tool.name).toSorted()).toEqual(
      [flow.submit, "hangup"].toSorted(),
    );
  });
});
