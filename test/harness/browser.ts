import type { Browser } from "playwright-core";
import { afterFile } from "./after-file.ts";
import { launchChromium } from "./chromium.ts";

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
