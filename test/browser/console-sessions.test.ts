import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { wavHead } from "../../src/audio/wav.ts";
import { silentLog } from "../../src/base/log.ts";
import { tellUndelivered } from "../../src/dialogues/outbound/undelivered.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { type ConsoleTest, createConsoleTest, expectNoSidewaysScroll } from "../harness/console.ts";
import { insertHeldText, insertSession } from "../harness/rows.ts";

const HOSTILE = `<img src=x onerror="window.hit=1"><script>window.hit=2</script>{{7*7}}"'`;
const ARABIC = "مرحبا، أود حجز موعد، رقمي +1 512 555 0142";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

const talk = (text: string | null) =>
  it.app.send("POST", "/api/v1/agents/test/messages", {
    service_name: "console",
    source: HOSTILE,
    test_id: "hostile",
    agent_id: "1",
    text,
    session_start: text === null,
  });

test("a session shows what was said, called and decided; hostile texts stay texts, and others run their own way", async () => {
  await talk(null);
  await talk(HOSTILE);
  await talk(ARABIC);
  const { body } = await talk("a check-up on monday");
  const { session_id } = body.response.content;
  const page = await it.open(await it.person("Admin"));
  await page.goto(`/console/sessions/${session_id}`);
  await page.getByText(HOSTILE, { exact: true }).first().waitFor();
  const arabic = page.getByText(ARABIC);
  expect(await arabic.evaluate((bubble) => bubble.matches(":dir(rtl)"))).toBe(true);
  expect(await arabic.locator("bdi[dir=ltr]").allTextContents()).toEqual(["+1 512 555 0142"]);

  await page.getByRole("button", { name: /find_slots/ }).click();
  await page.getByRole("region", { name: "Result" }).getByText("slot_id").first().waitFor();
  await page.getByRole("region", { name: "Request headers" }).first().waitFor();
  await page.getByRole("button", { name: "Sent to the model" }).last().click();
  await page
    .getByRole("region", { name: "Round 1, sent to the model" })
    .getByText("── instructions")
    .waitFor();
  await page.getByLabel("Compare with previous round").check();
  await page.getByRole("region", { name: "Sent, side by side" }).first().waitFor();
  await page.getByLabel("Debug trace").check();
  await page.getByText("GET demo.parley.internal → 200").waitFor();
  expect(page.url()).toContain("?engine=yes");
  await page.getByRole("cell", { name: "Tool requests" }).waitFor();

  await page.getByRole("radiogroup", { name: "Rating" }).getByText("BAD").click();
  await page.getByLabel("Comment").fill(HOSTILE);
  await page.getByRole("combobox", { name: "Issues" }).fill("Talks too fast");
  await page.getByRole("combobox", { name: "Issues" }).press("Enter");
  // Its suggestions may lie over the button.
  await page.getByRole("combobox", { name: "Issues" }).press("Tab");
  await page.getByRole("button", { name: "Add label" }).click();
  await page.getByText("admin@example.com,").waitFor();
  await page.getByText("Talks too fast", { exact: true }).waitFor();
  const labels = await it.app.send("GET", "/api/v1/session_labels/");
  expect(labels.body.items[0].issue_categories).toEqual(["Talks too fast"]);

  await page.goto("/console/events");
  await page.getByText("Session with Demo clinic started").first().waitFor();
  await page.goto("/console/sessions?f_is_test=true");
  await page.getByText(HOSTILE, { exact: true }).first().waitFor();
  expect(await page.evaluate("window.hit")).toBeUndefined();
  expect(page.faults).toEqual([]);
});

test("of a conversation in which the engine did more than one answer of the API holds, the last turn shows what was sent and how long it took", async () => {
  const { body } = await talk(null);
  const { session_id } = body.response.content;
  await sql`
    insert into session_trace (session_id, turn_index, category, label, measurement_start, timestamp)
    select ${session_id}, 0, 'note', 'earlier', now(), now() from generate_series(1, 1200)`.execute(
    it.app.db,
  );
  await talk("a check-up on monday");
  const page = await it.open(await it.person("Admin"));
  await page.goto(`/console/sessions/${session_id}`);
  const turn = page.getByRole("region", { name: "Turn 1" });
  await turn.getByRole("button", { name: "Sent to the model" }).waitFor();
  await turn
    .getByText(/^\d+ ms$/)
    .first()
    .waitFor();
  expect(page.faults).toEqual([]);
});

