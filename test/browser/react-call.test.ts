import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { createLocalEngines } from "../../src/media/local-engines.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { openContext } from "../harness/browser.ts";
import { launchChromium } from "../harness/chromium.ts";
import { askedAgainAndAgain } from "../harness/microphone.ts";
import { buildReactExample, type ReactExample } from "../harness/react-example.ts";
import { runClock } from "../harness/run-clock.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

/** Calls from the example of `@parley/react`, on somebody's site. */
const SCRIPT = `
on /open/ -> say "We are open from eight to five."
on /.*/ -> say "Please say that again."
`;

let engines: ReturnType<typeof createLocalEngines>;
let app: TestApp;
let url: string;
let browser: Browser;
let example: ReactExample;
let target: string;
let understands = false;
let stopClock: () => void;
let folder: string;

beforeAll(async () => {
  const sphinx = await sphinxFiles();
  understands = sphinx !== null;
  engines = createLocalEngines({ sphinx });
  app = await createTestApp({}, undefined, { voiceEngines: engines });
  stopClock = runClock(app.clock);
  url = await app.listen();
  example = await buildReactExample();
  const made = await createAgent(app, { script: SCRIPT });
  ({ target } = made);
  await app.send("PUT", "/api/v1/channels/", {
    id: made.channel_id,
    name: target,
    channel_service: "webchat",
    config: { provider_credentials: { allowed_origins: example.site } },
  });
  folder = await mkdtemp(path.join(tmpdir(), "parley-microphone-"));
  const microphone = path.join(folder, "question.wav");
  await writeFile(microphone, await askedAgainAndAgain(engines.speaking, "When are you open?"));
  browser = await launchChromium([
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-audio-capture=${microphone}`,
    "--use-fake-ui-for-media-stream",
  ]);
});
afterAll(async () => {
  stopClock();
  await browser?.close();
  await engines.close();
  await rm(folder, { recursive: true, force: true });
});

test("an agent that takes no calls says so in a sentence", async (context) => {
  if (!understands) return context.skip();
  const page = await open();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText(`${target} takes no calls from its page.`).waitFor();
});

test("a visitor calls from the site, speaks, reads both sides, and hangs up", async (context) => {
  if (!understands) return context.skip();
  await allow();
  const page = await open();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const captions = page.getByRole("list", { name: "Captions" });
  await captions.getByText("when are you open").first().waitFor();
  // The question comes again and again: a second answer means that the first was heard whole, and no end of the call cuts it.
  const answers = captions.getByText("We are open from eight to five.");
  await expect.poll(() => answers.count()).toBeGreaterThan(1);
  const mute = page.getByRole("button", { name: "Mute" });
  await mute.click();
  await expect.poll(() => mute.getAttribute("aria-pressed")).toBe("true");
  await page.getByRole("button", { name: "Hang up" }).click();
  await page.getByRole("button", { name: "Call", exact: true }).waitFor();
  expect(await answers.count()).toBeGreaterThan(0);
});

test("a microphone that is not allowed is told in a sentence, and one can write on", async (context) => {
  if (!understands) return context.skip();
  const refusing = await launchChromium([
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream=deny",
  ]);
  onTestFinished(() => refusing.close());
  const page = await open(refusing);
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("The microphone was not allowed.").waitFor();
  await page.getByLabel("Your message").fill("hello");
});

test("the token of a site's call opens no socket on another site", async (context) => {
  if (!understands) return context.skip();
  await allow();
  const { body } = await app.sendAs(null)(
    "POST",
    "/chat/v1/calls",
    { client_id: target },
    { origin: example.site, "sec-fetch-site": "cross-site" },
  );
  const { call_id, token } = body;
  for (const origin of ["https://elsewhere.example", null])
    expect(await firstAnswer(origin, { type: "start", call_id, token })).toMatchObject({ type: "error" });
  expect(await firstAnswer(example.site, { type: "start", call_id, token })).toMatchObject({ type: "ready" });
});

async function firstAnswer(origin: string | null, start: object): Promise<unknown> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/chat/v1/calls/socket`, origin ? { origin } : {});
  socket.on("open", () => socket.send(JSON.stringify(start)));
  const data = await new Promise((resolve) =>
    socket.on("message", (message, isBinary) => !isBinary && resolve(message)),
  );
  socket.close();
  return JSON.parse(String(data));
}

async function allow(): Promise<void> {
  const { channel_id, id } = (await app.send("GET", `/api/v1/channels/targets?target=${target}`)).body
    .items[0];
  const to = `/api/v1/channels/${channel_id}/targets/${id}/browser_calls`;
  expect((await app.send("PUT", to, { browser_calls: true })).status).toBe(200);
}

async function open(within = browser): Promise<Page> {
  const context = await openContext(within);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${example.site}/?server=${encodeURIComponent(url)}&target=${target}`);
  return page;
}
