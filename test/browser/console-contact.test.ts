import { beforeAll, expect, test } from "vitest";
import { suppress } from "../../src/consent/suppression.ts";
import {
  axeFindings,
  type ConsoleTest,
  createConsoleTest,
  expectNoSidewaysScroll,
} from "../harness/console.ts";
import { contactAt } from "../harness/contacts.ts";
import { insertSession } from "../harness/rows.ts";

const NUMBER = "+15127770301";
const MAIL = "ana@example.com";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

test("an operator says that a number and an e-mail address are one person's, notes who it is, and takes it back", async () => {
  const { app } = it;
  await insertSession(app, { source: NUMBER, ended_at: "2026-11-18T12:00:00Z", end_reason: "idle" });
  await insertSession(app, { source: MAIL, ended_at: "2026-11-18T12:00:00Z" });
  const at = app.clock.now();
  const proof = { at, through: "mail", said: "Unsubscribe", session_id: null, message_id: null } as const;
  const { sub_organization_id } = app.admin;
  const entry = { sub_organization_id, address: MAIL, scope: "all", reason: "unsubscribed", proof } as const;
  await app.db.transaction().execute((tx) => suppress(tx, [entry], at));

  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/contacts/${encodeURIComponent(NUMBER)}`);
  await page.getByRole("heading", { level: 1, name: NUMBER }).waitFor();
  expect(await page.title()).toBe(`${NUMBER} · Contacts · Parley`);
  await page.getByText("ended by idle timeout").waitFor();
  await page.getByRole("button", { name: "Link address" }).click();
  await page.getByLabel("Number or address").fill(MAIL);
  await page.getByRole("dialog").getByRole("button", { name: "Link", exact: true }).click();
  const addresses = page.getByRole("region", { name: "Addresses of the person" });
  await addresses.getByRole("row", { name: /ana@example\.com all channels/ }).waitFor();

  await page.getByLabel("Name", { exact: true }).fill("Ana Ruiz");
  await page.getByRole("combobox", { name: "Time zone" }).fill("Denver");
  await page.getByRole("option", { name: "America/Denver" }).click();
  await page.getByLabel("Notes").fill("Prefers mornings");
  await page.getByRole("button", { name: "Review the contact" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Ana Ruiz" }).waitFor();
  expect((await app.send("GET", contactAt(MAIL))).body.record).toMatchObject({
    name: "Ana Ruiz",
    timezone: "America/Denver",
    notes: "Prefers mornings",
    addresses: [{ address: NUMBER }, { address: MAIL }],
  });
  expect(await axeFindings(page)).toEqual([]);

  await page.goto("/console/contacts");
  await page.getByRole("link", { name: "Ana Ruiz" }).click();
  await addresses.getByRole("button", { name: `Unlink ${MAIL}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
  await page.getByText(`${MAIL} unlinked`).waitFor();
  await addresses.getByRole("row", { name: /ana@example\.com/ }).waitFor({ state: "detached" });
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page);
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("an administrator names the variable by which requests link a person's addresses", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");
  const panel = page.locator("section", {
    has: page.getByRole("heading", { name: "One person, several addresses" }),
  });
  await panel.getByLabel("Variable with the person's key").fill("patient_id");
  await panel.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Contact key saved").waitFor();
  const { body } = await it.app.send("GET", "/api/v1/outbound/contact-key");
  expect(body).toEqual({ variable: "patient_id" });
  expect(page.faults).toEqual([]);
});

test("a number that is no contact leads from the search to all that happened with it", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/contacts");
  const search = page.getByRole("textbox", { name: "Search by number or address" });
  await search.fill("nobody");
  await page.getByText("Change the search or the filters.").waitFor();
  await search.fill("+1 (212) 555-0177");
  await page.getByRole("link", { name: "Open the history of +12125550177" }).click();
  await page.getByRole("heading", { level: 1, name: "+12125550177" }).waitFor();
  expect(page.faults).toEqual([]);
});
