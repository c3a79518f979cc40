import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { createVault } from "../../../src/base/crypto.ts";
import { insertText } from "../../../src/dialogues/text-store.ts";
import { indexSessions } from "../../../src/search/index-sessions.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { SOURCE } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { word } from "../../harness/planned-sender.ts";
import { insertSession } from "../../harness/rows.ts";
import { createSender } from "../../harness/sender.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp({ CARRIER_PRICES: "call_minute=0.5,sms_segment=0.25,mail=0.125" });
  dialing = await createDialing(app);
  await createSender(app, app.admin, { target: SOURCE, mode: "sms" });
});
beforeEach(() => dialing.forget());

const urlOf = (campaign_id: number) => `/api/v1/outbound/campaigns/${campaign_id}/spending`;
const spendingOf = async (campaign_id: number) => (await app.send("GET", urlOf(campaign_id))).body;
const TEXTS = { mode: "sms", hourly_rate: 3600, retry_count: 0 };

test("texts that a carrier took are spent at once, and the cap holds without any conversation", async () => {
  const { campaign_id } = await dialing.filled(6, TEXTS);
  await app.send("PUT", urlOf(campaign_id), { cap_usd: 1 });
  const dialer = createTestDialer(app, () => ({ first: "QUEUED", tells: ["SENT", "DELIVERED"] }));
  await dialer.pass(2, 5_000);
  expect(dialer.world.handed).toHaveLength(4);
  expect(await spendingOf(campaign_id)).toEqual({ cap_usd: 1, spent_usd: 1, carrier_usd: 1 });
});

test("what a carrier did not take costs nothing, and what it refuses later because of us is given back", async () => {
  const refused = await dialing.filled(1, { ...TEXTS, retry_count: 1 });
  const never = createTestDialer(app, () => ({ send: "not-sent" }));
  await never.tick();
  await never.settle();
  expect(never.world.handed).toHaveLength(1);
  expect((await spendingOf(refused.campaign_id)).spent_usd).toBe(0);
  await dialing.forget();

  const { campaign_id } = await dialing.filled(1, TEXTS);
  const dialer = createTestDialer(app, () => ({ first: "QUEUED", tells: [] }));
  app.clock.advance(1_000);
  await dialer.tick();
  await dialer.settle();
  const key = dialer.world.handed[0]?.key as string;
  expect((await spendingOf(campaign_id)).spent_usd).toBe(0.25);
  const told = (status: "SENT" | "UNDELIVERED" | "DELIVERED", more: object = {}) =>
    dialer.attempts.signal([word(key, status, app.clock.now(), more)]);
  await told("SENT");
  await told("SENT");
  expect((await spendingOf(campaign_id)).spent_usd).toBe(0.25);
  await told("UNDELIVERED", { our_fault: "suspended", error_code: "30002" });
  expect(await spendingOf(campaign_id)).toMatchObject({ spent_usd: 0, carrier_usd: 0 });
  // Delivered after all, it counts again.
  await told("DELIVERED");
  expect((await spendingOf(campaign_id)).spent_usd).toBe(0.25);
});

test("a long text is charged by its segments", async () => {
  const { campaign_id } = await dialing.filled(1, TEXTS);
  const dialer = createTestDialer(app, () => ({ first: "QUEUED", tells: [] }));
  app.clock.advance(1_000);
  // The sender writes its text before it hands it over; the planned world has no texts.
  await app.db.transaction().execute((tx) =>
    sql`create function note_text() returns trigger language plpgsql as $$ begin
      insert into text_messages (sub_organization_id, channel_id, channel_target_id, direction, medium, purpose, key, target, source, text, media, status, created_at, updated_at, segments)
      values (new.sub_organization_id, new.channel_id, new.channel_target_id, 'out', 'sms', 'outreach', new.key, new.source, new.target, '', '[]', 'PENDING', now(), now(), 3);
      return new; end $$`.execute(tx),
  );
  await sql`create trigger note_text after insert on attempts for each row execute function note_text()`.execute(
    app.db,
  );
  try {
    await dialer.tick();
    await dialer.settle();
  } finally {
    await sql`drop trigger note_text on attempts`.execute(app.db);
  }
  expect((await spendingOf(campaign_id)).carrier_usd).toBe(0.75);
});

test("a call's started minutes and the answers of a dialogue are part of its session's cost", async () => {
  const { campaign_id } = await dialing.filled(1, { hourly_rate: 3600, retry_count: 0 });
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  app.clock.advance(1_000);
  await dialer.tick();
  await dialer.settle();
  const now = app.clock.now();
  const session_id = await insertSession(app, { channel: "voice", ended_at: now.toISOString() });
  await sql`update attempts set session_id = ${session_id} where campaign_id = ${campaign_id}`.execute(
    app.db,
  );
  await sql`
    insert into calls (sub_organization_id, session_id, carrier, sid, is_outbound, number, state, answered_at, ended_at)
    values (${app.admin.sub_organization_id}, ${session_id}, 'x', 'call', true, '+1', 'ended',
      ${now.toISOString()}::timestamptz - interval '61 seconds', ${now.toISOString()}::timestamptz)`.execute(
    app.db,
  );
  const target = await app.db
    .selectFrom("channel_targets")
    .selectAll()
    .where("target", "=", SOURCE)
    .where("target_mode", "=", "sms")
    .executeTakeFirstOrThrow();
  const text = async (key: string, purpose: "answer" | "outreach", words: string) => {
    await app.db.transaction().execute((tx) =>
      insertText(
        tx,
        createVault("a secret key for tests, long enough"),
        {
          target: target as never,
          direction: "out",
          medium: "sms",
          purpose,
          key,
          source: "+15125550100",
          text: words,
          session_id,
          status: "PENDING",
          asked_at: now,
        },
        now,
      ),
    );
    await sql`update text_messages set status = 'DELIVERED' where key = ${key}`.execute(app.db);
  };
  await text("answer", "answer", "a".repeat(200));
  await text("first", "outreach", "a".repeat(200));
  const prices = { catalogue: [], carrier_prices: app.config.carrier_prices };
  for (let again = 0; again < 2; again++)
    await app.db.transaction().execute((tx) => indexSessions(tx, prices, [session_id]));
  // Two started minutes and two segments; the opening text counts with its attempt.
  expect(await spendingOf(campaign_id)).toMatchObject({ spent_usd: 1.5, carrier_usd: 1.5 });
  const { rows } = await sql<{ cost_usd: number }>`
    select cost_usd from session_search where session_id = ${session_id}`.execute(app.db);
  expect(rows[0]?.cost_usd).toBe(1.5);
});

test("without stated prices nothing is added", async () => {
  const free = await createTestApp();
  const other = await createDialing(free);
  await createSender(free, free.admin, { target: SOURCE, mode: "sms" });
  const { campaign_id } = await other.filled(1, TEXTS);
  const dialer = createTestDialer(free, () => ({ first: "QUEUED", tells: ["DELIVERED"] }));
  await dialer.tick();
  await dialer.settle();
  expect(dialer.world.handed).toHaveLength(1);
  expect((await free.send("GET", urlOf(campaign_id))).body).toMatchObject({ spent_usd: 0, carrier_usd: 0 });
});
