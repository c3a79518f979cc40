import type { Browser, Page } from "playwright-core";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, START, type TestApp } from "../harness/app.ts";
import { openBrowser, openContext } from "../harness/browser.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { createLine, type Line } from "../harness/line.ts";
import { createPeer, json } from "../harness/peer.ts";

const HOSTILE = `<img src="/x.png" onerror="window.hacked = true"><script>window.hacked = true</script>`;
const SCRIPT = `
  on "slowly" -> say "One moment." then wait 5s then say "Here it is."
  on "show" -> call list_doctors
  after list_doctors -> say "These are they."
  on "look" -> say "Let me look." then call look_up
  after look_up -> say "Found it."
  on "dig" -> say "Let me dig." then call dig
  after dig -> say "Deeper." then wait 5s then say "Gold."
  on "bye" -> call hangup
  on "hostile" -> say ${JSON.stringify(HOSTILE)}
  otherwise -> say "You said: {user.text}"`;

let app: TestApp;
let browser: Browser;
let line: Line;
let target: string;

beforeAll(async () => {
  app = await createTestApp();
  const peer = await createPeer();
  peer.respond(({ path }, response) => {
    if (path === "/doctors") json(response, 200, { doctors: DOCTORS });
    else setTimeout(() => json(response, 200, {}), 1_000);
  });
  browser = await openBrowser();
  line = await createLine(await app.listen());
  ({ target } = await createAgent(app, {
    script: SCRIPT,
    tools: [
      endpointTool("list_doctors", `${peer.url}/doctors`, { definition: DISPLAY }),
      endpointTool("look_up", `${peer.url}/slow`),
      endpointTool("dig", `${peer.url}/doctors`),
    ],
    systemTools: ["hangup"],
    greeting: { type: "greeting", text: `Welcome ${HOSTILE}`, rules: [] },
    agent: { name: "Doctor <b>Bones</b>" },
  }));
});

beforeEach(() => line.restore());

test("a message goes out with Enter, and its answer can be read while it is made", async () => {
  const page = await openChat();
  await page.getByLabel("Your message").pressSequentially("Slowly,");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("please");
  await page.keyboard.press("Enter");
  await page.locator("#log .user", { hasText: "Slowly,\nplease" }).waitFor();
  await page.locator("#working", { hasText: "One moment." }).waitFor();
  expect(await heard(page)).not.toContain("One moment.");
  await page.locator("#log .agent", { hasText: "One moment. Here it is." }).waitFor();
  expect(await page.locator("#working").textContent()).toBe("");
  await expect.poll(() => page.getByText("offline demo model").isVisible()).toBe(true);
});

test("a page in another language says all that it says in it, from the right where it is read so", async () => {
  const page = await openChat();
  await page.goto(`${line.url}/chat/${target}?language=ar`);
  expect(await page.locator("html").getAttribute("dir")).toBe("rtl");
  await page.getByPlaceholder("اكتب رسالة…").fill("مرحبا");
  await page.getByRole("button", { name: "إرسال الرسالة" }).click();
  await page.locator("#log .user", { hasText: "أنت: مرحبا" }).waitFor();
  await page.locator("#log .agent", { hasText: "You said: مرحبا" }).waitFor();
  await page.getByPlaceholder("اكتب رسالة…").fill("bye");
  await page.keyboard.press("Enter");
  await page.getByText("انتهت هذه المحادثة.").waitFor();
  expect(
    await page.locator("body").evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
  ).toBe(0);
});

test("the field where a message is written is as high as its lines, so that it has no scrollbar", async () => {
  const field = (await openChat()).getByLabel("Your message");
  const hidden = () => field.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
  expect(await hidden()).toBe(0);
  await field.fill("One\nTwo\nThree");
  expect(await hidden()).toBe(0);
});

test("a reload shows the same chat, cards and all, and goes on with it", async () => {
  const page = await openChat();
  await say(page, "show");
  await hear(page, "These are they.");
  const before = await heard(page);
  await page.reload();
  await hear(page, "These are they.");
  expect(await heard(page)).toBe(before);
  await exchange(page, "again");
  expect(await messagesOf(page)).toEqual([
    ["agent", expect.any(String)],
    ["user", "show"],
    ["agent", "These are they."],
    ["user", "again"],
    ["agent", "You said: again"],
  ]);
});

