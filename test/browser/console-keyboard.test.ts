import { sql } from "kysely";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { createAgent } from "../harness/agent.ts";
import {
  axeFindings,
  type ConsolePage,
  type ConsoleTest,
  createConsoleTest,
  settled,
} from "../harness/console.ts";
import { playRun } from "../harness/evaluations.ts";
import { pastSession } from "../harness/insights.ts";
import { createNumber } from "../harness/phone.ts";

/** The console without a mouse: where the keyboard goes on after something was done. */
let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
  await migrateJobs(it.app.database.pool, silentLog);
});

async function openAt(path: string): Promise<ConsolePage> {
  const page = await it.open(await it.person("Admin"));
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await settled(page);
  return page;
}

const review = (page: Page) => page.getByRole("dialog", { name: "Review the change" });
/** The review is there and has the focus. */
const reviewed = (page: Page) => review(page).locator(":focus").waitFor();
const reviewGone = (page: Page) => review(page).waitFor({ state: "detached" });

test("whoever saves by keyboard goes on in the field or at the button where they were, and so does who looks back from the review", async () => {
  const page = await openAt("/console/services/2");
  const description = page.getByLabel("Description");
  await description.fill("Typed");
  await page.keyboard.press("Control+s");
  await reviewed(page);
  await page.keyboard.press("Escape");
  await reviewGone(page);
  await description.and(page.locator(":focus")).waitFor();

  await page.keyboard.press("Control+s");
  await reviewed(page);
  await page.keyboard.press("Enter");
  await reviewGone(page);
  await description.and(page.locator(":focus")).waitFor();
  expect((await it.app.send("GET", "/api/v1/services/2")).body.description).toBe("Typed");

  await description.fill("Typed again");
  const save = page.getByRole("button", { name: "Review and save" });
  await save.focus();
  await page.keyboard.press("Enter");
  await reviewed(page);
  await page.keyboard.press("Enter");
  await reviewGone(page);
  await save.and(page.locator(":focus")).waitFor();
  // Nothing is left to save, so the button does nothing.
  expect(await save.isDisabled()).toBe(true);
  await page.keyboard.press("Enter");
  await description.fill("Another");
  await page.getByRole("button", { name: "Discard changes" }).focus();
  await page.keyboard.press("Enter");
  await save.and(page.locator(":focus")).waitFor();
  expect(await description.inputValue()).toBe("Typed again");
  expect(page.faults).toEqual([]);
});

test("what is typed on in an editor while its record is being made is not taken for a moment and then lost", async () => {
  const page = await openAt("/console/messages/new");
  await page.getByRole("textbox", { name: "Name" }).fill("Nights");
  const text = page.getByRole("textbox", { name: "Text", exact: true }).first();
  await text.click();
  await page.keyboard.type("Hello");
  await page.route("**/api/v1/custom_messages/", async (route) => {
    await page.keyboard.type(" world");
    expect(await text.textContent()).toBe("Hello");
    await route.continue();
  });
  await page.keyboard.press("Control+s");
  await page.getByRole("heading", { level: 1, name: "Nights" }).waitFor();
  await expect.poll(() => text.textContent()).toBe("Hello");
  await page.unroute("**/api/v1/custom_messages/");

  // A stored one is reviewed first, and the keyboard goes on in the editor.
  await text.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("!");
  await page.keyboard.press("Control+s");
  await reviewed(page);
  await page.keyboard.press("Escape");
  await text.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("?");
  await expect.poll(() => text.textContent()).toBe("Hello!?");
  expect(page.faults).toEqual([]);
});

