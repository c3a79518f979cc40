import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createSignInCode } from "../../src/accounts/sign-in/sign-in-code.ts";
import { stepAt, totpCode } from "../../src/accounts/sign-in/totp.ts";
import { buildConsole } from "../../src/api/console-build.ts";
import { fromBase32 } from "../harness/base32.ts";
import {
  axeFindings,
  type ConsoleTest,
  createConsoleTest,
  expectNoSidewaysScroll,
  type Person,
} from "../harness/console.ts";
import { signIn } from "../harness/signed-in.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

const link = async (next = "") => {
  const { app, address } = it;
  const code = await app.db.transaction().execute((tx) => createSignInCode(tx, app.clock, app.admin.user_id));
  return `${address}/sign-in?code=${code}${next}`;
};
const PASSWORD = "correct horse battery";

test("the printed link opens the console at once, without a password for those in a hurry", async () => {
  const page = await it.browser.newPage();
  await page.goto(await link());
  await page.getByRole("button", { name: "Continue without a password" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/");
});

test("somebody who is not signed in comes back to the page they asked for", async () => {
  const page = await it.browser.newPage();
  await page.goto(await link());
  await page.getByLabel("Choose a password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.getByRole("button", { name: /^Signed in as/ }).click();
  const reference = page.getByRole("menuitem", { name: "API reference" });
  expect(await reference.getAttribute("href")).toBe("/docs");
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/\/sign-in$/);

  await page.goto(`${it.address}/console/agents?q=clinic`);
  await page.getByLabel("E-mail address").fill("admin@example.com");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("link", { name: "Demo clinic", exact: true }).waitFor();
  expect(page.url()).toBe(`${it.address}/console/agents?q=clinic`);
});

async function withRole(email: string, permissions: string[]): Promise<Person> {
  const role = await it.app.send("POST", "/api/v1/roles/", { name: email, permissions });
  const made = await it.app.send("POST", "/api/v1/users/", { email, role_id: role.body.id, skip_auth: true });
  return { email, user_id: made.body.id };
}

test("somebody whose role opens no page of the console is told why, and signs out", async () => {
  const page = await it.open(await withRole("caller@example.com", ["sessions_read"]));
  await page.goto("/console/");
  await page.getByText("This needs the permission permissions_read.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/\/sign-in$/);
  expect((await page.request.get("/api/console/me")).status()).toBe(401);
});

test("who signed in by a token's link learns that this keeps them from a second factor, not their role", async () => {
  const { email } = await withRole("added@example.com", ["permissions_read"]);
  const { body } = await it.app.send("POST", `/api/v1/users/${email}/sign_in_link`);
  const page = await it.browser.newPage();
  await page.goto(`${it.address}/sign-in${new URL(body.sign_in_link).search}`);
  await page.getByLabel("Choose a password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.goto(`${it.address}/console/account`);
  await page.getByLabel(/^Your password/).fill(PASSWORD);
  await page.getByRole("button", { name: "Set up" }).click();
  const told = page.getByRole("alert");
  await told.getByText("Sign in to the console with your password or a passkey").waitFor();
  expect(await told.innerText()).not.toContain("role");
});

test("a link leads to no other site after the sign-in", async () => {
  for (const next of [
    "//evil.example/",
    "https://evil.example/",
    "/console/\\evil.example",
    "/\\evil.example",
  ]) {
    const page = await it.browser.newPage();
    await page.goto(await link(`&next=${encodeURIComponent(next)}`));
    await page.getByRole("button", { name: "Continue without a password" }).click();
    await page.waitForURL(`${it.address}/console/`);
    await page.close();
  }
});

test("a page that came by a link is told to a screen reader, and the keyboard goes on in it", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents");
  await page.getByRole("main").getByRole("link", { name: "Demo clinic", exact: true }).press("Enter");
  await page.getByRole("heading", { level: 1, name: "Demo clinic" }).waitFor();
  await page.locator("[aria-live=polite]").getByText("Agent · Parley", { exact: true }).waitFor();
  await expect.poll(() => page.locator("main:focus").count()).toBe(1);
  await page.goto("/console/nowhere");
  await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  expect(await page.title()).toBe("Page not found · Parley");
  expect(await axeFindings(page)).toEqual([]);
});

test("a sign-in that ends while a form is half filled is renewed in place, and nothing is lost", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await page.getByLabel("Description").fill("Typed before the night");
  it.app.clock.advance(13 * 3_600_000);
  await page.getByRole("button", { name: "Review and save" }).click();

  const window = page.getByRole("dialog", { name: "Your sign-in has ended" });
  await window.getByRole("textbox", { name: "Password" }).fill("not the password");
  await window.getByRole("button", { name: "Sign in", exact: true }).click();
  await window.getByText("E-mail address or password is wrong.").waitFor();
  await window.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await window.getByRole("button", { name: "Sign in", exact: true }).click();

  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Agent saved").waitFor();
  const { body } = await it.app.send("GET", "/api/v1/agents/1");
  expect(body.description).toBe("Typed before the night");
});

test("a laptop that wakes after the sign-in ended stays on its page, which asks for the password there", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.clock.install();
  await page.goto("/console/agents/new");
  await page.getByRole("textbox", { name: "Name" }).fill("Typed before the night");
  // The page asks again for what it has; what came only now would be too new for that.
  await page.getByRole("button", { name: "Answer questions", exact: true }).waitFor();
  let isAsked = false;
  page.on("dialog", (dialog) => {
    isAsked = true;
    return dialog.dismiss();
  });
  await page.context().clearCookies();
  await page.clock.fastForward(8 * 3_600_000);
  const looked = page.waitForResponse("**/api/console/me");
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
  expect((await looked).status()).toBe(401);
  await page.getByRole("dialog", { name: "Your sign-in has ended" }).waitFor();
  expect(isAsked).toBe(false);
  expect(new URL(page.url()).pathname).toBe("/console/agents/new");
  expect(await page.getByRole("textbox", { name: "Name", includeHidden: true }).inputValue()).toBe(
    "Typed before the night",
  );
});

test("what a page sends is never done in the name of somebody who has signed in in another tab meanwhile", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await page.getByLabel("Description").fill("Mine, not theirs");
  const editor = await it.person("Editor");
  await signIn(page.context(), { ...it, ...it.app, user_id: editor.user_id });
  await page.getByRole("button", { name: "Review and save" }).click();

  const window = page.getByRole("dialog", { name: "Your sign-in has ended" });
  await window.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await window.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Agent saved").waitFor();
  const { body } = await it.app.send("GET", "/api/v1/agents/1");
  expect(body).toMatchObject({ description: "Mine, not theirs", last_updated_by: "admin@example.com" });
});

