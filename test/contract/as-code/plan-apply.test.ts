import { symlinkSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readEnvironment } from "../../../src/as-code/environment.ts";
import { createTestApp, type Send, type TestApp } from "../../harness/app.ts";
import { createPeer, json } from "../../harness/peer.ts";
import { commandsOf, contents, emptyOrganization, type FolderFiles, newFolder, write } from "./folder.ts";

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await createTestApp();
  url = await app.listen();
});

const reference = (name: string) => `\${env:${name}}`;
const SERVICE = `name: Calendar
description: The clinic's calendar
auth_type: bearer
auth_values:
  token: ${reference("CALENDAR_TOKEN")}
allowed_hosts:
  - calendar.example.com
`;
const tool = (name: string, host = "calendar.example.com") => `name: ${name}
service: Calendar
definition:
  type: endpoint
  tool:
    type: function
    function:
      name: ${name}
      description: Does ${name}
      parameters: { type: object, properties: {} }
  endpoint: { url: "https://${host}/${name}", method: get, argument_location: query }
`;
const PROMPT = `name: Clinic
context: |
  You answer for a clinic.
  Be brief.
llm_config: { model: scripted }
tools: [book, hangup]
`;
const AGENT = "name: Clinic\nprompt: Clinic\ntimezone: Europe/Berlin\nvariables: { vars.city: Berlin }\n";
const CLINIC = {
  "services/calendar.yaml": SERVICE,
  "tools/book.yaml": tool("book"),
  "prompts/clinic.yaml": PROMPT,
  "agents/clinic.yaml": AGENT,
};
const SECRET = { CALENDAR_TOKEN: "planted-calendar-token" };

/** An empty organization, a folder with the clinic, and its commands. */
async function clinic(files: FolderFiles = CLINIC, variables: Record<string, string> = SECRET) {
  const organization = await emptyOrganization(app);
  const folder = newFolder(files);
  return { ...organization, folder, ...commandsOf(url, organization.token, variables) };
}

const items = async (send: Send, kind: string) =>
  (await send("GET", `/api/v1/${kind}/?limit=1000`)).body.items;

describe("a plan", () => {
  test("creates what others name first, shows what changes, and says what is only in the organization", async () => {
    const { folder, plan, apply, send } = await clinic();
    const before = await plan(folder);
    expect(before.out.split("\n").slice(0, 5)).toEqual([
      `${url}: 4 to create, 0 to change, 0 to delete, 0 unchanged`,
      "+ services/Calendar (services/calendar.yaml)",
      "+ tools/book (tools/book.yaml)",
      "+ prompts/Clinic (prompts/clinic.yaml)",
      "+ agents/Clinic (agents/clinic.yaml)",
    ]);
    expect(await items(send, "agents")).toEqual([]);
    expect((await apply(folder)).code).toBe(0);

    await send("POST", "/api/v1/services/", { name: "By hand", description: "" });
    write(folder, {
      "prompts/clinic.yaml": PROMPT.replace("Be brief.", "Be brief and kind."),
      "agents/clinic.yaml": AGENT.replace("vars.city: Berlin", "vars.city: Bonn"),
    });
    expect((await plan(folder)).out).toMatch(
      new RegExp(
        [
          ".*: 0 to create, 2 to change, 0 to delete, 2 unchanged",
          "~ prompts/Clinic \\(prompts/clinic.yaml\\)",
          "    context:",
          "      - Be brief\\.",
          "      \\+ Be brief and kind\\.",
          "~ agents/Clinic \\(agents/clinic.yaml\\)",
          '    variables\\.vars\\.city: "Berlin" → "Bonn"',
          "Only in the organization, left as they are \\(--prune deletes them\\):",
          "\\? services/By hand",
          "Plan [0-9a-f]{12}\n$",
        ].join("\n"),
      ),
    );
    const { steps, others } = JSON.parse((await plan(folder, { json: true })).out);
    expect(steps).toMatchObject([
      { action: "update", kind: "prompts", changes: [{ path: "context" }] },
      { action: "update", kind: "agents", changes: [{ path: "variables.vars.city", after: "Bonn" }] },
    ]);
    expect(others).toEqual([{ kind: "services", name: "By hand" }]);
  });

  test("drift tells by its exit code, also of what was changed by hand", async () => {
    const { folder, apply, drift, send } = await clinic();
    await apply(folder);
    expect((await drift(folder)).code).toBe(0);
    const [prompt] = await items(send, "prompts");
    const { id, name, type, llm_config, tools } = prompt;
    await send("PUT", "/api/v1/prompts/", { id, name, type, llm_config, tools, context: "By hand." });
    const differs = await drift(folder);
    expect(differs.code).toBe(1);
    expect(differs.out).toContain("- By hand.");
  });

  test("what is in no file is deleted when asked for, users before what they use, and built-in tools stay", async () => {
    const { folder, apply, send } = await clinic();
    await apply(folder);
    const empty = newFolder({ "services/other.yaml": "name: Other\ndescription: ''\n" });
    const pruned = await apply(empty, { prune: true });
    expect(pruned).toMatchObject({ code: 0, err: "" });
    expect(pruned.out).toContain("Done: 5 of 5 changes.");
    expect(await items(send, "agents")).toEqual([]);
    expect((await items(send, "tools")).map(({ name }: { name: string }) => name)).toContain("hangup");
  });

  test("that somebody has looked at is applied only while it is still the same", async () => {
    const { folder, plan, apply, send } = await clinic();
    const shown = /Plan (\w+)/.exec((await plan(folder)).out)?.[1] ?? "";
    await send("POST", "/api/v1/services/", { name: "Calendar", description: "Somebody was faster" });
    const refused = await apply(folder, { expect: shown });
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("Nothing was done");
    expect(await items(send, "agents")).toEqual([]);
    const fresh = /Plan (\w+)/.exec((await plan(folder)).out)?.[1] ?? "";
    expect((await apply(folder, { expect: fresh })).code).toBe(0);
  });
});

