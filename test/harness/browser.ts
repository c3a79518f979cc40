import type { Browser } from "playwright-core";
import { afterAll } from "vitest";
import { launchChromium } from "./chromium.ts";

/** A real browser, one for a test file. */
export async function openBrowser(): Promise<Browser> {
  const browser = await launchChromium();
  afterAll(() => browser.close());
  return browser;
}
