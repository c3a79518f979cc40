import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, START, type TestApp } from "../harness/app.ts";
import { openBrowser, openContext } from "../harness/browser.ts";
import { axeFindings } from "../harness/console.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { createPeer, json } from "../harness/peer.ts";

/** The chat for those who see little of it, have no mouse, or write too much. */
let app: TestApp;
let browser: Browser;
let url: string;
beforeAll(async () => {
  app = await createTestApp();
  const peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { doctors: [{ name: "Dr. Osei" }] }));
  browser = await openBrowser();
  const { target } = await createAgent(app, {
    script: `
      on "slowly" -> say "One moment." then wait 5s then say "Here it is."
      on "show" -> call list_doctors
      after list_doctors -> say "These are they."
      on "bye" -> call hangup
      otherwise -> say "You said: {user.text}"`,
    tools: [endpointTool("list_doctors", `${peer.url}/doctors`, { definition: CARDS })],
    systemTools: ["hangup"],
    greeting: { type: "greeting", text: "Welcome", rules: [] },
    agent: { name: "Doctor Bones" },
  });
  url = `${await app.listen()}/chat/${target}`;
});

const CARDS = {
  options: { propagate_tool_result: true },
  response_display: {
    type: "card-list",
    version: 1,
    items_path: "doctors",
    mapping: {
      "content.header": { path: "name" },
      actions: [
        { type: "message", text: "Ask for a time", message: { template: "When is {{ name }} free?" } },
      ],
    },
  },
};

async function openChat(options: { colorScheme?: "light" | "dark"; width?: number } = {}): Promise<Page> {
  const { colorScheme = "light", width = 1000 } = options;
  const context = await openContext(browser, {
    colorScheme,
    viewport: { width, height: 700 },
    reducedMotion: "reduce",
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.clock.setSystemTime(START);
  await page.goto(url);
  await hear(page, "Welcome");
  return page;
}
const say = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Your message").fill(text);
  await page.keyboard.press("Enter");
};
const hear = (page: Page, text: string): Promise<void> =>
  page.locator("#log .agent").getByText(text).last().waitFor();

describe.each([
  ["light", 1000],
  ["dark", 360],
] as const)("axe objects to nothing, %s, %i pixels wide", (colorScheme, width) => {
  test("in a conversation with cards, its question, and its end", async () => {
    const page = await openChat({ colorScheme, width });
    expect(await axeFindings(page)).toEqual([]);
    await say(page, "show");
    await hear(page, "These are they.");
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByRole("dialog", { name: "Start a new chat?" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Keep chatting" }).click();
    await say(page, "bye");
    await page.getByText("This chat has ended.").waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});

test("everything can be done by keyboard: a card's button, the question about a new chat, and beginning anew", async () => {
  const page = await openChat();
  await say(page, "show");
  await hear(page, "These are they.");
  await tabTo(page, "Ask for a time", "Shift+Tab");
  await page.keyboard.press("Enter");
  await hear(page, "You said: When is Dr. Osei free?");

  await tabTo(page, "New chat", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  expect(await focused(page)).toBe("New chat");
  await page.keyboard.press("Enter");
  await tabTo(page, "Start a new chat", "Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("#log .user").count()).toBe(0);
  expect(await page.evaluate("document.activeElement.id")).toBe("text");

  await say(page, "bye");
  // The field is gone; what can be done now has the focus.
  await expect.poll(() => focused(page)).toBe("Start a new chat");
});

test("a screen reader is told who writes, and what was said once it is whole; what was said before is no news", async () => {
  const page = await openChat();
  const log = page.getByRole("log");
  await expect.poll(() => log.getAttribute("aria-live")).toBe("polite");
  await say(page, "slowly");
  await page.locator("#activity", { hasText: "Doctor Bones is writing" }).waitFor({ state: "attached" });
  await page.locator("#working", { hasText: "One moment." }).waitFor();
  expect(await log.textContent()).not.toContain("One moment.");
  await expect.poll(() => page.locator("#working").getAttribute("aria-hidden")).toBe("true");
  await hear(page, "One moment. Here it is.");
  expect(await page.locator("#activity").textContent()).toBe("");
  await expect.poll(() => log.textContent()).toContain("You: slowly");
  await expect.poll(() => log.textContent()).toContain("Doctor Bones: One moment. Here it is.");

  // Whatever was read out while the page came back would be all of it.
  await page.addInitScript(`
    window.heard = [];
    document.addEventListener("DOMContentLoaded", () => {
      const box = document.getElementById("log");
      const read = () => box.getAttribute("aria-live") !== "off" && window.heard.push(box.textContent);
      new MutationObserver(read).observe(box, { childList: true });
    });`);
  await page.reload();
  await hear(page, "One moment. Here it is.");
  expect(await page.evaluate("window.heard")).toEqual([]);
  await expect.poll(() => log.getAttribute("aria-live")).toBe("polite");
});

test("a visitor who writes faster than anybody can is told when to go on, keeps what was not sent, and sends it then", async () => {
  const page = await openChat();
  for (let n = 1; n <= 30; n++) {
    await say(page, `message ${n}`);
    await hear(page, `You said: message ${n}`);
  }
  await say(page, "one more");
  const refused = page.locator(".turn.user", { hasText: "one more" });
  await refused.getByText("Not sent: That was a lot at once. Please write again in 60 s.").waitFor();
  app.clock.advance(60_000);
  await refused.getByRole("button", { name: "Send again" }).click();
  await hear(page, "You said: one more");
  await expect.poll(() => page.locator(".turn.user", { hasText: "one more" }).count()).toBe(1);
});

/** The name of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement?.textContent.trim() ?? ''");

/** Presses the key until that is where the focus is. */
async function tabTo(page: Page, name: string, key: "Tab" | "Shift+Tab"): Promise<void> {
  const seen: string[] = [];
  for (let n = 0; n < 15; n++) {
    await page.keyboard.press(key);
    seen.push(await focused(page));
    if (seen.at(-1) === name) return;
  }
  throw new Error(`the focus never came to "${name}", but to ${JSON.stringify(seen)}`);
}
