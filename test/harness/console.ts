import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { buildConsole } from "../../src/api/console-build.ts";
import type { AppParts } from "../../src/app/parts.ts";
import { seedDemo } from "../../src/demo/seed.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { openBrowser, openContext } from "./browser.ts";
import { signIn } from "./signed-in.ts";

/** The program with its console and its demo, and a browser that people of any role look through. */
export type ConsoleTest = {
  app: TestApp;
  address: string;
  browser: Browser;
  /** A page of somebody who is signed in; what goes wrong in it fails the test that asks `faults`. */
  open(who: Person, options?: BrowserContextOptions): Promise<ConsolePage>;
  /** A person with this role, made when first asked for. */
  person(role: "Admin" | "Editor" | "Analyst" | "Viewer"): Promise<Person>;
};
export type Person = { email: string; user_id: number };
export type ConsolePage = Page & {
  /** Errors of scripts, the content policy among them; failed requests are the test's own business. */
  faults: string[];
};

/** One for a test file, in `beforeAll`. With `simulation` the simulated carrier stands in, as in a first start. */
export async function createConsoleTest(
  env: Record<string, string> = {},
  outside: Pick<AppParts, "simulation"> = {},
): Promise<ConsoleTest> {
  const consoleBuild = buildConsole({ dataDir: tmpdir() });
  const app = await createTestApp(env, seedDemo, { consoleBuild, ...outside });
  const address = await app.listen();
  await consoleBuild;
  const browser = await openBrowser();
  const spares = new Map<string, Spare>();
  const people = new Map<string, Person>([["Admin", { email: app.admin.email, user_id: app.admin.user_id }]]);
  return {
    app,
    address,
    browser,
    open: (who, options) => openSignedIn({ app, address, browser }, spares, who, options),
    async person(role) {
      const known = people.get(role);
      if (known) return known;
      const roles = await app.send("GET", `/api/v1/roles/?search_fields=name&search_field_values=${role}`);
      const email = `${role.toLowerCase()}@example.com`;
      const made = await app.send("POST", "/api/v1/users/", {
        email,
        role_id: roles.body.items[0].id,
        skip_auth: true,
      });
      if (made.status !== 200) throw new Error(JSON.stringify(made.body));
      const person = { email, user_id: made.body.id };
      people.set(role, person);
      return person;
    },
  };
}