test("a half-written message is there again after a reload, and gone once it is sent", async () => {
  const page = await openChat();
  const text = page.getByLabel("Your message");
  await text.fill("I would like to");
  await page.reload();
  await expect.poll(() => text.inputValue()).toBe("I would like to");
  await text.pressSequentially(" come at nine");
  await page.keyboard.press("Enter");
  await page.locator("#log .agent", { hasText: "You said: I would like to come at nine" }).waitFor();
  await page.reload();
  await page.locator("#log .agent", { hasText: "come at nine" }).waitFor();
  expect(await text.inputValue()).toBe("");
});

test("what is written while the connection is lost waits, and is sent once when it is back", async () => {
  const page = await openChat();
  await exchange(page, "hi");
  line.cut();
  await page.getByText("Connection lost. Trying again…").waitFor();
  await say(page, "first");
  await say(page, "second");
  await expect.poll(() => page.getByText("Waiting to be sent").count()).toBe(2);
  // Not even a reload loses what waits.
  line.restore();
  await page.reload();
  await hear(page, "You said: second");
  expect((await messagesOf(page)).slice(3)).toEqual([
    ["user", "first"],
    ["agent", "You said: first"],
    ["user", "second"],
    ["agent", "You said: second"],
  ]);
  await expect.poll(() => page.locator(".user .bubble").allTextContents()).toEqual(["hi", "first", "second"]);
  expect(await page.getByText("Waiting to be sent").count()).toBe(0);
});

test("a message whose answer got lost is sent again, stored once and answered once", async () => {
  const page = await openChat();
  await exchange(page, "hi");
  line.loseAnswers();
  await say(page, "hello");
  await expect.poll(async () => (await messagesOf(page)).length).toBe(5);
  line.cut();
  await page.getByText("Connection lost. Trying again…").waitFor();
  expect(await page.getByText("You said: hello").count()).toBe(0);
  line.restore();
  await hear(page, "You said: hello");
  await expect.poll(() => page.getByText("Connection lost").count()).toBe(0);
  expect((await messagesOf(page)).slice(3)).toEqual([
    ["user", "hello"],
    ["agent", "You said: hello"],
  ]);
  await expect.poll(() => page.getByText("You said: hello").count()).toBe(1);
});

test("cards whose answer got lost are there when the line is back, once", async () => {
  const page = await openChat();
  await exchange(page, "hi");
  line.loseAnswers();
  await say(page, "show");
  await expect.poll(async () => (await messagesOf(page)).length).toBe(5);
  line.cut();
  await page.getByText("Connection lost. Trying again…").waitFor();
  line.restore();
  await hear(page, "These are they.");
  await page.getByRole("button", { name: "Ask for a time" }).first().waitFor();
  await expect.poll(() => page.locator("#log .card").count()).toBe(2);
  await expect.poll(() => page.getByText("These are they.").count()).toBe(1);
});

test("what was said before the program died in the middle of an answer is not missing once it is complete", async () => {
  const page = await openChat();
  await exchange(page, "hi");
  line.loseAnswers();
  await say(page, "dig");
  await expect.poll(async () => (await messagesOf(page)).length).toBeGreaterThanOrEqual(5);
  // As when the process that answered is gone: another takes the turn up where it was stored.
  await app.db
    .updateTable("sessions")
    .set({ lease_owner: null, lease_expires_at: null })
    .where("id", "=", Number(await sessionOf(page)))
    .execute();
  line.cut();
  line.restore();
  await hear(page, "Gold.");
  await hear(page, "Let me dig.");
  await expect.poll(() => page.getByText("Let me dig.").count()).toBe(1);
});

test("an answer that broke off halfway is completed, and nothing of it is shown twice", async () => {
  const page = await openChat();
  await say(page, "look");
  await page.locator("#log", { hasText: "Let me look." }).waitFor();
  line.cut();
  await page.getByText("Connection lost. Trying again…").waitFor();
  line.restore();
  await hear(page, "Found it.");
  await expect
    .poll(() => page.locator("#log .bubble").allTextContents())
    .toEqual([expect.stringContaining("Welcome"), "look", "Let me look.", "Found it."]);
});

test("what a colleague writes between the page's reading and its socket is shown, once", async () => {
  const page = await openChat();
  const takeover = `/api/v1/sessions/${await sessionOf(page)}/takeover`;
  await app.send("POST", takeover, {});
  await page.route(/\/chat\/v1\/sessions\/\d+\?/, async (route) => {
    const response = await route.fetch();
    await app.send("POST", `${takeover}/messages`, { text: "A colleague here.", id: "between" });
    await route.fulfill({ response });
  });
  await page.reload();
  await hear(page, "A colleague here.");
  await app.send("POST", `${takeover}/messages`, { text: "And once more.", id: "later" });
  await hear(page, "And once more.");
  expect(await page.getByText("A colleague here.").count()).toBe(1);
});