test("a session is printed without the head and the menu, which would lie over the text of each sheet", async () => {
  const { body } = await talk(null);
  const page = await it.open(await it.person("Admin"), { viewport: { width: 1280, height: 900 } });
  await page.goto(`/console/sessions/${body.response.content.session_id}`);
  await page.getByRole("region", { name: "Opening" }).waitFor();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("banner").isVisible()).toBe(false);
  expect(await page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
  const heading = await page.getByRole("heading", { level: 1 }).boundingBox();
  expect(heading?.x).toBeLessThan(40);
});

test("a list keeps its search, filters, order, page and columns in its address, and the back button undoes them", async () => {
  for (let number = 0; number < 30; number += 1) {
    await insertSession(it.app, {
      agent_name: `Desk ${number}`,
      duration: number,
      is_outbound: number % 2 === 0,
    });
  }
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/sessions");
  await page.getByText("1–25 of 30").waitFor();
  await page.getByRole("button", { name: "Page 2" }).click();
  await page.getByText("26–30 of 30").waitFor();
  expect(new URL(page.url()).search).toBe("?page=2");

  await page.getByRole("button", { name: "Duration" }).click();
  await page.getByRole("button", { name: "Duration" }).click();
  await page
    .getByRole("columnheader", { name: "Duration" })
    .and(page.locator('[aria-sort="descending"]'))
    .waitFor();
  await page.getByRole("row").nth(1).getByText("Desk 29").waitFor();

  await page.getByRole("combobox", { name: "Direction" }).click();
  await page.getByRole("option", { name: "Inbound" }).click();
  await page.getByText("1–15 of 15").waitFor();
  await page.getByRole("button", { name: "Choose columns" }).click();
  await page.getByLabel("Conversation", { exact: true }).check();
  await page.getByRole("columnheader", { name: "Conversation" }).waitFor();
  const { searchParams } = new URL(page.url());
  expect(searchParams.get("order")).toBe("-duration");
  expect(searchParams.get("f_is_outbound")).toBe("false");
  expect(searchParams.get("cols")).toContain("conversation_id");

  const link = page.url();
  await page.goto("/console/");
  await page.goto(link);
  await page.getByRole("columnheader", { name: "Conversation" }).waitFor();
  await page.getByText("1–15 of 15").waitFor();
  await page.getByLabel("Words said").fill("nobody has this name");
  await page.getByRole("status").getByText("No results").waitFor();
  // Heard at the list's foot, seen where the rows were.
  const seen = (element: { getBoundingClientRect(): { width: number } }) =>
    element.getBoundingClientRect().width > 1;
  const said = await page.getByText("No results").elementHandles();
  expect((await Promise.all(said.map((each) => each.evaluate(seen)))).filter(Boolean)).toHaveLength(1);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.getByText("1–25 of 30").waitFor();
  expect(page.faults).toEqual([]);
});

test("a time within a sentence of the program is shown in the viewer's zone, and moves with it", async () => {
  const description =
    "The carrier refuses +15550100; nothing is tried from it until 2026-11-30T22:05:00.000Z";
  await sql`
    insert into events (sub_organization_id, timestamp, category, type, description)
    values (${it.app.admin.sub_organization_id}, ${it.app.clock.now().toISOString()}, 'outbound', 'told', ${description})`.execute(
    it.app.db,
  );
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/events?f_type=told");
  await page.getByText("nothing is tried from it until 30 Nov 2026, 23:05").waitFor();
  await page.getByRole("button", { name: "Times are shown in Europe/Berlin" }).click();
  await page.getByRole("combobox", { name: "Show times in" }).fill("Tokyo");
  await page.getByRole("option", { name: "Asia/Tokyo" }).click();
  await page.getByText("nothing is tried from it until 1 Dec 2026, 07:05").waitFor();
  expect(page.faults).toEqual([]);
});

