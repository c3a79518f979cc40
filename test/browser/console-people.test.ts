import { beforeAll, expect, test } from "vitest";
import { type ConsoleTest, createConsoleTest, saveReviewed, settled } from "../harness/console.ts";
import { createPeer } from "../harness/peer.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

test("the window of a new token stays until the token has come, which is shown nowhere else, and asks for one only", async () => {
  const page = await it.open(await it.person("Admin"));
  const { promise: isPressed, resolve: make } = Promise.withResolvers<void>();
  let asked = 0;
  await page.route("**/api/v1/api_tokens/", async (route) => {
    if (route.request().method() === "POST") {
      asked += 1;
      await isPressed;
    }
    await route.continue();
  });
  await page.goto("/console/api-tokens");
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Slowly made");
  await dialog.getByRole("button", { name: "Create token" }).evaluate((element: unknown) => {
    const button = element as { click(): void };
    button.click();
    button.click();
  });
  await dialog.locator("button[data-loading]").waitFor();
  await page.keyboard.press("Escape");
  make();
  await dialog.getByText("Copy it now: it is not shown again").waitFor();
  expect(asked).toBe(1);
  await dialog.getByRole("button", { name: "Done" }).click();
  expect(page.faults).toEqual([]);
});

test("a new role starts from another one, with all that it may do but what is taken away", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/roles/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Designer");
  await page.getByRole("combobox", { name: "Start from" }).click();
  await page.getByRole("option", { name: "Editor" }).click();
  await page.getByRole("group", { name: "Agents" }).getByLabel("Publish", { exact: true }).uncheck();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Designer" }).waitFor();
  const { items } = (await it.app.send("GET", "/api/v1/roles/")).body;
  const may = (role: string): string[] =>
    items.find(({ name }: { name: string }) => name === role).permissions.toSorted();
  expect(may("Designer")).toEqual(may("Editor").filter((name) => name !== "agents_publish"));
  expect(page.faults).toEqual([]);
});

test("a role is made, a person gets it and a sign-in link, and the audit log shows both before and after", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/roles/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Night watch");
  const sessions = page.getByRole("group", { name: "Sessions", exact: true });
  await sessions.getByLabel("View", { exact: true }).check();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Night watch" }).waitFor();

  await page.goto("/console/people/new");
  await page.getByLabel("E-mail address").fill("not an address");
  await page.getByRole("combobox", { name: "Role" }).click();
  await page.getByRole("option", { name: "Night watch" }).click();
  await page.getByRole("switch", { name: /Mail without a link/ }).check();
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await expect.poll(() => page.getByLabel("E-mail address").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("E-mail address").fill("nora@example.com");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "nora@example.com" }).waitFor();
  await page.getByText("No mail told this person that they can sign in.").waitFor();
  await page.getByRole("button", { name: "Create sign-in link" }).click();
  await page.getByText(/\/sign-in\?code=\w{40}/).waitFor();

  // The role opens the console, and asks for nothing that it may not read.
  const { body: said } = await it.app.send("POST", "/api/v1/agents/test/messages", {
    service_name: "console",
    source: "tester",
    test_id: "night",
    agent_id: "1",
    text: null,
    session_start: true,
  });
  const { body: nora } = await it.app.send("GET", "/api/v1/users/nora@example.com");
  const hers = await it.open({ email: nora.email, user_id: nora.id });
  await hers.goto(`/console/sessions/${said.response.content.session_id}`);
  await hers.getByRole("region", { name: "Opening" }).waitFor();
  await settled(hers);
  expect(await hers.getByRole("alert").count()).toBe(0);
  await hers.goto("/console/campaigns/1");
  await hers
    .getByText("This page needs the permission outbound_read. Ask an administrator for it.")
    .waitFor();

  await page.goto("/console/roles");
  const matrix = page.getByRole("region", { name: "Roles and their permissions" });
  await matrix.getByRole("columnheader", { name: "Night watch" }).waitFor();
  await matrix.getByText("Night watch").click();
  await page.getByLabel("Description").fill("Reads sessions");
  await saveReviewed(page);

  await page.goto("/console/audit-log?f_resource=roles&f_action=update");
  await page.getByRole("button", { name: /View the change of Role/ }).click();
  await page.getByRole("dialog").getByText("+ Reads sessions").waitFor();
  expect(page.faults).toEqual([]);
});

