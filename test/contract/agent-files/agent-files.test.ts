import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { agentTemplates } from "../../../src/demo/templates.ts";
import { ensureSystemTools } from "../../../src/tools/system-tools.ts";
import { converse } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await app.listen();
});

const AGENTS = "/api/v1/agents";
const post = async (url: string, body: object) => {
  const answer = await app.send("POST", url, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const exported = async (id: number): Promise<string> =>
  (await app.send("GET", `${AGENTS}/${id}/export`)).body.text;
const count = async (kind: string): Promise<number> =>
  (await app.send("GET", `/api/v1/${kind}/?limit=1`)).body.total;
const KINDS = ["agents", "prompts", "tools", "services", "custom_messages", "language_groups"];
const counts = () => Promise.all(KINDS.map(count));

const fromTemplate = (template: string, name: string) => post(`${AGENTS}/from_template`, { template, name });

/** An agent with one tool, a service with credentials, headers and a greeting. */
async function withCredentials(name: string) {
  const service = await post("/api/v1/services/", {
    name: `${name} service`,
    description: "",
    auth_type: "bearer",
    auth_values: { token: "planted-secret-token" },
    allowed_hosts: ["example.com"],
  });
  const tool_name = `${name}_tool`;
  await post("/api/v1/tools/", {
    name: tool_name,
    service_id: service.id,
    definition: endpointTool(tool_name, "https://example.com/"),
  });
  const prompt = await post("/api/v1/prompts/", {
    name,
    type: "prompt_v1",
    context: "Be brief.\nAlways.",
    llm_config: { model: "scripted" },
    tools: [tool_name, "hangup"],
    include_default_tools: false,
  });
  const message = await post("/api/v1/custom_messages/", { name: `${name} greeting`, text: "Hello!" });
  return post(`${AGENTS}/`, {
    name,
    type: "ca_v1",
    prompt_id: prompt.id,
    custom_message_id: message.id,
    timezone: "Europe/Berlin",
    variables: { "vars.colour": "green" },
    tool_headers: { "x-branch": "planted-header" },
  });
}

describe("templates", () => {
  test.each([
    ["faq", "When are you open?", "We are open Monday to Friday, 9 to 17."],
    ["clinic", "What are your opening hours?", "We are open Monday to Friday, 9:00 to 16:15."],
    ["reminder", "Yes, I can come.", "wheelchair"],
    ["survey", "9", "What do you like best?"],
  ])("%s makes an agent without findings that answers at once, offline", async (key, asked, answered) => {
    const made = await fromTemplate(key, `Mine: ${key}`);
    const { body: agent } = await app.send("GET", `${AGENTS}/${made.agent.id}`);
    expect(agent.name).toBe(`Mine: ${key}`);
    expect([agent, agent.prompt, ...agent.tools].flatMap((each) => each.validation_issues ?? [])).toEqual([]);
    const versioning = await app.send("GET", `${AGENTS}/${made.agent.id}/versioning`);
    expect(versioning.body.draft.findings).toEqual([]);
    expect(JSON.stringify(await converse(app, made.agent.id)(asked))).toContain(answered);
  });

  test("the list names each with what it brings along", async () => {
    const { body } = await app.send("GET", `${AGENTS}/templates`);
    expect(body.map(({ key }: { key: string }) => key)).toEqual(agentTemplates().map(({ key }) => key));
    expect(body[1].tools).toEqual(["find_slots", "book_appointment", "cancel_appointment"]);
  });

  test("a survey's low score asks what to do better, and ends with thanks", async () => {
    const { agent } = await fromTemplate("survey", "Low score");
    const say = converse(app, agent.id);
    expect(JSON.stringify(await say("3"))).toContain("What should we do better?");
    expect(JSON.stringify(await say("Answer the phone"))).toContain("Thank you for your time. Goodbye.");
  });

  test("a survey asks again for a score that is none from 0 to 10", async () => {
    const { agent } = await fromTemplate("survey", "Beyond ten");
    const say = converse(app, agent.id);
    expect(JSON.stringify(await say("42"))).toContain("From 0 to 10");
    expect(JSON.stringify(await say("-1"))).toContain("From 0 to 10");
    expect(JSON.stringify(await say("10"))).toContain("What do you like best?");
  });

  test("keeps the time zone that its maker names, and refuses one that is none", async () => {
    const zoneOf = async (body: object) => {
      const { agent } = await post(`${AGENTS}/from_template`, body);
      return (await app.send("GET", `${AGENTS}/${agent.id}`)).body.timezone;
    };
    expect(await zoneOf({ template: "faq", name: "In Berlin", timezone: "Europe/Berlin" })).toBe(
      "Europe/Berlin",
    );
    expect(await zoneOf({ template: "faq", name: "Anywhere" })).toBe("UTC");
    const body = { template: "faq", name: "Nowhere", timezone: "Europe/Nowhere" };
    const refused = await app.send("POST", `${AGENTS}/from_template`, body);
    expect(refused.body.detail[0].loc).toEqual(["body", "timezone"]);
  });

  test("one that there isn't is refused with those that there are", async () => {
    const answer = await app.send("POST", `${AGENTS}/from_template`, { template: "bakery", name: "B" });
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0].msg).toBe(
      'There is no template "bakery"; there are faq, clinic, reminder, survey.',
    );
  });
});

