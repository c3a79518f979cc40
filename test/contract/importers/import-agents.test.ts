import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../commands/program.ts";
import { typedHere } from "../../commands/typed-here.ts";
import { converse } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

const FIXTURES = path.resolve("test/fixtures/importers");
const SCRIPT = (rules: string) => `\n\`\`\`script\n${rules}\n\`\`\`\n`;

let app: TestApp;
let peer: Peer;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { found: "a table at eight" }));
  folder = newFolder();
  env = { PUBLIC_URL: await app.listen(), PARLEY_API_TOKEN: app.token };
});

const typed = (...args: string[]) => typedHere(["import", ...args], { folder, env });
const agents = async (): Promise<number> => (await app.send("GET", "/api/v1/agents/?limit=1")).body.total;

/** The example with its services on loopback and rules for the scripted model behind its prompt. */
function example(file: string, rules: string): string {
  const text = readFileSync(path.join(FIXTURES, file), "utf8").replaceAll(
    "https://api.example.com",
    peer.url,
  );
  const prompts = /("(?:content|general_prompt|prompt)": ")((?:[^"\\]|\\.)+)"/;
  writeFileSync(
    path.join(folder, file),
    text.replace(
      prompts,
      (_all, key, words) => `${key}${words}${JSON.stringify(SCRIPT(rules)).slice(1, -1)}"`,
    ),
  );
  return file;
}

const CALLS: [file: string, rules: string, asked: string, answered: string, called: string | null][] = [
  [
    "vapi-front-desk.json",
    'on "free" -> call check_availability {"day": "2026-11-24"}\nafter check_availability -> say "Found."',
    "What is free?",
    "Found.",
    "POST /availability",
  ],
  [
    "vapi-reminder.json",
    'on "yes" -> call confirm_visit {"answer": "yes"}\nafter confirm_visit -> say "Confirmed."',
    "yes",
    "Confirmed.",
    "POST /visits?source=phone",
  ],
  [
    "vapi-legacy-server.json",
    'on "order" -> call hangup_2 {"order": "7"}\nafter hangup_2 -> say "Shipped."',
    "my order",
    "Shipped.",
    "POST /orders",
  ],
  [
    "retell-single-prompt.json",
    'on "outage" -> call check_outage {"zip": "10001"}\nafter check_outage -> say "No outage."',
    "Is there an outage?",
    "No outage.",
    "GET /outages?zip=10001&channel=phone",
  ],
  [
    "retell-states.json",
    [
      'on "boiler" -> call repairs_next {"next_state": "report", "appliance": "boiler"}',
      'after repairs_next if result.step == "report" -> call report_repair {"appliance": "boiler"}',
      'after report_repair -> say "Reported."',
    ].join("\n"),
    "The boiler",
    "Reported.",
    "POST /repairs",
  ],
  ["retell-export.json", 'on "hello" -> say "How are you?"', "hello", "How are you?", null],
  [
    "elevenlabs-bookings.json",
    'on "table" -> call find_tables {"guests": 2}\nafter find_tables -> say "At eight."',
    "A table for two",
    "At eight.",
    "GET /restaurants/harbour/tables?guests=2&caller=tester%40example.com",
  ],
  ["elevenlabs-minimal.json", 'on "open" -> say "At nine."', "When do you open?", "At nine.", null],
  [
    "elevenlabs-support.json",
    'on "ticket" -> call file_ticket {"subject": "Printer"}\nafter file_ticket -> say "Filed."',
    "a ticket",
    "Filed.",
    "POST /tickets",
  ],
];

describe("an agent of another platform", () => {
  test("has an example of each file in this test", () => {
    const files = readdirSync(FIXTURES).filter((file) => file.endsWith(".json"));
    expect(files.toSorted()).toEqual(CALLS.map(([file]) => file).toSorted());
  });

  test.each(CALLS)(
    "%s is created, answers and calls its service, and nothing secret is printed or stored",
    async (file, rules, asked, answered, called) => {
      const platform = file.split("-")[0] ?? "";
      const printed = await typed(platform, example(file, rules), "--json");
      expect(printed).toMatchObject({ code: 0, stderr: "" });
      expect(printed.stdout).not.toContain("planted");
      const { created } = JSON.parse(printed.stdout);
      const exported = await app.send("GET", `/api/v1/agents/${created.agent.id}/export`);
      expect(exported.body.text).not.toContain("planted");
      const answer = await converse(app, created.agent.id)(asked);
      expect(JSON.stringify(answer.body)).toContain(answered);
      if (called === null) return;
      const last = peer.requests.at(-1);
      expect(`${last?.method} ${last?.path}`).toBe(called);
    },
  );
});

describe("what can't be imported", () => {
  test("an agent whose name is taken is refused until it has another one", async () => {
    const file = example("elevenlabs-minimal.json", 'on "open" -> say "At nine."');
    const before = await agents();
    expect(await typed("elevenlabs", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'There is an agent named "Opening hours" already; nothing was created.',
      ),
    });
    expect(await agents()).toBe(before);
    const second = await typed("elevenlabs", file, "--name", "Opening hours, second");
    expect(second).toMatchObject({ code: 0 });
    expect(second.stdout).toMatch(/Created agent \d+, "Opening hours, second"\./);
  });

  test("a tool of the same name that does something else refuses all of it", async () => {
    const before = await agents();
    const text = readFileSync(path.join(FIXTURES, "elevenlabs-support.json"), "utf8");
    writeFileSync(path.join(folder, "other.json"), text.replaceAll("/tickets", "/other"));
    expect(await typed("elevenlabs", "other.json", "--name", "Other")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is a tool named file_ticket already, and it is another one."),
    });
    expect(await agents()).toBe(before);
  });

  test.each([
    ["vapi", '{"model": planted-secret}', "This is not JSON."],
    ["retell", '{"general_prompt": "planted"\n "llm_id": 1}', "Line 2, column 2: This is not JSON."],
    ["vapi", "[]", "An agent of Vapi is a JSON object."],
    ["vapi", '{"conversation_config": {}}', "This is an agent of ElevenLabs: ./parley import elevenlabs"],
    ["vapi", '{"model": {"provider": "openai", "functions": []}}', "an older version of Vapi's API"],
    ["vapi", '{"members": []}', "This is a squad."],
    ["retell", '{"response_engine": {"type": "conversation-flow"}}', "This agent is a conversation flow."],
    ["retell", '{"response_engine": {"type": "retell-llm"}}', "the agent without its Retell LLM"],
    ["retell", '{"format": "parley-agent-1"}', "This is an agent of Parley."],
    [
      "elevenlabs",
      '{\n "conversation_config": {"agent": 5}}',
      "Line 2, column 26: conversation_config.agent:",
    ],
    ["elevenlabs", "{}", "This is no agent of ElevenLabs"],
    ["elevenlabs", `{"conversation_config": ${"[".repeat(90)}${"]".repeat(90)}}`, "nested too deep"],
  ])("%s %s: a sentence says why, and nothing is created", async (platform, text, sentence) => {
    writeFileSync(path.join(folder, "bad.json"), text);
    const before = await agents();
    const refused = await typed(platform, "bad.json");
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(sentence) });
    expect(refused.stderr).not.toContain("planted");
    expect(await agents()).toBe(before);
  });

  test("no platform, no file and a file that is not there are told", async () => {
    expect((await typed("vapi")).stderr).toContain("./parley import vapi|retell|elevenlabs agent.json");
    expect((await typed("other", "a.json")).code).toBe(2);
    expect((await typed("vapi", "missing.json")).stderr).toContain("There is no missing.json.");
  });
});
