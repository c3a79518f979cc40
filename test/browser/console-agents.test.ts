import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { axeFindings, type ConsoleTest, createConsoleTest, saveReviewed } from "../harness/console.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

/** The demo clinic, as its PUT takes it. */
async function agent() {
  const { body } = await it.app.send("GET", "/api/v1/agents/1");
  const { channel_targets, custom_message, language_group, prompt, tools, validation_issues, ...fields } =
    body;
  return fields;
}

test("what is wrong is told at its field, and a change is shown before it is saved", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("");
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await page.getByText("Fill this in.").waitFor();
  await expect.poll(() => name.getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => name.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true);

  await name.fill("Demo clinic");
  await page.getByLabel("Description").fill("Books appointments\nat a clinic");
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("description").waitFor();
  await expect.poll(() => review.getByRole("listitem").count()).toBe(1);
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
  await page.getByText("Agent saved").waitFor();
  expect((await agent()).description).toBe("Books appointments\nat a clinic");
  expect(page.faults).toEqual([]);
});

test("the list of agents counts what is wrong with an agent's prompt and greeting, too", async () => {
  await createAgent(it.app, {
    script: "",
    context: "Today is {{ vars.session.today }}.",
    greeting: { text: "Hello {{ first name }}" },
    agent: { name: "Half made" },
  });
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents?q=Half+made");
  await page
    .getByRole("row", { name: /Half made/ })
    .getByText("2 findings")
    .waitFor();
  await page.goto("/console/agents?q=Demo+clinic");
  await page
    .getByRole("row", { name: /Demo clinic/ })
    .getByText("OK", { exact: true })
    .waitFor();
  expect(page.faults).toEqual([]);
});

const theirs = async (fields: object) =>
  it.app.send("PUT", "/api/v1/agents/", { ...(await agent()), ...fields });

test("a tab is named after its record, and Ctrl S in a field opens the review", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await expect.poll(() => page.title()).toBe("Demo clinic · Agents · Parley");
  await page.getByRole("textbox", { name: "Name", exact: true }).press("Control+s");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Clinic of the demo");
  await page.getByRole("textbox", { name: "Name", exact: true }).press("Control+s");
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("Clinic of the demo").waitFor();
  await page.keyboard.press("Escape");
  await review.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click();
  await expect.poll(() => page.title()).toBe("Sessions · Parley");
  expect(page.faults).toEqual([]);
});

test("who saves after somebody else is told who changed what, and saves over it only knowingly", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/1");
  await page.getByLabel("Description").fill("Mine");
  await theirs({ description: "Theirs", timezone: "Asia/Tokyo" });

  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("admin@example.com changed this record").waitFor();
  await review.getByText("Asia/Tokyo").waitFor();
  await review.getByText("+ Theirs").waitFor();
  await review.getByText("You both changed Description").waitFor();
  const save = review.getByRole("button", { name: "Save", exact: true });
  await expect.poll(() => save.isDisabled()).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  await review.getByLabel("Overwrite their changes").check();

  // They change more while it is looked at: what was agreed to is not what would be lost.
  await theirs({ description: "Theirs again" });
  await save.click();
  await review.getByText("+ Theirs again").waitFor();
  await expect.poll(() => save.isDisabled()).toBe(true);
  await review.getByLabel("Overwrite their changes").check();
  await save.click();
  await page.getByText("Agent saved").waitFor();
  expect(await agent()).toMatchObject({ description: "Mine", timezone: "UTC" });
  expect(page.faults).toEqual([]);
});

test("what only the other changed is taken into the form by keyboard, and saved with what this one changed", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/1");
  await page.getByLabel("Description").fill("Mine, too");
  await theirs({ timezone: "Asia/Tokyo", wait_sound: "Call Center" });
  await page.getByRole("button", { name: "Review and save" }).press("Enter");
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("Your changes are not affected").waitFor();
  const take = review.getByRole("button", { name: "Merge their changes" });
  await expect
    .poll(() => take.evaluate((button) => button === button.ownerDocument.activeElement))
    .toBe(true);
  await page.keyboard.press("Enter");
  await review.waitFor({ state: "detached" });
  await saveReviewed(page);
  expect(await agent()).toMatchObject({
    description: "Mine, too",
    timezone: "Asia/Tokyo",
    wait_sound: "Call Center",
  });
  await theirs({ timezone: "UTC", wait_sound: null });
  expect(page.faults).toEqual([]);
});

test("leaving a changed form asks first", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await page.getByLabel("Description").fill("Not saved");
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void (asked.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  await page.getByRole("link", { name: "Sessions" }).click();
  await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Not saved");
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  expect(asked).toHaveLength(2);
});

/** Both in one moment, as a second Enter comes before the page shows the first. */
const TWICE = (form: { requestSubmit?(): void }) => {
  form.requestSubmit?.();
  form.requestSubmit?.();
};

