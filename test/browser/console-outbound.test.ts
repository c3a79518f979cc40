import { beforeAll, expect, test } from "vitest";
import { START } from "../harness/app.ts";
import {
  axeFindings,
  type ConsolePage,
  type ConsoleTest,
  createConsoleTest,
  saveReviewed,
} from "../harness/console.ts";
import { createTestDialer } from "../harness/dialer.ts";
import { deliver } from "../harness/outbound-pages.ts";
import { createSender } from "../harness/sender.ts";

const HOSTILE = `<img src=x onerror="window.hit=1">"'`;
const SOURCE = "+19032900844";

let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  await createSender(it.app, it.app.admin, { target: SOURCE });
  page = await it.open(await it.person("Admin"), { viewport: { width: 1400, height: 1000 } });
  // Calendars begin with the day on which the program's clock stands.
  await page.clock.setFixedTime(START);
});

const answer = async (path: string) => (await it.app.send("GET", path)).body;
const campaign = async () =>
  (await answer("/api/v1/outbound/campaigns?order_by=id&order_by_direction=desc")).items[0];
const csv = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

test("a campaign is made beside the calendar that shows what its hours come to, and an exception is made from a day", async () => {
  await page.goto("/console/campaigns");
  await page.getByRole("link", { name: "New campaign" }).first().click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(HOSTILE);
  for (const label of ["From", "Caller ID"]) {
    await page
      .getByRole("textbox", { name: label })
      .or(page.getByRole("combobox", { name: label }))
      .first()
      .fill(SOURCE);
  }
  const hours = page.locator('input[type="time"]');
  await hours.nth(0).fill("06:00");
  await hours.nth(1).fill("18:00");
  await page.getByLabel("Attempts per hour").fill("600");
  await page.getByText("On the clock of America/New_York").waitFor();
  await page.getByRole("button", { name: /^Wed 18.*: 06:00–18:00, new people no limit/ }).waitFor();

  await page.getByLabel("Date exception").fill("2026-12-24");
  await page.getByRole("button", { name: "Add the date" }).click();
  await page.getByLabel("2026-12-24: until").fill("12:00");
  await page.getByLabel("2026-12-24: new people at most").fill("5");
  await page.getByRole("radiogroup", { name: "Week or month" }).getByText("Month").click();
  while ((await page.getByRole("table", { name: /December 2026/ }).count()) === 0)
    await page.getByRole("button", { name: "Next month" }).click();
  await page.getByRole("button", { name: "24 December 2026: 06:00–12:00, new people 5 people" }).click();
  await page.getByText("new people: 5 people (by the exception of the date)").waitFor();
  await page.getByRole("button", { name: "25 December 2026" }).click();
  await page.getByRole("button", { name: "Add exception" }).click();
  await page.getByRole("combobox", { name: "2026-12-25: open or closed" }).click();
  await page.getByRole("option", { name: "closed" }).click();
  await page.getByRole("button", { name: "25 December 2026: closed" }).waitFor();

  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
  expect(await campaign()).toMatchObject({
    campaign_name: HOSTILE,
    source: SOURCE,
    daily_start_time: "06:00:00",
    outreach_override_rules: {
      dates: {
        "2026-12-24": { daily_end_time: "12:00:00", max_daily_calls: 5 },
        "2026-12-25": { active: false },
      },
    },
  });
  await page.getByText("No people yet").waitFor();
  expect(page.faults).toEqual([]);
});

test("what the API finds wrong with a campaign stands at its field", async () => {
  const { id } = await campaign();
  await page.goto(`/console/campaigns/${id}?view=settings`);
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByLabel("URL of webhook 1").fill("http://plain.example");
  await page.getByLabel("New secret").fill("short");
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog");
  await review.getByText("a new secret").waitFor();
  expect(await review.innerText()).not.toContain("short");
  await review.getByRole("button", { name: "Save" }).click();
  await page.getByText("Enter a URL that starts with https://").waitFor();
  await page.getByText("Enter standard Base64").waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
});

