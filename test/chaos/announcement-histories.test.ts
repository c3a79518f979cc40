import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { openWorkflows } from "../../src/turns/open-workflows.ts";
import { startSession } from "../../src/turns/start-session.ts";
import { runTurn } from "../../src/turns/turn.ts";
import { steps } from "../../src/workflows/run-steps.examples.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { freshName, workflow } from "../harness/planned-session.ts";
import { rounds } from "../harness/seed.ts";

/*
 * What people are told first (docs/decisions/0232-what-people-are-told-first.md): whatever an agent begins with, on whatever
 * channel, and wherever a process dies, each text that applies is the beginning of the agent's first words, and is said once.
 */
const RUNS = rounds(60);

const AI = "I am an AI assistant.";
const RECORDED = "This call is recorded.";
const ROWS = [
  { ...row("recording", "US-CA", ["call"]), texts: { en: RECORDED } },
  { ...row("ai", "US-CA", ["call", "text", "chat", "email"]), texts: { en: AI } },
];
function row(kind: string, jurisdiction: string, channels: string[]) {
  return { kind, jurisdiction, channels, default_language: "en", source: null, checked_on: null };
}
const SCRIPT = 'otherwise -> say "You said {user.text}."';

let app: TestApp;
let agents: Record<(typeof BEGINNINGS)[number], number>;
const BEGINNINGS = ["greets", "waits", "begins with a task"] as const;
beforeAll(async () => {
  app = await createTestApp();
  expect((await app.send("PUT", "/api/v1/organizations/announcements", { rows: ROWS })).status).toBe(200);
  const start = [{ action: "say", text: "Which day suits you?" }];
  const flow = workflow(steps([{ id: "A", on: { start } }])).record;
  const made = async (more: object) => (await createAgent(app, { script: SCRIPT, ...more })).agent_id;
  agents = {
    greets: await made({ greeting: { type: "greeting", text: "Hello." } }),
    waits: await made({}),
    "begins with a task": await made({ tools: [flow] }),
  };
});

type Told = {
  begins: (typeof BEGINNINGS)[number];
  channel: "voice" | "chat" | "sms" | "whatsapp" | "email";
  /** Where the person is: in California, in New York, anywhere in North America, anywhere. */
  source: string | null;
  is_recorded: boolean;
  /** A call's opening comes once its line is open. */
  opens: boolean;
  /** Each message, and the event of its turn at which the process dies, if it does; then it is sent again. */
  says: { dies_at: number | null; is_sent_twice: boolean }[];
};

const history: fc.Arbitrary<Told> = fc.record({
  begins: fc.constantFrom(...BEGINNINGS),
  channel: fc.constantFrom("voice", "chat", "sms", "whatsapp", "email"),
  source: fc.constantFrom("+14155550199", "+14155550199", "+12125550123", "+18005550123", null),
  is_recorded: fc.boolean(),
  opens: fc.boolean(),
  says: fc.array(
    fc.record({
      dies_at: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 2 }),
      is_sent_twice: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

/** What the person is to be told, read without the program's own code. */
function expected({ channel, source, is_recorded }: Told): string[] {
  if (source === "+12125550123") return [];
  return [AI, ...(channel === "voice" && is_recorded ? [RECORDED] : [])];
}

type Faults = { forgets_to_forget?: boolean; forgets?: boolean };

async function play(told: Told, faults: Faults = {}): Promise<void> {
  const { channel, source, is_recorded } = told;
  const { session_id } = await startSession(app.engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id: agents[told.begins],
    channel,
    service: "test",
    type: "test_v1",
    sid: freshName("sid"),
    channel_target_id: null,
    source,
    target: null,
    is_test: false,
    is_outbound: false,
    verified: true,
    is_recorded,
    greets: channel === "voice" ? "later" : "now",
  });
  const remembered = await announcementsOf(session_id);
  if (faults.forgets) await remember(session_id, null);
  if (told.opens || told.begins === "begins with a task") await openWorkflows(app.engine, session_id, null);
  for (const [n, { dies_at, is_sent_twice }] of told.says.entries()) {
    const message = { text: `message ${n}`, client_message_id: `m${n}` };
    await heard(session_id, message, dies_at);
    if (faults.forgets_to_forget) await remember(session_id, remembered);
    if (dies_at !== null || is_sent_twice) await heard(session_id, message, null);
  }
  const words = await app.db
    .selectFrom("session_messages")
    .select("text")
    .where("session_id", "=", session_id)
    .where("role", "=", "agent")
    .orderBy("seq")
    .execute();
  const said = words.map(({ text }) => text);
  for (const text of [AI, RECORDED])
    expect(said.join("\n").split(text).length - 1, `how often "${text}" was said`).toBe(
      expected(told).includes(text) ? 1 : 0,
    );
  expect(said[0]?.startsWith(expected(told).join(" ")), "the first words").toBe(true);
}

/** A turn; the process dies when its channel is told the n-th event. */
async function heard(
  session_id: number,
  message: { text: string; client_message_id: string },
  dies_at: number | null,
): Promise<void> {
  let events = 0;
  await runTurn(app.engine, session_id, message, () => {
    if (++events === dies_at) throw new Error("died");
  }).catch((error: Error) => {
    if (error.message !== "died") throw error;
  });
}

async function announcementsOf(session_id: number): Promise<unknown> {
  const { state } = await app.db
    .selectFrom("sessions")
    .select("state")
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  return (state as { announcements?: unknown }).announcements ?? null;
}

const remember = (session_id: number, announcements: unknown) =>
  sql`
    update sessions set state = case when ${announcements === null}::boolean
      then (state::jsonb - 'announcements')::json
      else jsonb_set(state::jsonb, '{announcements}', ${JSON.stringify(announcements)}::jsonb)::json end
    where id = ${session_id}`.execute(app.db);

test(`what people are told first is said once and first in ${RUNS} random histories`, async () => {
  await fc.assert(
    fc.asyncProperty(history, (told) => play(told)),
    { numRuns: RUNS },
  );
});

test.each<[string, Faults, string]>([
  ["that forgets to forget what it said", { forgets_to_forget: true }, "how often"],
  ["that forgets what it has to say", { forgets: true }, "how often"],
])("an engine %s is found out", async (_, faults, complaint) => {
  const found = await fc.check(
    fc.asyncProperty(history, (told) => play(told, faults)),
    { numRuns: 200, endOnFailure: true },
  );
  expect(String(found.errorInstance)).toContain(complaint);
});
