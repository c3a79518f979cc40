import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../test/harness/chromium.ts";
import { type Greeting, startProgram } from "../test/harness/start-program.ts";

/**
 * Takes the pictures of docs/pictures: a first start on an empty folder, some talk with the demo, and the main pages as
 * they are then; and that of the chat page, docs/images/chat.png. Run: node scripts/console-pictures.ts [the beginning of a name, for some of them]
 */
const ROOT = path.resolve(import.meta.dirname, "..");
const PICTURES = path.join(ROOT, "docs/pictures");

type Picture = {
  name: string;
  path: string;
  dark?: boolean;
  narrow?: boolean;
  height?: number;
  /** What is done before it is taken. */
  act?(page: Page): Promise<unknown>;
};

const PICTURES_OF: Picture[] = [
  { name: "home", path: "/console/" },
  { name: "sessions", path: "/console/sessions?f_is_test=true" },
  { name: "session", path: "/console/sessions/1?engine=yes" },
  { name: "session-dark", path: "/console/sessions/2?engine=yes", dark: true },
  { name: "session-narrow", path: "/console/sessions/1", narrow: true },
  { name: "agents", path: "/console/agents" },
  {
    name: "talk",
    path: "/console/agents/2",
    async act(page) {
      await page.getByRole("button", { name: "Start conversation" }).click();
      await page.getByLabel("Conversation", { exact: true }).getByText("Can you come").waitFor();
      await page.getByLabel("Your message").fill("yes please");
      await page.getByLabel("Your message").press("Enter");
      await page.getByText("wheelchair").first().waitFor();
      await page.getByText("ASK_NEEDS").first().waitFor();
    },
  },
  {
    name: "studio",
    path: "/console/tools/visit_workflow",
    height: 1080,
    act: (page) => page.locator('.react-flow__node[data-id="ASK_COMING"]').click(),
  },
  {
    name: "studio-play",
    path: "/console/tools/visit_workflow",
    height: 1000,
    async act(page) {
      await page.getByText("Play", { exact: true }).click();
      await page.getByRole("combobox", { name: "coming" }).click();
      await page.getByRole("option", { name: "No", exact: true }).click();
      await page.getByRole("button", { name: "Answer" }).click();
      await page.getByRole("textbox", { name: "other_day" }).fill("2026-12-04");
      await page.getByRole("button", { name: "Answer" }).click();
      await page.getByText("find_slots is called").waitFor();
    },
  },
  { name: "roles", path: "/console/roles" },
  {
    name: "audit-log",
    path: "/console/audit-log",
    act: (page) =>
      page
        .getByRole("button", { name: /^Before and after of agent 1$/i })
        .first()
        .click(),
  },
  { name: "model-providers", path: "/console/models" },
];

async function talk({ url, token = "" }: Greeting): Promise<void> {
  const send = async (method: string, address: string, body: object) => {
    const response = await fetch(`${url}/api/v1${address}`, {
      method,
      headers: { "service-api-key": token, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${address}: ${await response.text()}`);
    return response.json();
  };
  const say = (agent_id: string, text: string | null) =>
    send("POST", "/agents/test/messages", {
      service_name: "console",
      source: "sam@example.com",
      test_id: agent_id,
      agent_id,
      text,
      session_start: text === null,
    });
  for (const text of [null, "I would like to book a check-up on monday", "the first one", "Anna Berg"])
    await say("1", text);
  for (const text of [null, "yes please", "a wheelchair"]) await say("2", text);
  const agent = (await (
    await fetch(`${url}/api/v1/agents/1`, { headers: { "service-api-key": token } })
  ).json()) as object;
  await send("PUT", "/agents/", {
    ...agent,
    description: "Books appointments, by chat and telephone",
    labels: ["demo", "reception"],
  });
}

/** A visitor books an appointment. */
async function takeChat(browser: Browser, { url }: Greeting): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 900, height: 940 }, deviceScaleFactor: 1.5 });
  const page = await context.newPage();
  await page.goto(`${url}/chat/demo-clinic`);
  for (const [said, answer] of [
    ["I need a cleaning on Monday", /I found/],
    ["the second one", /full name/],
    ["Ann Smith", /phone number/],
    ["512 555 1234", /confirmation number/],
  ] as const) {
    await page.getByPlaceholder("Write a message…").fill(said);
    await page.keyboard.press("Enter");
    await page.getByText(answer).last().waitFor();
  }
  await page.waitForTimeout(1_000);
  await page.screenshot({ path: path.join(ROOT, "docs/images/chat.png") });
  await context.close();
}

async function take(browser: Browser, { url, link = "" }: Greeting): Promise<void> {
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Continue without a password" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  const storageState = await first.storageState();
  await first.close();

  const wanted = process.argv[2] ?? "";
  for (const picture of PICTURES_OF.filter(({ name }) => name.startsWith(wanted))) {
    const context = await browser.newContext({
      storageState,
      baseURL: url,
      viewport: picture.narrow ? { width: 390, height: 800 } : { width: 1280, height: picture.height ?? 800 },
      colorScheme: picture.dark ? "dark" : "light",
      reducedMotion: "reduce",
    });
    const shown = await context.newPage();
    await shown.goto(picture.path);
    await shown.getByRole("heading", { level: 1 }).waitFor();
    await atRest(shown);
    await picture.act?.(shown);
    await atRest(shown);
    await shown.screenshot({ path: path.join(PICTURES, `console-${picture.name}.png`) });
    await context.close();
  }
}

/** Nothing holds the place of what is on its way, and no colour is on its way either. Some pages keep a stream open, so the network is never idle. */
async function atRest(page: Page): Promise<void> {
  await page.locator("#main [aria-busy=true]").first().waitFor({ state: "detached" });
  await page.waitForTimeout(1_000);
}

const folder = mkdtempSync(path.join(tmpdir(), "parley-pictures-"));
mkdirSync(PICTURES, { recursive: true });
const program = await startProgram(folder);
const browser = await launchChromium();
try {
  await talk(program.greeting);
  await take(browser, program.greeting);
  if ("chat".startsWith(process.argv[2] ?? "")) await takeChat(browser, program.greeting);
} finally {
  await browser.close();
  await program.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
