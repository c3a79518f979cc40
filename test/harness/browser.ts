import type { Browser } from "playwright-core";
import { afterFile } from "./after-file.ts";
import { launchChromium } from "./chromium.ts";

/** A real browser, one for a test file. */
export async function openBrowser(): Promise<Browser> {
  const browser = await launchChromium();
  afterFile(() => browser.close());
  return browser;
}
