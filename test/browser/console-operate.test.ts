import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import {
  axeFindings,
  type ConsoleTest,
  createConsoleTest,
  expectNoSidewaysScroll,
} from "../harness/console.ts";
import { createNumber, endOf, incoming, pickUp } from "../harness/phone.ts";

const SCRIPT = 'otherwise -> say "You said {user.text}."';

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

test("an operator finds the live call that goes wrong, reads along, whispers and hangs up in five clicks", async () => {
  const { app } = it;
  const { number } = await createNumber(app, { script: SCRIPT, greeting: { text: "Hello." } });
  const [well, badly] = [
    await pickUp(app, incoming(number, { from: "+14155550101" })),
    await pickUp(app, incoming(number, { from: "+14155550102" })),
  ];
  for (const phone of [well, badly]) await phone.hears(1);
  well.says("Monday is fine");
  badly.says("that is not my appointment");
  for (const phone of [well, badly]) await phone.hears(1);

  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/");
  let clicks = 0;
  const click = async (name: string, role: "link" | "button", within = page.locator("body")) => {
    await within.getByRole(role, { name, exact: true }).click();
    clicks++;
  };
  await click("Sessions", "link");
  const live = page.getByRole("region", { name: "Live now" });
  await live.getByText("You said that is not my appointment.").waitFor();
  await live.getByText("You said Monday is fine.").waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await click("+14155550102", "link", live);
  await page.getByText("that is not my appointment", { exact: true }).waitFor();
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  badly.says("I need a doctor");
  await badly.hears(1);
  await page.getByText("You said I need a doctor.").waitFor();
  expect(await page.evaluate(() => "isSamePage" in globalThis)).toBe(true);

  await page.getByLabel("Whisper to the agent").fill("Offer the emergency number.");
  await click("Whisper", "button");
  await page.getByText("Note to the agent by editor@example.com, not read yet").waitFor();
  badly.says("hello");
  await badly.hears(1);
  await page.getByText("not read yet").waitFor({ state: "detached" });
  expect(await axeFindings(page)).toEqual([]);

  await click("Hang up", "button");
  await click("Hang up", "button", page.getByRole("dialog"));
  expect(await badly.isLeft()).toEqual({ action: "hangup" });
  await page.getByText("ended", { exact: true }).waitFor();
  expect(await endOf(app, badly.session_id)).toMatchObject({ end_reason: "operator" });
  // biome-ignore lint/suspicious/noConsole: the count is what the test is run for
  console.info(`operator: ${clicks} clicks from Home to the call that was hung up`);
  expect(clicks).toBe(5);
  expect(page.faults).toEqual([]);
});

test("a running test conversation is live where the list shows test traffic, and not beside people's", async () => {
  await it.app.send("POST", "/api/v1/agents/test/messages", {
    service_name: "console",
    source: "an-author",
    test_id: "running",
    agent_id: "1",
    session_start: true,
  });
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/sessions");
  const live = page.getByRole("region", { name: "Live now" });
  await page.getByRole("heading", { name: /^Live now \(\d+\)$/ }).waitFor();
  expect(await live.getByText("an-author").count()).toBe(0);
  await page.getByRole("combobox", { name: "Traffic" }).click();
  await page.getByRole("option", { name: "Test", exact: true }).click();
  await live.getByText("an-author").waitFor();
  expect(page.faults).toEqual([]);
});

test("what is said while a page begins to follow a conversation is shown, though nothing is said after it", async () => {
  const { app } = it;
  const { target } = await createAgent(app, { script: SCRIPT });
  const visitor = app.sendAs(null);
  const { session_id, token } = (await visitor("POST", "/chat/v1/sessions", { client_id: target })).body;
  const says = (text: string) =>
    visitor("POST", `/chat/v1/sessions/${session_id}/messages?token=${token}`, { text });
  await says("hi");

  const page = await it.open(await it.person("Viewer"));
  const { promise: isSaid, resolve: follow } = Promise.withResolvers<void>();
  await page.route("**/api/v1/sessions/live*", async (route) => {
    await isSaid;
    await route.continue();
  });
  await page.goto(`/console/sessions/${session_id}`);
  await page.getByText("You said hi.").waitFor();
  const state = page.getByText("listening", { exact: true });
  // The last look before the stream is answered with what was there before it.
  let isLooking = false;
  await page.route("**/api/v1/sessions/timeline/*", async (route) => {
    if (isLooking) return route.continue();
    isLooking = true;
    const response = await route.fetch();
    await says("one more thing");
    follow();
    await state.waitFor();
    await route.fulfill({ response }).catch(() => {});
  });
  await page.getByText("You said one more thing.").waitFor();
  expect(page.faults).toEqual([]);
});

