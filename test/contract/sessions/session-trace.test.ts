import { beforeAll, describe, expect, test } from "vitest";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json } from "../../harness/peer.ts";

let app: TestApp;
let agent_id: number;
beforeAll(async () => {
  app = await createTestApp();
  const peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { found: "x".repeat(3_000) }));
  const parameters = { type: "object", properties: {} };
  const flow = {
    type: "context",
    tool: { type: "function", function: { name: "flow", description: "flow", parameters } },
    context: {
      task: {
        type: "steps",
        version: "v1alpha",
        id: "contact",
        tool: { name: "submit", description: "Moves on" },
        variables: [{ name: "tries", value: 0 }],
        steps: [
          {
            id: "ASK",
            goal: "Ask",
            inputs: [{ name: "mail", type: "string" }],
            on: {
              submit: [
                { action: "inc", name: "local.tries" },
                { action: "save", inputs: ["mail"] },
              ],
            },
            next: [
              { id: "END", if: { type: "cel", expression: "inputs.mail.contains('@')" } },
              { id: "ASK" },
            ],
          },
          { id: "END", goal: "End" },
        ],
      },
    },
  };
  const remember = {
    type: "context",
    tool: {
      type: "function",
      function: {
        name: "remember",
        description: "remembers",
        parameters: { type: "object", properties: { colour: { type: "string" } } },
      },
    },
  };
  const find = endpointTool("find", peer.url, {
    parameters: { type: "object", properties: { city: { type: "string" } } },
    definition: {
      defaults: {
        city: { transform: { action: "override", format: "The {city}" } },
        country: "US",
      },
    },
  });
  ({ agent_id } = await createAgent(app, {
    script: `
      on /mail (?<given>\\S+)/ -> call submit {"mail": "{given}"}
      on "find" -> call find {"city": "Bronx"}
      on "colour" -> call remember {"colour": "red"}
      after find -> say "Found."
      after remember -> say "Noted."
      otherwise -> say "Yes."`,
    tools: [flow as never, remember as never, find],
    agent: { variables: { colour: "blue" } },
  }));
});

type Entry = {
  id: number;
  turn_index: number;
  category: string;
  label: string;
  duration_ms: number | null;
  metadata: string[] | null;
  details: Record<string, unknown>;
};

async function talked(...texts: string[]) {
  const say = converse(app, agent_id);
  const { content } = await say("");
  for (const text of texts) await say(text);
  const session_id = content.session_id as number;
  const read = async (query = "") =>
    (await app.send("GET", `/api/v1/sessions/${session_id}/trace${query}`)).body.entries as Entry[];
  return { session_id, entries: await read(), read };
}

describe("GET /api/v1/sessions/{session_id}/trace", () => {
  test("tells of steps entered, the values of conditions, and variables before and after", async () => {
    const { entries } = await talked("mail nowhere", "mail ann@example.com");
    const steps = entries.filter(({ category }) => category === "step");
    expect(steps.map(({ turn_index, label }) => `${turn_index} ${label}`)).toEqual([
      "0 entered",
      "0 variables",
      ...["1 submission", "1 condition", "1 entered", "1 variables"],
      ...["2 submission", "2 condition", "2 entered", "2 variables"],
    ]);
    expect(steps.map(({ details }) => details)).toMatchObject([
      { workflow: "contact", step: "ASK", visit: 1 },
      { changes: { "local.tries": { before: null, after: 0 } } },
      { inputs: { mail: "nowhere" } },
      { where: "ASK.next.0", value: false, holds: false },
      { step: "ASK", visit: 2 },
      { changes: { "local.tries": { before: 0, after: 1 }, mail: { before: null, after: "nowhere" } } },
      { inputs: { mail: "ann@example.com" } },
      { where: "ASK.next.0", value: true, holds: true },
      { step: "END", visit: 1 },
      { changes: { mail: { before: "nowhere", after: "ann@example.com" } } },
    ]);
  });

  test("tells of a tool's arguments before and after the pipeline, of its request and of what it changed", async () => {
    const { entries } = await talked("find", "colour");
    const tools = entries.filter(({ category }) => category === "tool");
    expect(tools.map(({ label, details }) => ({ label, ...details }))).toMatchObject([
      { label: "submit", round: null, arguments: {} },
      {
        label: "find",
        round: 0,
        arguments: { city: "Bronx" },
        prepared: { city: "The Bronx", country: "US" },
      },
      { label: "remember", arguments: { colour: "red" }, prepared: { colour: "red" } },
    ]);
    const [, find] = tools;
    expect(String(find?.details.result)).toHaveLength(2_001);
    expect(find?.duration_ms).toBeGreaterThan(0);
    const [http] = entries.filter(({ category }) => category === "http");
    expect(http?.details).toEqual({ outcome: "response", status: 200 });
    expect(entries.filter(({ category }) => category === "state")).toMatchObject([
      { details: { tool: "remember", changes: { colour: { before: "blue", after: "red" } } } },
    ]);
  });

  test("tells of the model with its tokens and offers, and of a turn's milliseconds by phase", async () => {
    const { entries } = await talked("hello");
    const [answer] = entries.filter(({ category }) => category === "llm");
    expect(answer).toMatchObject({ label: "answer", metadata: ["scripted", "openai"] });
    expect(answer?.details).toMatchObject({
      tool_choice: "auto",
      calls: [],
      scripted: true,
      offered: ["remember", "find", "hangup", "submit"],
    });
    expect(answer?.details).toHaveProperty("input_tokens");
    const turns = entries.filter(({ category }) => category === "turn");
    expect(turns.map(({ turn_index }) => turn_index)).toEqual([0, 1]);
    const { duration_ms, details } = turns[1] as Entry;
    expect(Object.keys(details)).toEqual(
      ["lease", "load", "model", "tools", "store", "own"].map((phase) => `${phase}_ms`),
    );
    const sum = Object.values(details).reduce<number>((total, ms) => total + (ms as number), 0);
    // Each of the six is told to the hundredth of a millisecond, so is off by 0.005 at most.
    expect(Math.abs(sum - (duration_ms as number))).toBeLessThanOrEqual(0.0301);
  });

  test("is followed with `after`, and read in pages", async () => {
    const { entries, read } = await talked("find");
    const third = entries[2] as Entry;
    expect(await read(`?after=${third.id}`)).toEqual(entries.slice(3));
    expect(await read(`?after=${third.id}&limit=2`)).toEqual(entries.slice(3, 5));
    expect(await read(`?after=${entries.at(-1)?.id}`)).toEqual([]);
  });

  test("of another organization's session, or of none, is not found", async () => {
    const { session_id } = await talked();
    const neighbour = await app.createNeighbour();
    for (const id of [session_id, 999_999]) {
      expect(await neighbour.send("GET", `/api/v1/sessions/${id}/trace`)).toMatchObject({
        status: 404,
        body: { detail: `Session with ID ${id} not found` },
      });
    }
  });
});