test("an agent begun in the form gives way to one of a template, which is made once however often it is asked for", async () => {
  const page = await it.open(await it.person("Admin"));
  let made = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/from_template")) made += 1;
  });
  let questions = 0;
  page.on("dialog", (dialog) => {
    questions += 1;
    void dialog.accept();
  });
  await page.goto("/console/agents/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Front desk");
  await page.getByRole("button", { name: "Answer questions", exact: true }).click();
  const window = page.getByRole("dialog");
  expect(await window.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Front desk");
  await window.locator("form").evaluate(TWICE);
  await page.getByRole("heading", { level: 1, name: "Front desk" }).waitFor();
  expect([made, questions]).toEqual([1, 0]);
  // The browser's, as in the form.
  const { body } = await it.app.send(
    "GET",
    "/api/v1/agents/?search_fields=name&search_field_values=Front desk",
  );
  expect(body.items[0].timezone).toBe("Europe/Berlin");
  expect(page.faults).toEqual([]);
});

test("a new record is sent once, however fast it is asked for twice", async () => {
  const page = await it.open(await it.person("Admin"));
  let made = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/services/")) made += 1;
  });
  await page.goto("/console/services/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Asked for twice");
  await page.locator("form", { has: page.getByRole("button", { name: "Create" }) }).evaluate(TWICE);
  await page.getByRole("heading", { level: 1, name: "Asked for twice" }).waitFor();
  expect(made).toBe(1);
});

test("an agent is made, found by its name, talked with, and deleted", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents");
  await page.getByRole("link", { name: "New agent" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Night desk");
  await page.getByRole("combobox", { name: "Prompt" }).fill("reminder");
  await page.getByRole("option", { name: "Demo clinic reminder" }).click();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Night desk" }).waitFor();

  await page.goto("/console/agents");
  await page.getByLabel("Name or description").fill("night");
  await expect.poll(() => new URL(page.url()).search).toBe("?q=night");
  await page.getByText("1–1 of 1").waitFor();
  await page.getByRole("link", { name: "Night desk" }).click();

  // What was typed goes with the record, and nobody is asked whether to save it.
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  });
  await page.getByLabel("Description").fill("Not saved");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByLabel("Reason").fill("A test");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Night desk deleted").waitFor();
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  expect(await page.getByRole("link", { name: "Night desk" }).count()).toBe(0);
  expect(asked).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("talking with an agent shows the step, the variables, the tool calls and the time of each turn", async () => {
  const page = await it.open(await it.person("Admin"));
  // As a browser is that comes over plain http from another machine.
  await page.addInitScript("delete Crypto.prototype.randomUUID");
  await page.goto("/console/agents/2");
  await page.getByRole("button", { name: "Start conversation" }).click();
  const conversation = page.getByLabel("Conversation", { exact: true });
  await conversation.getByText("Can you come to your visit?").waitFor();
  await page.getByText("confirm-visit: ASK_COMING").waitFor();
  await page.getByLabel("Your message").fill("yes please");
  await page.getByLabel("Your message").press("Enter");
  await conversation.getByText("Do you need a wheelchair").waitFor();
  await page.getByText("confirm-visit: ASK_NEEDS").waitFor();
  await page.getByRole("region", { name: "Changed variables" }).getByText('"coming": true').waitFor();

  await page
    .getByRole("button", { name: /confirm_visit/ })
    .last()
    .click();
  await page.getByRole("region", { name: "Model arguments" }).getByText('"coming": true').waitFor();
  await page.getByLabel("Debug trace").check();
  await page.getByText("enters ASK_NEEDS").waitFor();
  await page.getByRole("link", { name: /^Session \d+$/ }).click();
  await page.getByText("enters ASK_NEEDS").waitFor();
  expect(page.faults).toEqual([]);
});

test("what an agent says of calls and of its tools is set in the form, and the review calls it by the names of the form", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await page.getByRole("combobox", { name: "Speech recognition" }).click();
  await page.getByRole("option", { name: "Deepgram Nova 3", exact: true }).click();
  await page.getByRole("combobox", { name: "Sound while thinking" }).click();
  await page.getByRole("option", { name: "Call Center" }).click();
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("Speech recognition", { exact: true }).waitFor();
  await review.getByText("+ Call Center").waitFor();
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
  expect(await agent()).toMatchObject({ stt_provider: "Deepgram Nova 3", wait_sound: "Call Center" });
  expect(page.faults).toEqual([]);
});