test("after a colleague's change was merged the keyboard is at what saves, and a record that they chose has its own name", async () => {
  const { body: agent } = await it.app.send("GET", "/api/v1/agents/2");
  const page = await openAt("/console/agents/2");
  const greeting = page.getByRole("combobox", { name: "Greeting" });
  expect(await greeting.inputValue()).toBe("Demo reminder greeting");
  const changed = { ...agent, id: 2, custom_message_id: 1 };
  expect((await it.app.send("PUT", "/api/v1/agents/", changed)).status).toBe(200);
  await page.getByLabel("Description").fill("Typed");
  await page.keyboard.press("Control+s");
  await review(page)
    .getByRole("button", { name: "Merge their changes" })
    .and(page.locator(":focus"))
    .waitFor();
  await page.keyboard.press("Enter");
  await reviewGone(page);
  await expect.poll(() => greeting.inputValue()).toBe("Demo clinic greeting");
  await page.getByRole("button", { name: "Review and save" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await reviewed(page);
  await page.keyboard.press("Enter");
  await reviewGone(page);
  const { body: saved } = await it.app.send("GET", "/api/v1/agents/2");
  expect(saved).toMatchObject({ description: "Typed", custom_message_id: 1 });
  expect(page.faults).toEqual([]);
});

test("after a row of a form is removed the keyboard is at what removes the next one, and after the last row at what adds one", async () => {
  const page = await openAt("/console/organization");
  const add = page.getByRole("button", { name: "Add pattern" });
  for (const _ of [1, 2, 3]) await add.click();
  const remove = (row: number) => page.getByRole("button", { name: `Remove pattern ${row}` });
  const has = (button: ReturnType<Page["getByRole"]>) => button.and(page.locator(":focus")).waitFor();
  await remove(2).focus();
  await page.keyboard.press("Enter");
  await remove(3).waitFor({ state: "detached" });
  await has(remove(2));
  await page.keyboard.press("Enter");
  await remove(2).waitFor({ state: "detached" });
  await has(add);
  await remove(1).focus();
  await page.keyboard.press("Enter");
  await remove(1).waitFor({ state: "detached" });
  await has(add);
  expect(page.faults).toEqual([]);
});

test("Enter doesn't close a window that just opened, and Tab leads to its first field; a search among choices that finds none says so", async () => {
  const page = await openAt("/console/agents/2");
  await page.getByRole("button", { name: "Add chat page" }).press("Enter");
  const opened = page.getByRole("dialog", { name: "Connect an agent to an address" });
  await opened.locator("form:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await opened.getByRole("combobox", { name: "Agent" }).and(page.locator(":focus")).waitFor();
  await opened.getByRole("button", { name: "Cancel" }).press("Enter");
  await opened.waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Time zone" }).fill("Atlantis");
  await page.getByText("No results", { exact: true }).waitFor();
  expect(page.faults).toEqual([]);
});

test("on a page that was just opened the keyboard begins at Skip to content, not behind the page's entry in the menu", async () => {
  const page = await openAt("/console/events");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Tab");
  await page.getByRole("link", { name: "Skip to content" }).and(page.locator(":focus")).waitFor();
  expect(page.faults).toEqual([]);
});

test("the switch that shows a password is reached by keyboard and named for its field", async () => {
  const page = await openAt("/console/models");
  const switches = page.getByRole("button", { name: /^Show API key of / });
  const names = await switches.evaluateAll((all) => all.map((each) => each.ariaLabel));
  expect(names.length).toBeGreaterThan(1);
  expect(new Set(names).size).toBe(names.length);
  const key = page.getByLabel("API key", { exact: true }).first();
  await key.fill("sk-typed");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(await key.getAttribute("type")).toBe("text");
  expect(page.faults).toEqual([]);
});

test("a menu opens at its first entry, and has nothing that is none", async () => {
  const page = await openAt("/console/sessions");
  await page.getByRole("button", { name: "Export" }).press("Enter");
  await page.getByRole("menuitem").first().and(page.locator(":focus")).waitFor();
  expect(await axeFindings(page, { type: "rule", values: ["aria-required-children"] })).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Export" }).and(page.locator(":focus")).waitFor();
  expect(page.faults).toEqual([]);
});

test("the zone of times is chosen by keyboard: the window that the button opens has the focus, and gives it back", async () => {
  const page = await openAt("/console/services");
  await page.getByRole("button", { name: "Times are shown in Europe/Berlin" }).press("Enter");
  const zone = page.getByRole("combobox", { name: "Show times in" });
  await zone.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("Tokyo");
  await page.getByRole("option", { name: "Asia/Tokyo" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const chooser = page.getByRole("button", { name: "Times are shown in Asia/Tokyo" });
  await chooser.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await zone.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await chooser.and(page.locator(":focus")).waitFor();
  expect(page.faults).toEqual([]);
});

test("of what Ctrl K finds a screen reader hears how many there are and which one is marked, and a number for calls and texts is there once", async () => {
  const { number } = await createNumber(it.app, { script: "say Hello." });
  await sql`
    insert into channel_targets select (json_populate_record(t, '{"id": 100000, "target_mode": "sms"}')).*
    from channel_targets t where t.target = ${number}`.execute(it.app.db);
  const page = await openAt("/console/services");
  const heard = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to" }).getByLabel("Go to").and(page.locator(":focus")).waitFor();
  await page.keyboard.type(number);
  const address = page.locator("[data-action]").filter({ hasText: "Address" });
  await address.first().waitFor();
  expect(await address.count()).toBe(1);
  await heard(`Person ${number}, 1 of 5`);
  await page.keyboard.press("ArrowDown");
  await heard(`Sessions with ${number}, 2 of 5`);
  await page.keyboard.type("zzz");
  await heard("No results");
  expect(page.faults).toEqual([]);
});

test("on a screen that is magnified four times Ctrl K shows what it finds", async () => {
  const page = await openAt("/console/services");
  await page.setViewportSize({ width: 320, height: 256 });
  await page.keyboard.press("Control+k");
  const list = page.locator(".mantine-Spotlight-actionsList");
  await list.locator("[data-action]").first().waitFor();
  expect((await list.boundingBox())?.height).toBeGreaterThan(100);
  expect(page.faults).toEqual([]);
});

test("on a screen that is magnified twice the menu is found by the keyboard and by screen readers once it is open", async () => {
  const page = await openAt("/console/services");
  await page.setViewportSize({ width: 640, height: 400 });
  const menu = page.getByRole("navigation", { name: "Main" });
  await page.getByRole("button", { name: "Open the menu" }).waitFor();
  expect(await menu.count()).toBe(0);
  await page.getByRole("button", { name: "Signed in as" }).focus();
  await page.keyboard.press("Tab");
  expect(await page.locator("nav[aria-label=Main] :focus").count()).toBe(0);

  await page.getByRole("button", { name: "Open the menu" }).press("Enter");
  await menu.getByRole("link", { name: "Home" }).waitFor();
  await page.getByRole("button", { name: "Signed in as" }).focus();
  await page.keyboard.press("Tab");
  await menu.getByRole("link", { name: "Home" }).and(page.locator(":focus")).waitFor();
  await page.getByRole("button", { name: "Close the menu" }).press("Enter");
  await menu.waitFor({ state: "detached" });
  expect(page.faults).toEqual([]);
});

test("who saves an agent's first greeting and languages by keyboard goes on at the button that saved them", async () => {
  const { agent_id } = await createAgent(it.app, { script: "", agent: { custom_message_id: null } });
  const page = await openAt(`/console/agents/${agent_id}`);
  for (const [add, save, saved] of [
    ["Write a greeting", "Save greeting", "Greeting saved"],
    ["Add languages", "Save languages", "Languages saved"],
  ] as const) {
    await page.getByRole("button", { name: add }).press("Enter");
    if (add === "Write a greeting") await page.getByLabel("Greeting text").fill("Hello");
    await page.getByRole("button", { name: save }).press("Enter");
    await page.getByText(saved).waitFor();
    await page.getByRole("button", { name: save, disabled: true }).and(page.locator(":focus")).waitFor();
  }
  expect(page.faults).toEqual([]);
});

test("a button that goes with what it did, in a part of a page that has no other, leaves the keyboard at the next one", async () => {
  const page = await openAt(`/console/sessions/${await pastSession(it.app, it.app.admin, {})}`);
  await page.getByText("No labels yet.").waitFor();
  await page.getByRole("button", { name: "Load recording" }).press("Enter");
  await page.getByText(/^No recording\./).waitFor();
  await page
    .locator("section")
    .filter({ has: page.getByRole("heading", { name: "Labels" }) })
    .locator(":focus")
    .waitFor({ state: "attached" });
  expect(page.faults).toEqual([]);
});

test("who begins a conversation by keyboard is in the field for what to say, and stays there", async () => {
  const page = await openAt("/console/agents/1");
  await page.getByRole("button", { name: "Start conversation" }).press("Enter");
  const field = page.getByLabel("Your message");
  await field.and(page.locator(":focus")).waitFor();
  await page.getByLabel("Conversation", { exact: true }).getByText("I can book you a check-up").waitFor();
  await page.keyboard.type("a check-up on monday");
  await page.keyboard.press("Enter");
  await page.getByText("a check-up on monday").waitFor();
  await field.and(page.locator(":focus")).waitFor();
  expect(page.faults).toEqual([]);
});

test("who takes a chat over by keyboard writes at once, and a screen reader hears what the person says", async () => {
  const { target } = await createAgent(it.app, { script: 'otherwise -> say "You said {user.text}."' });
  const visitor = it.app.sendAs(null);
  const { session_id, token } = (await visitor("POST", "/chat/v1/sessions", { client_id: target })).body;
  const says = (text: string) =>
    visitor("POST", `/chat/v1/sessions/${session_id}/messages?token=${token}`, { text });
  await says("hi");
  const page = await openAt(`/console/sessions/${session_id}`);
  await page.getByText("You said hi.").waitFor();
  await page.getByRole("button", { name: "Take over" }).press("Enter");
  await page.getByRole("textbox", { name: "Message" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("I am here");
  await page.keyboard.press("Enter");
  await page.locator("[aria-live=polite]").getByText("I am here").waitFor();
  await says("thank you");
  await page.locator("[aria-live=polite]").getByText("thank you").waitFor();
  expect(page.faults).toEqual([]);
});

test("a screen reader hears that a run of tests is over, and not how far it is every few seconds", async () => {
  const page = await openAt("/console/tests/1");
  const begun = await it.app.send("POST", "/api/v1/test_suites/1/runs", {});
  expect(begun.status).toBe(200);
  await page.goto(`/console/tests/runs/${begun.body.id}`);
  await page.getByText("0 of 20 conversations").waitFor();
  expect(await page.getByRole("status").getByText("conversations").count()).toBe(0);
  await playRun(it.app, begun.body.id);
  await page.getByRole("status").getByText("The run is finished.").waitFor({ state: "attached" });
  expect(page.faults).toEqual([]);
});