test("what a colleague writes while the page reads the chat again is shown once", async () => {
  const page = await openChat();
  const takeover = `/api/v1/sessions/${await sessionOf(page)}/takeover`;
  await app.send("POST", takeover, {});
  const isRead = Promise.withResolvers<void>();
  await page.routeWebSocket(/\/socket\?/, (socket) => {
    const server = socket.connectToServer();
    let last: Promise<void> = Promise.resolve();
    server.onMessage((frame) => {
      last = last.then(() => isRead.promise).then(() => socket.send(frame));
    });
  });
  await page.reload();
  await hear(page, "Welcome");
  await app.send("POST", `${takeover}/messages`, { text: "Read first.", id: "first" });
  // A page whose socket is still on its way doesn't read again.
  await expect
    .poll(async () => {
      await page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
      return heard(page);
    })
    .toContain("Read first.");
  await app.send("POST", `${takeover}/messages`, { text: "Told first.", id: "second" });
  isRead.resolve();
  await hear(page, "Told first.");
  expect(await page.locator("#log .agent .bubble").allTextContents()).toEqual([
    expect.stringContaining("Welcome"),
    "Read first.",
    "Told first.",
  ]);
});

test("where WebSockets don't get through, the chat goes on by plain HTTP", async () => {
  line.refuseSockets();
  const page = await openChat();
  await exchange(page, "hello");
  await exchange(page, "and again");
  await expect.poll(() => page.locator(".user .bubble").allTextContents()).toEqual(["hello", "and again"]);
});

test("by plain HTTP, what a colleague writes is shown though the visitor writes nothing", async () => {
  line.refuseSockets();
  const page = await openChat();
  await page.clock.install({ time: START });
  await page.reload();
  await exchange(page, "hello");
  const takeover = `/api/v1/sessions/${await sessionOf(page)}/takeover`;
  await app.send("POST", takeover, {});
  for (const text of ["A colleague here.", "And once more."]) {
    await app.send("POST", `${takeover}/messages`, { text, id: text });
    await page.clock.fastForward(10_000);
    await hear(page, text);
  }
  expect(await page.getByText("A colleague here.").count()).toBe(1);
});

test("by plain HTTP, a message that is refused for now waits as long as it is told, and is sent once more", async () => {
  line.refuseSockets();
  const page = await openChat();
  let refused = false;
  await page.route("**/messages?*", async (route) => {
    if (refused) return route.continue();
    refused = true;
    await route.fulfill({ status: 429, headers: { "retry-after": "2" }, json: { detail: "Too fast." } });
  });
  // By the page's own clock: how late this process hears of it says nothing.
  await page.evaluate(`{
    const send = fetch;
    globalThis.sentAt = [];
    globalThis.fetch = (url, ...rest) => {
      if (String(url).includes("/messages?")) sentAt.push(performance.now());
      return send(url, ...rest);
    };
  }`);
  await exchange(page, "hello");
  const sent = await page.evaluate<number[]>("sentAt");
  expect(sent.length).toBe(2);
  expect(sent[1]! - sent[0]!).toBeGreaterThan(1_990);
});

test("what comes from the server is words, never markup, script or an address that runs", async () => {
  const page = await openChat();
  await say(page, HOSTILE);
  await say(page, "hostile");
  await say(page, "show");
  await hear(page, "These are they.");
  await expect.poll(() => page.locator("h1").textContent()).toBe("Doctor <b>Bones</b>");
  await expect.poll(() => page.title()).toBe("Doctor <b>Bones</b>");
  await expect.poll(() => page.locator("#log .bubble", { hasText: HOSTILE }).count()).toBeGreaterThan(2);
  // One picture, of the card that has an https one.
  await expect.poll(() => page.locator("#log img").count()).toBe(1);
  expect(await page.locator("#log script, #log b").count()).toBe(0);
  const links = await page
    .locator("#log a")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  expect(links).toEqual(["tel:+15125550142"]);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  await expect(page.evaluate("document.body.innerHTML = '<p>'")).rejects.toThrow(/TrustedHTML/);
});

test("a card's message is the visitor's next message", async () => {
  const page = await openChat();
  await say(page, "show");
  await page.getByRole("button", { name: "Ask for a time" }).first().click();
  await hear(page, "You said: When is Dr. Osei free?");
});

test("when the agent ends the chat there is nothing more to write, and a new one can begin", async () => {
  const page = await openChat();
  await say(page, "bye");
  await page.getByText("This chat has ended.").waitFor();
  expect(await page.getByLabel("Your message").isVisible()).toBe(false);
  const first = await sessionOf(page);
  await page.reload();
  await page.getByText("This chat has ended.").waitFor();
  await page.getByRole("button", { name: "Start a new chat" }).click();
  await hear(page, "Welcome");
  await exchange(page, "hello");
  expect(await sessionOf(page)).not.toBe(first);
});

