import { tmpdir } from "node:os";
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createSignInCode } from "../../src/accounts/sign-in/sign-in-code.ts";
import { buildConsole } from "../../src/api/console-build.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { openBrowser, openContext } from "../harness/browser.ts";
import { axeFindings } from "../harness/console.ts";
import { freePort } from "../harness/free-port.ts";

const PASSWORD = "correct horse battery";
let app: TestApp;
let address: string;
let context: BrowserContext;

/** Passkeys are made for the name and port of the public address, so both are known before the program is. */
beforeAll(async () => {
  const consoleBuild = buildConsole({ dataDir: tmpdir() });
  const port = await freePort();
  address = `http://localhost:${port}`;
  app = await createTestApp({ PUBLIC_URL: address }, undefined, { consoleBuild });
  await app.listen(port);
  await consoleBuild;
  context = await openContext(await openBrowser(), { baseURL: address, reducedMotion: "reduce" });
});

/** A device that says yes by itself. */
async function addDevice(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () =>
      (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    remove: () => devtools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId }),
  };
}

async function signOut(page: Page) {
  await page.getByRole("button", { name: /^Signed in as/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}
const home = (page: Page) => page.getByRole("heading", { level: 1, name: "Home" }).waitFor();

test("a passkey is added on the account page and signs in without a password; beside one it replaces the code", async () => {
  const page = await context.newPage();
  const code = await app.db.transaction().execute((tx) => createSignInCode(tx, app.clock, app.admin.user_id));
  await page.goto(`/sign-in?code=${code}`);
  await page.getByLabel("Choose a password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await home(page);
  const device = await addDevice(page);
  await page.goto("/console/account");
  await page.getByRole("button", { name: "Add passkey" }).click();
  const window = page.getByRole("dialog", { name: "Add passkey" });
  const name = window.getByRole("textbox", { name: "Name" });
  await name.fill("Work laptop");
  page.once("dialog", (question) => void question.dismiss());
  await page.keyboard.press("Escape");
  expect(await name.inputValue()).toBe("Work laptop");
  await window.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await window.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Keep these recovery codes").waitFor();
  await window.waitFor({ state: "detached" });
  await page.getByRole("cell", { name: "Work laptop", exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await device.credentials()).toMatchObject([{ rpId: "localhost", isResidentCredential: true }]);

  // The browser offers it in the address's field, and the device says yes.
  await signOut(page);
  await home(page);

  await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
  await signOut(page);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await home(page);

  await signOut(page);
  await page.waitForURL(/\/sign-in$/);
  await page.getByLabel("E-mail address").fill(app.admin.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await home(page);
  const entries = await app.db
    .selectFrom("audit_entries")
    .select("after")
    .where("action", "=", "sign-in")
    .orderBy("id")
    .execute();
  expect(entries.slice(-3)).toMatchObject([
    { after: { with: "passkey" } },
    { after: { with: "passkey" } },
    { after: { with: "password", second_factor: "passkey" } },
  ]);

  await page.goto("/console/account");
  await page.getByRole("button", { name: "Remove Work laptop" }).click();
  const removal = page.getByRole("dialog", { name: "Remove Work laptop" });
  await removal.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await removal.getByRole("button", { name: "Remove", exact: true }).click();
  await removal.waitFor({ state: "detached" });
  await page.getByRole("cell", { name: "Work laptop", exact: true }).waitFor({ state: "detached" });
});
