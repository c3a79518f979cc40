import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { openBrowser, openContext } from "../harness/browser.ts";
import { axeFindings } from "../harness/console.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { createLine, type Line } from "../harness/line.ts";
import { createPeer, json } from "../harness/peer.ts";
import { buildReactExample, type ReactExample } from "../harness/react-example.ts";

/** The example of `@parley/react`, on somebody's site, against the program at another address. */
let app: TestApp;
let browser: Browser;
let example: ReactExample;
let line: Line;
let target: string;

const CARDS = {
  options: { propagate_tool_result: true },
  response_display: {
    type: "card-list",
    items_path: "doctors",
    version: 1,
    mapping: {
      "content.header": { path: "name" },
      actions: [{ type: "message", text: "Book", message: { template: "Book {{ name }}" } }],
    },
  },
};

beforeAll(async () => {
  app = await createTestApp();
  line = await createLine(await app.listen());
  [browser, example] = await Promise.all([openBrowser(), buildReactExample()]);
  const peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { doctors: [{ name: "Dr. Osei" }] }));
  target = await agentOn(example.site, {
    script: `
      on "show" -> call list_doctors
      after list_doctors -> say "These are they."
      on "long" -> say "First words." then wait 60s then say "Last words."
      on "prices" -> call show_section {"section": "prices"}
      on "offers" -> call show_section {"section": "offers"}
      on "other" -> call play_song
      on "over" -> call start_over
      after start_over -> say "It gave {result}."
      after show_section -> say "It gave {result}."
      after play_song -> say "It gave {result}."
      on "bye" -> call hangup
      on /.*/ -> say "You said: {user.text}"`,
    tools: [
      endpointTool("list_doctors", `${peer.url}/doctors`, { definition: CARDS }),
      ...["show_section", "play_song", "start_over"].map(clientTool),
    ],
    systemTools: ["hangup"],
    agent: { name: "Receptionist" },
  });
});

const clientTool = (name: string) =>
  ({
    type: "client",
    tool: {
      type: "function",
      function: {
        name,
        description: `Does ${name}`,
        parameters: { type: "object", properties: { section: { type: "string" } } },
      },
    },
  }) as never;

async function agentOn(allowed_origins: string, how: Parameters<typeof createAgent>[1]): Promise<string> {
  const made = await createAgent(app, {
    greeting: { type: "greeting", text: "Welcome", rules: [] },
    ...how,
  });
  const { status } = await app.send("PUT", "/api/v1/channels/", {
    id: made.channel_id,
    name: `React ${made.target}`,
    channel_service: "webchat",
    config: { provider_credentials: { allowed_origins } },
  });
  expect(status).toBe(200);
  return made.target;
}

async function open(of = target): Promise<Page> {
  const context = await openContext(browser);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${example.site}/?server=${encodeURIComponent(line.url)}&target=${of}`);
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Your message").fill(text);
  await page.getByLabel("Your message").press("Enter");
}

const sessions = async () => (await app.db.selectFrom("sessions").select("id").execute()).length;

test("a visitor is greeted, writes, and is answered; after a reload the conversation goes on", async () => {
  const page = await open();
  await page.getByText("Welcome").waitFor();
  await page.getByRole("heading", { name: "Receptionist" }).waitFor();
  const before = await sessions();
  await say(page, "hello");
  await page.getByText("You said: hello").waitFor();
  await page.reload();
  await page.getByText("You said: hello").waitFor();
  await say(page, "again");
  await page.getByText("You said: again").waitFor();
  expect(await page.locator(".agent").count()).toBe(3);
  expect(await sessions()).toBe(before);
  expect(await axeFindings(page)).toEqual([]);
});

test("strict mode opens one session for a page, not two", async () => {
  const before = await sessions();
  const page = await open();
  await page.getByText("Welcome").waitFor();
  expect(await sessions()).toBe(before + 1);
});

test("a tool's cards are shown, and pressing one answers for the visitor", async () => {
  const page = await open();
  await say(page, "show");
  await page.getByRole("heading", { name: "Dr. Osei" }).waitFor();
  await page.getByText("These are they.").waitFor();
  await page.getByRole("button", { name: "Book" }).click();
  await page.getByText("You said: Book Dr. Osei").waitFor();
});

describe("a tool of the page", () => {
  test("runs in it, and what it gives goes back to the agent", async () => {
    const page = await open();
    await say(page, "prices");
    await page.getByText("Prices", { exact: true }).and(page.locator(".shown")).waitFor();
    await page.getByText("show_section: done").waitFor();
    await page.locator(".agent", { hasText: "It gave" }).waitFor();
    expect(await page.locator(".agent").last().textContent()).toContain("Prices");
  });

  test("runs without WebSockets too", async () => {
    line.refuseSockets();
    onTestFinished(() => line.restore());
    const page = await open();
    await say(page, "prices");
    await page.getByText("show_section: done").waitFor();
    await page.locator(".agent", { hasText: "It gave" }).waitFor();
  });

  test("that fails tells the agent why, and so does one that the page does not have", async () => {
    const page = await open();
    await say(page, "offers");
    await page.locator(".agent", { hasText: "This page has no section offers." }).waitFor();
    await say(page, "other");
    await page.locator(".agent", { hasText: "This page can't run play_song." }).waitFor();
  });

  test("that reloads the page is not run again after it, and the agent is told so", async () => {
    const page = await open();
    let loads = 0;
    page.on("load", () => loads++);
    await say(page, "over");
    await page.locator(".agent", { hasText: "The page was reloaded while this ran" }).waitFor();
    await say(page, "hello");
    await page.getByText("You said: hello").waitFor();
    expect(loads).toBe(1);
  });

  test("that the chat page is asked for is refused by it at once", async () => {
    const context = await openContext(browser);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${line.url}/chat/${target}`);
    await page.getByLabel("Your message").fill("prices");
    await page.getByLabel("Your message").press("Enter");
    await page.getByText("This page can't run show_section.").first().waitFor();
  });
});

