import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { axeFindings, type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { playRun } from "../harness/evaluations.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
  await migrateJobs(it.app.database.pool, silentLog);
});

async function withTools(page: Page, tools: string[]): Promise<void> {
  const { body: prompt } = await it.app.send("GET", "/api/v1/prompts/1");
  const { id, name, type, context, llm_config } = prompt;
  const saved = await it.app.send("PUT", "/api/v1/prompts/", { id, name, type, context, llm_config, tools });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  await page.goto("/console/agents/1");
}

/** Presses the button that runs the suite, and plays what its jobs would; the window follows by itself. */
async function runSuite(page: Page): Promise<void> {
  const begun = page.waitForResponse((answer) => /test_suites\/\d+\/runs$/.test(answer.url()));
  await page.getByRole("dialog").getByRole("button", { name: "Run Clinic receptionist" }).click();
  await playRun(it.app, (await (await begun).json()).id);
}

/** The demo's in another order. */
const TOOLS = ["find_slots", "book_appointment", "hangup", "cancel_appointment"];

test("an author works on a draft, is held back by a failing suite, mends it, publishes, and goes back", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/1");
  const release = page.getByRole("region", { name: "Release" });
  await release.getByText("Every save reaches people at once.").waitFor();
  await release.getByRole("button", { name: "Work with versions" }).click();
  await page.getByRole("dialog").getByLabel("Note").fill("As it always was");
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await release.getByText("Version 1 is live").waitFor();
  await release.getByText("The draft is the same.").waitFor();

  await release.getByRole("link", { name: "All versions" }).click();
  await page.getByRole("button", { name: "Add a suite" }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Suite" }).click();
  await page.getByRole("option", { name: "Clinic receptionist" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Clinic receptionist: not run with this draft.").waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await withTools(page, ["find_slots", "cancel_appointment", "hangup"]);
  await release.getByText("The draft differs in tools and tool book_appointment.").waitFor();
  await release.getByRole("button", { name: "Review and publish" }).click();
  const window = page.getByRole("dialog");
  await window.getByRole("region", { name: "Changes" }).getByText("Tools offered").first().waitFor();
  await runSuite(page);
  await window.getByText(/\d+ of 20 tests pass, which shows at least/).waitFor();
  await window.getByRole("button", { name: "Publish", exact: true }).click();
  await window.getByText("The draft may not be published yet.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");

  await withTools(page, TOOLS);
  await release.getByRole("button", { name: "Review and publish" }).click();
  await runSuite(page);
  await window.getByText("Clinic receptionist: 20 of 20 tests pass, which shows at least 83.8 %").waitFor();
  await window.getByLabel("Note").fill("Hanging up stands before cancelling");
  await window.getByRole("button", { name: "Publish", exact: true }).click();
  await release.getByText("Version 2 is live").waitFor();

  await release.getByRole("link", { name: "All versions" }).click();
  const first = page.getByRole("region", { name: "Version 1" });
  await first.getByRole("button", { name: "Compare with the draft" }).click();
  await first.getByText("Tools offered").waitFor();
  await first.getByRole("button", { name: "Take live" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take live" }).click();
  await first.getByText("Live", { exact: true }).waitFor();
  expect(page.faults).toEqual([]);
});

test("who may publish without tests does so with a reason that stands at the version", async () => {
  const page = await it.open(await it.person("Admin"));
  await withTools(page, ["find_slots", "hangup"]);
  const release = page.getByRole("region", { name: "Release" });
  await release.getByRole("button", { name: "Review and publish" }).click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Reason to publish without the tests").fill("The booking service is gone");
  await window.getByRole("button", { name: "Publish", exact: true }).click();
  await release.getByText("Version 3 is live").waitFor();
  await release.getByRole("link", { name: "All versions" }).click();
  await page.getByText("The booking service is gone").waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("who only reads sees what is live and what the draft changes, and no button", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents/1/versions");
  await page.getByRole("region", { name: "Version 1" }).waitFor();
  expect(await page.getByRole("button", { name: /Take live|Stop using|Add a suite|Remove/ }).count()).toBe(0);
  await page.goto("/console/agents/1");
  await page.getByText(/Version \d is live/).waitFor();
  expect(await page.getByRole("button", { name: "Review and publish" }).count()).toBe(0);
  expect(page.faults).toEqual([]);
});