test("a token is shown once, can do what was chosen, and nothing after it was revoked", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/api-tokens");
  await page.getByRole("button", { name: "New token" }).click();
  const window = page.getByRole("dialog", { name: "New API token" });
  await window.getByRole("textbox", { name: "Name" }).fill("Importer");
  await window.getByRole("combobox", { name: "Permissions" }).fill("Agents: View");
  await page.getByRole("option", { name: "Agents: View" }).click();
  await page.keyboard.press("Escape");
  await window.getByRole("button", { name: "Create token" }).click();
  const token = await window.getByText(/^parley_\w+$/).innerText();
  expect((await it.app.sendAs(token)("GET", "/api/v1/agents/")).status).toBe(200);
  expect((await it.app.sendAs(token)("GET", "/api/v1/sessions/")).status).toBe(403);
  // As a browser is that comes over plain http from another machine: it has no clipboard for pages.
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await window.getByRole("button", { name: "Copy" }).click();
  await window.getByRole("button", { name: "Copied" }).waitFor();
  await window.getByRole("button", { name: "Done" }).click();
  const search = page.getByRole("textbox", { name: "Search by name" });
  await search.focus();
  await page.keyboard.press("ControlOrMeta+V");
  await expect.poll(() => search.inputValue()).toBe(token);
  await search.fill("");

  const row = page.getByRole("row", { name: /Importer/ });
  expect(await page.getByText(token).count()).toBe(0);
  await row.getByRole("button", { name: "Revoke Importer" }).click();
  const question = page.getByRole("dialog", { name: "Revoke Importer?" });
  await question.getByText("Programs that use this token are refused.").waitFor();
  await question.getByRole("button", { name: "Revoke", exact: true }).click();
  await row.getByText("revoked").waitFor();
  expect((await it.app.sendAs(token)("GET", "/api/v1/agents/")).status).toBe(401);
});

test("on a screen 1280 px wide every token can be revoked without scrolling sideways", async () => {
  const page = await it.open(await it.person("Admin"), { viewport: { width: 1280, height: 800 } });
  await page.goto("/console/api-tokens");
  await page
    .getByRole("button", { name: /^Revoke / })
    .first()
    .waitFor();
  const list = page.getByRole("region", { name: "API tokens" });
  expect(await list.evaluate((frame) => frame.scrollWidth - frame.clientWidth)).toBe(0);
});

test("a provider's key is set, tried out, and never shown again", async () => {
  const provider = await createPeer();
  provider.respond((request, response) => {
    const isGood = request.headers.authorization === "Bearer sk-good";
    response.writeHead(isGood ? 200 : 401, { "content-type": "application/json" });
    response.end("{}");
  });
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/models");
  const panel = page
    .locator("section", { has: page.getByRole("heading", { name: "OpenAI", exact: true }) })
    .last();
  const save = async (key: string) => {
    await panel.getByRole("textbox", { name: "API key" }).fill(key);
    await panel.getByLabel("Address").fill(provider.url);
    await panel.getByRole("button", { name: "Review and save" }).click();
    await page.getByRole("dialog").getByText("a new secret").waitFor();
    expect(await page.getByRole("dialog").getByText(key).count()).toBe(0);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await panel.getByText("key of this organization").waitFor();
    await panel.getByRole("button", { name: "Test the key" }).click();
  };
  await save("sk-wrong");
  await panel.getByText("refuses the key (401)").waitFor();
  await save("sk-good");
  await panel.getByText("answered 200").waitFor();
  expect(await page.content()).not.toContain("sk-good");
  await panel.getByRole("button", { name: "Remove key" }).click();
  const question = page.getByRole("dialog", { name: "Remove the key for OpenAI?" });
  await question.getByText("The installation's key is used instead.").waitFor();
  await question.getByRole("button", { name: "Remove key" }).click();
  await panel.getByText("no key").waitFor();
  expect(page.faults).toEqual([]);
});

test("who sets a key after somebody else has set one is told, though neither is shown", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/models");
  const panel = page
    .locator("section", { has: page.getByRole("heading", { name: "Google", exact: true }) })
    .last();
  await panel.getByRole("textbox", { name: "API key" }).fill("mine");
  const theirs = await it.app.send("PUT", "/api/v1/llm_providers/google", { api_key: "theirs" });
  expect(theirs.status).toBe(200);
  await panel.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("changed this record").waitFor();
  await review.getByText("Last set").waitFor();
  await expect.poll(() => review.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  await review.getByRole("button", { name: "Merge their changes" }).click();
  await review.waitFor({ state: "detached" });
  await panel.getByRole("button", { name: "Review and save" }).click();
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
  expect(page.faults).toEqual([]);
});

test("a logo that was discarded is not sent with the next save", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");
  await page.getByRole("textbox", { name: "Name", exact: true }).waitFor();
  const logo = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from("no picture at all") };
  await page.locator('input[type="file"]').setInputFiles(logo);
  await page.getByText("logo.png").waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByText("logo.png").waitFor({ state: "detached" });
  await page.getByLabel("Description").fill("Teeth and more");
  await saveReviewed(page);
  const stored = await it.app.send("GET", "/api/v1/organizations/");
  expect(stored.body.description).toBe("Teeth and more");
  expect(page.faults).toEqual([]);
});

