import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { createOutbound, request } from "../harness/batch.ts";
import { type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { createTestDialer } from "../harness/dialer.ts";
import { insertOutput, insertSession } from "../harness/rows.ts";

const HOUR_ms = 3_600_000;

let it: ConsoleTest;
let page: ConsolePage;
let campaign_id: number;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
beforeAll(async () => {
  it = await createConsoleTest();
  outbound = await createOutbound(it.app);
  const closed = Array.from({ length: 25 }, (_, index) => [
    `2026-${index < 20 ? "01" : "12"}-${String((index % 20) + 1).padStart(2, "0")}`,
    { active: false },
  ]);
  const campaign = await outbound.createCampaign({
    active_days: ["mon", "tue", "wed", "thu", "fri"],
    outreach_override_rules: { dates: Object.fromEntries(closed) },
  });
  campaign_id = campaign.id;
  await outbound.createBatch({ campaign_id, batch_id: "20261118.1" });
  await outbound.add("20261118.1", [request("P1", "+15125550101")]);
  const dialer = createTestDialer(it.app, () => ({ tells: ["NO-ANSWER"] }));
  it.app.clock.advance(4 * HOUR_ms);
  await dialer.pass(1, 10_000);
  await outbound.add("20261118.1", [request("P2", "+15125550102")]);
  it.app.clock.advance(24 * HOUR_ms);
  page = await it.open(await it.person("Admin"), { viewport: { width: 1400, height: 1000 } });
  // Calendars begin with the day on which the program's clock stands.
  await page.clock.setFixedTime(it.app.clock.now());
});

const settings = () => page.goto(`/console/campaigns/${campaign_id}?view=settings`);

test("an exception that is begun or looked for from the calendar is shown, however many dates go before it", async () => {
  await settings();
  const row = (date: string) => page.getByRole("group", { name: date, exact: true });
  await row("2026-01-20").waitFor();
  expect(await row("2026-12-03").count()).toBe(0);
  await page.getByRole("radiogroup", { name: "Week or month" }).getByText("Month").click();
  await page.getByRole("button", { name: "Next month" }).click();
  await page.getByRole("button", { name: /^3 December 2026/ }).click();
  await page.getByRole("button", { name: "Edit exception" }).click();
  await row("2026-12-03").waitFor();
  await page.getByRole("button", { name: /^24 December 2026/ }).click();
  await page.getByRole("button", { name: "Add exception" }).click();
  await row("2026-12-24").waitFor();
  await row("2026-12-24").getByRole("combobox").and(page.locator(":focus")).waitFor();
  await page.getByLabel("Date exception").fill("2026-12-26");
  await page.getByRole("button", { name: "Add the date" }).click();
  await row("2026-12-26").waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
});

test("a batch with half of a date is not made, for it would never expire, and its year has four digits", async () => {
  await page.goto(`/console/campaigns/${campaign_id}?view=batches`);
  await page.getByRole("button", { name: "New batch" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("20261118.half");
  const expires = dialog.getByLabel(/^Expires/);
  for (const half of ["2026-12-24", "02026-12-24 18:00", "2026-02-30 18:00"]) {
    await expires.fill(half);
    await dialog.getByRole("button", { name: "Create" }).click();
    await expires.and(page.locator(":focus")).waitFor();
    const said = await expires.evaluate((field: { validationMessage?: string }) => field.validationMessage);
    expect(said).toContain("HH:MM");
  }
  await expires.fill("2026-12-24 18:00");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "20261118.half" }).waitFor();
  const { body } = await it.app.send("GET", "/api/v1/outbound/batches/20261118.half");
  expect(new Date(body.expires_on).toISOString()).toBe("2026-12-24T17:00:00.000Z");
});

test("what happened on an earlier day is shown with its day", async () => {
  await page.goto(`/console/campaigns/${campaign_id}`);
  const latest = page.getByRole("region", { name: "Recent activity" });
  await latest.getByRole("row", { name: /^18 Nov 2026, 17:0\d P1 / }).waitFor();
  // Days of the campaign, whose clock is not the one that the page shows.
  await page.getByText(/19 Nov 2026 in America\/New_York: 0 new people/).waitFor();
});

test("a finding goes when what it was found in is changed", async () => {
  await settings();
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByLabel("URL of webhook 1").fill("http://plain.example");
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  const finding = page.getByText("Enter a URL that starts with https://");
  await finding.waitFor();
  await page.getByLabel("URL of webhook 1").fill("https://hooks.example");
  await finding.waitFor({ state: "detached" });
});

test("a campaign that may not be deleted says so, and nothing else is asked", async () => {
  await settings();
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Its batches are deleted, too").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByText("20261118.1").waitFor();
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("a list whose country code is wrong says that, not that a row is", async () => {
  await page.goto("/console/suppressions");
  await page.getByRole("button", { name: "Import CSV" }).click();
  const dialog = page.getByRole("dialog");
  const rows = Array.from({ length: 60 }, (_, index) => `nobody ${index}`).join("\n");
  const list = { name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(`address\n${rows}\n`) };
  await dialog.locator('input[type="file"]').setInputFiles(list);
  await dialog.getByLabel("Default country code").fill("0");
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText("Calling code").waitFor();
  await dialog.getByLabel("Default country code").fill("1");
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText("Row 2, column address").waitFor();
  await dialog.getByText("There are more errors.").waitFor();
});

test("a forecast is of what the form says: nothing beyond its bounds is typed, and what is empty is not guessed", async () => {
  await page.goto(`/console/campaigns/${campaign_id}?view=forecast`);
  const [answers, days] = [page.getByLabel("Answer rate"), page.getByRole("textbox", { name: "Days" })];
  await answers.fill("");
  await answers.pressSequentially("250");
  await expect.poll(() => answers.inputValue()).toBe("25 %");
  await days.fill("");
  const asked: string[] = [];
  page.on("request", (each) => each.url().endsWith("/forecast") && asked.push(each.postData() ?? ""));
  await page.getByRole("button", { name: "Forecast" }).click();
  await days.and(page.locator(":focus")).waitFor();
  await days.pressSequentially("7");
  await page.getByRole("button", { name: "Forecast" }).click();
  await expect.poll(() => asked).toEqual([JSON.stringify({ answer_rate: 0.25, days: 7, requests: null })]);
});

test("a board that has not all batches says so", async () => {
  await page.goto(`/console/campaigns/${campaign_id}`);
  const now = page.getByRole("link", { name: "20261118.1" });
  await now.waitFor();
  const all = page.getByRole("link", { name: "all batches" });
  expect(await all.count()).toBe(0);
  for (let number = 1; number <= 50; number += 1) {
    const batch_id = `20261119.${number}`;
    await it.app.send("POST", "/api/v1/outbound/batches", { batch_id, campaign_id, paused: true });
  }
  await now.waitFor({ state: "detached" });
  await all.click();
  await page.waitForURL("**?view=batches");
});

test("a campaign without an address to reach people from says so in its form until that is mended", async () => {
  const silent = await outbound.createCampaign({ source: null, caller_id: null });
  await page.goto(`/console/campaigns/${silent.id}?view=settings`);
  await page.getByText("Without one, no one is contacted").waitFor();
  const from = page.getByRole("combobox", { name: "From" }).or(page.getByLabel("From", { exact: true }));
  await expect.poll(() => from.first().getAttribute("aria-invalid")).toBe("true");
  expect(await page.getByText("$.source").count()).toBe(0);
  await settings();
  await page.getByRole("button", { name: "Add webhook" }).waitFor();
  expect(await page.getByText("Without one, no one is contacted").count()).toBe(0);
});

test("the results of a batch are downloaded as CSV, as they are filtered", async () => {
  await page.goto("/console/batches/20261118.1?reference=P2");
  await page.getByRole("link", { name: "P2", exact: true }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("20261118.1 results.csv");
  const [header, row, ...others] = (await readFile(await download.path(), "utf8")).split("\r\n");
  expect(header).toContain("reference_id,target,request_status");
  expect(row).toContain("P2,+15125550102,PENDING");
  expect(others).toEqual([""]);
});

test("what the offline model made up about a person is marked on the person's page", async () => {
  const session_id = await insertSession(it.app);
  await it.app.db.updateTable("requests").set({ session_id }).where("reference_id", "=", "P2").execute();
  await insertOutput(it.app, session_id, "rating", { string_value: "Good" });
  await page.goto("/console/batches/20261118.1/requests/P2");
  await page.getByText("Good", { exact: true }).waitFor();
  expect(await page.getByText("offline model").count()).toBe(0);
  await it.app.db
    .updateTable("insight_outputs")
    .set({ model: "scripted" })
    .where("session_id", "=", session_id)
    .execute();
  await page.reload();
  await page.getByText("offline model").waitFor();
});

test("a number that is cleared and typed anew is the one that was typed, and one that is only cleared is shown again", async () => {
  await settings();
  for (const name of ["Attempts per hour", "Retries"]) {
    const field = page.getByRole("textbox", { name, exact: true });
    const clear = async () => {
      await field.press("Control+a");
      await field.press("Backspace");
    };
    await clear();
    await field.pressSequentially("45");
    expect(await field.inputValue()).toBe("45");
    await clear();
    await field.press("Tab");
    await expect.poll(() => field.inputValue()).toBe("45");
  }
  await page.getByRole("button", { name: "Discard changes" }).click();
  expect(page.faults).toEqual([]);
});

test("a key in a field of a long form draws that field's part of it anew, and not the form", async () => {
  const own = await it.open(await it.person("Admin"));
  await own.context().addInitScript(countComponents);
  for (const [address, field, most] of [
    [`/console/campaigns/${campaign_id}?view=settings`, "Name", 400],
    ["/console/agents/1", "Name", 200],
    ["/console/prompts/1", "Name", 200],
    ["/console/tools/visit_workflow", "Goal", 300],
  ] as const) {
    await own.goto(address);
    const name = own.getByRole("textbox", { name: field, exact: true });
    await name.press("End");
    await name.pressSequentially("ab");
    expect(await own.evaluate("drawn.splice(0).at(0)"), address).toBeGreaterThan(0);
    await name.press("c");
    expect(Math.max(...(await own.evaluate<number[]>("drawn")))).toBeLessThan(most);
  }
  expect(own.faults).toEqual([]);
});

/** Keeps in `drawn` how many components each commit of React's drew, by what it tells developers' tools. */
const countComponents = `{
  const PERFORMED = 1, COMPONENTS = [0, 1, 11, 14, 15];
  const count = (first) => {
    let found = 0;
    for (let at = first; at; at = at.sibling) {
      if (COMPONENTS.includes(at.tag) && (at.flags & PERFORMED || !at.alternate)) found++;
      if (!at.alternate || at.child !== at.alternate.child) found += count(at.child);
    }
    return found;
  };
  globalThis.drawn = [];
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberUnmount() {},
    onPostCommitFiberRoot() {},
    onCommitFiberRoot: (_, root) => drawn.push(count(root.current)),
  };
}`;