test("a chat is taken over, answered by hand and handed back on its page; who may only read can do none of it", async () => {
  const { app } = it;
  const { target } = await createAgent(app, { script: SCRIPT });
  const visitor = app.sendAs(null);
  const { body } = await visitor("POST", "/chat/v1/sessions", { client_id: target });
  const { session_id, token } = body;
  const says = (text: string) =>
    visitor("POST", `/chat/v1/sessions/${session_id}/messages?token=${token}`, { text });
  await says("hi");

  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/sessions/${session_id}`);
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("taken over by editor@example.com").waitFor();
  await page.getByLabel("Message", { exact: true }).fill("Half a mess");
  await page.reload();
  await expect.poll(() => page.getByLabel("Message", { exact: true }).inputValue()).toBe("Half a mess");
  await says("is anybody there");
  await page.getByText("is anybody there", { exact: true }).waitFor();
  await page.getByLabel("Message", { exact: true }).fill("Ann here.");
  await page.getByLabel("Message", { exact: true }).press("Enter");
  await page.getByText("Ann here.", { exact: true }).waitFor();

  const reader = await it.open(await it.person("Viewer"), { viewport: { width: 320, height: 700 } });
  await reader.goto(`/console/sessions/${session_id}`);
  await reader.getByText("Your role allows you to read along.").waitFor();
  await reader.getByText("taken over by editor@example.com").waitFor();
  expect(await reader.getByRole("button", { name: "Take over" }).count()).toBe(0);
  await expectNoSidewaysScroll(reader);
  await reader.goto("/console/sessions");
  await reader.getByRole("region", { name: "Live now" }).getByText("Ann here.").waitFor();
  await expectNoSidewaysScroll(reader);

  await page.getByRole("button", { name: "Hand back to agent" }).click();
  await page.getByRole("button", { name: "Take over" }).waitFor();
  await says("thanks");
  await page.getByText("You said thanks.").waitFor();
  const { messages } = (await visitor("GET", `/chat/v1/sessions/${session_id}?token=${token}`)).body;
  expect(messages.map(({ text }: { text: string }) => text)).toEqual([
    "hi",
    "You said hi.",
    "is anybody there",
    "Ann here.",
    "thanks",
    "You said thanks.",
  ]);
  expect([...page.faults, ...reader.faults]).toEqual([]);
});

test("a chat that is handed back while the page hears nothing of it stays with the agent", async () => {
  const { app } = it;
  const { target } = await createAgent(app, { script: SCRIPT });
  const visitor = app.sendAs(null);
  const { session_id, token } = (await visitor("POST", "/chat/v1/sessions", { client_id: target })).body;
  const page = await it.open(await it.person("Editor"));
  await page.clock.install();
  await page.addInitScript(`{
    const real = fetch;
    const pass = (chunk, stream) => { if (!window.hearsNothing) stream.enqueue(chunk); };
    window.fetch = async (url, init) => {
      const response = await real(url, init);
      if (!String(url).includes("/sessions/live")) return response;
      return new Response(response.body.pipeThrough(new TransformStream({ transform: pass })), response);
    };
  }`);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/takeover")) sent.push(request.method());
  });
  await page.goto(`/console/sessions/${session_id}`);
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("taken over by editor@example.com").waitFor();
  await page.evaluate("window.hearsNothing = true");
  await page.getByRole("button", { name: "Hand back to agent" }).click();
  await page.getByRole("button", { name: "Take over" }).waitFor();
  // The time of two renewals.
  await page.clock.fastForward(130_000);
  await visitor("POST", `/chat/v1/sessions/${session_id}/messages?token=${token}`, { text: "thanks" });
  const said = async () =>
    (await visitor("GET", `/chat/v1/sessions/${session_id}?token=${token}`)).body.messages.at(-1).text;
  await expect.poll(said).toBe("You said thanks.");
  expect(sent).toEqual(["POST", "DELETE"]);
  expect(page.faults).toEqual([]);
});
