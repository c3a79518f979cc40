import { beforeAll, describe, expect, test } from "vitest";
import { readForTurn } from "../../src/sessions/leased-session.ts";
import { loadHistory } from "../../src/turns/turn-history.ts";
import { converse, createAgent } from "../harness/agent.ts";
import type { TestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { everythingKept } from "../harness/everything-kept.ts";
import {
  createMailServer,
  createMailWorld,
  type MailServer,
  settledMails,
  somebody,
} from "../harness/mail.ts";
import { createPeer, json } from "../harness/peer.ts";
import {
  createNumber,
  createSimulatedApp,
  eventually,
  type SimulatedApp,
  textsWith,
} from "../harness/simulated.ts";

const POLICY = "/api/v1/organizations/redaction";
const KINDS = ["card", "national_id", "bank_account", "date_of_birth", "email", "phone"];
/** As somebody says them, and as they would be found however they are grouped. */
const CARD = "4111 1111 1111 1111";
const SOCIAL = "219-09-9999";
const BORN = "03/04/1980";
const CASE = "CASE-778899";
const CALL_US = "(512) 555-0142";
const ALL = [CARD, SOCIAL, BORN, CASE, CALL_US, "ann.lee@mail.example.net", "4000 0000 0000 0002"];

async function leftOf(app: TestApp, values = ALL): Promise<string[]> {
  const kept = await everythingKept(app);
  const compact = kept.replace(/[^\dA-Za-z@]/g, "");
  return values.filter((value) => compact.includes(value.replace(/[^\dA-Za-z@]/g, "")));
}

const redactAll = async (app: TestApp, more: object = {}) => {
  const policy = { kinds: KINDS, patterns: [{ name: "case number", pattern: "CASE-[0-9]{6}" }], ...more };
  expect(await app.send("PUT", POLICY, policy)).toMatchObject({ status: 200 });
};
const runJob = (app: TestApp, name: string) =>
  app.jobs.find(({ job }) => job.name === name)!.run({}, { stopping: new AbortController().signal } as never);

let app: SimulatedApp;
let agent_id: number;
let peer: Awaited<ReturnType<typeof createPeer>>;
const charged: unknown[] = [];
let neighbour: Awaited<ReturnType<TestApp["createNeighbour"]>>;

beforeAll(async () => {
  app = await createSimulatedApp({
    scenario: {
      people: [{ number: "+1512667*", person: { name: "quiet", text: { replies_after_s: null } } }],
    },
  });
  neighbour = await app.createNeighbour();
  peer = await createPeer();
  peer.respond((request, response) => {
    charged.push(JSON.parse(String(request.body)));
    json(response, 200, {
      paid_with: "4000000000000002",
      social: SOCIAL,
      born: BORN,
      number: 4_111_111_111_111_111,
    });
  });
  const charge = endpointTool("charge", `${peer.url}/charge`, {
    parameters: { type: "object", properties: { card: { type: "string" } }, required: ["card"] },
    endpoint: { method: "post", argument_location: "body" },
  });
  ({ agent_id } = await createAgent(app, {
    script: `
      on /my card is (?<card>[0-9 ]*[0-9])/ -> call charge {"card": "{card}"}
      after charge -> say "Charged {result.paid_with} of {result.social}. Questions? ${CALL_US}"
      otherwise -> say "I heard: {user.text}"`,
    tools: [charge],
    greeting: { type: "greeting", text: `Call us at ${CALL_US}.` },
  }));
});

test("a card number that a person writes reaches the tool, and lies nowhere", async () => {
  // The agent's own greeting holds the clinic's number, as its author wrote it.
  await redactAll(app);
  const say = converse(app, agent_id);
  const first = await say(
    `Hello, my card is ${CARD} and I was born on ${BORN}. Ask ann.lee@mail.example.net`,
  );
  expect(charged).toContainEqual({ card: CARD });
  expect(first.text).toContain("4000000000000002");
  await say(`My social is ${SOCIAL}, it is about ${CASE}`);

  const { session_id } = first.content;
  const session = await readForTurn(app.engine, session_id);
  const read = JSON.stringify(session?.redactor.restore(await loadHistory(app.engine, session_id)));
  for (const value of [CARD, SOCIAL, BORN, CASE]) expect(read).toContain(value);
  expect(read).toContain("4111111111111111");

  expect(
    await leftOf(
      app,
      ALL.filter((value) => value !== CALL_US),
    ),
  ).toEqual([]);
  const { body } = await app.send("GET", `/api/v1/sessions/transcript/${session_id}`);
  expect(JSON.stringify(body)).toMatch(/my card is \[card: [a-z]{10}\] and I was born on \[date of birth: /);
});

test("a text that waits, its answer and the carrier: only the carrier gets the words", async () => {
  await redactAll(app);
  const line = await createNumber(app, agent_id);
  const from = "+15126670001";
  await app.simulator.text(line.account_sid, {
    from,
    to: line.number,
    body: `my card is ${CARD}, born ${BORN}`,
  });
  const texts = await eventually(
    () => textsWith(app, from),
    (found) =>
      found.filter(({ status }) => status === "DELIVERED").length >= 2 &&
      found.every(({ status }) => status !== "RECEIVED"),
  );
  expect(texts[0]?.text).toMatch(/^my card is \[card: /);
  expect(texts.at(-1)?.text).toMatch(/Charged \[card: [a-z]{10}\] of \[national id: [a-z]{10}\]/);
  const { rows } = await app.database.pool.query("select from text_messages where sealed_text is not null");
  expect(rows).toEqual([]);
  const asked = await app.egress.send({
    url: `http://carrier.parley.internal/carrier-simulator/2010-04-01/Accounts/${line.account_sid}/Messages.json?To=${encodeURIComponent(from)}`,
    method: "GET",
    headers: {
      authorization: `Basic ${Buffer.from(`${line.account_sid}:${line.auth_token}`).toString("base64")}`,
    },
    timeout_ms: 5000,
    max_response_bytes: 1e6,
  });
  expect(asked.kind === "response" && asked.body.toString()).toContain("Charged 4000000000000002 of");
  expect(
    await leftOf(
      app,
      ALL.filter((value) => value !== CALL_US),
    ),
  ).toEqual([]);
});

describe("what was redacted", () => {
  test("is opened with the permission and a reason, which is an entry of the audit log; and by nobody else", async () => {
    await redactAll(app);
    const { content } = await converse(app, agent_id)(`my card is ${CARD}`);
    const open = `/api/v1/sessions/${content.session_id}/redacted_values/open`;
    const { body, status } = await app.send("POST", open, { reason: "Refund of order 7" });
    expect(status).toBe(200);
    expect(body).toContainEqual({ token: expect.any(String), kind: "card", value: CARD });
    const { body: entries } = await app.send(
      "GET",
      "/api/v1/audit_entries/?search_fields=resource&search_field_values=redacted_values",
    );
    expect(entries[0] ?? entries.items?.[0]).toMatchObject({
      action: "open",
      resource_id: String(content.session_id),
      after: { reason: "Refund of order 7", values: expect.any(Number) },
    });
    expect(await app.send("POST", open, { reason: " " })).toMatchObject({ status: 422 });
    const reader = app.sendAs(await app.createToken(["sessions_read", "sessions_debug"]));
    expect(await reader("POST", open, { reason: "Curious" })).toMatchObject({ status: 403 });
    expect(await neighbour.send("POST", open, { reason: "Curious" })).toMatchObject({ status: 404 });
  });

  test("is removed an hour after the session's end, or after the policy's days; a legal hold keeps it", async () => {
    const values = async (session_id: number) =>
      (
        await app.db
          .selectFrom("redacted_values")
          .select("token")
          .where("session_id", "=", session_id)
          .execute()
      ).length;
    const talk = async () => {
      const { session_id } = (await converse(app, agent_id)(`my card is ${CARD}`)).content;
      await app.db
        .updateTable("sessions")
        .set({ ended_at: app.clock.now().toISOString() })
        .where("id", "=", session_id)
        .execute();
      return Number(session_id);
    };
    await redactAll(app);
    const [soon, held] = [await talk(), await talk()];
    await redactAll(app, { originals_days: 2 });
    const later = await talk();
    await app.send("PUT", `/api/v1/sessions/${held}/legal_hold`, { held: true });
    await runJob(app, "remove-originals");
    expect(await values(soon)).toBeGreaterThan(0);
    app.clock.advance(61 * 60_000);
    await runJob(app, "remove-originals");
    expect([await values(soon), (await values(held)) > 0, (await values(later)) > 0]).toEqual([
      0,
      true,
      true,
    ]);
    app.clock.advance(48 * 3_600_000);
    await runJob(app, "remove-originals");
    expect(await values(later)).toBe(0);
    expect(await values(held)).toBeGreaterThan(0);
  });
});

test("an agent's own policy applies in place of the organization's, and a neighbour's agent has none of ours", async () => {
  await redactAll(app);
  const own = `/api/v1/agents/${agent_id}/redaction`;
  expect(await app.send("PUT", own, { kinds: ["email"] })).toMatchObject({ status: 200 });
  const { content } = await converse(app, agent_id)(`Reach ann.lee@mail.example.net, ${CASE}`);
  const { body } = await app.send("GET", `/api/v1/sessions/transcript/${content.session_id}`);
  expect(JSON.stringify(body)).toMatch(/Reach \[email: [a-z]{10}\], CASE-778899/);
  expect(await app.send("DELETE", own)).toMatchObject({ status: 200 });
  expect((await app.send("GET", own)).body.kinds).toEqual(KINDS);
  expect(await neighbour.send("PUT", own, { kinds: [] })).toMatchObject({ status: 404 });
  expect((await neighbour.send("GET", POLICY)).body.kinds).toEqual([]);
});

test.each([
  [{ patterns: [{ name: "x", pattern: "(" }] }, "pattern"],
  [{ patterns: [{ name: "x", pattern: "a*" }] }, "matches an empty text"],
  [{ patterns: [{ name: "x", pattern: "[ab]{1,1000}c" }] }, "too large"],
  [
    {
      patterns: [
        { name: "x", pattern: "a" },
        { name: "x", pattern: "b" },
      ],
    },
    "Another pattern",
  ],
  [{ patterns: [{ name: "X]", pattern: "a" }] }, "name"],
  [{ kinds: ["passports"] }, "kinds"],
])("a policy that can't be applied is refused at its place: %j", async (policy, words) => {
  const { status, body } = await app.send("PUT", POLICY, policy);
  expect(status).toBe(422);
  expect(JSON.stringify(body)).toContain(words);
});

test("a mail lies redacted while it waits, its agent reads it, and the answer goes out whole", async () => {
  const outside: MailServer = await createMailServer();
  const { app, box } = await createMailWorld(outside, {
    script: `on /card is (?<card>[0-9 ]+)/ -> say "We charge {card}. Call ${CALL_US}."`,
  });
  await redactAll(app);
  const from = somebody();
  await app.deliver({
    from,
    to: box.address,
    subject: `About ${SOCIAL}`,
    text: `My card is ${CARD}, please.`,
  });
  await settledMails(app, from);
  const [answer] = await eventually(
    async () => outside.mails.filter(({ envelope }) => envelope.to.includes(from)),
    (mails) => mails.length > 0,
  );
  expect(answer?.text).toContain(`We charge ${CARD}`);
  expect(answer?.subject).toContain(SOCIAL);
  expect(await leftOf(app, [CARD, SOCIAL])).toEqual([]);
});
