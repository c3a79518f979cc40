import { beforeAll, expect, test } from "vitest";
import { type ConsolePage, type ConsoleTest, createConsoleTest, saveReviewed } from "../harness/console.ts";

/** What is shown before a change is saved, in the words and units of the form. */
let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  page = await it.open(await it.person("Admin"));
});

/** Each change as a line: what it is of, what goes and what comes. */
async function reviewed(): Promise<string[]> {
  await page.keyboard.press("Control+s");
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByRole("button", { name: "Save" }).waitFor();
  const lines = await review.getByRole("listitem").allInnerTexts();
  await review.getByRole("button", { name: "Keep editing" }).click();
  await review.waitFor({ state: "hidden" });
  return lines.map((line) =>
    line
      .trim()
      .split(/\s*\n\s*/)
      .join(" "),
  );
}

/** The page of a record that was just made. */
async function create(path: string, name: string): Promise<void> {
  await page.goto(path);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

test("a share is reviewed in percent, as it is entered, and saved as the share that it is", async () => {
  await create("/console/alerts/new", "Errors");
  expect(await page.getByLabel("Threshold in percent").inputValue()).toBe("5");
  await page.getByLabel("Threshold in percent").fill("7");
  expect(await reviewed()).toEqual(["Threshold − 5 + 7"]);
  await page.keyboard.press("Control+s");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("Alert saved").first().waitFor();
  const alert = async () => (await it.app.send("GET", "/api/v1/alerts/")).body.items[0];
  await expect.poll(alert).toMatchObject({ threshold: 0.07 });

  await create("/console/number-groups/new", "Texas");
  await page.getByLabel("Least share of answers").fill("33.3");
  expect(await reviewed()).toEqual(["Least share of answers (%) − 50 + 33.3"]);
  expect(page.faults).toEqual([]);
});

test("a new rule of a message says what it says, and nothing of what it leaves as it is", async () => {
  await create("/console/messages/new", "Nights");
  await page.getByRole("button", { name: "Add rule" }).click();
  await page.getByLabel("Rule name").fill("Weekend");
  expect(await reviewed()).toEqual(["Rules, no. 1, Rule name + Weekend"]);
  await page.getByRole("switch", { name: /Invert/ }).check();
  expect(await reviewed()).toContain("Rules, no. 1, Invert + outside these hours");
  await saveReviewed(page);
  const warned = page.getByRole("alert").filter({ hasText: "while it applies, nothing is said" });
  await warned.waitFor();
  await page.reload();
  await warned.waitFor();
  expect(page.faults).toEqual([]);
});

test("a new tile of a board is reviewed by its fields, and one that is split shows its parts", async () => {
  await create("/console/boards/new", "Operations");
  // Of a chart's lines none is left out.
  await expect
    .poll(() =>
      page
        .locator("main svg")
        .getByText(/^[0-4]$/)
        .allTextContents(),
    )
    .toHaveLength(5);
  await page.getByRole("button", { name: "Add tile" }).click();
  const tile = page.getByRole("dialog");
  await tile.getByRole("combobox", { name: "Split by" }).click();
  await page.getByRole("option", { name: "Channel" }).click();
  expect(await tile.getByRole("combobox", { name: "Show as" }).inputValue()).toBe("Bars");
  await tile.getByRole("button", { name: "Apply" }).click();
  await tile.waitFor({ state: "hidden" });
  expect(await reviewed()).toEqual([
    "Tiles, no. 5, Metric + Sessions",
    "Tiles, no. 5, Split by + Channel",
    "Tiles, no. 5, Show as + Bars",
    "Tiles, no. 5, Width + A third",
    "Tiles, no. 5, Compare with + The period before",
  ]);
  expect(page.faults).toEqual([]);
});

test("how long something is kept and which group has which role are reviewed in the words of the page", async () => {
  await page.goto("/console/organization");
  await page.getByRole("textbox", { name: "Model and tool requests" }).fill("");
  expect(await reviewed()).toEqual(["Model and tool requests (days) − 30 + kept forever"]);
  await page.getByRole("button", { name: "Discard changes" }).click();

  await page.getByRole("button", { name: "Add group" }).click();
  await page.getByLabel("Group 1", { exact: true }).fill("staff");
  // A group without a role would be left out of what is saved.
  await page.keyboard.press("Control+s");
  const role = page.getByRole("combobox", { name: "Role of group 1" });
  await role.and(page.locator(":focus")).waitFor();
  const said = await role.evaluate((field) => (field as { validationMessage?: string }).validationMessage);
  expect(said).toBe("Choose a role, or remove the group.");
  await role.click();
  await page.getByRole("option", { name: "Viewer" }).click();
  expect(await reviewed()).toEqual([
    "Roles by group, no. 1, Group + staff",
    "Roles by group, no. 1, Role + Viewer",
  ]);
  expect(page.faults).toEqual([]);
});