test("a batch is filled from a file whose columns are named here, and a fault in it names its row", async () => {
  const { id } = await campaign();
  await page.goto(`/console/campaigns/${id}?view=batches`);
  await page.getByRole("button", { name: "New batch" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("20261118.9");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "20261118.9" }).waitFor();

  const file = page.locator('input[type="file"]');
  await file.setInputFiles(csv("people.csv", `Patient|Phone\n1|2\n`));
  await page.getByText("The columns are separated by bars").waitFor();
  await file.setInputFiles(
    csv("people.csv", `Patient No;Phone Number;Name\nP1;+15125550101;A\n;+15125550102;B\nP3;1;C;D\n`),
  );
  await page.getByText("Which column is reference_id?").waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^Upload/ }).isDisabled()).toBe(true);
  await page.getByLabel("Column Patient No is").fill("reference_id");
  await page.getByRole("button", { name: "Upload 3 rows" }).click();
  await page.getByText("The file was rejected").waitFor();
  await page.getByText("Row 3, column reference_id").waitFor();
  await page.getByText("Row 4, column 4").waitFor();

  const rows = Array.from(
    { length: 9 },
    (_, index) => `P${index + 2},+1512555011${index},"Ada, the ${index}"`,
  );
  const text = `\uFEFFPatient No,Phone Number,Name\r\nP1,+15125550101,"${HOSTILE.replaceAll('"', '""')}"\r\n${rows.join("\r\n")}\r\nP99,nowhere,X\r\n`;
  // The columns are named already.
  await file.setInputFiles(csv("people.csv", text));
  await page.getByRole("button", { name: "Upload 11 rows" }).click();
  await page.getByText("10 people were added").waitFor();
  await page.getByText("1 skipped: no valid number or address").waitFor();
  // The upload is gone with its button, and no field behind it opens its calendar.
  await page.getByRole("button", { name: "Review and save" }).and(page.locator(":focus")).waitFor();
  const [first] = await answer("/api/v1/outbound/batches/20261118.9/results?reference_id=P1");
  expect(first).toMatchObject({ target: "+15125550101", request_variables: { Name: HOSTILE } });
  await page.getByRole("link", { name: "P1", exact: true }).waitFor();
  expect(await page.evaluate("window.hit")).toBeUndefined();
});

