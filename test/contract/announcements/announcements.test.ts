import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createNumber, incoming, openPhone, pickUp, quiet, transcriptOf } from "../../harness/phone.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const URL = "/api/v1/organizations/announcements";
const row = (more: object = {}) => ({
  kind: "recording",
  jurisdiction: "US-CA",
  channels: ["call"],
  default_language: "en",
  texts: { en: "This call is recorded.", es: "Esta llamada se graba." },
  source: "Penal Code 632",
  ...more,
});
const AI = row({
  kind: "ai",
  channels: ["call", "text", "chat", "email"],
  source: "B&P Code 17941",
  texts: { en: "I am an AI assistant." },
});
const save = (...rows: object[]) => app.send("PUT", URL, { rows });
beforeEach(async () => {
  await save(row(), AI);
});

const SCRIPT = `otherwise -> say "You said {user.text}."`;
const GREETING = { text: "Hello, how can I help?" };
const CALIFORNIA = { from: "+14155550199", is_recorded_by_carrier: true };
const FIRST = "I am an AI assistant. This call is recorded.";

describe("a call of somebody in the jurisdiction", () => {
  test("begins with what is announced, in a message of its own, and the trace says by which row", async () => {
    const { number } = await createNumber(app, { script: SCRIPT, greeting: GREETING });
    const phone = await pickUp(app, incoming(number, CALIFORNIA));
    expect(await phone.hears(3)).toEqual([
      ...["I am an AI assistant.", "This call is recorded.", "Hello, how can I help?"],
    ]);
    expect(phone.outputs[0]).toMatchObject({ type: "say", interruptible: false });
    phone.says("hours");
    expect(await phone.hears(1)).toEqual(["You said hours."]);
    expect(await transcriptOf(app, phone.session_id)).toEqual([
      `agent: ${FIRST}`,
      "agent: Hello, how can I help?",
      "user: hours",
      "agent: You said hours.",
    ]);
    const { body } = await app.send("GET", `/api/v1/sessions/${phone.session_id}/trace`);
    expect(JSON.stringify(body)).toContain("said because of US-CA (Penal Code 632)");
  });

  test("is told even by an agent that has no greeting", async () => {
    const { number } = await createNumber(app, { script: SCRIPT });
    const phone = await pickUp(app, incoming(number, CALIFORNIA));
    expect(await phone.hears(2)).toEqual(["I am an AI assistant.", "This call is recorded."]);
    phone.says("hi");
    expect(await phone.hears(1)).toEqual(["You said hi."]);
  });

  test("hears of no recording where the call is not recorded", async () => {
    const { number } = await createNumber(app, { script: SCRIPT, greeting: GREETING });
    const phone = await pickUp(app, incoming(number, { ...CALIFORNIA, is_recorded_by_carrier: false }));
    expect(await phone.hears(2)).toEqual(["I am an AI assistant.", "Hello, how can I help?"]);
  });

  test("is announced once, though the carrier asks twice for its agent", async () => {
    const { number } = await createNumber(app, { script: SCRIPT, greeting: GREETING });
    const call = incoming(number, CALIFORNIA);
    const answers = await Promise.all([app.voiceCalls.answer(call), app.voiceCalls.answer(call)]);
    const [answered] = answers;
    if (!answered || "dial" in answered) throw new Error("not answered");
    const phone = await openPhone(app, call, answered);
    await phone.hears(3);
    phone.says("hours");
    await phone.hears(1);
    await quiet(app, phone.session_id);
    const transcript = await transcriptOf(app, phone.session_id);
    expect(transcript.filter((line) => line.includes(FIRST))).toHaveLength(1);
  });
});

test("people elsewhere hear the greeting alone, and nobody hears more where no row was saved", async () => {
  const { number } = await createNumber(app, { script: SCRIPT, greeting: GREETING });
  const elsewhere = await pickUp(app, incoming(number, { ...CALIFORNIA, from: "+12125550123" }));
  expect(await elsewhere.hears(1)).toEqual(["Hello, how can I help?"]);
  await save();
  const none = await pickUp(app, incoming(number, CALIFORNIA));
  expect(await none.hears(1)).toEqual(["Hello, how can I help?"]);
});

describe("a chat, whose visitor may be anywhere,", () => {
  test("begins with the announcement before the greeting", async () => {
    const { agent_id } = await createAgent(app, { script: SCRIPT, greeting: GREETING });
    const answer = await app.send("POST", "/api/v1/agents/test/messages", {
      service_name: "test",
      source: "t@example.com",
      test_id: "announced-1",
      agent_id: String(agent_id),
      text: "hi",
      session_start: true,
    });
    const { session_id } = await app.db
      .selectFrom("sessions")
      .select("id as session_id")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirstOrThrow();
    expect(answer.status).toBe(200);
    expect((await transcriptOf(app, session_id))[0]).toBe(
      "agent: I am an AI assistant.\n\nHello, how can I help?",
    );
  });

  test("without a greeting has it before the first answer, and only there", async () => {
    const { agent_id } = await createAgent(app, { script: SCRIPT });
    for (const [index, text] of ["one", "two"].entries())
      await app.send("POST", "/api/v1/agents/test/messages", {
        service_name: "test",
        source: "t@example.com",
        test_id: "announced-2",
        agent_id: String(agent_id),
        text,
        session_start: index === 0,
      });
    const { session_id } = await app.db
      .selectFrom("sessions")
      .select("id as session_id")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirstOrThrow();
    expect(await transcriptOf(app, session_id)).toEqual([
      ...["user: one", "agent: I am an AI assistant.", "agent: You said one."],
      ...["user: two", "agent: You said two."],
    ]);
  });
});

describe("the rows", () => {
  test("are nobody's until they are saved, offer rows to start from, and a change is audited", async () => {
    const neighbour = await app.createNeighbour();
    const { body } = await neighbour.send("GET", URL);
    expect(body.rows).toEqual([]);
    expect(body.offered.length).toBeGreaterThan(10);
    expect((await save(row())).body.rows).toMatchObject([{ jurisdiction: "US-CA", checked_on: null }]);
    const entries = await app.db
      .selectFrom("audit_entries")
      .select("resource")
      .where("resource", "=", "announcements")
      .execute();
    expect(entries.length).toBeGreaterThan(0);
  });

  test.each([
    [{ jurisdiction: "US-XX" }, ["rows", 0, "jurisdiction"]],
    [{ channels: ["chat"] }, ["rows", 0, "channels"]],
    [{ channels: [] }, ["rows", 0, "channels"]],
    [{ default_language: "de" }, ["rows", 0, "default_language"]],
    [{ checked_on: "2026-02-30" }, ["rows", 0, "checked_on"]],
    [{ spoken: true }, ["rows", 0]],
  ])("with a fault are refused at the place: %j", async (more, place) => {
    const { status, body } = await save(row(more));
    expect(status).toBe(422);
    expect(body.detail[0].loc.slice(1, 1 + place.length)).toEqual(place);
  });
});
