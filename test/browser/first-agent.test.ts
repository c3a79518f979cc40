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
  const click = async (role: "link" | "button" | "textbox", name: string) => {
    clicks++;
    await page.getByRole(role, { name, exact: true }).first().click();
  };
  const confirm = async (name: string) => {
    clicks++;
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name, exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  };
  const replace = async (field: string, text: string) => {
    await click("textbox", field);
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
  };

  await page.goto("/console/");
  clicks++;
  await page.getByRole("navigation").getByRole("link", { name: "Agents", exact: true }).click();
  await click("link", "New agent");
  await click("button", "Answer questions");
  await page.getByRole("dialog").getByLabel("Name").fill("Bakery");
  await confirm("Create agent");
  await page.getByRole("heading", { level: 1, name: "Bakery" }).waitFor();

  await replace("Instructions", block("text"));
  await click("button", "Save instructions");
  await confirm("Save");
  await replace("Greeting text", "Hello, this is the bakery. What would you like to know?");
  await click("button", "Save greeting");
  await confirm("Save");

  await click("button", "Start conversation");
  const conversation = page.getByLabel("Conversation", { exact: true });
  await conversation.getByText("Hello, this is the bakery. What would you like to know?").waitFor();
  await page.getByLabel("Your message").fill("When are you open?");
  await page.getByLabel("Your message").press("Enter");
  await conversation.getByText("We are open from 7 to 18, on Sundays until noon.").waitFor();

  await click("button", "Add chat page");
  await confirm("Connect");
  await page
    .getByRole("table", { name: "Addresses of the agent" })
    .getByRole("link", { name: "bakery" })
    .waitFor();
  expect(page.faults).toEqual([]);
  expect(clicks).toBeLessThanOrEqual(15);

  await page.goto("/chat/bakery");
  await page.getByRole("textbox").fill("Do you have rye bread?");
  await page.keyboard.press("Enter");
  await page.getByText("Rye bread comes out of the oven at 9 every day.").waitFor();
});
