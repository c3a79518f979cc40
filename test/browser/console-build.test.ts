import { beforeAll, expect, test } from "vitest";
import { type ConsolePage, type ConsoleTest, createConsoleTest, saveReviewed } from "../harness/console.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">{{constructor}}`;

let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  page = await it.open(await it.person("Admin"), { viewport: { width: 1300, height: 1000 } });
});

test("a prompt's unknown variable is told, its new version is compared with the old one, and taken back", async () => {
  await page.goto("/console/prompts/2");
  const editor = page.getByRole("textbox", { name: "Instructions" });
  await editor.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("Speak softly to {{ nmae }}. ");
  await page.getByText(/Nothing sets nmae/).waitFor();
  await page.getByLabel("Version note").fill("softer");
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("dialog").getByText("Speak softly").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByText("+ Speak softly", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await editor.waitFor();
  expect(await editor.innerText()).not.toContain("Speak softly");
  expect(page.faults).toEqual([]);
  // What was not saved stays behind.
  page.once("dialog", (dialog) => void dialog.accept());
});

test("a greeting knows the variables of the agents that say it, and marks those that nothing sets", async () => {
  await page.goto("/console/messages/1");
  await page.getByRole("textbox", { name: "Text" }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(" {{ vars.clinic }} {{ vars.nobody }}");
  await page.getByTitle("Nothing sets vars.nobody when a session starts").waitFor();
  await expect.poll(() => page.getByTitle(/^Nothing sets /).count()).toBe(1);
  await page.getByRole("button", { name: "Discard changes" }).click();
  expect(page.faults).toEqual([]);
});

test("a record that is opened again right after it was saved is found as it was saved", async () => {
  const hasty = await it.open(await it.person("Admin"));
  let isSaved = false;
  const { promise: looked, resolve: goOn } = Promise.withResolvers<void>();
  await hasty.route("**/api/v1/prompts/", async (route) => {
    const response = await route.fetch();
    isSaved ||= route.request().method() === "PUT";
    await route.fulfill({ response });
  });
  await hasty.route("**/api/v1/prompts/1", async (route) => {
    if (isSaved) await looked;
    await route.continue();
  });
  await hasty.goto("/console/prompts/1");
  await hasty.getByRole("textbox", { name: "Description" }).fill("Answers the telephone");
  await saveReviewed(hasty);
  await hasty.getByRole("link", { name: "Prompts", exact: true }).last().click();
  await hasty.getByRole("link", { name: "Demo clinic receptionist" }).click();
  const description = hasty.getByRole("textbox", { name: "Description" });
  await expect.poll(() => description.inputValue()).toBe("Answers the telephone");
  goOn();
  expect(hasty.faults).toEqual([]);
});

test("a part of an agent that is opened again right after it was saved is found as it was saved", async () => {
  const hasty = await it.open(await it.person("Admin"));
  const { promise: looked, resolve: goOn } = Promise.withResolvers<void>();
  let holds: RegExp | null = null;
  await hasty.route(/\/api\/v1\/(agents|custom_messages)\//, async (route) => {
    const request = route.request();
    if (request.method() === "GET" && holds?.test(request.url())) await looked;
    if (request.method() !== "PUT") return route.continue();
    const response = await route.fetch();
    holds = /\/agents\/1(\/dialing-settings)?$/;
    await route.fulfill({ response });
  });
  const greeting = hasty.getByRole("textbox", { name: "Greeting text" });
  const limit = hasty.getByRole("textbox", { name: "Calls at once" });
  const review = hasty.getByRole("dialog", { name: "Review the change" });
  const leaveAndReturn = async () => {
    await review.getByRole("button", { name: "Save", exact: true }).click();
    await review.waitFor({ state: "detached" });
    await hasty.getByRole("link", { name: "Agents", exact: true }).last().click();
    await hasty.locator('#main a[href="/console/agents/1"]').click();
  };
  await hasty.goto("/console/agents/1");
  await limit.fill("7");
  await hasty.getByRole("button", { name: "Review the limit" }).click();
  await leaveAndReturn();
  await expect.poll(() => limit.inputValue()).toBe("7");

  holds = null;
  await greeting.click();
  await hasty.keyboard.press("Control+a");
  await hasty.keyboard.insertText("Good evening.");
  await hasty.getByRole("button", { name: "Save greeting" }).click();
  await leaveAndReturn();
  await expect.poll(() => greeting.innerText()).toBe("Good evening.");
  goOn();
  expect(hasty.faults).toEqual([]);
});

test("an editor has its height at once, and keeps it when it is scrolled to", async () => {
  const reader = await it.open(await it.person("Admin"), { viewport: { width: 1280, height: 800 } });
  await reader.addInitScript(`
    window.heights = new Set();
    const look = () => {
      const editor = document.querySelector(".cm-editor");
      if (editor) heights.add(Math.round(editor.getBoundingClientRect().height));
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);`);
  await reader.goto("/console/prompts/1");
  await reader.getByRole("textbox", { name: "Instructions" }).waitFor();
  await reader.getByRole("switch", { name: "Run a tool after the session" }).scrollIntoViewIfNeeded();
  await reader.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  expect(await reader.evaluate("[...heights]")).toHaveLength(1);
  expect(reader.faults).toEqual([]);
});

test("who uses a prompt is said when it is known, and not before", async () => {
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/api/v1/agents/?*", async (route) => {
    await asked;
    await route.continue();
  });
  await page.goto("/console/prompts/2");
  await page.getByRole("textbox", { name: "Instructions" }).waitFor();
  expect(await page.getByText("Used by").count()).toBe(0);
  answer();
  await page.getByText("Used by").getByRole("link").first().waitFor();
  await page.unroute("**/api/v1/agents/?*");
});

test("a variable is completed while it is typed", async () => {
  await page.goto("/console/prompts/new");
  await page.getByRole("textbox", { name: "Instructions" }).click();
  await page.keyboard.type("Today is {{ day_of");
  await page.getByRole("option", { name: /vars\.session\.day_of_week/ }).click();
  await expect
    .poll(() => page.getByRole("textbox", { name: "Instructions" }).innerText())
    .toContain("{{ vars.session.day_of_week }}");
});

test("a name that is shown is taken by a click that comes right after a key", async () => {
  await page.goto("/console/prompts/new");
  await page.getByRole("textbox", { name: "Instructions" }).click();
  await page.keyboard.type("{{");
  const option = page.getByRole("option", { name: /vars\.session\.day_of_week/ });
  await option.waitFor();
  await page.keyboard.type(" ");
  await option.dispatchEvent("mousedown");
  await expect
    .poll(() => page.getByRole("textbox", { name: "Instructions" }).innerText())
    .toContain("{{ vars.session.day_of_week }}");
});

test("a service's secret is written, shown only as stored, kept by a save that does not touch it", async () => {
  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto("/console/services/new");
  await page.getByRole("textbox", { name: "Name" }).fill(HOSTILE);
  await page.getByRole("combobox", { name: "Authentication" }).click();
  await page.getByRole("option", { name: "Bearer token" }).click();
  await page.getByLabel("Token", { exact: true }).fill("very-secret");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
  await page.getByPlaceholder("stored; type to replace it").waitFor();
  expect(await page.content()).not.toContain("very-secret");
  expect(await page.evaluate("window.hacked")).toBeUndefined();

  await page.getByRole("textbox", { name: "Description" }).fill("Ours");
  await saveReviewed(page);
  const { body } = await it.app.send(
    "GET",
    "/api/v1/services/?search_fields=description&search_field_values=Ours",
  );
  expect(body.items[0]).toMatchObject({ auth_type: "bearer", auth_value_keys: ["token"] });
  expect(page.faults).toEqual([]);
});

test("the week of a message shows which rule wins when, as the form stands", async () => {
  await page.goto("/console/messages/2");
  const week = page.getByRole("region", { name: "The week, day by day" });
  await week.getByText("1. Evenings").first().waitFor();
  await expect.poll(() => week.getByRole("row").count()).toBe(8);
  await page.getByRole("button", { name: "Add rule" }).click();
  await page.getByLabel("Rule name").nth(1).fill("Sundays");
  await page.getByText("Sun", { exact: true }).nth(1).click();
  // The hint that a caller would hear nothing goes with the first words.
  const silent = page.getByText("Without a text, nothing is said in place of", { exact: false });
  await silent.waitFor();
  await page.getByLabel("Text").last().fill("Closed today.");
  await silent.waitFor({ state: "detached" });
  // Until its day is set it holds on all of them.
  await expect.poll(() => week.getByText("2. Sundays").count()).toBe(1);
  expect(page.faults).toEqual([]);
});