test("what agents announce is taken from a prepared row, refused at its place while it is wrong, and kept", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");
  await page.getByRole("combobox", { name: "Add prepared row" }).click();
  await page.getByRole("combobox", { name: "Add prepared row" }).fill("Penal Code");
  await page.getByRole("option", { name: /US-CA: recording/ }).click();
  await page.getByText(/§ 632.7 covers mobile and cordless calls/).waitFor();
  // Whoever adds a row has not read its source yet.
  const read_on = page.getByLabel("Date on which the source of announcement 1 was read");
  expect(await read_on.inputValue()).toBe("");
  await page.getByLabel("Texts of announcement 1").fill("This call is recorded.");
  await saveReviewed(page);
  await page.getByText(/Write a language as its BCP 47 tag/).waitFor();
  const texts = page.getByLabel("Texts of announcement 1");
  await texts.fill("en: This call is recorded.\nen: It is kept.");
  await page.getByRole("button", { name: "Review and save", disabled: false }).click();
  await expect
    .poll(() =>
      texts.evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage),
    )
    .toMatch(/one text for en/);
  await texts.fill("en: This call is recorded.\n  It is kept.\nes: Esta llamada se graba.");
  await read_on.fill("2026-11-27");
  await saveReviewed(page);
  await page.getByText("Announcements saved").last().waitFor();
  const { body } = await it.app.send("GET", "/api/v1/organizations/announcements");
  expect(body.rows).toMatchObject([
    {
      kind: "recording",
      jurisdiction: "US-CA",
      channels: ["call"],
      default_language: "en",
      texts: { en: "This call is recorded.\nIt is kept.", es: "Esta llamada se graba." },
      checked_on: "2026-11-27",
    },
  ]);
  expect(page.faults).toEqual([]);
});

test("contact rules are turned on, a rule that leaves no minute open is refused at its row, and the mended one is kept", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");
  const clock = page.getByRole("switch", { name: /Each person's own clock/ });
  await clock.uncheck();
  await saveReviewed(page);
  await clock.check();
  await page.getByRole("button", { name: "Add hours" }).click();
  await page.getByLabel("Jurisdiction of contact hours 3").fill("us-fl");
  await page.getByLabel("End of contact hours 3").fill("08:30");
  await page.getByRole("combobox", { name: "Purpose of contact hours 3" }).click();
  await page.getByRole("option", { name: "Marketing" }).click();
  await page.getByRole("button", { name: "Add holiday" }).click();
  await page.getByLabel("Date of holiday 1").fill("2026-02-30");
  await page.getByLabel("Name of holiday 1").fill("Christmas Day");
  await page.getByRole("button", { name: "Add cap" }).click();
  await saveReviewed(page);
  await page.getByText("Enter a date that exists, as YYYY-MM-DD").waitFor();
  await page.getByLabel("Date of holiday 1").fill("2026-12-25");
  await saveReviewed(page);
  await page.getByText("The end must be after the start: the rule leaves no minute open").waitFor();
  await page.getByLabel("End of contact hours 3").fill("20:00");
  await saveReviewed(page);
  await page.getByText("Contact rules saved").last().waitFor();
  const { body } = await it.app.send("GET", "/api/v1/outbound/rules");
  expect(body).toMatchObject({
    person_clock: true,
    caps: [{ attempts: 3 }, { channel: "call", attempts: 1, days: 1 }],
  });
  expect(body.contact_hours[2]).toMatchObject({
    jurisdiction: "US-FL",
    purpose: "marketing",
    from: "09:00",
    to: "20:00",
  });
  expect(body.holidays).toMatchObject([
    { jurisdiction: "US", date: "2026-12-25", name: "Christmas Day", purpose: null },
  ]);
  expect(page.faults).toEqual([]);
});

test("no page of Settings is out of sight: on a small laptop its tabs take two lines, on a phone the open one is in view", async () => {
  const page = await it.open(await it.person("Admin"), { viewport: { width: 1024, height: 700 } });
  await page.goto("/console/webhook-inboxes");
  const tabs = page.getByRole("navigation", { name: "Pages of Settings" });
  const hidden = () => tabs.evaluate((strip) => strip.scrollWidth - strip.clientWidth);
  await tabs.waitFor();
  expect(await hidden()).toBe(0);
  await page.setViewportSize({ width: 360, height: 700 });
  await page.reload();
  await tabs.waitFor();
  expect(await hidden()).toBeGreaterThan(0);
  const open = await tabs.locator("[aria-current]").boundingBox();
  expect(open?.x).toBeGreaterThanOrEqual(0);
  expect((open?.x ?? 0) + (open?.width ?? 0)).toBeLessThanOrEqual(360);
  expect(page.faults).toEqual([]);
});