test("a list of 100,000 rows is paged without a total, and searched once days are chosen", async () => {
  await sql`
    insert into events (sub_organization_id, timestamp, category, type, description)
    select ${it.app.admin.sub_organization_id}, ${it.app.clock.now().toISOString()}::timestamptz - n * interval '5 seconds',
      'load', 'noise', 'Row ' || n
    from generate_series(1, 100000) n`.execute(it.app.db);
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/events?f_type=noise");
  await page.getByText("Row 1", { exact: true }).waitFor();
  await page.getByText("1–25", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await page.getByText("26–50", { exact: true }).waitFor();
  await page.getByText("Row 26", { exact: true }).waitFor();
  await page.getByLabel("What happened").fill("Row 99999");
  await page.getByText("This list is too long to search or sort as a whole.").waitFor();
  const at = new Date(it.app.clock.now().getTime() - 99_999 * 5_000);
  const day = at.toLocaleDateString("sv", { timeZone: "Europe/Berlin" });
  await page.getByLabel("To day").fill(day);
  await page.getByLabel("To day").blur();
  await page.getByText("1–1 of 1").waitFor();
});

test("a very long word breaks, and the page stays as wide as the screen", async () => {
  const { app } = it;
  const long = "x".repeat(19_000);
  const said = {
    service_name: long.slice(0, 200),
    source: long.slice(0, 200),
    test_id: "long",
    agent_id: "1",
  };
  await app.send("POST", "/api/v1/agents/test/messages", { ...said, session_start: true });
  const { body } = await app.send("POST", "/api/v1/agents/test/messages", { ...said, text: long });
  const page = await it.open(await it.person("Viewer"), { viewport: { width: 360, height: 700 } });
  for (const url of [
    `/console/sessions/${body.response.content.session_id}?engine=yes`,
    "/console/sessions?f_is_test=true",
  ]) {
    await page.goto(url);
    await page
      .getByText(/x{200}/)
      .first()
      .waitFor();
    await expectNoSidewaysScroll(page);
  }
});

test("what is typed while the list is already searching is not lost", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents");
  await page.getByRole("link", { name: "Demo clinic", exact: true }).waitFor();
  const search = page.getByLabel("Name or description");
  await search.pressSequentially("demo rem", { delay: 120 });
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("demo rem");
  await expect.poll(() => search.inputValue()).toBe("demo rem");
  expect(await search.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true);
  await page.getByText("1–1 of 1").waitFor();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await page.getByRole("link", { name: "Demo clinic", exact: true }).waitFor();
  expect(await search.inputValue()).toBe("");
});

test("a call's recording plays in step with the words, and a turn's name goes to its place; a chat offers none", async () => {
  const { app } = it;
  await app.send("POST", "/api/v1/agents/test/messages", {
    service_name: "console",
    source: "caller",
    test_id: "recorded",
    agent_id: "1",
    session_start: true,
  });
  app.clock.advance(2_000);
  const { body } = await app.send("POST", "/api/v1/agents/test/messages", {
    service_name: "console",
    source: "caller",
    test_id: "recorded",
    agent_id: "1",
    text: "when are you open?",
  });
  const { session_id } = body.response.content;
  mkdirSync(path.join(app.config.data_dir, "recordings"), { recursive: true });
  writeFileSync(path.join(app.config.data_dir, "recordings", "call.wav"), silence(4));
  const created_at = app.clock.now().toISOString();
  await app.db
    .insertInto("recordings")
    .values({ session_id, file_name: "call.wav", content_type: "audio/wav", created_at })
    .execute();
  // The call's next line, which we heard ourselves.
  const sides = Buffer.concat([
    wavHead({ rate: 8000, channels: 2, samples: 8000 }),
    Buffer.alloc(32_000, 16),
  ]);
  writeFileSync(path.join(app.config.data_dir, "recordings", "next.wav"), sides);
  const next = { session_id, file_name: "next.wav", content_type: "audio/wav", created_at };
  await app.db
    .insertInto("recordings")
    .values({ ...next, began_at: created_at })
    .execute();

  const page = await it.open(await it.person("Analyst"));
  await page.goto(`/console/sessions/${session_id}`);
  // A chat has none.
  await page.getByRole("heading", { name: "Labels" }).waitFor();
  expect(await page.getByRole("heading", { name: "Recording" }).count()).toBe(0);
  const call = { channel_manager_type: "voice_twilio_v1", ended_at: app.clock.now().toISOString() };
  await app.db.updateTable("sessions").set(call).where("id", "=", session_id).execute();
  await page.reload();
  await page.getByRole("button", { name: "Load recording" }).press("Enter");
  // By keyboard the player comes next, and not the form behind it, where a blank adds a label.
  await page.locator("audio:focus").waitFor();
  const opening = page.getByRole("region", { name: "Opening" });
  const turn = page.getByRole("region", { name: "Turn 1" });
  await expect.poll(() => opening.getAttribute("data-playing")).toBe("true");
  await page.getByRole("button", { name: "Turn 1" }).click();
  await expect.poll(() => turn.getAttribute("data-playing")).toBe("true");
  await expect.poll(() => opening.getAttribute("data-playing")).toBe("false");
  await page.getByLabel("Recording 2, of the next line").waitFor();
  await page.getByRole("img", { name: "Loudness of the call, line 2" }).waitFor();
  expect(page.faults).toEqual([]);
});

