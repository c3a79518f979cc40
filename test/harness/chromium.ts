import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const SYSTEM_CHROMIUM = "/usr/bin/chromium";
/** A container's root has no sandbox to give; the rest keeps the browser from talking to the world by itself. */
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A real browser: the machine's own, else the one npm brings. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = existsSync(SYSTEM_CHROMIUM) ? SYSTEM_CHROMIUM : await npmChromium();
  return chromium.launch({ executablePath, args: ARGS });
}

/** Without the arguments it proposes: one process dies with its first page, and web security is what tests look at. */
async function npmChromium(): Promise<string> {
  // It unpacks the system libraries it needs only where it believes to be in this place.
  process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs22.x";
  const { default: bundled } = await import("@sparticuz/chromium");
  return bundled.executablePath();
}
