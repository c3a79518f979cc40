import type { BrowserContext } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";

/** What opening a page of the console in a test rests on: a new context makes each of them a third dearer. */
let it: ConsoleTest;
let first: BrowserContext | undefined;
beforeAll(async () => {
  it = await createConsoleTest();
});

const openHome = async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/");
  await page.locator("h1").first().waitFor();
  return page;
};
const zoneOf = (page: ConsolePage) => page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone");
const contexts = () => it.browser.contexts();

test("a test opens its first page in a context of its own, and writes something down there", async () => {
  const page = await openHome();
  [first] = contexts();
  expect(contexts()).toHaveLength(1);
  await page.evaluate("localStorage.setItem('of', 'an earlier test')");
});

test.each([1, 2])("a later test has its context, emptied, and the same time zone (%d)", async () => {
  const page = await openHome();
  expect(contexts()).toEqual([first]);
  expect(await zoneOf(page)).toBe("Europe/Berlin");
  expect(await page.evaluate("localStorage.getItem('of')")).toBeNull();
  await page.evaluate("localStorage.setItem('of', 'an earlier test')");
  expect(await zoneOf(page)).toBe("Europe/Berlin");
});

test("a test takes hold of the context", async () => {
  const page = await openHome();
  await page.context().setOffline(true);
});

test("what a test took hold of, no later test has", async () => {
  await openHome();
  expect(contexts()).toHaveLength(2);
});
