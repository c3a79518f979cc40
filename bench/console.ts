import { readdirSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { buildConsole } from "../src/api/console-build.ts";
import { systemClock } from "../src/base/clock.ts";
import { launchChromium } from "../test/harness/chromium.ts";
import { signIn } from "../test/harness/signed-in.ts";
import { machine, markdownTable, median, print, startPlatform } from "./platform.ts";

/**
 * What a person waits for in the console: the bytes of each page as they cross the wire with nothing kept from before,
 * the time until it shows what it asked for on a slowed processor, and how much of it moves meanwhile. Then each page of the
 * menu once its code and data are here: from the click until it shows them, on the processor as it is. Run:
 * node bench/console.ts
 */
const ROUNDS = 5;
/** A laptop of some years ago against this machine. */
const SLOWED = 4;
/** From a click on data that was shown before. */
const CLICK_BOUND_MS = 250;
const PAGES = [
  "/console/",
  "/console/agents",
  "/console/agents/1",
  "/console/sessions/1?engine=yes",
  "/console/roles",
];

type Load = { bytes: number; requests: number; shown_ms: number; shift: number };

const consoleBuild = buildConsole({ dataDir: tmpdir() });
const folder = await consoleBuild;
const platform = await startPlatform({ consoleBuild });
const address = await platform.api.server.listen({ host: "127.0.0.1", port: 0 });
const browser = await launchChromium();
try {
  await talk();
  const rows = [];
  for (const page of PAGES) {
    const loads: Load[] = [];
    for (let round = 0; round < ROUNDS; round += 1) loads.push(await load(browser, page));
    const of = (pick: (load: Load) => number) => median(loads.map(pick));
    rows.push([
      page,
      of(({ requests }) => requests),
      `${(of(({ bytes }) => bytes) / 1000).toFixed(0)} kB`,
      of(({ shown_ms }) => shown_ms).toFixed(0),
      of(({ shift }) => shift).toFixed(3),
    ]);
  }
  print(
    `${machine()}; load ${loadavg()[0]?.toFixed(1)}, processor slowed ${SLOWED} times, medians of ${ROUNDS}\n`,
  );
  print(
    markdownTable(
      ["page, nothing kept", "requests", "over the wire", "shown after ms", "layout shift"],
      rows,
    ),
  );
  const clicks = await clickThrough(browser);
  print("");
  print(
    markdownTable(
      ["page, after a click", "p50 ms", "slowest ms"],
      [...clicks].map(([name, took]) => [name, median(took).toFixed(0), Math.max(...took).toFixed(0)]),
    ),
  );
  const slow = [...clicks].filter(([, took]) => median(took) > CLICK_BOUND_MS).map(([name]) => name);
  print(
    `\n${slow.length} of ${clicks.size} above ${CLICK_BOUND_MS} ms${slow.length > 0 ? `: ${slow.join(", ")}` : ""}`,
  );
  print(`\nThe whole console, all pages: ${(bundleBytes() / 1000).toFixed(0)} kB as Brotli.`);
} finally {
  await browser.close();
  await platform.stop();
}

async function talk(): Promise<void> {
  const said = { service_name: "console", source: "bench", test_id: "t", agent_id: "1" };
  for (const more of [{ session_start: true }, { text: "a check-up on monday" }, { text: "the first one" }]) {
    await platform.api.server.inject({
      method: "POST",
      url: "/api/v1/agents/test/messages",
      headers: { "service-api-key": platform.token },
      payload: { ...said, ...more },
    });
  }
}

/** One load by somebody who is signed in and was never here. */
async function load(chromium: Browser, url: string): Promise<Load> {
  const context = await chromium.newContext({ baseURL: address, viewport: { width: 1280, height: 800 } });
  const { database, caller } = platform;
  await signIn(context, { db: database.db, clock: systemClock, address, user_id: caller.user_id });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
  let bytes = 0;
  let requests = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += 1;
  });
  await page.addInitScript(`
    globalThis.shift = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value; })
      .observe({ type: "layout-shift", buffered: true });
  `);
  await page.goto(url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator("#main [aria-busy=true]").first().waitFor({ state: "detached" });
  const shown_ms = (await page.evaluate("performance.now()")) as number;
  await quiet(() => requests);
  const shift = (await page.evaluate("shift")) as number;
  await context.close();
  return { bytes, requests, shown_ms, shift };
}

/** Nothing more came for half a second. Some pages keep a stream open, so their network is never idle. */
async function quiet(answers: () => number): Promise<void> {
  for (let seen = -1; seen !== answers(); ) {
    seen = answers();
    await sleep(500);
  }
}

/** Each entry of the menu and each of its tabs, round after round; the first one loads their code and isn't counted. */
async function clickThrough(chromium: Browser): Promise<Map<string, number[]>> {
  const context = await chromium.newContext({ baseURL: address, viewport: { width: 1280, height: 800 } });
  const { database, caller } = platform;
  await signIn(context, { db: database.db, clock: systemClock, address, user_id: caller.user_id });
  const page = await context.newPage();
  await page.goto("/console/");
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  let answers = 0;
  page.on("requestfinished", () => {
    answers += 1;
  });
  await quiet(() => answers);
  const took = new Map<string, number[]>();
  const open = async (selector: string, at: number, round: number) => {
    const opened = (await page.evaluate(clickAndWait(selector, at))) as { title: string; took_ms: number };
    if (round > 0) took.set(opened.title, [...(took.get(opened.title) ?? []), opened.took_ms]);
    await quiet(() => answers);
  };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const entries = await page.locator("nav[aria-label=Main] a").count();
    for (let n = 1; n < entries; n += 1) {
      await open("nav[aria-label=Main] a", n, round);
      const tabs = await page.locator("nav[aria-label^='Pages of'] a").count();
      for (let tab = 1; tab < tabs; tab += 1) await open("nav[aria-label^='Pages of'] a", tab, round);
    }
    await open("nav[aria-label=Main] a", 0, round);
  }
  await context.close();
  return took;
}

/** In the page: clicks a link, and looks at each frame whether the page behind it shows its data. */
function clickAndWait(selector: string, at: number): string {
  return `(async () => {
  const link = document.querySelectorAll(${JSON.stringify(selector)})[${at}];
  const from = performance.now();
  link.click();
  const address = ({ pathname }) => pathname.replace(/\\/$/, "");
  const isShown = () =>
    address(location) === address(link) &&
    document.querySelector("#main h1") !== null &&
    document.querySelector("#main [aria-busy=true]") === null;
  // The router puts the new page in the frame after the click at the earliest.
  do await new Promise(requestAnimationFrame);
  while (!isShown());
  return { title: document.querySelector("#main h1").textContent, took_ms: performance.now() - from };
})()`;
}

function bundleBytes(): number {
  const assets = path.join(folder, "assets");
  const names = readdirSync(assets);
  const smallest = names
    .filter((name) => !/\.(br|gz)$/.test(name))
    .map((name) => (names.includes(`${name}.br`) ? `${name}.br` : name));
  return smallest.reduce((sum, name) => sum + statSync(path.join(assets, name)).size, 0);
}
