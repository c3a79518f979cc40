import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { type ConsoleTest, createConsoleTest } from "../harness/console.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

test("a clinic's receptionist is made from a template and finds free times, in 4 clicks", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents");
  let clicks = 0;
  const click = async (role: "link" | "button", name: string) => {
    clicks++;
    await page.getByRole(role, { name, exact: true }).click();
  };
  await click("link", "New agent");
  await click("button", "Book appointments");
  await page.getByRole("dialog").getByLabel("Name").fill("North clinic");
  await click("button", "Create agent");
  await page.getByRole("heading", { level: 1, name: "North clinic" }).waitFor();
  await click("button", "Start conversation");
  await page.getByLabel("Your message").fill("I would like to book a check-up on monday");
  await page.getByLabel("Your message").press("Enter");
  await page.getByRole("button", { name: /^find_slots/ }).click();
  await page.getByRole("region", { name: "Result" }).getByText("slot_id").first().waitFor();
  expect(page.faults).toEqual([]);
  expect(clicks).toBeLessThanOrEqual(4);
});

test("a greeting is written where there is none, and said in the next conversation", async () => {
  const { body: prompt } = await it.app.send("POST", "/api/v1/prompts/", {
    name: "Silent",
    type: "prompt_v1",
    context: "Help.",
    tools: [],
    llm_config: {},
  });
  const { body: agent } = await it.app.send("POST", "/api/v1/agents/", {
    name: "Silent",
    type: "ca_v1",
    prompt_id: prompt.id,
    timezone: "UTC",
    variables: {},
    tool_headers: null,
  });
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${agent.id}`);
  await page.getByText("The agent waits until the person says something.").waitFor();
  await page.getByRole("button", { name: "Write a greeting" }).click();
  await page.getByRole("textbox", { name: "What it says first" }).click();
  await page.keyboard.insertText("Good morning from the front desk.");
  await page.getByRole("button", { name: "Save greeting" }).click();
  await page.getByText("Greeting saved").waitFor();
  await page.getByRole("button", { name: "Start conversation" }).click();
  await page
    .getByLabel("Conversation", { exact: true })
    .getByText("Good morning from the front desk.")
    .waitFor();
  const stored = await it.app.send("GET", `/api/v1/agents/${agent.id}`);
  expect(stored.body.custom_message).toMatchObject({
    name: "Silent greeting",
    text: "Good morning from the front desk.",
  });
  expect(page.faults).toEqual([]);
});

test("a copy of an agent has instructions of its own, and who shares them is told", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/1");
  const { body: original } = await it.app.send("GET", "/api/v1/agents/1");
  await page.getByRole("button", { name: "Duplicate", exact: true }).click();
  const window = page.getByRole("dialog");
  expect(await window.getByLabel("Name").inputValue()).toBe("Demo clinic copy");
  await window.getByRole("button", { name: "Duplicate" }).click();
  await page.getByRole("heading", { level: 1, name: "Demo clinic copy" }).waitFor();
  await page.getByRole("textbox", { name: "Instructions" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("Say no more than five words.");
  await page.getByRole("button", { name: "Save instructions" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Instructions saved").waitFor();
  const { body: now } = await it.app.send("GET", "/api/v1/agents/1");
  expect(now.prompt.context).toBe(original.prompt.context);

  // Another agent made of the same prompt by hand shares it.
  await it.app.send("POST", "/api/v1/agents/", {
    name: "Second desk",
    type: "ca_v1",
    prompt_id: original.prompt_id,
    timezone: "UTC",
    variables: {},
    tool_headers: null,
  });
  await page.goto("/console/agents/1");
  await page.getByText("Another agent uses these instructions, too").waitFor();
  expect(page.faults).toEqual([]);
});

test("an agent leaves as a file and comes back from it, and a file with a mistake tells the place", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/2");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.yaml$/);
  const text = readFileSync(await download.path(), "utf8");
  expect(text).toContain("format: parley-agent-1");

  await page.goto("/console/agents/new");
  const choose = async (content: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Import a file" }).click(),
    ]);
    await chooser.setFiles({
      name: "agent.yaml",
      mimeType: "application/yaml",
      buffer: Buffer.from(content),
    });
  };
  await choose(text.replace(/^timezone: .*$/m, "timezone: Mars/Olympus"));
  await page.getByRole("alert").getByText("timezone").waitFor();
  await choose(text.replace(/^name: .*$/m, "name: Reminder from a file"));
  await page.getByRole("heading", { level: 1, name: "Reminder from a file" }).waitFor();
  await page.getByRole("button", { name: "Start conversation" }).click();
  await page.getByLabel("Conversation", { exact: true }).getByText("Can you come to your visit?").waitFor();
  expect(page.faults).toEqual([]);
});

test("who may only read sees the agent's parts and can save none of them", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents/1");
  await page.getByRole("textbox", { name: "Instructions" }).waitFor();
  await page.getByRole("heading", { name: "Addresses" }).waitFor();
  for (const verb of [/^Save/, "Duplicate", "Add a chat page", "Write a greeting"])
    expect(await page.getByRole("button", { name: verb }).count(), String(verb)).toBe(0);
  await page.goto("/console/agents/new");
  expect(await page.getByText("Begin with a template").count()).toBe(0);
  expect(page.faults).toEqual([]);
});
