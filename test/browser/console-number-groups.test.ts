import { beforeAll, expect, test } from "vitest";
import {
  axeFindings,
  type ConsoleTest,
  createConsoleTest,
  expectNoSidewaysScroll,
} from "../harness/console.ts";
import { createTestDialer } from "../harness/dialer.ts";
import { createDialing, type Dialing } from "../harness/dialing.ts";
import { createNumbers } from "../harness/number-group.ts";

let it: ConsoleTest;
let dialing: Dialing;
beforeAll(async () => {
  it = await createConsoleTest();
  dialing = await createDialing(it.app);
});

test("an operator groups numbers, has a campaign send from them, and sees each number's use and rest on one page", async () => {
  const { app } = it;
  await createNumbers(app, ["+15127770001", "+12147770002"]);
  const people = ["+15125559001", "+15125559002", "+12145559003"];
  const { campaign_id, batch_id } = await dialing.filled(people, {
    campaign_name: "Recall",
    hourly_rate: 3600,
    retry_count: 0,
  });
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/number-groups");
  await page.getByRole("link", { name: "New number group" }).first().click();
  await page.getByRole("heading", { level: 1, name: "New number group" }).waitFor();
  await page.getByLabel("Name").fill("Texas");
  for (const number of ["+15127770001", "+12147770002"]) {
    await page.getByRole("combobox", { name: "Numbers" }).fill(number);
    await page.getByRole("option", { name: number }).click();
  }
  await page.keyboard.press("Escape");
  await page.getByLabel("Daily cap").fill("1");
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Texas" }).waitFor();

  await page.goto(`/console/campaigns/${campaign_id}?view=settings`);
  await page.getByRole("combobox", { name: "Number group" }).click();
  await page.getByRole("option", { name: "Texas" }).click();
  await page.getByRole("button", { name: "Review the number group" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("Number group saved").waitFor();

  await createTestDialer(app, () => ({ tells: ["COMPLETED"] })).pass(0.1, 1_000);
  await page.getByRole("link", { name: "See its numbers" }).click();
  const numbers = page.getByRole("region", { name: "Numbers of the group" });
  await numbers.getByRole("row", { name: /\+15127770001.*Cap reached.*1 of 1.*100 %/ }).waitFor();
  await numbers.getByRole("button", { name: "Rest 24 h, +12147770002" }).click();
  await page.getByText("+12147770002 rests for 24 hours").waitFor();
  await numbers.getByRole("row", { name: /\+12147770002.*Resting/ }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await numbers.getByRole("button", { name: "End rest of +12147770002" }).click();
  await page.getByText("+12147770002 is used again").waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page);
  expect(await axeFindings(page)).toEqual([]);

  await page.goto(`/console/batches/${batch_id}/requests/p2`);
  await page.getByText(/no number of the group Texas is free/).waitFor();
  await page.goto(`/console/batches/${batch_id}/requests/p0`);
  await page.getByText(/^From \+15127770001 of the group Texas: the area code/).waitFor();
  await expectNoSidewaysScroll(page);
  expect(page.faults).toEqual([]);
});
