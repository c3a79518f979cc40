import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { DESK, request } from "../harness/batch.ts";
import {
  axeFindings,
  type ConsoleTest,
  createConsoleTest,
  expectNoSidewaysScroll,
} from "../harness/console.ts";
import { createTestDialer } from "../harness/dialer.ts";
import { createDialing, type Dialing } from "../harness/dialing.ts";
import { createSender } from "../harness/sender.ts";

let it: ConsoleTest;
let dialing: Dialing;
beforeAll(async () => {
  it = await createConsoleTest();
  dialing = await createDialing(it.app);
});

test("an operator pauses a campaign, has the busy ones called again and opens a person in seven clicks", async () => {
  const { app } = it;
  const { campaign_id, batch_id } = await dialing.filled(4, {
    campaign_name: "Recall",
    hourly_rate: 3600,
    retry_count: 0,
  });
  const [reached, busy] = (await dialing.outbound.results(batch_id)).body.map(
    ({ target }: { target: string }) => target,
  );
  await createTestDialer(app, ({ target }) => ({ tells: [target === reached ? "COMPLETED" : "BUSY"] })).pass(
    0.1,
    1_000,
  );
  await app.send("PUT", `/api/v1/outbound/campaigns/${campaign_id}/goal`, {
    goal: { insight_key: "appointment", value: "booked" },
  });

  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/");
  let clicks = 0;
  const click = async (name: string | RegExp, role: "link" | "button", within = page.locator("body")) => {
    await within.getByRole(role, { name, exact: true }).click();
    clicks++;
  };
  await click("Campaigns", "link");
  await click("Recall", "link");
  await page.getByText("25 % of the step before").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await click("Pause campaign", "button");
  await page.getByText("Paused 1 batch").waitFor();
  await page.getByRole("button", { name: "Start 1 batch" }).click();
  const starting = page.getByRole("dialog", { name: "Start 1 batch?" });
  await starting.getByText(batch_id).waitFor();
  await starting.getByText("This includes any batch that was paused individually.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await starting.getByRole("button", { name: "Start 1 batch" }).click();
  await page.getByText("Started 1 batch").waitFor();
  await page.getByRole("button", { name: "Pause campaign" }).click();
  await page.getByText("Paused 1 batch").last().waitFor();

  await click("3 busy", "link");
  const list = page.getByRole("region", { name: "People of the campaign" });
  await list.getByText(busy).waitFor();
  await expect.poll(() => list.getByRole("row").count()).toBe(4);
  await click("Retry", "button");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("3 people will be contacted again.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await click("Retry 3", "button", dialog);
  await page.getByText("3 people will be contacted again", { exact: true }).waitFor();
  expect((await dialing.shown(batch_id)).filter((shown) => shown === "PENDING BUSY 1")).toHaveLength(3);
  await page.getByText("Nobody matches").waitFor();

  await page.goto(`/console/campaigns/${campaign_id}?view=people&request_status=PENDING`);
  await click(busy, "link", list);
  await page.getByRole("heading", { level: 1, name: busy }).waitFor();
  await page.getByText(/^Attempt 1: busy/).waitFor();
  // biome-ignore lint/suspicious/noConsole: the count is what the test is run for
  console.info(`operator: ${clicks} clicks to pause a campaign, retry its busy people and open one of them`);
  expect(clicks).toBe(7);
  expect(await axeFindings(page)).toEqual([]);

  // The same person by the palette.
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Go to" }).fill(reached);
  await page.getByRole("dialog").getByText(`Person ${reached}`).click();
  await page.getByRole("heading", { level: 1, name: reached }).waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page);
  expect(page.faults).toEqual([]);
});

test("before a start the check says of each step whom it may reach, and what keeps one from being sent", async () => {
  const { app } = it;
  const { campaign_id, batch_id } = await dialing.filled(0, {}, { paused: true });
  const steps = [{ mode: "email", source: DESK, wait: "1d" }];
  await app.send("PUT", `/api/v1/outbound/campaigns/${campaign_id}/cadence`, { steps });
  await dialing.outbound.add(batch_id, [
    request("ann", dialing.person(), { email: "ann@people.example" }),
    request("bob", dialing.person()),
  ]);
  const { agent_id } = await createAgent(app, { script: "" });
  await app.db.updateTable("channel_targets").set({ agent_id }).where("target", "=", DESK).execute();
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/campaigns/${campaign_id}?view=batches`);
  await page.getByRole("button", { name: "Preview contacts" }).click();
  await page.getByText(`Step 2, e-mails from ${DESK}: 1 of 2 people can be reached`).waitFor();
  await page.getByText("without an address for this step").waitFor();
  await page.getByText("Steps that can't be sent").waitFor();
  await page.getByText(/has no e-mail template\. Choose one as its greeting/).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("a call that somebody asked for is canceled, a do-not-call list imported, a retry rule added", async () => {
  const { app } = it;
  const { campaign_id } = await dialing.filled([dialing.person()], { hourly_rate: 3600 });
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.tick();
  const key = dialer.world.handed.at(-1)?.key as string;
  const target = dialer.world.handed.at(-1)?.target as string;
  await app.db.transaction().execute(async (tx) => {
    await dialer.attempts.sessionStarted(tx, key, { session_id: 4_000_000, conversation_id: 1 });
    const session = { id: 4_000_000, sub_organization_id: app.admin.sub_organization_id };
    const at = new Date(app.clock.now().getTime() + 3_600_000);
    await app.engine.callBacks.book(tx, session, { at, timezone: "America/New_York" }, app.clock.now());
  });
  await dialer.settle();
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/campaigns/${campaign_id}?view=call-backs`);
  await page.getByRole("button", { name: `Cancel the call to ${target}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel call" }).click();
  await page.getByText("will not be called back").waitFor();
  await page.getByRole("cell", { name: "canceled" }).waitFor();

  await page.goto(`/console/campaigns/${campaign_id}?view=batches`);
  await page.getByRole("button", { name: "Preview contacts" }).click();
  await page.getByText("0 of 0 people will be contacted").waitFor();
  await page.goto("/console/do-not-call-lists");
  await page.getByRole("button", { name: "New do-not-call list" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("Registry");
  await page.getByRole("dialog").getByRole("button", { name: "Save list" }).click();
  await page.getByRole("button", { name: "Import numbers into Registry" }).click();
  const csv = { name: "dnc.csv", mimeType: "text/csv", buffer: Buffer.from("212,5550101\n212,5550102\n") };
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("dialog").getByLabel("CSV file").click(),
  ]);
  await chooser.setFiles(csv);
  await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("The list has 2 numbers").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  expect(await axeFindings(page)).toEqual([]);

  await page.goto(`/console/campaigns/${campaign_id}?view=settings`);
  await page.getByText("Retries by outcome").waitFor();
  await page.getByRole("button", { name: "Add retry rule" }).click();
  await saveAll(page, "retry rules");
  await page.getByText("Retry rules saved").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const { body } = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/retry-rules`);
  expect(body.rules).toEqual([{ outcome: "BUSY", wait: "10m", max_retries: 3, another_hour: false }]);
  expect(page.faults).toEqual([]);
});

test("retry rules that somebody types stay when somebody else saves others, and neither overwrites the other unseen", async () => {
  const { campaign_id } = await dialing.filled(1, { hourly_rate: 3600 });
  const path = `/api/v1/outbound/campaigns/${campaign_id}/retry-rules`;
  const theirs = { outcome: "NO-ANSWER", wait: "3d", max_retries: 6, another_hour: false };
  const page = await it.open(await it.person("Editor"));
  await page.clock.install();
  await page.goto(`/console/campaigns/${campaign_id}?view=settings`);
  await page.getByRole("button", { name: "Add retry rule" }).click();
  const wait = page.getByRole("textbox", { name: "Retry after" });
  await wait.fill("7m");
  await it.app.send("PUT", path, { rules: [theirs] });
  const isRead = page.waitForResponse(`**${path}`);
  await page.clock.fastForward(60_000);
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await isRead;
  await expect.poll(() => wait.inputValue()).toBe("7m");

  await page.getByRole("button", { name: "Save retry rules" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("changed this record").waitFor();
  expect(await review.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  expect((await it.app.send("GET", path)).body.rules).toEqual([theirs]);
  await review.getByRole("button", { name: "Keep editing" }).click();

  const asked = page.waitForEvent("dialog").then((dialog) => dialog.dismiss());
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await asked;
  await expect.poll(() => wait.inputValue()).toBe("7m");
});

test("an editor adds a text and a mail after the call, and a person's page says which step comes next", async () => {
  const { app } = it;
  const texts = "+15125550191";
  await createSender(app, app.admin, { target: texts, mode: "sms" });
  const { campaign_id, batch_id } = await dialing.filled(1, { hourly_rate: 3600 });
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/campaigns/${campaign_id}?view=settings`);
  await page.getByRole("button", { name: "Add step" }).click();
  const text = page.getByRole("group", { name: "Step 2" });
  await text.getByLabel("Send from").fill(texts);
  await page.getByRole("button", { name: "Add step" }).click();
  const mail = page.getByRole("group", { name: "Step 3" });
  await mail.getByLabel("Send from").fill("nobody@clinic.example");
  await saveAll(page, "steps");
  await page.getByText("No agent with assign number nobody@clinic.example found").waitFor();
  await mail.getByLabel("Send from").fill(DESK);
  await saveAll(page, "steps");
  await page.getByText("Steps saved").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const { body } = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/cadence`);
  const steps = [
    { mode: "sms", source: texts, address: null, wait: "10m", after: null },
    { mode: "email", source: DESK, address: null, wait: "1d", after: null },
  ];
  expect(body.steps).toEqual(steps);
  const inSeconds = steps.map((step) => ({ ...step, wait: step.mode === "sms" ? "90s" : step.wait }));
  await app.send("PUT", `/api/v1/outbound/campaigns/${campaign_id}/cadence`, { steps: inSeconds });
  await page.reload();
  await expect.poll(() => text.getByLabel("Step 2 after").inputValue()).toBe("90");
  await expect.poll(() => text.getByLabel("Unit").inputValue()).toBe("seconds");

  await createTestDialer(app, () => ({ tells: ["NO-ANSWER"] })).pass(0.1, 1_000);
  await page.goto(`/console/batches/${batch_id}/requests/p0`);
  await page.getByText("2. Text message").waitFor();
  await page.getByText("Next", { exact: true }).waitFor();
  await page.getByText("No address").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await expectNoSidewaysScroll(page);
  expect(page.faults).toEqual([]);
});

test("picked people are suppressed, and who may only read can do none of it", async () => {
  const { app } = it;
  const { campaign_id, batch_id } = await dialing.filled(2, { hourly_rate: 3600 });
  const [first] = (await dialing.outbound.results(batch_id)).body;
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/campaigns/${campaign_id}?view=people`);
  await expect.poll(() => page.getByRole("button", { name: "Suppress" }).isDisabled()).toBe(true);
  await page.getByRole("checkbox", { name: "Select p0" }).check();
  await page.getByText("People, 1 selected").waitFor();
  await page.getByRole("button", { name: "Suppress" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Comment").fill("asked by the clinic");
  // What was entered is not lost by Escape, unless the person agrees.
  const isAsked = page.waitForEvent("dialog").then((question) => question.dismiss());
  await page.keyboard.press("Escape");
  await isAsked;
  await dialog.getByRole("button", { name: "Suppress 1" }).click();
  await page.getByText("1 address suppressed").waitFor();
  const { body } = await app.send("GET", "/api/v1/suppressions/");
  expect(body.items).toMatchObject([{ address: first.target, comment: "asked by the clinic" }]);

  const reader = await it.open(await it.person("Viewer"));
  await reader.goto(`/console/campaigns/${campaign_id}?view=people`);
  await reader.getByRole("link", { name: "p0" }).waitFor();
  for (const name of ["Retry", "Suppress", "Pause campaign", "Stop all outreach"])
    expect(await reader.getByRole("button", { name }).count()).toBe(0);
  await reader.goto(`/console/campaigns/${campaign_id}?view=batches`);
  await reader.getByText("No tests yet. Starting one needs the permission outbound_write.").waitFor();
  expect(await reader.getByRole("button", { name: "Start a test" }).count()).toBe(0);
});

test("an operator has the campaign call themselves first, and sees what became of it", async () => {
  const { app } = it;
  const { campaign_id } = await dialing.filled(1, { campaign_variables: { name: "Alex" } });
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/campaigns/${campaign_id}?view=batches`);
  await page.getByRole("button", { name: "Start a test" }).click();
  const dialog = page.getByRole("dialog", { name: "Start a test" });
  await dialog.getByRole("textbox", { name: "Value 1 of Variables" }).fill("Robin");
  await dialog.getByRole("textbox", { name: "Your number" }).fill("12");
  await dialog.getByRole("button", { name: "Contact me" }).click();
  await dialog.getByText("Write a telephone number, such as +15125550199").waitFor();
  await dialog.getByRole("textbox", { name: "Your number" }).fill("(512) 555-0147");
  await dialog.getByRole("button", { name: "Contact me" }).click();
  const row = page.getByRole("table", { name: "Tests of the campaign" }).getByRole("row");
  await row.getByText("+15125550147").waitFor();
  await row.getByText("starting").waitFor();
  expect(await axeFindings(page)).toEqual([]);

  const [test] = (await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/tests`)).body;
  const job = app.jobs.find(({ job }) => job.name === "send-test-outreach");
  await job?.run({ key: test.key }, { job: { attempts: 1 } } as never);
  // The test's clock stands, so the page takes it for an old one and does not look again by itself.
  await page.reload();
  await row.getByText("This installation has no carrier for the channel's calls.").waitFor();
  await app.db
    .updateTable("test_outreach")
    .set({ state: "SENT", channel_status: "COMPLETED", problem: null, session_id: 1 })
    .execute();
  await page.reload();
  await row.getByText("completed").waitFor();
  expect(await row.getByRole("link", { name: "Conversation" }).getAttribute("href")).toBe(
    "/console/sessions/1",
  );
  const { variables } = (
    await app.db.selectFrom("test_outreach").select("outreach").executeTakeFirstOrThrow()
  ).outreach as unknown as { variables: object };
  expect(variables).toEqual({ "vars.name": "Robin" });
  expect(page.faults).toEqual([]);
});

test("a batch above the rule says that it waits, and is confirmed by typing how many people it has", async () => {
  const { app } = it;
  const admin = await it.open(await it.person("Admin"));
  await admin.goto("/console/organization");
  const rule = admin.getByRole("region", { name: "Confirmation before a start" });
  await rule
    .or(admin.locator("section", { hasText: "Confirmation before a start" }))
    .first()
    .waitFor();
  await admin.getByLabel("People without confirmation").fill("2");
  await admin.getByRole("button", { name: "Review and save", disabled: false }).click();
  await admin.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await admin.getByText("Confirmation rule saved").waitFor();

  const { batch_id, campaign_id } = await dialing.filled(3, { hourly_rate: 3600 });
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/batches/${batch_id}`);
  await page.getByText("Waiting for a confirmation").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Confirm", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm the batch" });
  await dialog.getByLabel("Number of people").fill("4");
  await dialog.getByRole("button", { name: "Contact them" }).click();
  await dialog.getByText("The batch has 3 people now.").waitFor();
  await dialog.getByLabel("Number of people").fill("3");
  await dialog.getByRole("button", { name: "Contact them" }).click();
  await page.getByText("Waiting for a confirmation").waitFor({ state: "detached" });
  await createTestDialer(app, () => ({ tells: ["COMPLETED"] })).pass(0.1, 1_000);
  expect((await dialing.shown(batch_id)).filter((shown) => shown === "COMPLETED COMPLETED 1")).toHaveLength(
    3,
  );

  await page.goto(`/console/campaigns/${campaign_id}?view=settings`);
  await page.getByText("Spent so far: $0.00, without carrier fees: no price is stated.").waitFor();
  const spending = page.locator("section", { has: page.getByRole("heading", { name: "Spending" }) });
  await spending.getByLabel("Spend cap").fill("250");
  await spending.getByRole("button", { name: "Review the cap" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Spend cap saved").waitFor();
  expect((await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/spending`)).body.cap_usd).toBe(
    250,
  );
  expect(page.faults).toEqual([]);
});

test("an operator reads at which hours people answered", async () => {
  const { app } = it;
  const { campaign_id } = await dialing.filled(30, { hourly_rate: 3600, retry_count: 0 });
  const dialer = createTestDialer(app, ({ target }) => ({
    tells: [target.endsWith("1") ? "BUSY" : "COMPLETED"],
  }));
  await app.send("PUT", "/api/v1/outbound/confirmation", { above: null });
  await dialer.pass(0.7, 1_000);
  const page = await it.open(await it.person("Viewer"));
  await page.goto(`/console/campaigns/${campaign_id}?view=forecast`);
  await page.getByText(/^27 of 30 calls of the last 60 days were answered \(90 %\)/).waitFor();
  const table = page.getByRole("table", { name: "Share of calls answered, by weekday and hour" });
  expect(await table.getByRole("cell", { name: "90" }).getAttribute("title")).toMatch(
    /^Wed \d+:00: 27 of 30 answered, 74 % to 97 %$/,
  );
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page);
  expect(page.faults).toEqual([]);
});

/** Rows that are saved together, once the change was looked at. */
async function saveAll(page: Page, rows: string): Promise<void> {
  await page.getByRole("button", { name: `Save ${rows}` }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
}
