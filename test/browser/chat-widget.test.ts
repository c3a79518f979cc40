import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { PAGE_TEXTS } from "../../src/webchat/page-texts.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { openBrowser, openContext } from "../harness/browser.ts";

/** A site of somebody's with a chat on each of its pages; `localhost` is another site than the program's 127.0.0.1. */
let app: TestApp;
let browser: Browser;
let site: string;
let attributes: string;

beforeAll(async () => {
  app = await createTestApp();
  browser = await openBrowser();
  const program = await app.listen();
  const server = createServer(({ url }, response) => {
    // A strict site: only the program's scripts and frames, no inline styles.
    const styles = url === "/with-styles" ? "style-src 'unsafe-inline'" : "";
    const policy = `default-src 'none'; script-src ${program}; frame-src ${program}; ${styles}`;
    response.writeHead(200, { "content-type": "text/html", "content-security-policy": policy });
    response.end(`<!doctype html><title>Site</title><h1>Our site</h1><form name="Parley"></form><a href="/next">Next</a>
      <script src="${program}/chat/widget.js" ${attributes} async></script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => void server.close());
  site = `http://localhost:${(server.address() as AddressInfo).port}`;
});

test("the button opens the chat and closes it, with Escape too, and the focus goes along", async () => {
  const page = await visit(await createChat(site));
  const launcher = page.getByRole("button", { name: "Talk to us" });
  expect(await page.locator("iframe").count()).toBe(0);

  const chat = await openWidget(page);
  await page.keyboard.type("typed at once");
  await expect.poll(() => chat.getByLabel("Your message").inputValue()).toBe("typed at once");

  await page.keyboard.press("Escape");
  await page.locator("iframe").waitFor({ state: "hidden" });
  await expect.poll(() => launcher.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("Enter");
  await chat.getByText("Welcome").waitFor();
  await page.locator("h1").click();
  await page.keyboard.press("Escape");
  await page.locator("iframe").waitFor({ state: "hidden" });

  await launcher.click();
  await chat.getByRole("button", { name: "Close chat" }).click();
  await page.locator("iframe").waitFor({ state: "hidden" });
});

test("a site's own style rules neither hide nor move the chat, whatever they match", async () => {
  const page = await visit(await createChat(site));
  const launcher = page.getByRole("button", { name: "Talk to us" });
  const before = await launcher.boundingBox();
  await page.evaluate(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { all: unset } div { display: none !important; position: static !important; opacity: 0; margin: 90px; transform: scale(2) }");
    document.adoptedStyleSheets = [sheet];
  }`);
  expect(await launcher.boundingBox()).toEqual(before);
  await openWidget(page);
});

test("a browser of early 2022 shows the widget in its place and holds the conversation, addresses and all", async () => {
  const page = await visit(await createChat(site), AS_OF_2022, "/with-styles");
  const box = await page.getByRole("button", { name: "Talk to us" }).boundingBox();
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  expect([width - (box?.x ?? 0) - (box?.width ?? 0), height - (box?.y ?? 0) - (box?.height ?? 0)]).toEqual([
    20, 20,
  ]);
  const chat = await openWidget(page);
  await chat.getByLabel("Your message").fill("see https://example.com/hours");
  await chat.getByLabel("Your message").press("Enter");
  await chat.getByRole("link", { name: "https://example.com/hours" }).waitFor();
  // No test can take this out of a browser: one that doesn't know it reads nothing of the file.
  const files = globSync("public/chat/*.js").map((file) => [file, readFileSync(file, "utf8")] as const);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter(([, source]) => /\(\?<[!=]/.test(source)).map(([file]) => file)).toEqual([]);
});

test("a site that puts other content, or another body, in the place of its page keeps the chat and what was said", async () => {
  const page = await visit(await createChat(site));
  const chat = await openWidget(page);
  await chat.getByLabel("Your message").fill("before the next page");
  await chat.getByLabel("Your message").press("Enter");
  // The visitor's words, and the answer that repeats them.
  await chat.getByText("before the next page").nth(1).waitFor();
  for (const replace of [
    "document.body = document.createElement('body')",
    "document.body.replaceChildren()",
    "document.body.outerHTML = '<body><h1>Another</h1></body>'",
  ]) {
    await page.evaluate(replace);
    await chat.getByText("before the next page").nth(1).waitFor();
    expect(await page.getByRole("button", { name: "Talk to us" }).count()).toBe(1);
  }
});

test("Close and Escape work while the chat still waits for what the site remembers", async () => {
  const target = await createChat(site);
  for (const by of ["Close", "Escape"]) {
    const page = await visit(target, SLOW_MEMORY);
    await page.getByRole("button", { name: "Talk to us" }).click();
    const close = page.frameLocator("iframe").getByRole("button", { name: "Close chat" });
    await close.waitFor();
    if (by === "Close") await close.click();
    else await close.press("Escape");
    await page.locator("iframe").waitFor({ state: "hidden" });
  }
});

test("a chat goes on across the pages of a site, open where it was open", async () => {
  const page = await visit(await createChat(site));
  const chat = await openWidget(page);
  await chat.getByLabel("Your message").fill("hello");
  await chat.getByLabel("Your message").press("Enter");
  await chat.getByText("You said: hello").waitFor();
  await page.getByRole("link", { name: "Next" }).click();
  await page.waitForURL("**/next");
  await chat.getByText("You said: hello").waitFor();
  const { sessions } = await app.db
    .selectFrom("sessions")
    .select((select) => select.fn.countAll<number>().as("sessions"))
    .where("target", "=", await targetOf(page))
    .executeTakeFirstOrThrow();
  expect(Number(sessions)).toBe(1);
});

test("words that come while the chat is closed leave a mark on the button", async () => {
  const page = await visit(await createChat(site));
  const chat = await openWidget(page);
  await chat.getByLabel("Your message").fill("slowly");
  await chat.getByLabel("Your message").press("Enter");
  await page.keyboard.press("Escape");
  await page.locator("#launcher i").waitFor();
  await page.getByRole("button", { name: "Talk to us" }).click();
  await page.locator("#launcher i").waitFor({ state: "hidden" });
});

test("a site that is not registered gets no chat in its frame, but a way to it, and its author the reason", async () => {
  const page = await visit(await createChat("https://elsewhere.example"));
  const warned: string[] = [];
  page.on("console", (message) => message.type() === "warning" && warned.push(message.text()));
  await page.getByRole("button", { name: "Talk to us" }).click();
  const way = page.getByRole("link", { name: "Open it in a new tab" });
  await way.waitFor();
  await expect.poll(() => way.getAttribute("href")).toMatch(/\/chat\/chat-\d+$/);
  await expect
    .poll(() => warned)
    .toContain(`The chat was not shown. Is ${site} among the "Allowed sites" of its channel in Parley?`);
});

test("a visitor on a phone who was offline can close what could not load, and the chat is there when they come back", async () => {
  const page = await visit(await createChat(site));
  await page.setViewportSize({ width: 375, height: 667 });
  await page.context().setOffline(true);
  const launcher = page.getByRole("button", { name: "Talk to us" });
  await launcher.click();
  await page.getByText("The chat can't be shown").waitFor();

  await launcher.click();
  await page.getByText("The chat can't be shown").waitFor({ state: "hidden" });
  await page.context().setOffline(false);
  await openWidget(page);
  await launcher.waitFor({ state: "hidden" });
});

test("a button without a label is called in every language of the page, and in English for others", async () => {
  const target = await createChat(site);
  const page = await visit(target);
  const nameIn = async (language: string): Promise<string | null> => {
    attributes = `data-target="${target}" data-language="${language}"`;
    await page.goto(site);
    return page.locator("#launcher span").textContent();
  };
  const names = new Map<string, string | null>();
  for (const language of [...PAGE_TEXTS.keys(), "tlh"]) names.set(language, await nameIn(language));
  expect(names.get("de")).toBe("Chat öffnen");
  expect(names.get("tlh")).toBe("Open chat");
  expect(new Set(names.values()).size).toBe(PAGE_TEXTS.size);
  expect([await nameIn("es_MX"), await nameIn("zh-Hant-HK"), await nameIn("hr-HR")]).toEqual(
    ["es", "yue", "bs"].map((language) => names.get(language)),
  );
});

test("the widget leaves one name on the site", async () => {
  const page = await visit(await createChat(site));
  await page.getByRole("button", { name: "Talk to us" }).waitFor();
  const names = await page.evaluate(`(() => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const untouched = frame.contentWindow;
    const own = Object.keys(window).filter((name) => name !== "0" && !(name in untouched));
    frame.remove();
    return own;
  })()`);
  expect(names).toEqual(["Parley"]);
});

test.each(["denied", "missing", "full"])(
  "where the browser's memory is %s, for the site as for the chat, the chat works as long as its page lives",
  async (memory) => {
    const page = await visit(await createChat(site), WITHOUT_MEMORY[memory]);
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    const chat = await openWidget(page);
    for (const text of ["hello", "again"]) {
      await chat.getByLabel("Your message").fill(text);
      await chat.getByLabel("Your message").press("Enter");
      await chat.getByText(`You said: ${text}`).waitFor();
    }
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Talk to us" }).click();
    await chat.getByText("You said: hello").waitFor();
    await page.goto(
      (await page.locator("script[data-target]").getAttribute("src"))?.replace(
        /widget\.js.*/,
        await targetOf(page),
      ) ?? "",
    );
    await page.getByText("Welcome").waitFor();
    await page.getByLabel("Your message").fill("here");
    await page.getByLabel("Your message").press("Enter");
    await page.getByText("You said: here").waitFor();
    expect(faults).toEqual([]);
  },
);

/** What browsers do that block all cookies, views of apps without a storage, and a storage that takes nothing more. */
const WITHOUT_MEMORY: Record<string, string> = {
  denied: `for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });`,
  missing: `for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { value: null });`,
  full: `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };`,
};

/** A site that never says what it remembers, in a browser that gives a frame of another site no memory of its own. */
const SLOW_MEMORY = `
  if (window === window.top)
    window.addEventListener("message", (event) => event.data?.type === "recall" && event.stopImmediatePropagation(), true);
  else Object.defineProperty(window, "localStorage", { get() { throw new Error("denied"); } });`;

/** What came to Safari with 16.0, 16.4 and 17.0: telephones that get no newer version don't have it. */
const AS_OF_2022 = `
  delete AbortSignal.timeout;
  delete URL.canParse;
  globalThis.CSSStyleSheet = function () { throw new TypeError("Illegal constructor"); };`;

/** A chat on a channel where these origins are registered. */
async function createChat(allowed_origins: string): Promise<string> {
  const { target, channel_id } = await createAgent(app, {
    script: `on "slowly" -> wait 5s then say "Here." \notherwise -> say "You said: {user.text}"`,
    greeting: { type: "greeting", text: "Welcome", rules: [] },
  });
  const { status } = await app.send("PUT", "/api/v1/channels/", {
    id: channel_id,
    name: target,
    channel_service: "webchat",
    config: { provider_credentials: { allowed_origins } },
  });
  expect(status).toBe(200);
  return target;
}

async function visit(target: string, before = "", path = "/"): Promise<Page> {
  attributes = `data-target="${target}" data-label="Talk to us" data-color="#0f766e"`;
  const context = await openContext(browser);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.addInitScript(before);
  await page.goto(`${site}${path}`);
  return page;
}

async function openWidget(page: Page): Promise<FrameLocator> {
  await page.getByRole("button", { name: "Talk to us" }).click();
  const chat = page.frameLocator("iframe");
  await chat.getByText("Welcome").waitFor();
  return chat;
}

const targetOf = async (page: Page): Promise<string> =>
  String(await page.locator("script[data-target]").getAttribute("data-target"));
