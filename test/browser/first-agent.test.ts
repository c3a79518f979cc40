import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type ConsoleTest, createConsoleTest } from "../harness/console.ts";

const GUIDE = readFileSync(path.resolve(import.meta.dirname, "../../docs/first-agent.md"), "utf8");

/** What a fenced block of the guide holds. */
function block(language: string): string {
  const found = new RegExp(`\`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\`\``).exec(GUIDE)?.[1];
  if (found === undefined) throw new Error(`docs/first-agent.md has no block of ${language}`);
  return found;
}

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

test("who follows docs/first-agent.md has an agent of their own that visitors talk with, in 15 clicks and no JSON", async () => {
  const page = await it.open(await it.person("Admin"));
  let clicks = 0;
  const click = async (role: "link" | "button" | "option" | "combobox", name: string) => {
    clicks++;
    await page.getByRole(role, { name, exact: true }).first().click();
  };
  const menu = async (name: string) => {
    clicks++;
    await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  };

  await page.goto("/console/");
  await menu("Prompts");
  await click("link", "New prompt");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Bakery");
  await page.getByRole("textbox", { name: "Instructions" }).click();
  clicks++;
  await page.keyboard.insertText(block("text"));
  await click("button", "Create");
  await page.getByRole("heading", { level: 1, name: "Bakery" }).waitFor();

  await menu("Agents");
  await click("link", "New agent");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Bakery");
  await click("combobox", "Prompt");
  await click("option", "Bakery");
  await click("button", "Create");
  await page.getByRole("heading", { level: 1, name: "Bakery" }).waitFor();

  await click("button", "Start conversation");
  // The session is there, and the page's fields stay as they are.
  await page.getByRole("link", { name: /^Session \d+$/ }).waitFor();
  await page.getByLabel("Your message").fill("When are you open?");
  await page.getByLabel("Your message").press("Enter");
  await page.getByText("We are open from 7 to 18, on Sundays until noon.").waitFor();

  await menu("Channels");
  await click("link", "Web chat");
  await click("button", "Connect agent");
  const link = page.getByRole("dialog");
  await link.getByRole("combobox", { name: "Agent" }).fill("Bakery");
  await click("option", "Bakery");
  await link.getByLabel("Address").fill("bakery");
  await link.getByRole("button", { name: "Link", exact: true }).click();
  clicks++;
  await link.waitFor({ state: "detached" });
  expect(page.faults).toEqual([]);
  expect(clicks).toBeLessThanOrEqual(15);

  await page.goto("/chat/bakery");
  await page.getByRole("textbox").fill("Do you have rye bread?");
  await page.keyboard.press("Enter");
  await page.getByText("Rye bread comes out of the oven at 9 every day.").waitFor();
});