test("a lost connection is told, what was typed stays, and the page goes on when the server is back", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  const typed = page.getByRole("textbox", { name: "Description" });
  await typed.fill("Typed in a tunnel");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByText("Parley can't be reached. This page may be out of date").waitFor();
  // Not kept back until the browser thinks that it is online: the person learns that it failed, and can go on typing.
  await page.locator("#main").getByRole("alert").getByText("Try again in a moment").first().waitFor();
  expect(await typed.isEnabled()).toBe(true);
  await expect.poll(() => typed.inputValue()).toBe("Typed in a tunnel");

  await page.context().setOffline(false);
  await page
    .getByText("Parley can't be reached. This page may be out of date")
    .waitFor({ state: "detached" });
  await expect.poll(() => typed.inputValue()).toBe("Typed in a tunnel");
});

test("a page that was open while the program was updated starts anew instead of failing", async () => {
  const page = await it.open(await it.person("Admin"));
  let gone = 0;
  await page.route("**/assets/events-page*.js", (route) => {
    gone += 1;
    return gone === 1 ? route.fulfill({ status: 404 }) : route.continue();
  });
  await page.goto("/console/");
  await page.getByRole("link", { name: "Status", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Events" }).waitFor();
  expect(gone).toBeGreaterThanOrEqual(2);
});

test("the first page weighs less than 300 kB with nothing kept from before", async () => {
  const page = await it.open(await it.person("Admin"));
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.clearBrowserCache");
  let bytes = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto("/console/");
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(300_000);
});

test("no page of the console asks for more than 20 files of scripts beside what every visit loads", async () => {
  const assets = path.join(await buildConsole({ dataDir: tmpdir() }), "assets");
  const importsOf = (name: string) =>
    [
      ...readFileSync(path.join(assets, name), "utf8").matchAll(
        /(?:from|import)\s*["`]\.\/([^"`]+\.js)["`]/g,
      ),
    ].map(([, imported]) => imported as string);
  const filesOf = (name: string) => {
    const files = new Set([name]);
    for (const file of files) for (const imported of importsOf(file)) files.add(imported);
    return [...files].filter((file) => !file.startsWith("index-"));
  };
  const pages = readdirSync(assets).filter((name) => /-page-[\w-]+\.js$/.test(name));
  expect(pages.length).toBeGreaterThan(50);
  // One more than that: a set of pages shares something that src/console/chunks.ts leaves to the bundler.
  expect(pages.filter((name) => filesOf(name).length > 20)).toEqual([]);
});

test("each part that the console is made of has its styles", async () => {
  const assets = path.join(await buildConsole({ dataDir: tmpdir() }), "assets");
  const textOf = (end: string) =>
    readdirSync(assets)
      .filter((name) => name.endsWith(end))
      .map((name) => readFileSync(path.join(assets, name), "utf8"))
      .join("\n");
  const styles = textOf(".css");
  const classes = new Set(textOf(".js").match(/\bm_[0-9a-f]{6,8}\b/g));
  expect(classes.size).toBeGreaterThan(100);
  // One that is missing belongs to a part of Mantine without its line in src/console/mantine.css.
  expect([...classes].filter((name) => !styles.includes(name))).toEqual([]);
});

test.each(["light", "dark"] as const)(
  "the front door and the sign-in page have nothing that axe objects to, %s",
  async (colorScheme) => {
    const page = await it.browser.newPage({ colorScheme, viewport: { width: 360, height: 700 } });
    for (const url of [`${it.address}/`, `${it.address}/sign-in`, await link()]) {
      await page.goto(url);
      expect(await axeFindings(page)).toEqual([]);
      await expectNoSidewaysScroll(page);
    }
  },
);

test("a second factor is set up in the console, and the sign-in page asks for its code from then on", async () => {
  const page = await it.browser.newPage();
  await page.goto(await link());
  await page.getByLabel("Choose a password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: /^Signed in as/ }).click();
  await page.getByRole("menuitem", { name: "Your account" }).click();
  await page.getByLabel(/^Your password/).fill(PASSWORD);
  await page.getByRole("button", { name: "Set up" }).click();
  const address = await page.getByRole("link", { name: "open the app on this device" }).getAttribute("href");
  const key = fromBase32(new URL(address ?? "").searchParams.get("secret") ?? "");
  const code = () => totpCode(key, stepAt(it.app.clock.now()));
  await page.getByLabel("Code that the app shows").fill(code());
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Keep these recovery codes").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: /^Signed in as/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();

  await page.waitForURL(/\/sign-in$/);
  await page.getByLabel("E-mail address").fill("admin@example.com");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  it.app.clock.advance(60_000);
  await page.getByLabel("Code").fill("000000");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("This code is wrong, too old or was used before.").waitFor();
  await page.getByLabel("Code").fill(code());
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
});

test("somebody who forgot their password is told what to do where no mail is sent", async () => {
  const page = await it.browser.newPage();
  await page.goto(`${it.address}/sign-in`);
  await page.getByLabel("E-mail address").fill("admin@example.com");
  await page.getByRole("button", { name: "Forgot your password?" }).click();
  await page.getByText("This installation sends no mail. Ask an administrator").waitFor();
  await page.goto(`${it.address}/sign-in?code=${"x".repeat(40)}&reset`);
  expect(await page.getByRole("button", { name: "Continue without a password" }).isVisible()).toBe(false);
  await page.getByLabel("Choose a password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("This link was used before or is too old.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
});