test("one person is added by hand, and whoever waits is taken out again", async () => {
  await page.goto("/console/batches/20261118.9");
  await page.getByRole("button", { name: "Add person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reference").fill("P1");
  await dialog.getByLabel("Number or address").fill("+15125550199");
  await dialog.getByRole("button", { name: "Add", exact: true }).last().click();
  await dialog.getByText("The batch already has a person with this reference.").waitFor();
  await dialog.getByLabel("Reference").fill("by/hand");
  await dialog.getByRole("button", { name: "Add", exact: true }).last().click();
  await page.getByText("by/hand was added").waitFor();
  await page.getByRole("link", { name: "by/hand" }).click();
  await page.getByText("Waiting: the batch is paused.").waitFor();
  await page.getByRole("button", { name: "Remove from the batch" }).click();
  await page.getByText("No more attempts").waitFor();
  const [person] = await answer("/api/v1/outbound/batches/20261118.9/results?reference_id=by/hand");
  expect(person.request_status).toBe("CANCELED");
});

test("people of another batch are counted, then taken into a new one, and a second time nobody is", async () => {
  const { id } = await campaign();
  await page.goto(`/console/campaigns/${id}?view=batches`);
  await page.getByRole("button", { name: "New batch" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("20261118.10");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "20261118.10" }).waitFor();
  const take = async () => {
    await page.getByRole("button", { name: "From another batch" }).click();
    await page.getByRole("dialog").getByLabel("Batch").fill("20261118.9");
  };
  await take();
  await page.getByText(/^11 people, 0 of them in this batch already/).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText(/^11 people were added/).waitFor();
  await take();
  await page.getByText(/^11 people, 11 of them in this batch already/).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("11 are in this batch already").waitFor();
});

/** Nobody is contacted by one click: the same word and question as on the page of the campaign. */
async function startBatch() {
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const question = page.getByRole("dialog", { name: "Start 1 batch?" });
  await question.getByText(/waiting to be contacted\.$/).waitFor();
  await question.getByRole("button", { name: "Start", exact: true }).click();
  await question.waitFor({ state: "detached" });
}

test("a batch is started after a question, paused and given an end, and the end survives a pause", async () => {
  await page.goto("/console/batches/20261118.9");
  await startBatch();
  await page.getByText("Started 1 batch").waitFor();
  await page.getByLabel(/^Expires/).fill("2026-12-24 18:00");
  await saveReviewed(page);
  await page.getByRole("button", { name: "Pause" }).click();
  await startBatch();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  const batch = await answer("/api/v1/outbound/batches/20261118.9");
  expect(batch).toMatchObject({ status: "ACTIVE", paused: false });
  expect(new Date(batch.expires_on).toISOString()).toBe("2026-12-24T17:00:00.000Z");
});

test("a batch that somebody else has paused meanwhile stays paused when its pace is saved", async () => {
  const path = "/api/v1/outbound/batches/20261118.9";
  await page.goto("/console/batches/20261118.9");
  await page.getByLabel("Attempts per hour").fill("40");
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.waitFor();
  const { expires_on } = await answer(path);
  await it.app.send("PUT", path, { paused: true, expires_on });
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
  expect(await answer(path)).toMatchObject({ paused: true, call_rate: 40 });
  await it.app.send("PUT", path, { paused: false, expires_on, call_rate: null });
  expect(page.faults).toEqual([]);
});

test("the board shows who is reached and why everybody else waits, and a person's page how it came to that", async () => {
  const { id } = await campaign();
  const ends = { "+15125550101": ["IN-PROGRESS", "COMPLETED"], "+15125550110": ["NO-ANSWER"] } as const;
  const dialer = createTestDialer(it.app, ({ target }) => ({
    tells: [...(ends[target as keyof typeof ends] ?? ["IN-PROGRESS"])],
  }));
  await page.goto(`/console/campaigns/${id}`);
  await page.getByRole("row", { name: /20261118\.9/ }).waitFor();
  await dialer.pass(1, 10_000);
  const latest = page.getByRole("region", { name: "Recent activity" });
  await latest.getByRole("row", { name: /P2 .*no answer; retry 1 of 2/ }).waitFor();
  await latest.getByRole("row", { name: /P1 .*completed/ }).waitFor();
  await page.getByText("America/New_York").first().waitFor();
  await latest.getByRole("link", { name: "P2", exact: true }).click();
  await page.getByText(/^Waiting: retry 1 of 2 at .* no answer\.$/).waitFor();
  await page.getByText(/^Attempt 1: no answer; retry 1 of 2 from/).waitFor();

  await page.goto("/console/batches/20261118.9/requests/P1");
  await page.getByText("No more attempts").waitFor();
  await page.getByText(HOSTILE, { exact: true }).waitFor();
  expect(await page.evaluate("window.hit")).toBeUndefined();
  expect(page.faults).toEqual([]);
});

test("a forecast is a chart and a table of the same numbers, and rules are counted while they are edited", async () => {
  const { id } = await campaign();
  await page.goto(`/console/campaigns/${id}?view=forecast`);
  await page.getByRole("textbox", { name: "People" }).fill("3000");
  await page.getByRole("button", { name: "Forecast" }).click();
  await page.getByText("3,000", { exact: true }).first().waitFor();
  await page.locator(".recharts-bar-rectangle").first().waitFor();
  await page.getByRole("radiogroup", { name: "Chart or table" }).getByText("Table").click();
  await page
    .getByRole("region", { name: "Forecast as a table" })
    .getByRole("cell", { name: "18 Nov 2026" })
    .waitFor();

  await page.goto(`/console/campaigns/${id}?view=settings`);
  await page.getByLabel("Number rules").check();
  await page.getByRole("combobox", { name: "Unknown values" }).click();
  await page.getByRole("option", { name: "fail" }).click();
  await page.getByText(/left out: line_type/).waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
  expect(page.faults).toEqual([]);
});

test("a webhook is tried out without a receiver: an inbox, a signed test, the failed try and the one after it", async () => {
  await page.goto("/console/webhook-inboxes");
  await page.getByRole("button", { name: "New inbox" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("mine");
  await page.getByLabel("Fail the next").fill("1");
  await page.getByRole("dialog").getByText("Signed", { exact: true }).click();
  const secret = Buffer.alloc(48, 9).toString("base64");
  await page.getByLabel("New secret").fill(secret);
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "mine" }).waitFor();
  const url = (await page.getByText("https://inbox.parley.internal/").innerText()).trim();

  const { id } = await campaign();
  await page.goto(`/console/campaigns/${id}?view=settings`);
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByLabel("URL of webhook 1").fill(url);
  await page.getByLabel("New secret").fill(secret);
  await saveReviewed(page);
  await page.getByText("Stored, and never shown again.").waitFor();
  expect(await page.content()).not.toContain(secret);

  await page.getByRole("tab", { name: "Webhooks" }).click();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
  await page.getByText("Test sent.").waitFor();
  await deliver(it.app, it.address);
  await page.getByText("The receiver answered 503.").waitFor();
  it.app.clock.advance(10_000);
  await deliver(it.app, it.address);
  const log = page.getByRole("region", { name: "Deliveries" });
  await log.getByText("delivered", { exact: true }).waitFor();

  await log.getByRole("link").first().click();
  await page.getByText("2 tries", { exact: true }).waitFor();
  await expect
    .poll(() => page.getByRole("region", { name: "Request of attempt 2" }).innerText())
    .toContain("webhook-signature: v1,");
  await expect
    .poll(() => page.getByRole("region", { name: "Response of attempt 1" }).innerText())
    .toMatch(/^503\n/);
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await expect.poll(() => page.getByRole("region", { name: "curl command" }).innerText()).toMatch(/^curl /);
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByText("1 delivery will be sent again").waitFor();
  await deliver(it.app, it.address);

  await page.goto("/console/webhook-inboxes/mine");
  const messages = page
    .getByRole("region", { name: "Messages" })
    .getByRole("row", { name: /COMPLETED, test-person/ });
  await expect.poll(() => messages.count()).toBe(3);
  await expect.poll(() => messages.filter({ hasText: "valid" }).count()).toBe(3);
  await expect.poll(() => messages.last().innerText()).toContain("503");
  await page
    .getByRole("button", { name: /^View message/ })
    .first()
    .click();
  await expect
    .poll(() => page.getByRole("region", { name: "Headers" }).innerText())
    .toContain("webhook-id: msg_");
  expect(page.faults).toEqual([]);
});

test("a disabled webhook says why, and what it held is sent when it is enabled again", async () => {
  const { id } = await campaign();
  await page.goto(`/console/campaigns/${id}?view=webhooks`);
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByText("Disabled by admin@example.com. Its deliveries are held.").waitFor();
  await page.getByRole("button", { name: "Enable again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Enable" }).click();
  await page.getByRole("button", { name: "Send a test" }).waitFor();
});

test("a webhook that gave up is told of on the home page and on its campaign, until it is enabled", async () => {
  const { id, webhooks } = await campaign();
  const failing = { fail_next: 1, fail_status: 410 };
  await it.app.send("PUT", "/api/v1/outbound/webhook_inboxes/mine", failing);
  await it.app.send("POST", `/api/v1/outbound/webhooks/${webhooks[0].id}/test`, { status: "HUMAN" });
  await deliver(it.app, it.address);

  await page.goto("/console/");
  const banner = page.getByRole("alert").filter({ hasText: "1 webhook is disabled" });
  await banner.getByText("The receiver answered 410: it is gone.").waitFor();
  await banner.getByRole("link", { name: `Webhook ${webhooks[0].id} of` }).click();
  await page.waitForURL(`**/console/campaigns/${id}?view=webhooks`);
  await banner.waitFor();
  await page.getByRole("button", { name: "Enable again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Enable" }).click();
  await banner.waitFor({ state: "detached" });
  await page
    .getByRole("region", { name: "Deliveries" })
    .getByRole("cell", { name: "a made-up person" })
    .first()
    .waitFor();
  expect(page.faults).toEqual([]);
});

test("a receiver that is down is told of on the home page and on its campaign, long before it is disabled", async () => {
  const { id, webhooks } = await campaign();
  const [{ id: webhook_id }] = webhooks;
  const failing = (since_ms: number) =>
    it.app.db
      .updateTable("campaign_webhooks")
      .set({
        failing_since: new Date(it.app.clock.now().getTime() - since_ms).toISOString(),
        failed_tries: 6,
      })
      .where("id", "=", webhook_id)
      .execute();
  await failing(60_000);
  const banner = page.getByRole("alert").filter({ hasText: "webhook is failing" });
  await page.goto(`/console/campaigns/${id}?view=webhooks`);
  await page.getByText("failing, 6 tries in a row").waitFor();
  expect(await banner.count()).toBe(0);
  await failing(3_600_000);
  for (const path of ["/console/", `/console/campaigns/${id}`]) {
    await page.goto(path);
    await banner.getByRole("link", { name: `Webhook ${webhook_id} of` }).waitFor();
    expect(await banner.innerText()).toContain("failing since");
  }
  expect(await axeFindings(page)).toEqual([]);
  await it.app.db.updateTable("campaign_webhooks").set({ failing_since: null, failed_tries: 0 }).execute();
  expect(page.faults).toEqual([]);
});

test("an address is suppressed and lifted with a reason, and a list is imported whole or not at all", async () => {
  await page.goto("/console/suppressions");
  await page.getByRole("button", { name: "New suppression" }).first().click();
  await page.getByLabel("Number or e-mail address").fill("12");
  await page.getByRole("button", { name: "Suppress", exact: true }).click();
  await page.locator('[aria-invalid="true"]').waitFor();
  await page.getByLabel("Number or e-mail address").fill("+1 512 555 0123");
  await page.getByLabel("Comment").fill(HOSTILE);
  await page.getByRole("button", { name: "Suppress", exact: true }).click();
  await page.getByRole("cell", { name: "+15125550123", exact: true }).waitFor();

  await page.getByRole("button", { name: "Import CSV" }).click();
  const choose = async (text: string) => {
    await page.getByRole("dialog").locator('input[type="file"]').setInputFiles(csv("list.csv", text));
    await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
  };
  await choose("address,scope\n+15125550124,voice\nnobody,voice\n");
  await page.getByText("The file was rejected").waitFor();
  await page.getByText("Row 3, column address").waitFor();
  await choose("address,scope\n+15125550124,voice\n+15125550125,sms\n");
  await page.getByText("2 addresses were added").waitFor();
  await page.getByRole("button", { name: "Done" }).click();

  await page.getByRole("button", { name: "Lift the suppression of +15125550123" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("They asked to be called again");
  await page.getByRole("dialog").getByRole("button", { name: "Lift" }).click();
  await page.getByText("+15125550123 may be contacted again").waitFor();
  await page.getByRole("cell", { name: "+15125550123", exact: true }).waitFor({ state: "detached" });

  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export CSV" }).click();
  expect((await download).suggestedFilename()).toBe("suppressions.csv");
  expect(await page.evaluate("window.hit")).toBeUndefined();
  expect(page.faults).toEqual([]);
});

test("a consent is recorded and withdrawn with a reason, a list is imported, and a campaign for marketing asks for them", async () => {
  await page.goto("/console/consents");
  await page.getByRole("button", { name: "New consent" }).first().click();
  await page.getByLabel("Number or e-mail address").fill("+1 512 555 0126");
  await page.getByLabel("Wording").fill(HOSTILE);
  await page.getByRole("button", { name: "Record", exact: true }).click();
  await page.getByRole("cell", { name: "+15125550126", exact: true }).waitFor();

  await page.getByRole("button", { name: "Import CSV" }).click();
  const file = "address,purpose,channel,given_through,valid_from\n";
  const choose = async (text: string) => {
    await page.getByRole("dialog").locator('input[type="file"]').setInputFiles(csv("consents.csv", text));
    await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
  };
  await choose(`${file}+15125550127,marketing,call,form,yesterday\n`);
  await page.getByText("The file was rejected").waitFor();
  await page.getByText("Row 2, column valid_from").waitFor();
  await choose(
    `${file}+15125550127,marketing,call,form,2026-01-02\n+15125550126,marketing,call,form,2026-01-02\n`,
  );
  await page.getByText("1 consent was added").waitFor();
  await page.getByRole("button", { name: "Done" }).click();

  await page.getByRole("button", { name: "Withdraw the consent of +15125550126 to calls" }).click();
  await page.getByLabel("Reason").fill("She rang the front desk");
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await page.getByText("The consent of +15125550126 is withdrawn").waitFor();
  await page.getByRole("cell", { name: "+15125550126", exact: true }).waitFor({ state: "detached" });

  await page.goto("/console/campaigns/1?view=settings");
  // The choice shows a moment after the click; `check` would look at once.
  await page.getByRole("radio", { name: "Marketing", checked: true }).waitFor();
  await page.getByRole("radio", { name: "Information", exact: true }).click();
  await page.getByText("Purpose saved.").waitFor();
  await page.reload();
  await page.getByRole("radio", { name: "Information", exact: true, checked: true }).waitFor();
  await page.getByRole("radio", { name: "Marketing" }).click();
  await page.getByText("Purpose saved.").waitFor();
  await page.getByRole("switch", { name: "Check for reassigned numbers" }).click();
  await page.getByText("Number check saved.").waitFor();
  expect(await page.evaluate("window.hit")).toBeUndefined();
  expect(page.faults).toEqual([]);
});

test("a batch is deleted with a reason, and whoever waits is not reached any more", async () => {
  await page.goto("/console/batches/20261118.9");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByLabel("Reason").fill("The wrong list");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("20261118.9 deleted").waitFor();
  expect(await answer("/api/v1/outbound/batches/20261118.9")).toMatchObject({
    status: "CANCELED",
    deleted_reason: "The wrong list",
  });
});