describe("secrets", () => {
  test("are in no file and in no output, and are sent only when they are new, move, or are asked for", async () => {
    const { folder, apply, plan, send, token } = await clinic();
    const outputs = [await plan(folder), await apply(folder), await plan(folder, { secrets: true })];
    expect(outputs[2]?.out).toContain("auth_values: sent again");
    const exported = newFolder();
    outputs.push(await commandsOf(url, token).export(exported));
    expect(JSON.stringify([outputs, contents(exported)])).not.toContain(SECRET.CALENDAR_TOKEN);
    expect(contents(exported)["services/calendar.yaml"]).toContain(`token: ${reference("CALENDAR_TOKEN")}`);

    // Nobody needs the secret to see a drift or to change the description.
    const without = commandsOf(url, token);
    expect((await without.drift(folder)).code).toBe(0);
    write(folder, { "services/calendar.yaml": SERVICE.replace("The clinic's", "Our") });
    expect(await without.apply(folder)).toMatchObject({ code: 0, err: "" });
    expect(
      (await items(send, "services")).find(({ name }: { name: string }) => name === "Calendar"),
    ).toMatchObject({
      description: "Our calendar",
      auth_value_keys: ["token"],
    });
    expect(await without.plan(folder, { secrets: true })).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^parley: services\/calendar\.yaml:5:3: auth_values\.token: The environment has no CALENDAR_TOKEN/,
      ),
    });
  });

  test("values of the environment are not shown in a plan either", async () => {
    const header = `${AGENT}tool_headers: { x-key: "${reference("HEADER")}" }\n`;
    const files = { ...CLINIC, "agents/clinic.yaml": header.replace("Berlin }", `"${reference("CITY")}" }`) };
    const values = { ...SECRET, HEADER: "planted-header", CITY: "planted-city" };
    const { folder, apply, token } = await clinic(files, values);
    await apply(folder);
    const other = commandsOf(url, token, { ...values, HEADER: "other-header", CITY: "other-city" });
    const { out } = await other.plan(folder);
    expect(out).toContain("tool_headers.x-key: another value");
    expect(out).toContain(`vars.city: "planted-city" → "${reference("CITY")}"`);
    expect(out).not.toContain("other-city");
    expect(out).not.toMatch(/(planted|other)-header/);
  });

  test.each([
    ["with quotes and backslashes", 'abc"def\\ghi'],
    ["of several lines", "-----BEGIN KEY-----\nMIIabc\n-----END KEY-----\n"],
    ["of four digits", "4711"],
  ])("a value %s is in no plan, for people or for programs", async (_what, value) => {
    const agent = AGENT.replace(
      "Berlin }",
      `"${reference("CODE")}", vars.text: "Hello\\nLine one: ${reference("CODE")}" }`,
    );
    const files = { ...CLINIC, "agents/clinic.yaml": AGENT };
    const { folder, apply, plan } = await clinic(files, { ...SECRET, CODE: value });
    await apply(folder);
    write(folder, { "agents/clinic.yaml": agent });
    const shown = async () => [(await plan(folder)).out, (await plan(folder, { json: true })).out];
    const outputs = await shown();
    await apply(folder);
    write(folder, { "agents/clinic.yaml": agent.replace("Line one", "Line two") });
    outputs.push(...(await shown()));
    for (const out of outputs) {
      expect(out).toContain(reference("CODE"));
      for (const line of value.trim().split("\n"))
        expect(out).not.toContain(JSON.stringify(line).slice(1, -1));
    }
  });

  test("of services whose names are alike go to different variables, and each service gets its own", async () => {
    const { send, token } = await emptyOrganization(app);
    const other = await emptyOrganization(app);
    for (const name of ["Pay API", "pay-api", "خدمة", "服务"])
      await send("POST", "/api/v1/services/", {
        name,
        description: "",
        auth_type: "bearer",
        allowed_hosts: ["pay.example.com"],
        auth_values: { token: "a secret" },
      });
    const folder = newFolder();
    await commandsOf(url, token).export(folder);
    const variables = Object.values(contents(folder)).flatMap((text) =>
      [...text.matchAll(/\$\{env:(\w+)\}/g)].map(([, name]) => name as string),
    );
    expect(new Set(variables).size).toBe(4);
    const without = await commandsOf(url, other.token, { PAY_API_TOKEN: "x", TOKEN: "x" }).apply(folder);
    expect(without.code).toBe(2);
    expect(without.err.split("\n").filter((line) => line.includes("The environment has no"))).toHaveLength(4);
    const all = Object.fromEntries(variables.map((name) => [name, "x"]));
    expect((await commandsOf(url, other.token, all).apply(folder)).code).toBe(0);
  });
});

