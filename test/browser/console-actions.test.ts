import type { Dialog, Route } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { sendForm } from "../harness/form.ts";

/** What a button or a window sends, and what the person learns of its answer. */
let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  await it.app.send("POST", "/api/v1/services/", { name: "Diary", description: "" });
  const words = { filename: "words.csv", content: Buffer.from("text,replacement\nCT,see tee\n") };
  await sendForm(it.app, "POST", "/api/v1/pronunciations/csv", { file: words });
  page = await it.open(await it.person("Admin"), { viewport: { width: 1300, height: 1000 } });
});

const refuse = (route: Route) =>
  route.fulfill({ status: 409, contentType: "application/json", body: '{"detail": "Not today."}' });

/** Requests like these wait until `answer` is called, and end so then. */
async function hold(address: string, method: string, end: (route: Route) => Promise<void> = refuse) {
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  const { promise: isReleased, resolve: answer } = Promise.withResolvers<void>();
  const sent: string[] = [];
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.continue();
    sent.push(route.request().url());
    held();
    await isReleased;
    await end(route);
  });
  return { isHeld, answer, sent };
}

/** Before the page could show that it waits. */
function pressTwice(element: unknown): void {
  const button = element as { click(): void };
  button.click();
  button.click();
}

const WINDOWS = [
  {
    kind: "that asks for a reason",
    at: "/console/services",
    request: ["**/api/v1/services/*", "DELETE"],
    async open() {
      await page.getByRole("link", { name: "Diary" }).click();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
    },
    verb: "Delete",
  },
  {
    kind: "that asks once more",
    at: "/console/pronunciations",
    request: ["**/api/v1/pronunciations/csv", "DELETE"],
    async open() {
      await page.getByRole("button", { name: "Delete all" }).click();
    },
    verb: "Delete all",
  },
  {
    kind: "with a form",
    at: "/console/suppressions",
    request: ["**/api/v1/suppressions/", "POST"],
    async open() {
      // A list that is empty offers it, too.
      await page.getByRole("button", { name: "New suppression" }).first().click();
      await page.getByRole("dialog").getByLabel("Number or e-mail address").fill("+4930123456");
    },
    verb: "Suppress",
  },
  {
    kind: "that uploads a file",
    at: "/console/pronunciations",
    request: ["**/api/v1/pronunciations/csv", "POST"],
    async open() {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Upload CSV" }).click(),
      ]);
      const buffer = Buffer.from("text,replacement\nMR,em ar\n");
      await chooser.setFiles({ name: "words.csv", mimeType: "text/csv", buffer });
    },
    verb: "Upload",
  },
] as const;

test.each(WINDOWS)("a window $kind stays until the answer has come, and shows a refusal", async (window) => {
  const [address, method] = window.request;
  await page.goto(window.at);
  await window.open();
  const { isHeld, answer, sent } = await hold(address, method);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: window.verb, exact: true }).evaluate(pressTwice);
  await isHeld;
  await dialog.locator("button[data-loading]").waitFor();
  await page.keyboard.press("Escape");
  answer();
  await dialog.getByText("Not today.").waitFor();
  expect(sent).toHaveLength(1);
  // Where something was entered, it is asked about.
  const agree = (asked: Dialog) => void asked.accept();
  page.on("dialog", agree);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  page.off("dialog", agree);
  await page.unrouteAll();
});

test("what was entered in a window is not lost by Escape, a click beside it, the way back or a reload, unless the person agrees", async () => {
  await page.goto("/console/contacts");
  await page.getByRole("link", { name: "Suppressions" }).click();
  await page.getByRole("button", { name: "New suppression" }).first().click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel("Comment");
  await field.fill("Asked twice to be left alone");
  const asked: string[] = [];
  const stay = (question: Dialog) => {
    asked.push(question.message());
    void question.dismiss();
  };
  page.on("dialog", stay);
  const ways = [
    () => page.keyboard.press("Escape"),
    () => page.mouse.click(4, 600),
    () => page.evaluate("history.back()"),
    () => page.evaluate("location.reload()"),
  ];
  for (const [n, leave] of ways.entries()) {
    await leave();
    await expect.poll(() => asked.length).toBe(n + 1);
    expect(await field.inputValue()).toBe("Asked twice to be left alone");
  }
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  page.off("dialog", stay);
  expect(asked).toHaveLength(ways.length);
});

