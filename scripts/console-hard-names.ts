import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { launchChromium } from "../test/harness/chromium.ts";
import { settled, standsOut } from "../test/harness/console.ts";
import { type Greeting, startProgram } from "../test/harness/start-program.ts";

/**
 * Looks at every page of the console with names that are hard to show: as long as they may be without a space, and written
 * from right to left; 320 pixels wide and on a desk's screen. Prints what stands out of its page, what a page reports, and
 * which pages name no record. Run: node scripts/console-hard-names.ts
 */
const WIDE = 1280;
const NARROW = 320;
const NAMES = ["Wiedervorstellung".repeat(7), "تذكير بموعد العيادة القادم مع الطبيب"];

type Made = { path: string; name: string };

async function make({ url, token = "" }: Greeting): Promise<Made[]> {
  const send = async (method: string, address: string, body?: object) => {
    const response = await fetch(`${url}/api/v1${address}`, {
      method,
      headers: { "service-api-key": token, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${address}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const made: Made[] = [];
  for (const name of NAMES) {
    const add = async (page: string, address: string, body: object) => {
      const { id } = await send("POST", address, body);
      made.push({ path: `${page}/${id}`, name });
    };
    await add("/services", "/services/", { name, description: name });
    await add("/prompts", "/prompts/", {
      name,
      type: "prompt_v1",
      context: name,
      tools: [],
      llm_config: { provider: "openai", model: "scripted" },
    });
    await add("/directory", "/directory_members/", { name, type: "contact", description: name });
    await add("/boards", "/boards/", {
      name,
      tiles: [
        { title: name, metric: { name: "sessions" } },
        { title: name, metric: { name: "sessions" }, split: { by: "agent" }, chart: "bars", width: "full" },
      ],
    });
    await add("/alerts", "/alerts/", {
      name,
      metric: { name: "errors" },
      condition: "above",
      threshold: 0.1,
    });
    await add("/incidents", "/incidents/", {
      description: name,
      start_datetime: "2026-11-18T08:00:00Z",
      impact_category: "High",
      resolution_datetime: "2099-01-01T00:00:00Z",
      sessions_impacted: 1,
      markdown: name,
    });
    // The demo's agents, one after the other, since an agent of its own needs a prompt that knows its tools.
    const agent_id = made.length < 7 ? "1" : "2";
    const agent = await send("GET", `/agents/${agent_id}`);
    await send("PUT", "/agents/", { ...agent, name, description: name });
    made.push({ path: `/agents/${agent_id}`, name });
    await send("POST", "/agents/test/messages", {
      service_name: "console",
      source: `${name}@example.com`,
      test_id: agent_id,
      agent_id,
      text: null,
      session_start: true,
    });
  }
  return made;
}

const PAGES = [
  ...["/", "/agents", "/prompts", "/tools", "/services", "/messages", "/languages", "/sources", "/directory"],
  ...[
    "/pronunciations",
    "/bridges",
    "/sessions?f_is_test=true",
    "/sessions/1?engine=yes",
    "/sessions/2?engine=yes",
  ],
  ...[
    "/campaigns",
    "/campaigns/1",
    "/campaigns/1?view=people",
    "/insights",
    "/insights?view=results",
    "/reports",
  ],
  ...[
    "/boards",
    "/alerts",
    "/channels",
    "/channels/1",
    "/events",
    "/incidents",
    "/set-aside",
    "/organization",
  ],
  ...[
    "/account",
    "/people",
    "/roles",
    "/api-tokens",
    "/audit-log",
    "/models",
    "/speech-services",
    "/webhooks",
  ],
  ...[
    "/webhook-inboxes",
    "/tests",
    "/tests/judges",
    "/tests/replays",
    "/suppressions",
    "/consents",
    "/export",
  ],
  ...["/do-not-call-lists", "/agents/new", "/campaigns/new", "/boards/new", "/tools/new"],
];

async function look(page: Page, address: string, width: number): Promise<string[]> {
  const said: string[] = [];
  const hear = (message: { type(): string; text(): string }) => {
    if (message.type() === "error") said.push(message.text());
  };
  page.on("console", hear);
  await page.setViewportSize({ width, height: 800 });
  await page.goto(`/console${address}`);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await settled(page);
  page.off("console", hear);
  return [...(await standsOut(page)), ...said];
}

const folder = mkdtempSync(path.join(tmpdir(), "parley-names-"));
const program = await startProgram(folder);
const browser = await launchChromium();
let found = 0;
try {
  const made = await make(program.greeting);
  const context = await browser.newContext({ baseURL: program.greeting.url, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(180_000);
  await page.goto(program.greeting.link ?? "");
  await page.getByRole("button", { name: "Continue without a password" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  for (const address of [...PAGES, ...made.map((each) => each.path)])
    for (const width of [NARROW, WIDE])
      for (const problem of await look(page, address, width)) {
        found += 1;
        process.stdout.write(`${address}, ${width} px: ${problem}\n`);
      }
  process.stdout.write(`${PAGES.length + made.length} pages looked at twice, ${found} findings\n`);
} finally {
  await browser.close();
  await program.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
process.exitCode = found === 0 ? 0 : 1;