/** A WAV file of so many seconds in which nothing is heard. */
function silence(seconds: number): Buffer {
  const RATE = 8000;
  const samples = Buffer.alloc(RATE * seconds, 128);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

test("on a phone the menu opens, leads on, and closes", async () => {
  const page = await it.open(await it.person("Viewer"), { viewport: { width: 360, height: 700 } });
  await page.goto("/console/");
  await page.getByRole("button", { name: "Open the menu" }).click();
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  await page.getByRole("button", { name: "Open the menu" }).waitFor();
  expect(await page.getByRole("combobox", { name: "Direction" }).count()).toBe(0);
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("combobox", { name: "Direction" }).waitFor();
});

test("every time is shown in the chosen zone, and in another on hover", async () => {
  const id = await insertSession(it.app, { timestamp: "2026-11-18T23:30:00Z", duration: 1 });
  const page = await it.open(await it.person("Viewer"));
  await page.goto(`/console/sessions/${id}`);
  const time = page.locator("header time").first();
  await expect.poll(() => time.innerText()).toBe("19 Nov 2026, 00:30:00");
  await expect.poll(() => time.getAttribute("title")).toContain("18 Nov 2026, 23:30:00 (UTC)");
  await page.getByRole("button", { name: "Times are shown in Europe/Berlin" }).click();
  await page.getByRole("combobox", { name: "Show times in" }).fill("Tokyo");
  await page.getByRole("option", { name: "Asia/Tokyo" }).click();
  await expect.poll(() => time.innerText()).toBe("19 Nov 2026, 08:30:00");
});

test("Ctrl K goes to a page, an agent or a session by a few letters", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/");
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  for (const [text, found, heading] of [
    ["even", "Events", "Events"],
    ["remind", "Demo reminder", "Demo reminder"],
    ["1", "Session 1", "Session 1"],
    ["find_sl", "find_slots", "find_slots"],
    ["+1 (415) 555-0100", "Person +14155550100", "+14155550100"],
  ] as const) {
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Go to" }).fill(text);
    await page.getByRole("dialog").getByRole("button", { name: found }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  }
});

test("Ctrl K opens from within a field and a prompt's editor, too", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/prompts/1");
  for (const place of [page.getByRole("textbox", { name: "Name" }), page.locator(".cm-content").first()]) {
    await place.click();
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("textbox", { name: "Go to" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("textbox", { name: "Go to" }).waitFor({ state: "detached" });
  }
  expect(page.faults).toEqual([]);
});

test("a message that the loop guard held is marked in the session, and the agent answers it at a press", async () => {
  await migrateJobs(it.app.database.pool, silentLog);
  const target = await it.app.db
    .selectFrom("channel_targets")
    .select(["id as channel_target_id", "channel_id", "sub_organization_id", "target"])
    .limit(1)
    .executeTakeFirstOrThrow();
  const held_in = await insertSession(it.app, { channel: "sms" });
  const { id } = await insertHeldText(it.app, { ...target, held_in });
  const viewer = await it.open(await it.person("Viewer"));
  await viewer.goto(`/console/sessions/${held_in}`);
  await viewer.getByText("We are closed.").waitFor();
  await viewer.getByText("Held: looks like an automatic reply").waitFor();
  expect(await viewer.getByRole("button", { name: "Let the agent answer" }).count()).toBe(0);

  const page = await it.open(await it.person("Admin"));
  await page.goto(`/console/sessions/${held_in}`);
  await page.getByRole("button", { name: "Let the agent answer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Let the agent answer" }).click();
  await page.getByText("The agent answers it", { exact: true }).waitFor();
  await page.getByText("Held: looks like an automatic reply").waitFor({ state: "detached" });
  const text = await it.app.db
    .selectFrom("text_messages")
    .select(["status", "held", "released"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  expect(text).toEqual({ status: "RECEIVED", held: null, released: true });
  expect(page.faults).toEqual([]);
});

test("a message that the loop guard held is answered by hand, and shown with who wrote the answer", async () => {
  await migrateJobs(it.app.database.pool, silentLog);
  const target = await it.app.db
    .selectFrom("channel_targets")
    .select(["id as channel_target_id", "channel_id", "sub_organization_id", "target"])
    .limit(1)
    .executeTakeFirstOrThrow();
  const held_in = await insertSession(it.app, { channel: "sms" });
  await insertHeldText(it.app, { ...target, held_in });
  const page = await it.open(await it.person("Admin"));
  await page.goto(`/console/sessions/${held_in}`);
  await page.getByRole("button", { name: "Write an answer" }).click();
  await page.getByLabel("Answer", { exact: true }).fill(HOSTILE);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText(HOSTILE, { exact: true }).waitFor();
  await page.locator("bdi", { hasText: it.app.admin.email }).first().waitFor();
  await page.getByText("Held: looks like an automatic reply").waitFor({ state: "detached" });
  expect(await page.evaluate("window.hit")).toBeUndefined();
  expect(page.faults).toEqual([]);
});

test("an answer that did not arrive is shown as that, with the carrier's words as mere words", async () => {
  const { app } = it;
  const session_id = await insertSession(app, { channel: "sms" });
  const { sub_organization_id } = app.admin;
  const answer = { sub_organization_id, session_id, channel: "sms", person: "+15125550123" } as const;
  const failed = { ...answer, status: "UNDELIVERED", why: HOSTILE } as const;
  await app.db.transaction().execute((tx) => tellUndelivered(tx, [failed], app.clock.now()));
  const page = await it.open(await it.person("Viewer"));
  await page.goto(`/console/sessions/${session_id}`);
  await page.getByText("Not delivered", { exact: true }).waitFor();
  const words = `An answer to +15125550123 by SMS was not delivered: ${HOSTILE}`;
  await page.getByText(words, { exact: true }).waitFor();
  expect(await page.evaluate("window.hit")).toBeUndefined();
  expect(page.faults).toEqual([]);
});

test("beside a conversation all figures of the latency fit, on a screen 1280 px wide", async () => {
  await talk(null);
  const { body } = await talk("a check-up on monday");
  const page = await it.open(await it.person("Viewer"), { viewport: { width: 1280, height: 800 } });
  await page.goto(`/console/sessions/${body.response.content.session_id}`);
  const latency = page.getByRole("region", { name: "Latency by phase" });
  await latency.getByRole("row").nth(1).waitFor();
  expect(await latency.evaluate((frame) => frame.scrollWidth - frame.clientWidth)).toBe(0);
});

test("on a phone the latency of the phases stays a table, whose figures stand beside and below each other", async () => {
  await talk(null);
  const { body } = await talk("a check-up on monday");
  const page = await it.open(await it.person("Viewer"), { viewport: { width: 360, height: 740 } });
  await page.goto(`/console/sessions/${body.response.content.session_id}`);
  const phase = page.getByRole("region", { name: "Latency by phase" }).getByRole("row").nth(1);
  await phase.waitFor();
  const tops = new Set<number | undefined>();
  for (const figure of await phase.getByRole("cell").all()) tops.add((await figure.boundingBox())?.y);
  expect(tops.size).toBe(1);
  await expectNoSidewaysScroll(page);
  expect(page.faults).toEqual([]);
});