describe("an agent's file", () => {
  test("taken in by another organization gives the same file again", async () => {
    const { agent } = await fromTemplate("reminder", "Round trip");
    const text = await exported(agent.id);
    const neighbour = await app.createNeighbour("round-trip@example.com");
    await app.db.transaction().execute((tx) => ensureSystemTools(tx, neighbour.caller, app.clock.now()));
    const made = await neighbour.send("POST", `${AGENTS}/import`, { text });
    expect(made).toMatchObject({ status: 200 });
    const { body } = await neighbour.send("GET", `${AGENTS}/${made.body.agent.id}/export`);
    expect(parse(body.text)).toEqual(parse(text));
  });

  test("has a prompt's lines as they were written, however long: none is broken, and none moved apart", async () => {
    const long = `Say who you are, ${"and be kind, ".repeat(20)}always.`;
    const { agent } = await fromTemplate("faq", "Long lines");
    const { prompt } = (await app.send("GET", `${AGENTS}/${agent.id}`)).body;
    const context = `Be brief.\n${long}\nThen stop.`;
    expect((await app.send("PUT", "/api/v1/prompts/", { ...prompt, context })).status).toBe(200);
    const text = await exported(agent.id);
    expect(text).toContain(`  context: |-\n    Be brief.\n    ${long}\n    Then stop.\n`);
  });

  test("holds no credentials, headers or addresses", async () => {
    const { id } = await withCredentials("sealed");
    const text = await exported(id);
    expect(text).toContain("sealed_tool");
    expect(text).not.toContain("planted");
    expect(parse(text)).not.toHaveProperty("tool_headers");
  });

  test("keeps the lines of instructions as they were written", async () => {
    const { id } = await withCredentials("lines");
    expect(await exported(id)).toContain("Be brief.\n    Always.");
  });

  test("brings the tools that its tools call", async () => {
    const { agent } = await fromTemplate("reminder", "Calls others");
    const { tools } = parse(await exported(agent.id));
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(["find_slots", "visit_workflow"]);
  });

  test("taken in twice makes a second agent that shares what is the same", async () => {
    const { agent } = await fromTemplate("clinic", "Twice");
    const { agent: second, parts } = await post(`${AGENTS}/import`, { text: await exported(agent.id) });
    expect(second.name).toBe("Twice 2");
    const told = parts.map(({ kind, name, is_new }: { kind: string; name: string; is_new: boolean }) => [
      kind,
      name,
      is_new,
    ]);
    expect(told).toEqual([
      ["service", "Demo clinic calendar", false],
      ["tool", "find_slots", false],
      ["tool", "book_appointment", false],
      ["tool", "cancel_appointment", false],
      ["language_group", "English and Spanish", false],
      ["custom_message", "Twice greeting 2", true],
      ["prompt", "Twice 2", true],
    ]);
  });

  test("whose tool differs from the one of its name is refused at its place, and nothing is made", async () => {
    const { agent } = await fromTemplate("clinic", "Differs");
    const file = parse(await exported(agent.id));
    file.greeting.text = "Another greeting";
    file.tools.push({
      name: "hangup",
      service: "Demo clinic calendar",
      definition: endpointTool("hangup", "https://example.com/"),
    });
    const before = await counts();
    const answer = await app.send("POST", `${AGENTS}/import`, { text: JSON.stringify(file) });
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({
      loc: ["body", "text", "tools", 3, "name"],
      msg: expect.stringContaining("There is a tool named hangup already, and it is another one."),
    });
    expect(await counts()).toEqual(before);
  });

  test("with a fault deep inside is refused with the place, and nothing is made", async () => {
    const { agent } = await fromTemplate("survey", "Deep fault");
    const file = parse(await exported(agent.id));
    file.tools[0].name = "another_workflow";
    file.tools[0].definition.context.task.steps[0].inputs[0].type = "colour";
    const before = await counts();
    const answer = await app.send("POST", `${AGENTS}/import`, { text: JSON.stringify(file) });
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0].loc.slice(0, 4)).toEqual(["body", "text", "tools", 0]);
    expect(await counts()).toEqual(before);
  });

  test("that isn't one says the line: broken YAML, an unknown key, a missing service", async () => {
    const refused = async (text: string) => {
      const { status, body } = await app.send("POST", `${AGENTS}/import`, { text });
      expect(status).toBe(422);
      return body.detail[0];
    };
    expect((await refused("format: parley-agent-1\nname: [")).msg).toMatch(/^Line 2, column \d+: /);
    const { agent } = await fromTemplate("faq", "Lines");
    const text = await exported(agent.id);
    expect(await refused(`${text}colour: red\n`)).toMatchObject({ loc: ["body", "text", "colour"] });
    const file = parse(text);
    file.tools = [
      { name: "lost", service: "Nowhere", definition: endpointTool("lost", "https://example.com/") },
    ];
    expect(await refused(JSON.stringify(file))).toMatchObject({
      loc: ["body", "text", "tools", 0, "service"],
      msg: 'The file has no service named "Nowhere". Add it to services.',
    });
  });

  test("needs the permission for each part that it makes, and makes nothing without", async () => {
    const { agent } = await fromTemplate("survey", "Permissions");
    const file = parse(await exported(agent.id));
    file.tools[0].name = "own_workflow";
    file.tools[0].definition.tool.function.name = "own_workflow";
    file.prompt.tools = ["own_workflow"];
    const text = JSON.stringify(file);
    const few = app.sendAs(await app.createToken(["agents_write", "agents_read", "prompts_write"]));
    const before = await counts();
    expect(await few("POST", `${AGENTS}/import`, { text })).toMatchObject({
      status: 403,
      body: { detail: "Missing permission: tools_write" },
    });
    expect(await counts()).toEqual(before);
  });

  test("of a neighbour's agent is not found", async () => {
    const { agent } = await fromTemplate("faq", "Ours");
    const neighbour = await app.createNeighbour("other@example.com");
    expect((await neighbour.send("GET", `${AGENTS}/${agent.id}/export`)).status).toBe(404);
    expect((await neighbour.send("POST", `${AGENTS}/${agent.id}/duplicate`, { name: "Theirs" })).status).toBe(
      404,
    );
  });
});

describe("a duplicate", () => {
  test("has a prompt and a greeting of its own, shares tools, and keeps headers", async () => {
    const original = await withCredentials("original");
    const made = await post(`${AGENTS}/${original.id}/duplicate`, { name: "Copy" });
    const { body: copy } = await app.send("GET", `${AGENTS}/${made.agent.id}`);
    expect(copy).toMatchObject({
      name: "Copy",
      timezone: "Europe/Berlin",
      variables: { "vars.colour": "green" },
      tool_headers: { "x-branch": "planted-header" },
      prompt: { name: "Copy", context: "Be brief.\nAlways.", tools: ["original_tool", "hangup"] },
      custom_message: { name: "Copy greeting", text: "Hello!" },
    });
    expect(copy.prompt_id).not.toBe(original.prompt_id);
    expect(copy.tools[0].id).toBe(original.tools[0].id);
  });
});
