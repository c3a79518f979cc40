import type { Locator } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { axeFindings, type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";

/** What two people change at once in the places whose forms are in a window, or stand beside the record. */
let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  page = await it.open(await it.person("Editor"));
});

/** Somebody else saves this over the API. */
async function colleague(method: "POST" | "PUT", path: string, body: object): Promise<{ id: number }> {
  const answer = await it.app.send(method, `/api/v1/${path}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}
const stored = async (path: string) => (await it.app.send("GET", `/api/v1/${path}`)).body;

/** Nothing was sent: the window shows their change, and the button waits for a choice. */
async function seesTheirs(window: Locator, verb: string, change: string): Promise<void> {
  await window.getByRole("button", { name: verb }).click();
  await window.getByText("changed this record").waitFor();
  await window.getByText(change).waitFor();
  await expect.poll(() => window.getByRole("button", { name: verb }).isDisabled()).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
}

test("a suite's schedule that somebody changed meanwhile is merged, and both changes are saved", async () => {
  await page.goto("/console/tests/1?view=schedule");
  await page.getByRole("button", { name: "Change the schedule" }).click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Repetitions").fill("3");
  const { suite_id, next_at, note, noted_at, webhook, ...schedule } = await stored("test_suites/1/schedule");
  const theirs = { ...schedule, webhook: { url: "https://hooks.example/tests" } };
  await colleague("PUT", "test_suites/1/schedule", { ...theirs, time: "05:30" });
  await seesTheirs(window, "Save", "+ 05:30");
  expect(await stored("test_suites/1/schedule")).toMatchObject({ time: "05:30", repetitions: 1 });

  await window.getByRole("button", { name: "Merge their changes" }).press("Enter");
  expect(await window.getByLabel("Time", { exact: true }).inputValue()).toBe("05:30");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Save");
  await page.keyboard.press("Enter");
  await window.waitFor({ state: "detached" });
  expect(await stored("test_suites/1/schedule")).toMatchObject({
    time: "05:30",
    repetitions: 3,
    webhook: { url: "https://hooks.example/tests" },
  });
  expect(page.faults).toEqual([]);
});

test("the draft of an experiment is saved over somebody's change only knowingly, also when they change it twice", async () => {
  await colleague("PUT", "agents/1/versioning", { published_version: 1, gates: [] });
  const variants = [95, 5].map((weight, at) => ({ version_number: at + 1, weight, is_control: at === 0 }));
  const draft = { name: "Shorter answers", agent_id: 1, variants };
  const { id } = await colleague("POST", "experiments/", draft);
  await page.goto(`/console/agents/1/experiments/${id}`);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Name").fill("Mine");
  await colleague("PUT", "experiments/", { ...draft, id, slow_ms: 9_000 });
  await seesTheirs(window, "Save draft", "Slow from (s)");
  await window.getByLabel("Overwrite their changes").check();
  await colleague("PUT", "experiments/", { ...draft, id, slow_ms: 8_000 });
  await seesTheirs(window, "Save draft", "+ 8");
  await window.getByLabel("Overwrite their changes").check();
  await window.getByRole("button", { name: "Save draft" }).click();
  await page.getByRole("heading", { level: 1, name: "Mine" }).waitFor();
  expect(await stored(`experiments/${id}`)).toMatchObject({ name: "Mine", slow_ms: 4_000 });
  expect(page.faults).toEqual([]);
});

test("a do-not-call list keeps what somebody else changed of it meanwhile", async () => {
  const list = { name: "Registry", kind: "national", purposes: ["marketing"], channels: ["call", "text"] };
  const { id } = await colleague("POST", "do-not-call-lists/", list);
  await page.goto("/console/do-not-call-lists");
  await page.getByRole("button", { name: "Edit Registry" }).click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Name").fill("National registry");
  await colleague("PUT", `do-not-call-lists/${id}`, { ...list, purposes: ["marketing", "informational"] });
  await seesTheirs(window, "Save list", "+ Information");
  await window.getByRole("button", { name: "Merge their changes" }).click();
  await window.getByRole("button", { name: "Save list" }).click();
  await window.waitFor({ state: "detached" });
  const [now] = (await stored("do-not-call-lists/")).items;
  expect(now).toMatchObject({ name: "National registry", purposes: ["marketing", "informational"] });
  expect(page.faults).toEqual([]);
});

test("the address of a site that somebody types stays when somebody else changes how far it is read, and both are saved", async () => {
  const site = { start_url: "https://clinic.example/", max_depth: 2, max_pages: 10, every_hours: null };
  const source = { name: "Site", text: "", chunk: false };
  const { id } = await colleague("POST", "data_sources/", source);
  await colleague("PUT", `data_sources/${id}/crawl`, site);
  await page.goto(`/console/sources/${id}?view=site`);
  const address = page.getByRole("textbox", { name: "Start address", exact: true });
  await address.fill("https://clinic.example/help/");
  await colleague("PUT", `data_sources/${id}/crawl`, { ...site, max_pages: 50, every_hours: 24 });
  await page.getByRole("button", { name: "Save and read" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("changed this record").waitFor();
  await review.getByRole("button", { name: "Merge their changes" }).click();
  await review.waitFor({ state: "detached" });
  expect(await address.inputValue()).toBe("https://clinic.example/help/");
  await page.getByRole("button", { name: "Save and read" }).click();
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
  expect(await stored(`data_sources/${id}/crawl`)).toMatchObject({
    start_url: "https://clinic.example/help/",
    max_pages: 50,
    every_hours: 24,
  });
  expect(page.faults).toEqual([]);
});