describe("what is wrong", () => {
  const faultsOf = async (files: FolderFiles, variables: Record<string, string> = SECRET) => {
    const { folder, plan, apply, send } = await clinic({ ...CLINIC, ...files }, variables);
    const planned = await plan(folder);
    expect(await apply(folder)).toEqual(planned);
    expect(planned).toMatchObject({ code: 2, out: "" });
    expect(await items(send, "agents")).toEqual([]);
    return planned.err;
  };

  test.each([
    [
      "a field that is not there",
      { "agents/clinic.yaml": `${AGENT}colour: red\n` },
      /agents\/clinic\.yaml:5:1: colour: There is no field "colour"/,
    ],
    [
      "a required field that is misspelt",
      { "agents/clinic.yaml": AGENT.replace("timezone:", "timezon:") },
      /agents\/clinic\.yaml:3:1: timezon: There is no field "timezon"/,
    ],
    [
      "a field inside another",
      { "prompts/clinic.yaml": PROMPT.replace("model:", "modle:") },
      /prompts\/clinic\.yaml:5:15: llm_config\.modle: Nothing reads "modle" here/,
    ],
    [
      "a value",
      { "agents/clinic.yaml": AGENT.replace("Europe/Berlin", "Mars") },
      /agents\/clinic\.yaml:3:1: timezone: Input should be an IANA time zone/,
    ],
    [
      "a name that clashes",
      { "prompts/copy.yaml": PROMPT },
      /prompts\/copy\.yaml:1:1: name: prompts\/clinic\.yaml has the name "Clinic", too/,
    ],
    [
      "a record that is nowhere",
      { "agents/clinic.yaml": AGENT.replace("prompt: Clinic", "prompt: Klinik") },
      /agents\/clinic\.yaml:2:1: prompt: There is no "Klinik" in prompts, neither/,
    ],
    [
      "a tool without a service",
      { "tools/book.yaml": tool("book").replace(/^service: .*\n/m, "") },
      /tools\/book\.yaml:1:1: service: Name the tool's service\. A tool that calls nothing, such as a workflow, takes any/,
    ],
    [
      "an agent without a prompt",
      { "agents/clinic.yaml": AGENT.replace("prompt: Clinic", "prompt: null") },
      /agents\/clinic\.yaml:2:1: prompt: Name the agent's prompt\./,
    ],
    [
      "a tool that is nowhere",
      { "prompts/clinic.yaml": PROMPT.replace("book,", "bock,") },
      /prompts\/clinic\.yaml:6:9: tools\[0\]: There is no "bock" in tools/,
    ],
    ["a kind that is not there", { "tool/book.yaml": tool("book") }, /tool: There is no such kind/],
    [
      "a folder among the files of a kind, which nothing would read,",
      { "tools/visits/book.yaml": tool("book") },
      /tools\/visits: Folders in here are not read\. Move its files into tools\./,
    ],
    [
      "a text in Windows' own letters",
      { "tools/book.yaml": Buffer.from(tool("book").replace("name:", "# Gr\u00fc\u00dfe\nname:"), "latin1") },
      /tools\/book\.yaml is no text in UTF-8\. Save it as UTF-8\./,
    ],
    ["a file in the place of a kind's folder", { test_suites: "x" }, /test_suites is no folder\./],
    ["no YAML", { "tools/book.yaml": "name: [book\n" }, /tools\/book\.yaml:\d+:\d+: /],
  ])("%s is told with its file and line, and nothing is done", async (_what, files, told) => {
    expect(await faultsOf(files as FolderFiles)).toMatch(told);
  });

  test("a secret that is missing is told, all of them at once", async () => {
    const err = await faultsOf({ "agents/clinic.yaml": `${AGENT}description: ${reference("WHO")}\n` }, {});
    expect(err).toMatch(/agents\/clinic\.yaml:5:1: description: The environment has no WHO\. Set it\./);
  });

  test("what the API refuses half way is told at its place, with what is done and what is not; the next apply goes on", async () => {
    const bad = tool("cancel", "elsewhere.example.com");
    const { folder, apply, send, drift } = await clinic({ ...CLINIC, "tools/cancel.yaml": bad });
    const stopped = await apply(folder);
    expect(stopped.code).toBe(1);
    expect(stopped.out).toContain("done + tools/book (tools/book.yaml)");
    expect(stopped.out).toContain("Stopped: 2 done, 1 failed, 2 not begun.");
    expect(stopped.out).toMatch(/tools\/cancel\.yaml:\d+:\d+: definition\.endpoint\.url: /);
    expect(stopped.out).toContain("not begun + agents/Clinic (agents/clinic.yaml)");
    expect(await items(send, "agents")).toEqual([]);
    write(folder, { "tools/cancel.yaml": tool("cancel") });
    expect((await apply(folder)).out).toContain("Done: 3 of 3 changes.");
    expect((await drift(folder)).code).toBe(0);
  });

  test("what an export leaves out may be left out: an empty list that a file must have stays in it", async () => {
    const { send, token } = await emptyOrganization(app);
    const made = await send("POST", "/api/v1/language_groups/", {
      name: "Empty",
      skip_current_language_in_message: false,
      description: "",
      language_configs: [],
    });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    const folder = newFolder();
    const { export: exportTo, drift } = commandsOf(url, token);
    await exportTo(folder);
    expect(contents(folder)["language_groups/empty.yaml"]).toContain("language_configs: []");
    expect(await drift(folder)).toMatchObject({ code: 0, err: "" });
  });

  test("a kind's folder may be a link to one that is shared, and a file's ending may be written large", async () => {
    const shared = newFolder({ "tools/book.yaml": tool("book") });
    const { "tools/book.yaml": _, "agents/clinic.yaml": agent, ...others } = CLINIC;
    const { folder, apply, drift } = await clinic({ ...others, "agents/clinic.YAML": agent });
    symlinkSync(path.join(shared, "tools"), path.join(folder, "tools"));
    expect((await apply(folder)).out).toMatch(/Done: 4 of 4 changes/);
    expect((await drift(folder, { prune: true })).code).toBe(0);
  });

  test("an export writes over nothing that is not its own", async () => {
    const { folder, token } = await clinic();
    const { export: exportTo } = commandsOf(url, token);
    await expect(exportTo(folder)).rejects.toThrow("is not empty. Say --replace");
    const foreign = newFolder();
    write(foreign, { "notes.txt": "mine" });
    await expect(exportTo(foreign, true)).rejects.toThrow("holds something else");
    write(folder, { "README.md": "mine" });
    await exportTo(folder, true);
    expect(Object.keys(contents(folder))).toEqual(["README.md", "parley.yaml"]);
  });

  test.runIf(process.platform === "linux")(
    "an export where no folder can be made ends, and says so",
    async () => {
      const { token } = await clinic();
      await expect(commandsOf(url, token).export("/proc/clinic")).rejects.toThrow(
        "/proc/clinic can't be written",
      );
    },
  );

  test("an installation that does not answer, or not to this token, is told in words", async () => {
    const folder = newFolder(CLINIC);
    await expect(commandsOf("http://127.0.0.1:9", "x", SECRET).plan(folder)).rejects.toThrow(
      "Parley does not answer at http://127.0.0.1:9: bad port. Start it.",
    );
    await expect(commandsOf(url, "wrong", SECRET).plan(folder)).rejects.toThrow(
      "does not know this token. Set another.",
    );
  });

  test("an installation that goes away half way is told in words, with what is done; the next apply goes on", async () => {
    const { token } = await emptyOrganization(app);
    const folder = newFolder(CLINIC);
    const between = await createPeer();
    between.respond(async ({ method, path, headers, body }, response) => {
      if (method === "POST" && path.includes("/prompts/")) return void response.destroy();
      const sent = {
        "content-type": "application/json",
        "service-api-key": String(headers["service-api-key"]),
      };
      const answer = await fetch(url + path, { method, headers: sent, ...(body && { body }) });
      json(response, answer.status, await answer.json());
    });
    const stopped = await commandsOf(between.url, token, SECRET).apply(folder);
    expect(stopped.code).toBe(1);
    expect(stopped.out).toContain(
      `  Parley does not answer at ${between.url}: ${new URL(between.url).host} closed the connection before its answer was complete. Start it.\n`,
    );
    expect(stopped.out).toContain("Stopped: 2 done, 1 failed, 1 not begun.");
    expect((await commandsOf(url, token, SECRET).apply(folder)).out).toContain("Done: 2 of 2 changes.");
  });
});

