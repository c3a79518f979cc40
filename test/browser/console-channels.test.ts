import { beforeAll, expect, test } from "vitest";
import { Scenario } from "../../src/simulator/people.ts";
import { type ConsolePage, type ConsoleTest, createConsoleTest, saveReviewed } from "../harness/console.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">{{constructor}}`;

let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest({}, { simulation: { scenario: Scenario.parse({}), speed: 400 } });
  page = await it.open(await it.person("Admin"), { viewport: { width: 1300, height: 1000 } });
});

test("a telephone channel is made without an account, and says that a simulator stands in", async () => {
  await page.goto("/console/channels/new");
  await page.getByLabel("Name").fill(HOSTILE);
  await page.getByLabel("Reprompt after silence").fill("12");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("Enter 10 or less.").waitFor();
  await page.getByLabel("Reprompt after silence").fill("3");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
  await page.getByText("Simulated: no one is contacted").waitFor();
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(page.faults).toEqual([]);
});

test("its account is written, shown by its last four characters, and kept by a save that does not touch it", async () => {
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByLabel("Name").fill("Front desk");
  await page.getByLabel("Account SID").fill(`AC${"0".repeat(28)}1234`);
  await page.getByLabel("Auth token", { exact: true }).fill("very-secret");
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog");
  await review.getByText("a new secret").first().waitFor();
  expect(await review.innerText()).not.toContain("very-secret");
  await review.getByRole("button", { name: "Save" }).click();
  await page.getByText(/Stored, ends with 1234/).waitFor();
  expect(await page.content()).not.toContain("very-secret");

  await page.getByLabel("Reprompt after silence").fill("2");
  await saveReviewed(page);
  const { body } = await it.app.send(
    "GET",
    "/api/v1/channels/?search_fields=name&search_field_values=Front desk",
  );
  expect(body.items[0].config).toMatchObject({
    credentials: { account_sid_last_four: "1234" },
    telephony: { pre_input_timeout: 2, output_padding: null },
  });
  expect(page.faults).toEqual([]);
});

test("a simulated number is rented, connected to an agent, moved to another one, merged with what a colleague changed meanwhile, disconnected and given back", async () => {
  const made = await it.app.send("POST", "/api/v1/channels/", {
    name: "Simulated telephone",
    channel_service: "twilio",
    config: {},
  });
  await page.goto(`/console/channels/${made.body.id}?view=numbers`);
  await page.getByRole("button", { name: "Rent a number" }).first().click();
  await page.getByLabel("Area code").fill("51");
  await page.getByRole("button", { name: "Rent", exact: true }).click();
  await page.getByText(/area code of three digits/).waitFor();
  await page.getByLabel("Area code").fill("512");
  await page.getByRole("button", { name: "Rent", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const number = await page
    .getByRole("cell", { name: /^\+1512/ })
    .first()
    .innerText();

  await page.getByRole("tab", { name: "Addresses" }).click();
  await page.getByRole("button", { name: "Connect agent" }).first().click();
  const link = page.getByRole("dialog");
  await link.getByRole("combobox", { name: "Agent" }).click();
  await page.getByRole("option", { name: "Demo clinic" }).click();
  await link.getByLabel("Address").fill("+15550000000");
  await link.getByRole("button", { name: "Connect", exact: true }).click();
  await link.getByText(/is not an address of channel/).waitFor();
  await link.getByLabel("Address").fill(number);
  await link.getByLabel("Fallback number").fill("+15125550000");
  await link.getByRole("switch").check();
  await link.getByRole("button", { name: "Connect", exact: true }).click();
  const row = page.getByRole("row", { name: new RegExp(number.replace("+", "\\+")) });
  await row.getByRole("link", { name: "Demo clinic" }).waitFor();

  await row.getByRole("button", { name: `Change ${number}` }).click();
  await link.getByRole("combobox", { name: "Agent" }).click();
  await page.getByRole("option", { name: "Demo reminder" }).click();
  await link.getByRole("button", { name: "Save" }).click();
  await row.getByRole("link", { name: "Demo reminder" }).waitFor();
  const { body } = await it.app.send(
    "GET",
    `/api/v1/channels/targets?search_fields=channel_id&search_field_values=${made.body.id}`,
  );
  expect(body.items).toMatchObject([
    { target: number, target_mode: "voice", fallback_target: "+15125550000", is_test: true },
  ]);

  // Somebody else changes it while it is being changed here.
  await row.getByRole("button", { name: `Change ${number}` }).click();
  await link.getByLabel("Fallback number").fill("+15125550001");
  it.app.clock.advance(1_000);
  const [{ id, agent_id, target, target_mode }] = body.items;
  const theirs = { id, agent_id: 1, target, target_mode, channel_id: made.body.id, is_test: false };
  const fallback_target = "+15125550000";
  expect(agent_id).not.toBe(1);
  await it.app.send("PUT", `/api/v1/channels/${made.body.id}/targets/${id}`, { ...theirs, fallback_target });
  await link.getByRole("button", { name: "Save" }).click();
  await link.getByText("You, in another window, changed this record").waitFor();
  await link.getByText("Mark as test").first().waitFor();
  await link.getByRole("button", { name: "Merge their changes" }).press("Enter");
  await expect.poll(() => link.getByRole("combobox", { name: "Agent" }).inputValue()).toBe("Demo clinic");
  expect(await link.getByLabel("Fallback number").inputValue()).toBe("+15125550001");
  await link.getByRole("button", { name: "Save" }).click();
  await link.waitFor({ state: "detached" });
  await row.getByText("live").waitFor();
  await row.getByText("+15125550001").waitFor();
  await row.getByRole("link", { name: "Demo clinic" }).waitFor();

  await row.getByRole("button", { name: `Disconnect ${number}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("No addresses yet").waitFor();

  await page.getByRole("tab", { name: "Numbers" }).click();
  await page.getByRole("button", { name: `Give back ${number}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Give back" }).click();
  await page.getByRole("cell", { name: number, exact: true }).waitFor({ state: "detached" });
  expect(page.faults).toEqual([]);
});

test("the key with which a site signs its visitors is shown once, and stays until it is put away: Escape and a click beside it close nothing", async () => {
  const { body } = await it.app.send(
    "GET",
    "/api/v1/channels/targets?search_fields=target_mode&search_field_values=chat",
  );
  const [{ channel_id, target }] = body.items;
  await page.goto(`/console/channels/${channel_id}?view=addresses`);
  await page.getByRole("button", { name: `Change ${target}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const key = dialog.getByRole("region", { name: "Identity key" });
  await key.waitFor();
  await page.keyboard.press("Escape");
  await page.mouse.click(4, 600);
  await page.evaluate("new Promise((done) => setTimeout(done, 300))");
  await key.waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(page.faults).toEqual([]);
});