test("Stop ends an answer with the words so far, and the next message is answered at once", async () => {
  const page = await open();
  await say(page, "long");
  await page.getByText("First words.").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await say(page, "next");
  await page.getByText("You said: next").waitFor();
  expect(await page.getByText("Last words.").count()).toBe(0);
  expect(await page.getByText("First words.").count()).toBe(1);
});

test("a connection that breaks is told, and what was written meanwhile is sent once it is back", async () => {
  const page = await open();
  await page.getByText("Welcome").waitFor();
  // The words come before the socket is open; a cut in between would be told only by the next message.
  await page.getByText("Connecting…").waitFor({ state: "hidden" });
  line.cut();
  await page.getByText("Connection lost. Trying again…").waitFor();
  await say(page, "meanwhile");
  await page.getByText("waiting to be sent").waitFor();
  line.restore();
  await page.getByText("You said: meanwhile").waitFor();
  expect(await page.getByText("waiting to be sent").count()).toBe(0);
});

test("without WebSockets the same goes by plain requests", async () => {
  line.refuseSockets();
  onTestFinished(() => line.restore());
  const page = await open();
  await page.getByText("Welcome").waitFor();
  await say(page, "plainly");
  await page.getByText("You said: plainly").waitFor();
});

describe("a conversation ends", () => {
  test("when the agent ends it, and another begins on request", async () => {
    const page = await open();
    await say(page, "bye");
    await page.getByText("This chat has ended.").waitFor();
    await page.getByRole("button", { name: "Start a new chat" }).click();
    await page.getByText("Welcome").waitFor();
    await say(page, "hello");
    await page.getByText("You said: hello").waitFor();
  });

  test("when the visitor ends it", async () => {
    const page = await open();
    await say(page, "hello");
    await page.getByText("You said: hello").waitFor();
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByText("You have ended this conversation.").waitFor();
    await page.reload();
    await page.getByText("Welcome").waitFor();
    expect(await page.getByText("You said: hello").count()).toBe(0);
  });

  test("before it began on a site that the channel does not name, with a sentence that says what to do", async () => {
    const page = await open(await agentOn("https://elsewhere.example", { script: "" }));
    await page.getByRole("alert").getByText("Add the site to the allowed origins").waitFor();
  });
});

test("the package has React alone outside, and its types fit a project that installed it", async () => {
  const built = await readFile(path.join(example.package, "parley-react.js"), "utf8");
  const imported = [...built.matchAll(/^import .* from "(.*)";$/gm)].map(([, name]) => name);
  expect(imported).toEqual(["react"]);

  const folder = await mkdtemp(path.join(tmpdir(), "parley-react-user-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const ROOT = path.resolve(import.meta.dirname, "../..");
  const installed = path.join(folder, "node_modules/@parley/react");
  await mkdir(installed, { recursive: true });
  await cp(example.package, path.join(installed, "dist"), { recursive: true });
  await cp(path.join(ROOT, "sdk/react/package.json"), path.join(installed, "package.json"));
  await symlink(path.join(ROOT, "node_modules/@types"), path.join(folder, "node_modules/@types"));
  await symlink(path.join(ROOT, "node_modules/csstype"), path.join(folder, "node_modules/csstype"));
  for (const file of ["chat.tsx", "entry-view.tsx"])
    await cp(path.join(ROOT, "sdk/react/example", file), path.join(folder, file));
  const compilerOptions = {
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    jsx: "react-jsx",
    lib: ["esnext", "dom", "dom.iterable"],
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  await writeFile(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["chat.tsx"] }),
  );
  const compiler = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const compiled = promisify(execFile)(process.execPath, [compiler, "-p", folder]);
  expect(await compiled.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: "" });
});
