import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { afterFile } from "./after-file.ts";
import { launchChromium } from "./chromium.ts";
import { WAITING } from "./waiting.ts";

/** One for all files of a process, gone with it: what a file has open in it are contexts of its own. */
let shared: Promise<Browser> | undefined;

/** A real browser. */
export async function openBrowser(): Promise<Browser> {
  const open = await shared?.catch(() => undefined);
  // One that died takes no file with it but the one it died in.
  if (!open?.isConnected()) shared = launchChromium();
  const browser = await (shared as Promise<Browser>);
  afterFile(() => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
}

/** A visitor of their own, for whom everything is waited for as long as any test waits. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAITING.timeout);
  return context;
}