/** What is looked at is the page as it stays, not a colour on its way to another. A sheet that the content policy lets pass. */
const WITHOUT_TRANSITIONS = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, *::before, *::after { transition: none !important; animation-duration: 0s !important; }");
  document.adoptedStyleSheets.push(sheet);
}`;

/**
 * A context that no test uses now, by who is signed in and how it was opened. A page in a context that is there finds the
 * scripts read and compiled, and costs two thirds of one in a new context.
 */
type Spare = { context: BrowserContext; last: Page };

async function openSignedIn(
  { app, address, browser }: Pick<ConsoleTest, "app" | "address" | "browser">,
  spares: Map<string, Spare>,
  who: Person,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const kind = JSON.stringify([who.user_id, options]);
  const spare = spares.get(kind);
  spares.delete(kind);
  const context = spare?.context ?? (await newContext(browser, address, options));
  await signIn(context, { db: app.db, clock: app.clock, address, user_id: who.user_id });
  const page = Object.assign(await context.newPage(), { faults: [] as string[] });
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => {
    const failedRequest = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !failedRequest) page.faults.push(message.text());
  });
  spareWhenDone(page, address, async () => {
    // Not before: the process that has compiled the scripts ends with its last page, and its time zone is that of the page
    // which set it first.
    await spare?.last.close();
    spares.set(kind, { context, last: page });
  });
  return page;
}

async function newContext(browser: Browser, address: string, options: BrowserContextOptions) {
  const context = await openContext(browser, {
    baseURL: address,
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
    ...options,
  });
  await context.addInitScript(WITHOUT_TRANSITIONS);
  return context;
}

/** At the end of the test that opened the page; not where the test took hold of what the context's next page would have, too. */
function spareWhenDone(page: Page, address: string, spare: () => Promise<void>): void {
  let changed = false;
  const { clock } = page;
  const contextOf = page.context.bind(page);
  Object.defineProperty(page, "clock", {
    get() {
      changed = true;
      return clock;
    },
  });
  page.context = () => {
    changed ||= !isPlaywrightAsking();
    return contextOf();
  };
  const leave = async () => {
    if (changed || page.isClosed()) return;
    // A page of the same origin that runs nothing.
    await page.goto(`${address}/healthz`);
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    await spare();
  };
  try {
    onTestFinished(() => leave().catch(() => {}));
  } catch {
    // Opened in a hook, it is the file's.
  }
}

/** Playwright itself asks a page for its context, at each of its events. The caller of our caller is the fourth line. */
const isPlaywrightAsking = (): boolean => /playwright-core/.test(new Error().stack?.split("\n")[3] ?? "");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** WCAG 2.2 AA, and what axe's makers advise beyond it. */
const WCAG = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};
/** What other colours change. */
export const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };
/** What less room changes. */
export const ROOM = {
  type: "rule",
  values: ["target-size", "scrollable-region-focusable", "color-contrast"],
};

/** What stands around every page. */
export const SHELL = [".mantine-AppShell-header", ".mantine-AppShell-navbar"];

/** What axe has against the page as it is now, each rule in a line; rules of a whole page look at all of it in any case. */
export async function axeFindings(
  page: Page,
  runOnly: object = WCAG,
  leftOut: readonly string[] = [],
): Promise<string[]> {
  // Injected past the content policy, by the debugger; half a megabyte, once for a page that is loaded.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  const violations = await page.evaluate(
    async ({ only, exclude }) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(
            root: unknown,
            options: object,
          ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
        };
      };
      // Of what passes nothing is read, and where a fault is its element says. Style sheets are read again for no rule that
      // is asked here.
      const preload = { assets: ["media"], timeout: 10_000 };
      const told = { resultTypes: ["violations"], selectors: false, preload };
      return (await axe.run({ include: ["html"], exclude }, { runOnly: only, ...told })).violations;
    },
    { only: runOnly, exclude: leftOut },
  );
  return violations.map(({ id, nodes }) => {
    const [first] = nodes;
    return `${id}, ${nodes.length} times: ${first?.html.slice(0, 200)} ${first?.failureSummary.replaceAll("\n", " ")}`;
  });
}

/** The page has what it asked for: nothing holds the place of what is on its way. */
export const settled = (page: Page): Promise<void> =>
  page.locator("#main [aria-busy=true]").first().waitFor({ state: "detached" });

/**
 * The difference is looked at, then saved. It is over when the window is gone: the notice of an earlier save may still be
 * on the screen.
 */
export async function saveReviewed(page: Page): Promise<void> {
  const review = page.getByRole("dialog", { name: "Review the change" });
  // A page may have two forms, of which one was changed.
  await page.getByRole("button", { name: "Review and save", disabled: false }).click();
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
}

/** What stands out at the side: a page is scrolled in one direction only. */
export const standsOut = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const width = document.documentElement.clientWidth;
    const inside = (element) => { for (let at = element.parentElement; at; at = at.parentElement) if (getComputedStyle(at).overflowX !== "visible") return true; return false; };
    const out = document.documentElement.scrollWidth - width;
    // The head of the page is fixed, so what is cut off there makes no page wider.
    const cut = [...document.querySelectorAll(".mantine-AppShell-header *")].filter((element) => element.getBoundingClientRect().right > width + 1);
    return out <= 0 ? cut.slice(0, 3).map((element) => element.outerHTML.slice(0, 160)) :
      ["the page by " + out + " px", ...[...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > width + 1 && !inside(element)).slice(0, 5).map((element) => element.outerHTML.slice(0, 160))];
  })()`);

/** Texts of the page whose frame ends before they do and can't be scrolled, so that nobody reads them to their end. */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.querySelector("#main"), NodeFilter.SHOW_TEXT);
    const found = new Set();
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(text);
      const { left, right, width } = range.getBoundingClientRect();
      if (text.data.trim() === "" || width < 2) continue;
      for (let at = text.parentElement; at?.id !== "main"; at = at.parentElement) {
        const { overflowX } = getComputedStyle(at);
        if (overflowX === "auto" || overflowX === "scroll") break;
        const frame = at.getBoundingClientRect();
        if (overflowX === "visible" || (left >= frame.left - 1 && right <= frame.right + 1)) continue;
        if (frame.width > 1 && !at.closest("[title]")) found.add(text.data.slice(0, 80));
        break;
      }
    }
    return [...found];
  })()`);

/** Panels of the page that begin where the one above ends. */
export const touching = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const panels = [...document.querySelectorAll("#main section")].filter((panel) => !panel.parentElement.closest("section"));
    const boxes = panels.map((panel) => [panel.getBoundingClientRect(), panel.querySelector("h2")?.textContent ?? panel.ariaLabel]);
    return boxes.flatMap(([above, name]) =>
      boxes.filter(([below]) => above.height > 0 && below.height > 0 && above.left === below.left && Math.abs(above.bottom - below.top) < 1)
        .map(([, next]) => "no room between " + name + " and " + next));
  })()`);

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await standsOut(page)).toEqual([]);
}
