import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { join } from "../../src/audio/level.ts";
import { silence } from "../../src/audio/tones.ts";
import { writeWav } from "../../src/audio/wav.ts";
import { createLocalEngines } from "../../src/media/local-engines.ts";
import { HEARING_RATE } from "../../src/speech/hearing.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { launchChromium } from "../harness/chromium.ts";
import { speech } from "../harness/page-caller.ts";
import { runClock } from "../harness/run-clock.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

const SCRIPT = `
on /open/ -> say "We are open from eight to five."
on /.*/ -> say "Please say that again."
`;

let app: TestApp;
let url: string;
let target: string;
let browser: Browser;
let understands = false;
let stop: () => Promise<void>;

beforeAll(async () => {
  const sphinx = await sphinxFiles();
  understands = sphinx !== null;
  const engines = createLocalEngines({ sphinx });
  app = await createTestApp({}, undefined, { voiceEngines: engines });
  url = await app.listen();
  const agent = await createAgent(app, { script: SCRIPT });
  target = agent.target;
  const [{ id }] = (await app.send("GET", `/api/v1/channels/targets?target=${target}`)).body.items;
  await app.send("PUT", `/api/v1/channels/${agent.channel_id}/targets/${id}/browser_calls`, {
    browser_calls: true,
  });

  // What the browser's microphone hears: a moment of quiet, the question, and quiet for the rest of the test.
  const folder = mkdtempSync(path.join(tmpdir(), "parley-microphone-"));
  const file = path.join(folder, "question.wav");
  const question = await speech(engines.speaking, "when are you open");
  const channel = join([silence(HEARING_RATE, 3000), question, silence(HEARING_RATE, 60_000)]);
  writeFileSync(file, writeWav({ rate: HEARING_RATE, channels: [channel] }));
  browser = await launchChromium([
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    `--use-file-for-fake-audio-capture=${file}%noloop`,
    "--autoplay-policy=no-user-gesture-required",
  ]);
  const stopClock = runClock(app.clock);
  stop = async () => {
    stopClock();
    await browser.close();
    await engines.close();
    rmSync(folder, { recursive: true, force: true });
  };
});
afterAll(() => stop());

async function openPage(permissions: string[] = ["microphone"]): Promise<Page> {
  const context = await browser.newContext({ permissions });
  const page = await context.newPage();
  await page.goto(`${url}/chat/${target}`);
  return page;
}

test("a visitor presses Call, asks aloud, and both sides stand on the page", async (context) => {
  if (!understands) return context.skip();
  const page = await openPage();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("You can talk now.").waitFor();
  await page.locator("#log .user", { hasText: "when are you open" }).waitFor({ timeout: 30_000 });
  await page.locator("#log", { hasText: "We are open from eight to five." }).waitFor({ timeout: 30_000 });
  await page.getByRole("button", { name: "Mute" }).click();
  await page.getByText("Your microphone is muted.").waitFor();
  await page.getByRole("button", { name: "Hang up" }).click();
  await page.getByText("The call has ended.").waitFor();
  await page.getByLabel("Your message").waitFor();
  const sessions = (await app.send("GET", "/api/v1/sessions/")).body.items;
  expect(sessions.map((session: { channel_manager_type: string }) => session.channel_manager_type)).toContain(
    "voice_browser_v1",
  );
});

test("a call that the server loses ends with a word, and can be made again", async () => {
  const page = await openPage();
  await page.routeWebSocket(/calls\/socket/, (socket) => socket.close());
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page
    .getByText("The connection was lost and the call has ended. Press Call to start again.")
    .waitFor();
  expect(await page.getByRole("button", { name: "Call", exact: true }).isEnabled()).toBe(true);
});

test("a chat that allows no calls has no button", async () => {
  const { target: other } = await createAgent(app, { script: SCRIPT });
  const page = await openPage();
  await page.goto(`${url}/chat/${other}`);
  await page.getByLabel("Your message").waitFor();
  expect(await page.getByRole("button", { name: "Call", exact: true }).count()).toBe(0);
});