test("one folder serves two environments, each with its address, its token and its values", async () => {
  const [staging, live] = [await emptyOrganization(app), await emptyOrganization(app)];
  const environment = (name: string, city: string) =>
    `url: ${url}\ntoken: ${reference(`${name}_TOKEN`)}\nvalues: { CITY: ${city} }\n`;
  const folder = newFolder({
    ...CLINIC,
    "agents/clinic.yaml": AGENT.replace("Berlin }", `"${reference("CITY")}" }`),
    "environments/staging.yaml": environment("STAGING", "Testville"),
    "environments/live.yaml": environment("LIVE", "Berlin"),
  });
  const variables: Record<string, string> = {
    ...SECRET,
    STAGING_TOKEN: staging.token,
    LIVE_TOKEN: live.token,
  };
  for (const [name, { send }, city] of [
    ["staging", staging, "Testville"],
    ["live", live, "Berlin"],
  ] as const) {
    const target = await readEnvironment(folder, name, (variable) => variables[variable]);
    if ("faults" in target) throw new Error(target.faults.join());
    const values = { ...variables, CITY: target.env("CITY") ?? "" };
    expect((await commandsOf(target.url, target.token, values).apply(folder)).code).toBe(0);
    expect(await items(send, "agents")).toMatchObject([{ variables: { "vars.city": city } }]);
  }
  expect(await readEnvironment(folder, "live", () => undefined)).toEqual({
    faults: ["environments/live.yaml: The environment has no LIVE_TOKEN. Set it."],
  });
  expect(await readEnvironment(folder, "nowhere", () => undefined)).toMatchObject({
    faults: [expect.stringContaining("There is no such file")],
  });
});