test("a new chat is asked about first, and ends the one before", async () => {
  const page = await openChat();
  await exchange(page, "hello");
  const first = await sessionOf(page);
  await page.getByRole("button", { name: "New chat" }).click();
  await page.getByRole("button", { name: "Keep chatting" }).click();
  expect(await sessionOf(page)).toBe(first);
  await page.getByRole("button", { name: "New chat" }).click();
  await page.getByRole("button", { name: "Start a new chat" }).click();
  await expect.poll(() => sessionOf(page)).not.toBe(first);
  await expect.poll(() => isEnded(first)).toBe(true);
  expect(await page.getByText("You said: hello").count()).toBe(0);
});

test("two tabs of one chat lose nothing of each other: what both wait to send is sent by the next page", async () => {
  const page = await openChat();
  const other = await openTab(page);
  // A tab whose socket is still being opened goes on without one, and hears of the cut when it sends.
  await expect.poll(() => line.sockets()).toBe(2);
  line.cut();
  for (const tab of [page, other]) await tab.getByText("Connection lost. Trying again…").waitFor();
  await say(page, "from the one");
  await say(other, "from the other");
  await page.close();
  await other.close();
  line.restore();
  const next = await openTab(page);
  await hear(next, "You said: from the one");
  await hear(next, "You said: from the other");
  await expect.poll(() => next.getByText("Waiting to be sent").count()).toBe(0);
});

test("a chat that ends in one tab ends in the other at once", async () => {
  const page = await openChat();
  await exchange(page, "hello");
  const other = await openTab(page);
  await hear(other, "You said: hello");
  await say(page, "bye");
  await other.getByText("This chat has ended.").waitFor();
});

test("a tab that is left in an ended chat doesn't take the new chat of another tab away", async () => {
  const page = await openChat();
  await exchange(page, "hello");
  const other = await openTab(page);
  await hear(other, "You said: hello");
  await page.getByRole("button", { name: "New chat" }).click();
  await page.getByRole("button", { name: "Start a new chat" }).click();
  // The question is closed a moment before the new chat begins.
  await expect.poll(() => heard(page)).not.toContain("You said: hello");
  await exchange(page, "once more");
  const session = await sessionOf(page);
  await other.getByText("This chat has ended.").waitFor();
  expect(await sessionOf(page)).toBe(session);
  await page.reload();
  await hear(page, "You said: once more");
});

test("a chat that ended for silence says so, and gives back what was not sent", async () => {
  const page = await openChat();
  // The greeting is there before the socket; a chat that ends in between shows its end by itself.
  await exchange(page, "hello");
  const { engine } = app;
  const session = await sessionOf(page);
  await app.db
    .updateTable("sessions")
    .set({ ended_at: engine.clock.now().toISOString(), end_reason: "idle" })
    .where("id", "=", Number(session))
    .execute();
  await say(page, "are you there?");
  await page.getByText("This chat has ended.").waitFor();
  await page.getByRole("button", { name: "Start a new chat" }).click();
  await expect.poll(() => page.getByLabel("Your message").inputValue()).toBe("are you there?");
});

test("what is written from the right is shown from the right, each line by its own words, also while it is written", async () => {
  const page = await openChat();
  const box = page.getByLabel("Your message");
  const direction = () => page.evaluate(`getComputedStyle(document.getElementById("text")).direction`);
  expect(await direction()).toBe("ltr");
  await box.fill("مرحبا، متى تفتحون؟");
  expect(await direction()).toBe("rtl");
  await box.fill("A long line of English words, and below it a short one:\nمرحبا\nyes");
  await box.press("Enter");
  await page.getByText("You said: A long line").waitFor();
  for (const [line, side] of [
    ["مرحبا", "right"],
    ["yes", "left"],
  ] as const) {
    const gap = await page.evaluate(`(() => {
      const bubble = [...document.querySelectorAll(".turn.user .bubble")].at(-1);
      const range = document.createRange();
      const at = bubble.firstChild.data.indexOf("${line}");
      range.setStart(bubble.firstChild, at);
      range.setEnd(bubble.firstChild, at + ${line.length});
      return Math.abs(range.getBoundingClientRect().${side} - bubble.getBoundingClientRect().${side});
    })()`);
    expect(gap, line).toBeLessThan(25);
  }
});