test("a tile of a board and a new API token are not lost by Escape, and a token that is shown once stays until it is put away", async () => {
  const asked: string[] = [];
  const stay = (question: Dialog) => {
    asked.push(question.message());
    void question.dismiss();
  };
  page.on("dialog", stay);
  const dialog = page.getByRole("dialog");
  await page.goto("/console/boards/new");
  await page.getByRole("button", { name: "Add tile" }).click();
  await dialog.getByLabel("Title").fill("Answered calls");
  await page.keyboard.press("Escape");
  await expect.poll(() => asked.length).toBe(1);
  await page.evaluate("location.reload()");
  await expect.poll(() => asked.length).toBe(2);
  expect(await dialog.getByLabel("Title").inputValue()).toBe("Answered calls");
  page.off("dialog", stay);
  page.once("dialog", (question) => void question.accept());
  await page.goto("/console/api-tokens");
  page.on("dialog", stay);
  await page.getByRole("button", { name: "New token" }).first().click();
  await dialog.getByLabel("Name").fill("For the importer");
  await page.keyboard.press("Escape");
  await expect.poll(() => asked.length).toBe(3);
  await dialog.getByRole("button", { name: "Create token" }).click();
  const token = dialog.getByLabel("API token", { exact: true });
  await token.waitFor();
  await page.keyboard.press("Escape");
  await page.mouse.click(4, 600);
  expect(await token.innerText()).toMatch(/^parley_/);
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
  page.off("dialog", stay);
  expect(asked).toHaveLength(3);
});

const OPENERS: [page: string, opener: string, kind: string][] = [
  ["/console/suppressions", "New suppression", "with a form"],
  ["/console/suppressions", "Import CSV", "that takes a file"],
  ["/console/suppressions", "Choose columns", "of a list's columns"],
  ["/console/organization", "Erase a person", "that asks twice"],
  ["/console/boards/new", "Add tile", "that sends nothing"],
  ["/console/pronunciations", "Delete all", "that asks once more"],
];

test.each(OPENERS)(
  "on %s, %s opens a window %s by keyboard; Escape leads back to the button",
  async (at, name) => {
    await page.goto(at);
    const opener = page.getByRole("main").getByRole("button", { name }).first();
    await opener.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.locator(":focus").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect
      .poll(() => opener.evaluate((button) => button === button.ownerDocument.activeElement))
      .toBe(true);
  },
);

test.each([
  ["is refused", refuse, "Not today."],
  [
    "does not arrive",
    (route: Route) => route.abort(),
    // What was entered is gone with its page, so nothing is said of it.
    "Parley can't be reached. Try again in a moment.",
  ],
  [
    "a proxy answers",
    (route: Route) => route.fulfill({ status: 503, contentType: "text/html", body: "<h1>503</h1>" }),
    "Parley is not available at the moment (503). Try again in a moment.",
  ],
] as const)("who has left the page of a change that %s is told so", async (_, end, words) => {
  await page.goto("/console/services");
  await page.getByRole("link", { name: "Diary" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill("Typed before going back");
  const { isHeld, answer } = await hold("**/api/v1/services/*", "PUT", end);
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await isHeld;
  await page.goBack();
  await page.getByRole("link", { name: "Diary" }).waitFor();
  answer();
  const notice = page.getByRole("alert").filter({ hasText: "Failed in the background" });
  await notice.getByText(words, { exact: true }).waitFor();
  await notice.getByRole("button", { name: "Dismiss" }).click();
  await notice.waitFor({ state: "detached" });
  await page.unrouteAll();
});

test("the link above a record leads to its list as it was left, also after it was deleted", async () => {
  await page.goto("/console/services?q=demo&order=-name");
  const search = page.getByPlaceholder("Search by name");
  await page.getByRole("row").getByRole("link").first().click();
  const above = page.locator("#main header").getByRole("link", { name: "Services" });
  await above.click();
  await expect.poll(() => search.inputValue()).toBe("demo");
  expect(page.url()).toMatch(/\/services\?q=demo&order=-name$/);
  const made = await it.app.send("POST", "/api/v1/services/", { name: "A demo of ours", description: "" });
  expect(made.status).toBe(200);
  await page.reload();
  await page.getByRole("link", { name: "A demo of ours" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.waitForURL(/\/services\?q=demo&order=-name$/);
});

test("the way back from a record that was just made leads to the list, not to an empty form, and after it was deleted not to it", async () => {
  const list = page.getByRole("heading", { level: 1, name: "Services" });
  const agents = page.getByRole("heading", { level: 1, name: "Agents" });
  await page.goto("/console/agents");
  await agents.waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Tools" }).click();
  await page.getByRole("link", { name: "Services" }).click();
  await list.waitFor();
  await page.getByRole("link", { name: "New service" }).click();
  await page.getByLabel("Name").fill("Just made");
  await page.getByRole("button", { name: "Create" }).click();
  const made = page.getByRole("heading", { level: 1, name: "Just made" });
  await made.waitFor();
  await page.evaluate("history.back()");
  await list.waitFor();
  await page.evaluate("history.forward()");
  await made.waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await list.waitFor();
  await page.evaluate("history.back()");
  await list.waitFor();
  await page.evaluate("history.back()");
  await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
  expect(page.faults).toEqual([]);
});
