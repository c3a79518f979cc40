import { beforeAll, expect, test } from "vitest";
import { axeFindings, type ConsoleTest, createConsoleTest, settled } from "../harness/console.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">`;

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
  await it.app.db
    .insertInto("interrupted_jobs")
    .values(
      [7001, 7002].map((job_id) => ({
        job_id,
        name: job_id === 7001 ? "call-session-end-tool" : HOSTILE,
        payload: JSON.stringify({ session_id: 1 }),
        sub_organization_id: it.app.admin.sub_organization_id,
        interruptions: 2,
        interrupted_at: it.app.clock.now().toISOString(),
        set_aside_at: it.app.clock.now().toISOString(),
        last_error: HOSTILE,
      })),
    )
    .execute();
});

const setAside = async () => (await it.app.send("GET", "/api/v1/queues/set_aside")).body;

test("an operator sees what was set aside, retries one, and drops another after being asked", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/set-aside");
  const ended = page.getByRole("row").filter({ hasText: "End tool" });
  await ended.getByText("Demo clinic").waitFor();
  await expect
    .poll(() => ended.getByRole("link", { name: "1" }).getAttribute("href"))
    .toContain("/sessions/1");
  await ended.getByText(HOSTILE).waitFor();
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  await settled(page);
  expect(await axeFindings(page)).toEqual([]);

  await ended.getByRole("button", { name: "Drop" }).click();
  const question = page.getByRole("dialog", { name: "Drop this work?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  expect(await setAside()).toHaveLength(2);
  await ended.getByRole("button", { name: "Drop" }).click();
  await question.getByRole("button", { name: "Drop" }).click();
  await page.getByText("Dropped.").waitFor();
  await expect.poll(setAside).toMatchObject([{ job_id: "7002" }]);
  await ended.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Nothing is set aside").waitFor();
  expect(await setAside()).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("who does not operate the installation finds no such page in the menu", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/events");
  await page.getByRole("navigation").getByRole("link", { name: "Incidents" }).waitFor();
  expect(await page.getByRole("link", { name: "Set-aside work" }).count()).toBe(0);
});