test.each([
  ["请访问https://a.example/b?id=42。确认后", "https://a.example/b?id=42"],
  ["زُر https://a.example/b، ثم أكّد", "https://a.example/b"],
  ["詳細は https://a.example/b、または", "https://a.example/b"],
  ["https://a.example/b। धन्यवाद", "https://a.example/b"],
  ["(see https://a.example/b).", "https://a.example/b"],
  ["אפשר לכתוב ל-info@a.example.", "mailto:info@a.example"],
])("an address ends where its own letters end: %s", async (words, address) => {
  const page = await openChat();
  await say(page, words);
  await hear(page, words);
  const links = page.locator("#log .agent a");
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([address]);
});

test("a telephone number is read from the left, also among words that are read from the right", async () => {
  const page = await openChat();
  await say(page, "اتصل بنا على +1 (512) 555-0142 يوم 30-11-2026 الساعة 10:30 - 11:30");
  await hear(page, "You said");
  const numbers = page.locator("#log .turn:is(.user, .agent) bdi");
  expect(await numbers.allTextContents()).toEqual([
    ...["+1 (512) 555-0142", "30-11-2026"],
    ...["+1 (512) 555-0142", "30-11-2026"],
  ]);
  const isFromLeft = await page.evaluate(`(() => {
    const number = document.querySelector("#log .user bdi").firstChild;
    const range = document.createRange();
    const at = (from) => (range.setStart(number, from), range.setEnd(number, from + 1), range.getBoundingClientRect().left);
    return at(1) < at(16);
  })()`);
  expect(isFromLeft).toBe(true);
});

test("everything fits a screen of 320 pixels", async () => {
  const page = await openChat({ width: 320, height: 480 });
  await say(page, `show ${"verylongword".repeat(12)}`);
  await hear(page, "These are they.");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  expect(await page.locator("#scroller").evaluate((node) => node.scrollWidth)).toBeLessThanOrEqual(320);
});

const DOCTORS = [
  { name: "Dr. Osei", picture: "https://pictures.invalid/osei.png", call: "tel:+15125550142" },
  { name: HOSTILE, picture: "javascript:window.hacked = true", call: "javascript:window.hacked = true" },
];
const DISPLAY = {
  options: { propagate_tool_result: true },
  response_display: {
    type: "card-list",
    version: 1,
    items_path: "doctors",
    mapping: {
      "media.imageUrl": { path: "picture" },
      "content.header": { path: "name" },
      actions: [
        { type: "link", text: "Call", link: { path: "call" }, icon: "phone" },
        { type: "message", text: "Ask for a time", message: { template: "When is {{ name }} free?" } },
      ],
    },
  },
};

/** A visitor of their own, greeted. */
async function openChat(viewport = { width: 1000, height: 700 }): Promise<Page> {
  const context = await openContext(browser, { viewport });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.clock.setSystemTime(START);
  // Kept in the page, though the address leads nowhere.
  await page.route("https://pictures.invalid/**", (route) =>
    route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
  );
  await page.goto(`${line.url}/chat/${target}`);
  await hear(page, "Welcome");
  return page;
}

/** The same visitor's chat once more. */
async function openTab(beside: Page): Promise<Page> {
  const page = await beside.context().newPage();
  await page.clock.setSystemTime(START);
  await page.goto(`${line.url}/chat/${target}`);
  await hear(page, "Welcome");
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Your message").fill(text);
  await page.keyboard.press("Enter");
}

/** Says something, and waits for the echo. */
async function exchange(page: Page, text: string): Promise<void> {
  await say(page, text);
  await hear(page, `You said: ${text}`);
}

/** Waits until the agent has said this, not only begun to. */
const hear = (page: Page, text: string): Promise<void> =>
  page.locator("#log .agent").getByText(text).waitFor();

const heard = async (page: Page): Promise<string> => page.locator("#log").innerText();

/** Which session the page is in, as it keeps it. */
const sessionOf = async (page: Page): Promise<string> =>
  JSON.parse(await page.evaluate<string>(`localStorage.getItem("parley.chat.${target}")`)).session.id;

/** What the program stored of the page's session. */
async function messagesOf(page: Page): Promise<string[][]> {
  const rows = await app.db
    .selectFrom("session_messages")
    .select(["role", "text"])
    .where("session_id", "=", Number(await sessionOf(page)))
    .orderBy("seq")
    .execute();
  return rows.map(({ role, text }) => [role, text]);
}

async function isEnded(session_id: string): Promise<boolean> {
  const row = await app.db
    .selectFrom("sessions")
    .select("ended_at")
    .where("id", "=", Number(session_id))
    .executeTakeFirstOrThrow();
  return row.ended_at !== null;
}
