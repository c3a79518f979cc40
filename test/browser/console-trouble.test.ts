import { beforeAll, expect, test } from "vitest";
import { type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";

/** What a person sees when something between them and the program goes wrong. */
let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  page = await it.open(await it.person("Admin"), { viewport: { width: 1300, height: 1000 } });
});

/** Answers of the API at addresses like this fail, as when its database is away. */
const fail = (address: RegExp) =>
  page.route(address, (route) =>
    route.fulfill({
      status: 500,
      contentType: "application/json",
      body: '{"detail": "The database is away."}',
    }),
  );

test("a list that could not be read again says so, shows what it had, and is read again when asked", async () => {
  const stale = page.getByText("Refresh failed: The database is away.");
  await page.goto("/console/incidents");
  await page.getByText("No incidents").waitFor();
  await it.app.send("POST", "/api/v1/incidents/", {
    description: "Calls drop",
    start_datetime: "2026-11-18T08:00:00Z",
    resolution_datetime: "2099-01-01T00:00:00Z",
    impact_category: "High",
    sessions_impacted: 1,
    markdown: "",
  });
  await page.reload();
  await page.getByRole("link", { name: "Calls drop" }).waitFor();
  await fail(/\/api\/v1\/incidents\//);
  await stale.waitFor();
  await page.getByRole("link", { name: "Calls drop" }).waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Try again" }).click();
  await stale.waitFor({ state: "detached" });
});

test("what could not be read while the server was away is read once it is back, whoever found it back first", async () => {
  await page.goto("/console/prompts");
  const row = page.getByRole("link", { name: "Demo clinic receptionist" });
  const lost = page.getByText("Parley can't be reached.");
  await row.waitFor();
  for (const address of [/\/api\/v1\/prompts\//, "**/healthz"])
    await page.route(address, (route) => route.abort());
  await page.getByRole("button", { name: "Name", exact: true }).click();
  await lost.waitFor();
  await page.locator("#main").getByText("The request failed").waitFor();
  await page.unroute(/\/api\/v1\/prompts\//);
  await page.keyboard.press("Control+k");
  const found = page.waitForResponse(/\/api\/v1\/agents\//);
  await page.getByRole("textbox", { name: "Go to" }).fill("receptionist");
  await found;
  await page.keyboard.press("Escape");
  await page.unroute("**/healthz");
  await row.waitFor();
  await lost.waitFor({ state: "detached" });
});

test("changes that are discarded leave what somebody else has saved meanwhile, not what the form began with", async () => {
  const { body: service } = await it.app.send("POST", "/api/v1/services/", {
    name: "Shared",
    description: "at first",
  });
  const own = await it.open(await it.person("Admin"));
  await own.clock.install();
  await own.goto(`/console/services/${service.id}`);
  const field = own.getByRole("textbox", { name: "Description" });
  await field.fill("typed here");
  const { id, name } = service;
  await it.app.send("PUT", "/api/v1/services/", { id, name, description: "saved by somebody else" });
  const isRead = own.waitForResponse(`**/api/v1/services/${service.id}`);
  await own.clock.fastForward(60_000);
  await own.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await isRead;
  await expect.poll(() => field.inputValue()).toBe("typed here");
  await own.getByRole("button", { name: "Discard changes" }).click();
  await expect.poll(() => field.inputValue()).toBe("saved by somebody else");
  expect(own.faults).toEqual([]);
});

test("who changes a record that somebody deletes meanwhile is told so, and keeps what was typed", async () => {
  const { body: service } = await it.app.send("POST", "/api/v1/services/", {
    name: "Short-lived",
    description: "",
  });
  const own = await it.open(await it.person("Admin"));
  await own.goto(`/console/services/${service.id}`);
  const field = own.getByRole("textbox", { name: "Description" });
  await field.fill("typed here");
  await it.app.send("DELETE", `/api/v1/services/${service.id}?reason=over`);
  await own.getByRole("button", { name: "Review and save" }).click();
  await own.getByText("Somebody deleted it meanwhile. What you typed is still here.").waitFor();
  expect(await field.inputValue()).toBe("typed here");
  expect(own.faults).toEqual([]);
});

test("who goes on while a new record is still being stored stays where they went", async () => {
  const { promise: isLeft, resolve: store } = Promise.withResolvers<void>();
  await page.route("**/api/v1/services/", async (route) => {
    await isLeft;
    await route.continue();
  });
  await page.goto("/console/services/new");
  await page.getByRole("textbox", { name: "Name" }).fill("Slowly stored");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { level: 1, name: "Organization" }).waitFor();
  const visited: string[] = [];
  page.on("framenavigated", (frame) => visited.push(new URL(frame.url()).pathname));
  store();
  await page.getByText("Service saved").waitFor();
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  expect(visited).toEqual(["/console/"]);
  await page.unrouteAll();
});

test("a page of the program before an update says so, keeps what is typed, and comes back with a reload", async () => {
  const updated = page.getByText("Parley was updated. Reload the page.");
  await page.goto("/console/incidents/new");
  const field = page.getByRole("textbox", { name: "Description" });
  await field.fill("Calls drop");
  const gone = /\/console\/assets\/(organization-page|palette)-/;
  await page.route(gone, (route) => route.fulfill({ status: 404 }));
  await page.getByRole("link", { name: "Settings" }).hover();
  await updated.waitFor();
  await page.keyboard.press("Control+k");
  await expect.poll(() => field.inputValue()).toBe("Calls drop");

  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("link", { name: "Settings" }).click();
  await page.locator("#main").getByText("Parley was updated. Reload the page.").waitFor();
  await page.unrouteAll();
  await page.locator("#main").getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "Organization" }).waitFor();
  expect(await updated.count()).toBe(0);
});

test("a page whose code can't be reached says so in its place, and is there once the server is back", async () => {
  const own = await it.open(await it.person("Admin"));
  await own.goto("/console/services");
  await own.getByRole("heading", { level: 1, name: "Services" }).waitFor();
  await own.route("**/*", (route) => route.abort());
  await own.getByRole("link", { name: "Sessions", exact: true }).click();
  const again = own.locator("#main").getByRole("button", { name: "Try again" });
  await own.locator("#main").getByText("Parley can't be reached. Try again in a moment.").waitFor();
  await again.click();
  // The button can be clicked again once this try has failed.
  await own.locator("#main").getByRole("button", { name: "Try again", disabled: false }).waitFor();
  await own.unrouteAll();
  await again.click();
  await own.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
});

test("a part of a page whose code can't be reached says so in its place, and what is typed around it stays", async () => {
  const own = await it.open(await it.person("Admin"));
  await own.goto("/console/tools/visit_workflow?view=form");
  const field = own.getByRole("textbox", { name: "Description" });
  await field.fill("Asks about the visit");
  await own.route(/\/console\/assets\/|\/healthz/, (route) => route.abort());
  await own.getByRole("tab", { name: "Workflow" }).click();
  const main = own.locator("#main");
  await main.getByText("Parley can't be reached. Try again in a moment.").waitFor();
  await own.getByRole("tab", { name: "Form" }).click();
  expect(await field.inputValue()).toBe("Asks about the visit");
  await own.unrouteAll();
  await own.getByRole("tab", { name: "Workflow" }).click();
  own.on("dialog", (leave) => void leave.accept());
  await main.getByRole("button", { name: "Try again" }).click();
  await own.getByRole("region", { name: "Workflow studio" }).waitFor();
});

test("where none of its code comes, the page says what to do", async () => {
  await page.route(/\/console\/assets\/.*js$/, (route) => route.fulfill({ status: 404 }));
  await page.goto("/console/");
  await page
    .getByText("Parley is not here yet. It may have been updated just now. Reload the page.")
    .waitFor();
  await page.unrouteAll();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
});

test("a browser that is too old for the console says so at once, and which ones are not", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.addInitScript("delete Set.prototype.union");
  await page.goto("/console/agents");
  await expect
    .poll(() => page.getByRole("main").innerText())
    .toMatch(/^The console needs Chrome or Edge 123, Firefox 127, Safari 17\.5, or/);
  expect(page.faults).toEqual([]);
});

test("an address with a mistyped number says so, and no field is asked to be filled", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents/abc");
  await page.getByRole("alert", { name: "Record not found" }).waitFor();
  await page.getByText("The address may be mistyped.").waitFor();
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  expect(page.faults).toEqual([]);
});
