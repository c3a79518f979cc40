import { beforeAll, expect, test } from "vitest";
import {
  type ConsolePage,
  type ConsoleTest,
  createConsoleTest,
  cutOff,
  saveReviewed,
  settled,
} from "../harness/console.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">{{constructor}}`;

let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  page = await it.open(await it.person("Admin"), { viewport: { width: 1300, height: 1000 } });
});

test("a member is made with a number that holds at some times, and tried at a time", async () => {
  await page.goto("/console/directory/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(HOSTILE);
  await page.getByLabel("Kind").fill("Department");
  await page.getByRole("button", { name: "Add extension" }).click();
  await page.getByLabel("Number 1.1", { exact: true }).fill("call me maybe");
  await page.getByRole("button", { name: "Create" }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await page.getByLabel("Number 1.1", { exact: true }).fill("+15125550100");
  await page.getByRole("button", { name: "Only at some times, or in some languages" }).click();
  await page.getByText("Mon, Tue, Wed, Thu, Fri, 09:00 to 17:00").waitFor();
  await page.getByRole("button", { name: "Add number" }).click();
  await page.getByLabel("Number 1.2", { exact: true }).fill("+15125550199");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
  expect(await page.evaluate("window.hacked")).toBeUndefined();

  await page.getByLabel("Date and time").fill("2026-11-18 10:00");
  await page.getByRole("status").getByText("+15125550100").waitFor();
  await page.getByLabel("Date and time").fill("2026-11-21 10:00");
  await page.getByRole("status").getByText("+15125550199").waitFor();
  expect(page.faults).toEqual([]);
});

test("an earlier version is compared, taken into the form and saved; a deleted member is restored", async () => {
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Billing");
  await saveReviewed(page);
  await page.getByRole("heading", { level: 1, name: "Billing" }).waitFor();
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText("+ Billing").waitFor();
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await expect
    .poll(() => page.getByRole("textbox", { name: "Name", exact: true }).inputValue())
    .toBe(HOSTILE);
  await page.getByRole("button", { name: "Discard changes" }).click();

  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No members yet").waitFor();
  await page.getByLabel("Show deleted").check();
  await page.getByRole("button", { name: "Restore Billing" }).click();
  await page.getByRole("link", { name: "Billing" }).waitFor();
  expect(page.faults).toEqual([]);
});

test("a file of members is taken up whole, or not at all with every wrong row told", async () => {
  await page.goto("/console/directory");
  const choose = async (text: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page
        .getByRole("button", { name: /^(Upload|Another file)$/ })
        .first()
        .click(),
    ]);
    await chooser.setFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  };
  await choose("name,type,number,days\nAnn,contact,+15125550111,someday\nBob,contact,ring him,\n");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Upload", exact: true }).click();
  await dialog.getByText("The file was rejected").waitFor();
  await dialog.getByText(/row 2, days: /).waitFor();
  await dialog.getByText(/row 3, number: /).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await choose("name,type,number,days\nAnn,contact,+15125550111,mo-fr\n");
  await dialog.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByText("1 added, 0 changed").waitFor();
  await page.getByRole("link", { name: "Ann", exact: true }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("directory.json");
  expect(page.faults).toEqual([]);
});

test("the dictionary of pronunciations is replaced by a file, searched and emptied", async () => {
  await page.goto("/console/pronunciations");
  const choose = async (text: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Upload CSV" }).click(),
    ]);
    await chooser.setFiles({ name: "words.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  };
  const dialog = page.getByRole("dialog");
  await choose("text,replacement,match_type\nNguyen,win,exact\nDr.,,sometimes\n");
  await dialog.getByRole("button", { name: "Upload", exact: true }).click();
  await dialog.getByRole("row", { name: /3 replacement/ }).waitFor();
  await dialog.getByRole("row", { name: /3 match_type/ }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await choose(`text,replacement,languages\nNguyen,win,en-US\n"${HOSTILE.replaceAll('"', '""')}",nothing,\n`);
  await dialog.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("heading", { name: "2 entries" }).waitFor();
  await page.getByLabel("Search by text or replacement").fill("onerror");
  await page.getByRole("cell", { name: HOSTILE }).waitFor();
  await page.getByRole("cell", { name: "Nguyen" }).waitFor({ state: "detached" });
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  await page.getByRole("button", { name: "Delete all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete all" }).click();
  await page.getByText("No pronunciations yet").waitFor();
  expect(page.faults).toEqual([]);
});

test("bridge phrases are written by language and by tool, and stored as they were written", async () => {
  await page.goto("/console/bridges/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Patience");
  await page.getByLabel("First phrase after").fill("40");
  await page.getByLabel("Phrases of the agent").fill("One moment.\n\nStill looking.\n");
  await page.getByRole("combobox", { name: "Language to add to the agent" }).click();
  await page.getByRole("option", { name: "Spanish" }).click();
  await page.getByLabel("In Spanish (es)").fill("Un momento.");
  await page.getByRole("combobox", { name: "Tool-specific phrases" }).click();
  await page.getByRole("option", { name: "find_slots" }).click();
  await page.getByLabel("Phrases of find_slots").fill("Looking into the calendar.");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("Enter 30 or less.").waitFor();
  await page.getByLabel("First phrase after").fill("1.5");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Patience" }).waitFor();
  const { body } = await it.app.send("GET", "/api/v1/bridge_phrases/");
  expect(body.items[0].config).toEqual({
    phrases: {
      messages: ["One moment.", "Still looking."],
      localized: { es: { messages: ["Un momento."] } },
    },
    tools: [
      {
        tool_name: "find_slots",
        phrases: { messages: ["Looking into the calendar."], localized: {} },
      },
    ],
    smart_turn_timeout_seconds: 1.5,
    randomize_bridge_phrases: false,
  });
  expect(page.faults).toEqual([]);
});

test("a message's schedule begins with the week that it is for who looks at it", async () => {
  const page = await it.open(await it.person("Editor"), { timezoneId: "Australia/Sydney" });
  // A Monday morning in Sydney, a Sunday elsewhere.
  await page.clock.setFixedTime(new Date("2026-11-29T21:00:00Z"));
  await page.goto("/console/messages/new");
  await page.getByRole("button", { name: "Add rule" }).click();
  await page.getByRole("rowheader").first().waitFor();
  expect(await page.getByRole("rowheader").first().innerText()).toBe("Mon 30 Nov");
  expect(page.faults).toEqual([]);
});

test("on a screen of 320 pixels no field and no status goes on behind the edge of its panel", async () => {
  const rules = [{ days: "mo", start_time: "09:00", end_time: "09:01" }];
  const { body } = await it.app.send("POST", "/api/v1/directory_members/", {
    name: "Night desk",
    type: "Department",
    extensions: [{ name: "work", numbers: [{ number: "+15125550100", rules }] }],
  });
  const who = await it.person("Admin");
  const narrow = await it.open(who, { viewport: { width: 320, height: 800 } });
  await narrow.goto(`/console/directory/${body.id}`);
  await narrow.getByText("No extension matches").waitFor();
  await settled(narrow);
  expect(await cutOff(narrow)).toEqual([]);

  await it.app.db.updateTable("users").set({ password_hash: "kept" }).where("id", "=", who.user_id).execute();
  await narrow.goto("/console/account");
  await narrow.getByText("12 characters or more").waitFor();
  const ends = await narrow
    .locator("#main input:visible")
    .evaluateAll((fields) => fields.map((field) => field.getBoundingClientRect().right));
  expect(ends.length).toBeGreaterThan(1);
  expect(Math.max(...ends)).toBeLessThan(320);
  expect(narrow.faults).toEqual([]);
});
