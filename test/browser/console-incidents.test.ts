import { beforeAll, expect, test } from "vitest";
import {
  axeFindings,
  type ConsolePage,
  type ConsoleTest,
  createConsoleTest,
  saveReviewed,
  settled,
} from "../harness/console.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">{{constructor}}`;

let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  page = await it.open(await it.person("Admin"));
  // Until when it lasts is told by the clock of the device.
  await page.clock.setFixedTime("2026-11-20T12:00:00Z");
});

const incidents = async () => (await it.app.send("GET", "/api/v1/incidents/")).body.items;

test("an incident is written by keyboard alone, and what is wrong with it stands at its field", async () => {
  await page.goto("/console/incidents");
  await page.getByText("No incidents", { exact: true }).waitFor();
  await page.getByRole("link", { name: "New incident" }).first().press("Enter");
  await page.getByRole("heading", { level: 1, name: "New incident" }).waitFor();
  await page.getByRole("textbox", { name: "Description" }).focus();
  await page.keyboard.insertText(HOSTILE);
  await page.keyboard.press("Enter");
  const from = page.getByLabel(/^From/);
  await expect.poll(() => from.getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => from.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
  expect(await incidents()).toEqual([]);

  await from.fill("2026-11-20 11:00");
  await page.getByLabel(/^Until/).fill("2026-11-21 09:00");
  await page
    .getByRole("combobox", { name: "Impact" })
    .or(page.getByRole("textbox", { name: "Impact" }))
    .first()
    .focus();
  await page.keyboard.type("Cri");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByLabel("Affected sessions").fill("1200");
  await page
    .getByRole("textbox", { name: "Report" })
    .fill(`A carrier hangs up.\n${HOSTILE} https://status.example.com.`);
  await page.getByRole("button", { name: "Create" }).press("Enter");
  await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
  expect(await incidents()).toMatchObject([
    {
      description: HOSTILE,
      impact_category: "Critical",
      // Europe/Berlin
      start_datetime: "2026-11-20T10:00:00+00:00",
      resolution_datetime: "2026-11-21T08:00:00+00:00",
      sessions_impacted: 1200,
      organization_id: null,
      sub_organization_id: null,
    },
  ]);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("everybody is told of it on the home page while it lasts, and who only reads can change nothing", async () => {
  const viewer = await it.open(await it.person("Viewer"));
  await viewer.clock.setFixedTime("2026-11-20T12:00:00Z");
  await viewer.goto("/console/");
  await viewer.getByRole("link", { name: HOSTILE }).click();
  await viewer.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
  await viewer.getByText("under way").waitFor();
  await viewer.getByText("A carrier hangs up.").waitFor();
  const link = viewer.getByRole("link", { name: "https://status.example.com" });
  await expect.poll(() => link.getAttribute("href")).toBe("https://status.example.com");
  await settled(viewer);
  expect(await viewer.locator("#main").getByRole("button").count()).toBe(0);
  await viewer.getByRole("navigation").getByRole("link", { name: "Incidents" }).click();
  await viewer.getByRole("row", { name: /Critical/ }).waitFor();
  expect(await viewer.getByRole("link", { name: "New incident" }).count()).toBe(0);
  expect(await axeFindings(viewer)).toEqual([]);
  expect(viewer.faults).toEqual([]);
});

test("it is told to one organization only, ended with a click, and leaves the home page", async () => {
  const [{ id }] = await incidents();
  await page.goto(`/console/incidents/${id}`);
  await page.getByRole("combobox", { name: "Audience", exact: true }).click();
  await page.getByRole("option", { name: /Demo clinic/ }).click();
  await page.getByLabel("Sub-organization").fill("999");
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Sub-organization with ID 999 not found").waitFor();
  await page.getByLabel("Sub-organization").fill("");
  await saveReviewed(page);
  expect(await incidents()).toMatchObject([{ organization_id: it.app.admin.organization_id }]);

  await page.getByRole("button", { name: "Resolve" }).click();
  await page
    .getByRole("dialog", { name: "Resolve this incident?" })
    .getByRole("button", { name: "Resolve" })
    .click();
  await page.getByText("Resolved", { exact: true }).waitFor();
  expect(await incidents()).toMatchObject([
    {
      resolution_datetime: "2026-11-20T12:00:00+00:00",
      organization_id: it.app.admin.organization_id,
      sessions_impacted: 1200,
    },
  ]);
  await page.getByRole("link", { name: "Parley" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await settled(page);
  await expect.poll(() => page.getByRole("link", { name: HOSTILE }).count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("it is deleted with a reason, and the list teaches again what it is for", async () => {
  const [{ id }] = await incidents();
  await page.goto(`/console/incidents/${id}`);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByLabel("Reason").fill("Written by mistake");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
  await page.getByText("No incidents", { exact: true }).waitFor();
  expect(page.faults).toEqual([]);
});