test("a variable whose name is missing, or that another one has, is not left out of a save without a word", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  const { variables } = await agent();
  const next = Object.keys(variables).length + 1;
  const add = page.getByRole("button", { name: "Add to Variables" });
  const name = (line: number) => page.getByRole("textbox", { name: `Name ${line} of Variables` });
  const said = (line: number) =>
    name(line).evaluate((field: { validationMessage?: string }) => field.validationMessage);
  const save = page.getByRole("button", { name: "Review and save" });
  await add.click();
  await name(next).fill("room");
  await page.getByRole("textbox", { name: `Value ${next} of Variables` }).fill("12");
  await add.click();
  await page.getByRole("textbox", { name: `Value ${next + 1} of Variables` }).fill("13");
  await save.click();
  await expect.poll(() => said(next + 1)).toBe("Enter a name.");
  await name(next + 1).fill("room");
  await save.click();
  await expect.poll(() => said(next + 1)).toBe("Name already in use");
  await name(next + 1).fill("floor");
  await saveReviewed(page);
  await page.getByText("Agent saved").waitFor();
  expect((await agent()).variables).toEqual({ ...variables, room: "12", floor: "13" });
  expect((await theirs({ variables })).status).toBe(200);
});

test("a setting of a tool that an agent has is set for the agent alone", async () => {
  const floor = { name: "floor", type: "int", required: false, default: 1 };
  const definition = endpointTool("look_up", "https://example.com", {
    definition: { static_parameters: [floor] },
  });
  const made = await it.app.send("POST", "/api/v1/tools/", { name: "look_up", service_id: 2, definition });
  expect(made.body).toMatchObject({ name: "look_up" });
  const { body: prompt } = await it.app.send("POST", "/api/v1/prompts/", {
    name: "Upstairs",
    type: "prompt_v1",
    context: "Help.",
    tools: ["look_up"],
    llm_config: {},
  });
  const { body } = await it.app.send("POST", "/api/v1/agents/", {
    name: "Upstairs",
    type: "ca_v1",
    prompt_id: prompt.id,
    timezone: "UTC",
    variables: {},
    tool_headers: null,
  });
  const page = await it.open(await it.person("Admin"));
  await page.goto(`/console/agents/${body.id}`);
  await page.getByLabel("look_up: floor").fill("3");
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("Tool settings", { exact: false }).first().waitFor();
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
  const stored = await it.app.send("GET", `/api/v1/agents/${body.id}`);
  expect(stored.body.prompt_tool_defaults).toEqual([
    { tool_name: "look_up", default_values: [{ field_name: "floor", default_value: 3 }] },
  ]);
  expect(page.faults).toEqual([]);
});

test("what is cleared from a list stays cleared, also what was typed a moment ago", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.clock.install();
  await page.goto("/console/agents?f_labels=front");
  const search = page.getByLabel("Name or description");
  await search.fill("night");
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.getByRole("link", { name: "Demo clinic", exact: true }).waitFor();
  await page.clock.fastForward(1000);
  await expect.poll(() => search.inputValue()).toBe("");
  expect(new URL(page.url()).search).toBe("");
  expect(await search.evaluate((box) => box === box.ownerDocument.activeElement)).toBe(true);
  expect(page.faults).toEqual([]);
});

test("an empty list says so where its rows would be, is heard to be empty, and the title of a window that is scrolled stays at its upper edge", async () => {
  const page = await it.open(await it.person("Admin"), { viewport: { width: 800, height: 300 } });
  await page.goto("/console/agents?q=nobody");
  await page.getByText("No results").first().waitFor();
  await page.getByRole("status").filter({ hasText: "No results" }).waitFor({ state: "attached" });
  await page.goto("/console/agents/1");
  await page.getByRole("button", { name: "Duplicate" }).click();
  const window = page.getByRole("dialog");
  await window.getByRole("button", { name: "Duplicate" }).scrollIntoViewIfNeeded();
  const tops = await window.evaluate((dialog) =>
    [dialog, dialog.querySelector("header")].map((part) => part?.getBoundingClientRect().top ?? 0),
  );
  expect(Math.abs((tops[0] as number) - (tops[1] as number))).toBeLessThan(3);
  expect(page.faults).toEqual([]);
});

test("a page behind the end of a list says so, and not that there are no records", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents?page=99");
  await page.getByText("There is nothing on page 99").waitFor();
  expect(await page.getByText("No agents yet").count()).toBe(0);
  await page
    .getByRole("status")
    .filter({ hasText: /^0 of \d+$/ })
    .waitFor();
  await page.getByRole("button", { name: "To the first page" }).click();
  await page.getByRole("link", { name: "Demo clinic", exact: true }).waitFor();
  expect(page.faults).toEqual([]);
});

test("an agent that is given another prompt shows that one's instructions, and no others", async () => {
  const { prompt_id } = await agent();
  // The fault: a prompt with the number of its agent.
  expect(prompt_id).toBe(1);
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  const instructions = page.getByRole("heading", { name: "Instructions", exact: true });
  await instructions.waitFor();
  await page.getByRole("combobox", { name: "Prompt", exact: true }).click();
  await page.getByRole("option", { name: "Demo clinic reminder" }).click();
  await saveReviewed(page);
  await page.getByText("Agent saved").waitFor();
  await page.getByText("You call patients of the Demo Clinic").first().waitFor();
  expect(await instructions.count()).toBe(1);
  expect((await theirs({ prompt_id })).status).toBe(200);
});
