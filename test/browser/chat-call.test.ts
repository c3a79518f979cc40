import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createLocalEngines } from "../../src/media/local-engines.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { openContext } from "../harness/browser.ts";
import { launchChromium } from "../harness/chromium.ts";
import { axeFindings } from "../harness/console.ts";
import { createLine, type Line } from "../harness/line.ts";
import { askedAgainAndAgain } from "../harness/microphone.ts";
import { runClock } from "../harness/run-clock.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

const SCRIPT = `
on /open/ -> say "We are open from eight to five."
on /.*/ -> say "Please say that again."
`;

let engines: ReturnType<typeof createLocalEngines>;
let app: TestApp;
let browser: Browser;
let line: Line;
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
  line = await createLine(await app.listen());
  ({ target } = await createAgent(app, { script: SCRIPT }));
  folder = await mkdtemp(path.join(tmpdir(), "parley-microphone-"));
  const microphone = path.join(folder, "question.wav");
  await writeFile(microphone, await askedAgainAndAgain(engines.speaking, "When are you open?"));
  browser = await launchChromium([
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-audio-capture=${microphone}`,
    // Answers the question for permission by itself: yes.
    "--use-fake-ui-for-media-stream",
  ]);
});
afterAll(async () => {
  stopClock();
  await browser?.close();
  await engines.close();
  await rm(folder, { recursive: true, force: true });
});

test("a chat that takes no calls shows no button, and its page may not use the microphone", async () => {
  await allow(false);
  const page = await open();
  await page.getByLabel("Your message").waitFor();
  expect(await page.getByRole("button", { name: "Call", exact: true }).count()).toBe(0);
  expect((await fetch(page.url())).headers.get("permissions-policy")).toBe("microphone=()");
});

test("once it takes calls, the page may use the microphone for itself alone", async () => {
  await allow(true);
  const page = await open();
  await page.getByRole("button", { name: "Call", exact: true }).waitFor();
  expect((await fetch(page.url())).headers.get("permissions-policy")).toBe("microphone=(self)");
});

test("Call, speak, and be answered aloud: both sides can be read, and the call ends by its button", async (context) => {
  if (!understands) return context.skip();
  const page = await open();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("Connected. Speak now.").waitFor();
  await page.getByText("Speaking…").waitFor();
  await page.locator("#log .user", { hasText: "when are you open" }).waitFor();
  await page.locator("#log .agent", { hasText: "We are open from eight to five." }).first().waitFor();
  const theCall = async () =>
    (await app.send("GET", "/api/v1/sessions/")).body.items.find(
      (session: { channel_manager_type: string }) => session.channel_manager_type === "voice_browser_v1",
    );
  const heard = async (): Promise<{ source: string; text: string }[]> => {
    const { session_id } = await theCall();
    return (await app.send("GET", `/api/v1/sessions/transcript/${session_id}`)).body.transcription;
  };
  // A transcript holds what was heard: the page's loudspeaker has told that it played all of it. What the caller has spoken
  // after is no more cut off; on a slow machine a noise may do that, and the agent answers the question when it comes again.
  const heardWhole = (all: { source: string; text: string }[]) => {
    const at = all.findIndex(({ text }) => text === "We are open from eight to five.");
    return at >= 0 && all.slice(at + 1).some(({ source }) => source === "user");
  };
  await expect.poll(async () => heardWhole(await heard())).toBe(true);
  await page.getByText("Listening…").waitFor();
  await page.getByRole("button", { name: "Keypad" }).click();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Hang up" }).click();
  await page.locator("#call-notice", { hasText: "The call has ended." }).waitFor();
  await expect.poll(() => page.getByLabel("Your message").isVisible()).toBe(true);
  await expect.poll(async () => (await theCall()).end_reason).toBe("user");
  expect(heardWhole(await heard())).toBe(true);
});

test("a key shows as what the caller said, cuts the agent's words to what was heard, and is answered in a bubble of its own", async (context) => {
  if (!understands) return context.skip();
  const greeting = "Good morning. You can ask about our opening hours, book an appointment, or press a key.";
  const { target: greets } = await createAgent(app, {
    script: 'on "5" -> say "You pressed five."',
    greeting: { type: "greeting", text: greeting },
  });
  await allow(true, app, greets);
  const page = await open({ name: greets, speaks: false });
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("Speaking…").waitFor();
  await page.getByRole("button", { name: "Keypad" }).click();
  await page.getByRole("button", { name: "5", exact: true }).click();
  await page.locator("#log .agent", { hasText: "You pressed five." }).waitFor();
  const turns = page.locator("#log .spoken .bubble");
  const [first = "", ...others] = await turns.allTextContents();
  expect(others).toEqual(["5", "You pressed five."]);
  expect(first).toMatch(/ —$/);
  expect(greeting.startsWith(first.slice(0, -2))).toBe(true);
  expect(first.length).toBeLessThan(greeting.length);
  await page.getByRole("button", { name: "Hang up" }).click();
});

test("what the agent says after a silence stands in a bubble of its own", async (context) => {
  if (!understands) return context.skip();
  const greeting = "Good morning. What can I do for you?";
  const { target: greets } = await createAgent(app, {
    script: 'otherwise -> say "Are you still there?"',
    greeting: { type: "greeting", text: greeting },
  });
  await allow(true, app, greets);
  const page = await open({ name: greets, speaks: false });
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.locator("#log .agent", { hasText: "Are you still there?" }).first().waitFor();
  const [first, second] = await page.locator("#log .spoken .bubble").allTextContents();
  expect([first, second]).toEqual([greeting, "Are you still there?"]);
  await page.getByRole("button", { name: "Hang up" }).click();
});

test("where nothing can play sound, as Firefox without a loudspeaker, a sentence says so", async (context) => {
  if (!understands) return context.skip();
  const page = await open();
  await page.addInitScript("AudioContext.prototype.resume = () => new Promise(() => {})");
  await page.clock.install();
  await page.reload();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const told = page.getByText("No loudspeaker was found. Connect one, or headphones, then call again.");
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000);
      return told.isVisible();
    })
    .toBe(true);
  await page.getByLabel("Your message").fill("hello");
});

test("a call whose sound the system stopped while the tab was hidden sounds again when it is seen", async (context) => {
  if (!understands) return context.skip();
  const page = await open();
  await page.addInitScript(`{
    const { AudioContext: Real } = window;
    window.sounds = [];
    window.AudioContext = class extends Real {
      constructor(...given) {
        super(...given);
        window.sounds.push(this);
      }
    };
  }`);
  await page.reload();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("Connected. Speak now.").waitFor();
  const states = () => page.evaluate("window.sounds.map((sound) => sound.state)");
  await page.evaluate("Promise.all(window.sounds.map((sound) => sound.suspend()))");
  expect(await states()).not.toContain("running");
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await expect.poll(async () => new Set((await states()) as string[])).toEqual(new Set(["running"]));
  await page.locator("#log .agent", { hasText: "We are open from eight to five." }).first().waitFor();
  await page.getByRole("button", { name: "Hang up" }).click();
});

test("a microphone that is not allowed is told in a sentence, and one can write on", async (context) => {
  if (!understands) return context.skip();
  const refusing = await launchChromium([
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream=deny",
  ]);
  onTestFinished(() => refusing.close());
  const page = await open({ within: refusing });
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("The microphone was not allowed. Allow it for this page").waitFor();
  await page.getByLabel("Your message").fill("hello");
});

test("a call whose connection breaks says so, comes back to the same session, and is hung up as ever", async (context) => {
  if (!understands) return context.skip();
  // Calls of tests before it may still be ending.
  const call = () =>
    app.db
      .selectFrom("calls")
      .select(["id", "leg", "state"])
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirstOrThrow();
  const page = await open();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("Connected. Speak now.").waitFor();
  const before = await call();
  line.cut();
  await page.getByText("The connection was lost. Trying to come back to the call.").waitFor();
  line.restore();
  await expect.poll(() => page.locator("#call-notice").textContent()).toBe("");
  expect(await call()).toEqual({ ...before, leg: 2 });
  await page.locator("#log .user", { hasText: "when are you open" }).waitFor();
  await page.getByRole("button", { name: "Hang up" }).click();
  await expect.poll(async () => (await call()).state).toBe("ended");
});

test("a call whose connection stays away ends with a word, and can be made again", async (context) => {
  if (!understands) return context.skip();
  const page = await open();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("Connected. Speak now.").waitFor();
  line.cut();
  await page.getByText("The connection was lost, and the call has ended.").waitFor();
  line.restore();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("Connected. Speak now.").waitFor();
});

test("offline, the page says so and goes on when it is back", async (context) => {
  if (!understands) return context.skip();
  const page = await open();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("Connected. Speak now.").waitFor();
  await page.evaluate(`dispatchEvent(new Event("offline"))`);
  await page.getByText("You are offline. The call goes on").waitFor();
  await page.evaluate(`dispatchEvent(new Event("online"))`);
  await expect.poll(() => page.locator("#call-notice").textContent()).toBe("");
  await page.getByRole("button", { name: "Hang up" }).click();
  await page.getByText("The call has ended.").waitFor();
});

test("a network that is away for a moment before the call is connected does not end it later", async (context) => {
  if (!understands) return context.skip();
  const page = await open();
  await page.clock.install();
  await page.evaluate(`{
    document.getElementById("call").click();
    dispatchEvent(new Event("offline"));
    dispatchEvent(new Event("online"));
  }`);
  await page.getByText("Connected. Speak now.").waitFor();
  await page.clock.fastForward(20_000);
  await page.getByText("Speaking…").or(page.getByText("Listening…")).waitFor();
  expect(await page.locator("#call-notice").textContent()).toBe("");
  await page.getByRole("button", { name: "Hang up" }).click();
  await page.getByText("The call has ended.").waitFor();
});

test("where nothing hears, the button says which packages bring it", async () => {
  const deaf = createLocalEngines({ sphinx: null });
  const other = await createTestApp({}, undefined, { voiceEngines: deaf });
  onTestFinished(() => deaf.close());
  const { target: there } = await createAgent(other, { script: SCRIPT });
  await allow(true, other, there);
  const page = await open({ url: await other.listen(), name: there });
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Calls are not set up here" });
  await dialog.getByText("./parley speech-model").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
});

async function allow(browser_calls: boolean, of = app, name = target): Promise<void> {
  const { items } = (await of.send("GET", "/api/v1/channels/targets")).body;
  const { channel_id, id } = items.find((each: { target: string }) => each.target === name);
  const path = `/api/v1/channels/${channel_id}/targets/${id}/browser_calls`;
  expect((await of.send("PUT", path, { browser_calls })).status).toBe(200);
}

/** A microphone in which nobody speaks: a slow machine has no time to mute the other before it asks. */
const SILENT = `navigator.mediaDevices.getUserMedia = async () =>
  new AudioContext().createMediaStreamDestination().stream;`;

async function open({ within = browser, url = line.url, name = target, speaks = true } = {}): Promise<Page> {
  const context = await openContext(within);
  onTestFinished(() => context.close());
  if (!speaks) await context.addInitScript(SILENT);
  const page = await context.newPage();
  await page.goto(`${url}/chat/${name}`);
  return page;
}
