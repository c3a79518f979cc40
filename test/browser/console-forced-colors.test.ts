import type { Locator } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";

let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  page = await it.open(await it.person("Admin"), { forcedColors: "active" });
});

/** What is seen of it, wherever the pointer and the focus were. */
async function seen(part: Locator): Promise<string> {
  await page.mouse.move(0, 0);
  await page.evaluate("document.activeElement?.blur()");
  return (await part.screenshot()).toString("base64");
}

test("in colours that a person set for all pages it is seen whether a box is ticked and a switch is on", async () => {
  await page.goto("/console/campaigns/new");
  const controls = [
    page.getByRole("checkbox", { name: "Monday" }),
    page.getByRole("switch", { name: "Detect voicemail" }),
  ];
  for (const control of controls) {
    const frame = control.locator("..");
    await control.setChecked(false, { force: true });
    const off = await seen(frame);
    await control.setChecked(true, { force: true });
    expect(await seen(frame), `${control}, on and off`).not.toBe(off);
    await control.setChecked(false, { force: true });
    await frame.evaluate((element) => element.style.setProperty("opacity", "0"));
    expect(await seen(frame), `${control}, not there at all`).not.toBe(off);
  }
  expect(page.faults).toEqual([]);
});

test("so it is which page of the menu, which tab, which view and which option is the chosen one", async () => {
  await page.goto("/console/campaigns/1?view=forecast");
  const chosen = [
    page.getByRole("navigation", { name: "Main" }).locator("a[data-active]"),
    page.getByRole("navigation", { name: "Pages of" }).locator("[data-open]"),
    page.locator("[role=tab][data-active]"),
    page.locator("label[data-active]", { hasText: "By day" }),
  ];
  for (const one of chosen) {
    const place = await one.elementHandle();
    const asChosen = await seen(one);
    await place?.evaluate((element) => {
      for (const mark of ["data-active", "data-open"]) element.removeAttribute(mark);
    });
    expect((await place?.screenshot())?.toString("base64"), `${one}`).not.toBe(asChosen);
  }
  await page.goto("/console/campaigns/new");
  await page.getByRole("combobox", { name: "Weekday exception" }).press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const marked = await page.locator("[data-combobox-selected]").elementHandle();
  const asMarked = (await marked?.screenshot())?.toString("base64");
  await marked?.evaluate((element) => element.removeAttribute("data-combobox-selected"));
  expect((await marked?.screenshot())?.toString("base64")).not.toBe(asMarked);
  expect(page.faults).toEqual([]);
});
