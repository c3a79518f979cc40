import { createHmac } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { createTestApp } from "../harness/app.ts";
import { openBrowser, openContext } from "../harness/browser.ts";

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("the chat page hands over who the visitor is, and shows a second visitor of the browser no chat of the first", async () => {
  const app = await createTestApp();
  const url = await app.listen();
  const { target, channel_id } = await createAgent(app, {
    script: 'otherwise -> say "You said: {user.text}"',
    greeting: { type: "greeting", text: "Welcome", rules: [] },
  });
  const { items } = (await app.send("GET", "/api/v1/channels/targets")).body;
  const path = `/api/v1/channels/${channel_id}/targets/${items[0].id}/identity_key`;
  const { key } = (await app.send("POST", path)).body;
  const link = (user: string) => {
    const exp = Math.floor(app.clock.now().getTime() / 1000) + 3600;
    const text = `${encode({ alg: "HS256" })}.${encode({ sub: user, exp })}`;
    const signature = createHmac("sha256", key).update(text).digest("base64url");
    return `${url}/chat/${target}#identity=${text}.${signature}`;
  };
  const context = await openContext(await openBrowser());
  onTestFinished(() => context.close());
  const visit = async (address: string) => {
    const page = await context.newPage();
    await page.goto(address);
    await page.locator("#log .agent", { hasText: "Welcome" }).waitFor();
    return page;
  };
  const ann = await visit(link("ann"));
  expect(ann.url()).not.toContain("identity");
  await ann.getByLabel("Your message").fill("my secret");
  await ann.keyboard.press("Enter");
  await ann.locator("#log .agent", { hasText: "You said: my secret" }).waitFor();
  const again = await visit(link("ann"));
  await again.locator("#log .agent", { hasText: "You said: my secret" }).waitFor();

  for (const address of [link("bob"), `${url}/chat/${target}`]) {
    const other = await visit(address);
    expect(await other.locator("#log").innerText()).not.toContain("my secret");
  }
  const sessions = await app.db.selectFrom("sessions").select(["source", "verified"]).orderBy("id").execute();
  expect(sessions).toEqual([
    { source: "ann", verified: true },
    { source: "bob", verified: true },
    { source: expect.stringMatching(/^visitor-/), verified: false },
  ]);

  await ann.getByLabel("Your message").fill("half a secret");
  for (const [address, text] of [
    [link("ann"), "half a secret"],
    [link("bob"), ""],
    [`${url}/chat/${target}`, ""],
  ] as const) {
    // An address that differs behind its # alone loads no page.
    await ann.goto("about:blank");
    await ann.goto(address);
    await ann.locator("#log .agent", { hasText: "Welcome" }).waitFor();
    expect(await ann.getByLabel("Your message").inputValue()).toBe(text);
  }
});
