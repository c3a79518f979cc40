import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { openBrowser } from "../harness/browser.ts";
import { createPeer } from "../harness/peer.ts";
import { insertSession } from "../harness/rows.ts";

let app: TestApp;
let address: string;
beforeAll(async () => {
  app = await createTestApp();
  address = await app.listen();
});

const pageOf = async (name: string) => {
  const { body } = await app.send("POST", `/api/v1/dashboards/fetch_info?dashboard_name=${name}`);
  return `${address}/reports/${body.embedded_id}?token=${body.guest_token}`;
};

test("a dashboard shows its numbers, in a frame of another site too, until its token has expired", async () => {
  await insertSession(app, { agent_name: "<b>Night desk</b>" });
  await insertSession(app, { channel: "voice", duration: 61.5 });
  const browser = await openBrowser();
  const page = await browser.newPage({ timezoneId: "UTC" });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));

  await page.goto(await pageOf("session_summary"));
  await page.getByRole("heading", { name: "Session summary" }).waitFor();
  await expect.poll(() => page.locator("#numbers div").first().innerText()).toMatch(/Sessions\s+2/);
  await expect.poll(() => page.locator("#course svg rect").count()).toBe(31);
  // A name that somebody chose is shown as it is, never as markup.
  await page.getByRole("cell", { name: "<b>Night desk</b>" }).waitFor();
  expect(faults).toEqual([]);

  app.clock.advance(5 * 60_000);
  await page.getByRole("combobox").selectOption("7");
  await page.getByText("This view has expired. Open the dashboard again.").waitFor();

  const other = await createPeer();
  const framed = await pageOf("sessions");
  other.respond((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<iframe src="${framed}"></iframe>`);
  });
  await page.goto(other.url);
  await page.frameLocator("iframe").getByRole("heading", { name: "Sessions", exact: true }).waitFor();
});