test("a chat page that was connected while calls from it could not be turned on has them after a second press", async () => {
  const { body } = await it.app.send(
    "GET",
    "/api/v1/channels/targets?search_fields=target_mode&search_field_values=chat",
  );
  const [{ channel_id, agent }] = body.items;
  await page.goto(`/console/channels/${channel_id}?view=addresses`);
  await page.getByRole("button", { name: "Connect agent" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Agent" }).click();
  await page.getByRole("option", { name: agent.name, exact: true }).click();
  await dialog.getByLabel("Address").fill("second-desk");
  await dialog.getByLabel("Calls from the page").click();
  let refused = 0;
  await page.route("**/browser_calls", (route) =>
    refused++ === 0
      ? route.fulfill({ status: 503, json: { detail: "Database unavailable" } })
      : route.continue(),
  );
  const connect = dialog.getByRole("button", { name: "Connect", exact: true });
  await connect.click();
  await dialog.getByRole("alert").waitFor();
  await connect.click();
  await dialog.waitFor({ state: "detached" });
  await page.unroute("**/browser_calls");
  const { body: made } = await it.app.send(
    "GET",
    "/api/v1/channels/targets?search_fields=target&search_field_values=second-desk",
  );
  expect(made.items).toMatchObject([{ target: "second-desk", browser_calls: true }]);
});

test("somebody who may only read sees no way to change a channel", async () => {
  const viewer = await it.open(await it.person("Viewer"));
  await viewer.goto("/console/channels/1");
  await viewer.getByRole("link", { name: "demo-clinic" }).waitFor();
  expect(await viewer.getByRole("button", { name: /Connect|Change|Disconnect|Release/ }).count()).toBe(0);
  await viewer.getByRole("tab", { name: "Settings" }).click();
  expect(await viewer.getByLabel("Name").isEditable()).toBe(false);
});

test("the operator assigns a number to an organization, gives it to another and releases it", async () => {
  const neighbour = await it.app.createNeighbour();
  const organization_id = neighbour.caller.organization_id;
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/channels?view=numbers");
  await page.getByText("No numbers assigned").waitFor();
  await page.getByRole("button", { name: "Assign a number" }).first().click();
  const window = page.getByRole("dialog", { name: "Assign a number" });
  await window.getByLabel("Number").fill("+1 512 555 0042");
  await window.getByRole("combobox", { name: "Organization" }).click();
  await page.getByRole("option", { name: new RegExp(`\\(${organization_id}\\)`) }).click();
  await window.getByRole("button", { name: "Assign" }).click();
  const row = page.getByRole("row", { name: /\+15125550042/ });
  await row.getByText(`(${organization_id})`).waitFor();
  const { items } = (await neighbour.send("GET", "/api/v1/number_owners/")).body;
  expect(items).toMatchObject([{ number: "+15125550042", organization_id }]);

  await row.getByRole("button", { name: "Reassign +15125550042" }).click();
  const again = page.getByRole("dialog", { name: "Reassign +15125550042" });
  await again.getByRole("combobox", { name: "Organization" }).click();
  await page.getByRole("option", { name: /\(1\)/ }).click();
  await again.getByRole("button", { name: "Assign" }).click();
  await row.getByText("(1)").waitFor();
  expect((await neighbour.send("GET", "/api/v1/number_owners/")).body.items).toEqual([]);

  await row.getByRole("button", { name: "Release +15125550042" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
  await page.getByText("No numbers assigned").waitFor();
  expect(page.faults).toEqual([]);
});

test("a new channel and a new insight workflow are offered nothing that no code runs; one that the API stored is shown as it is", async () => {
  const offered = async (place: string, field: string) => {
    await page.goto(place);
    await page.getByRole("combobox", { name: field }).click();
    return page.getByRole("option").allInnerTexts();
  };
  expect(await offered("/console/channels/new", "Service")).toEqual([
    "Twilio",
    "WhatsApp",
    "E-mail",
    "Web chat",
    "SIP",
  ]);
  expect(await offered("/console/insights/workflows/new", "Data")).toEqual([
    "sessions",
    "transferred calls",
    "recordings",
    "by hand only",
  ]);

  const made = await it.app.send("POST", "/api/v1/insights/workflows", {
    name: "Rows",
    source: "sheet",
    description: "",
    insight_tool_ids: [],
    conditions: { sheet_info: { sheet_id: "7" } },
  });
  await page.goto(`/console/insights/workflows/${made.body.id}?view=settings`);
  await page.getByText("it can't be activated").waitFor();
  expect(await page.getByRole("combobox", { name: "Data" }).inputValue()).toBe("a sheet");
  expect(page.faults).toEqual([]);
});
