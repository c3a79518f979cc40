import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { parleyForFile, run, send, usedFolder } from "./program.ts";

const GUIDE = readFileSync(path.resolve(import.meta.dirname, "../../docs/test-your-agent.md"), "utf8");
const README = readFileSync(path.resolve(import.meta.dirname, "../../README.md"), "utf8");
/** The first listing of this language in the guide. */
const listing = (language: string) =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(GUIDE)?.[1] ?? "";

let folder: string;
let env: { PORT: string };
let url: string;
let greeting: Awaited<ReturnType<typeof usedFolder>>["greeting"];
beforeAll(async () => {
  ({ folder, greeting } = await usedFolder());
  ({ url } = await parleyForFile(["start"], { folder }).ready());
  env = { PORT: new URL(url).port };
});

const evaluate = (suite: string, ...options: string[]) => {
  writeFileSync(path.join(folder, "hours.yaml"), suite);
  return run(["evaluate", "hours.yaml", ...options], { folder, env });
};

test("the suite of docs/test-your-agent.md fails as the page shows it, also as JUnit, and exits with 1", async () => {
  const { code, stdout, stderr } = await evaluate(listing("yaml"), "--repeat", "3", "--junit", "junit.xml");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  const shown = /\$ \.\/parley evaluate hours\.yaml --repeat 3\n([\s\S]*?)```/.exec(GUIDE)?.[1];
  const numbered = (text = "") => text.replaceAll(/session \d+/g, "session N").trim();
  expect(numbered(stdout)).toBe(numbered(shown));
  const junit = readFileSync(path.join(folder, "junit.xml"), "utf8");
  expect(junit.match(/<testcase /g)).toHaveLength(6);
  expect(junit.match(/<failure/g)).toHaveLength(3);
});

test("a report that can't be written is told before anything is played", async () => {
  const told = (junit: string) => evaluate(listing("yaml"), "--junit", junit);
  expect(await told("gone/junit.xml")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "parley: gone/junit.xml can't be written: its folder isn't there. Make the folder, or name another one.\n",
  });
  expect((await told(".")).stderr).toBe("parley: . is a folder. Name a file.\n");
  expect((await told("hours.yaml/junit.xml")).stderr).toContain("a part of its path is a file");
  expect(readFileSync(path.join(folder, "junit.xml"), "utf8")).toContain("<testcase ");
});

test("as JSON it has a summary and each result, and all that passes exits with 0", async () => {
  const suite =
    "name: Hello\nagent: Demo clinic\ncases:\n  - name: Greets\n    person: []\n    expect: { said: [clinic] }\n";
  const { code, stdout } = await evaluate(suite, "--json");
  expect(code).toBe(0);
  const { results, ...told } = JSON.parse(stdout);
  expect(told).toMatchObject({ suite: "Hello", agent: "Demo clinic", seed: expect.any(Number) });
  expect(results).toMatchObject([{ case_name: "Greets", status: "passed" }]);
});

test("a suite that can't be read, is of an agent that is not there, or has nobody to play it is told at its place and exits with 2", async () => {
  const misspelt = await evaluate(listing("yaml").replace("said:", "sayd:"));
  expect(misspelt).toMatchObject({ code: 2, stdout: "" });
  expect(misspelt.stderr).toMatch(/^parley: hours\.yaml:\d+:\d+: cases\[0\]\.expect\.sayd: /);
  const nobody = await evaluate(listing("yaml").replace("agent: Demo clinic", "agent: Nobody"));
  expect(nobody).toMatchObject({ code: 2, stdout: "" });
  expect(nobody.stderr).toMatch(/^parley: hours\.yaml: agent: /);
  const away = await run(["evaluate", "hours.yaml"], { folder, env: { PORT: "1" } });
  expect(away).toMatchObject({ code: 2, stdout: "" });
  expect(away.stderr).toMatch(/^parley: Parley does not answer at /);
});

test("a replay of recorded sessions exits with 0 when nothing changed, with 1 when something got worse, and with 2 for nobody", async () => {
  for (let n = 0; n < 7; n++) {
    const chat = (await send("POST", `${url}/chat/v1/sessions`, { client_id: "demo-clinic" })).body;
    const to = `${url}/chat/v1/sessions/${chat.session_id}/messages?token=${chat.token}`;
    for (const text of ["I need a cleaning on 2026-12-01", "bye"]) await send("POST", to, { text, id: text });
  }
  const replay = (...options: string[]) => run(["replay", ...options], { folder, env });
  const same = await replay("Demo clinic", "--seed", "5");
  expect(same).toMatchObject({ code: 0, stderr: "" });
  expect(same.stdout).toContain("The baseline repeated the recorded outcome in 7 of 7 sessions");

  const headers = { "service-api-key": greeting.token ?? "" };
  const { body: prompt } = await send("GET", `${url}/api/v1/prompts/1`, undefined, headers);
  const { id, name, type, context, llm_config } = prompt;
  const saved = { id, name, type, llm_config, context };
  const tools = ["find_slots", "book_appointment", "cancel_appointment", "hangup"];
  await send("PUT", `${url}/api/v1/prompts/`, { ...saved, tools: tools.slice(1) }, headers);
  const worse = await replay("Demo clinic", "--sessions", "20", "--json");
  expect(worse.code).toBe(1);
  expect(JSON.parse(worse.stdout)).toMatchObject({
    findings: expect.arrayContaining([
      { path: "candidate", message: expect.stringContaining("no tool find_slots") },
    ]),
    summary: { verdict: "worse", results: { replayed: 7 } },
  });
  await send("PUT", `${url}/api/v1/prompts/`, { ...saved, tools }, headers);

  expect(await replay("Nobody")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no agent Nobody"),
  });
  expect(await replay("Demo clinic", "--against", "yesterday")).toMatchObject({ code: 2, stdout: "" });
  expect(await replay("Demo clinic", "--cost-cap", "0")).toMatchObject({
    code: 2,
    stdout: expect.stringContaining(
      "0 of 7 sessions replayed, 7 were not.\n  7 × Not replayed: the replay has reached its cost cap.\n",
    ),
  });
});

test("--against live tests what people reach, whatever was saved since; an unknown version exits with 2", async () => {
  const suite = readFileSync(path.resolve(import.meta.dirname, "../../src/demo/clinic-tests.yaml"), "utf8");
  const { token } = greeting;
  const call = async (method: string, at: string, body?: object) => {
    const headers = { "service-api-key": token ?? "", "content-type": "application/json" };
    const answer = await fetch(`${url}/api/v1${at}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Record<string, unknown>;
  };
  await call("PUT", "/agents/1/versioning", { published_version: 1, gates: [] });
  const { id, name, type, context, llm_config } = await call("GET", "/prompts/1");
  await call("PUT", "/prompts/", { id, name, type, context, llm_config, tools: ["find_slots", "hangup"] });
  const live = await evaluate(suite, "--against", "live");
  expect(live.code).toBe(0);
  expect(live.stdout).toContain(
    "20 of 20 cases passed (95 %: 83.9 % to 100 %). Agent: Demo clinic, version 1.",
  );
  // The demo's other version, as the tour of the README shows it.
  const short = await evaluate(suite, "--against", "2");
  expect(short.code).toBe(1);
  const tour = /--against 2\n([\s\S]*?)\n…\n([\s\S]*?)\n```/.exec(README);
  for (const shown of [tour?.[1], tour?.[2]]) expect(short.stdout).toContain(shown);
  expect((await evaluate(suite)).code).toBe(2);
  const unknown = await evaluate(suite, "--against", "7");
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("agent: The agent has no version 7."),
  });
});
