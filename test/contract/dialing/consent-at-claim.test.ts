import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { NOBODY_KNOWN } from "../../../src/address-book/persons.ts";
import { requireGo } from "../../../src/channels/outreach.ts";
import { reachStatement, readReachIssues } from "../../../src/consent/reach-check.ts";
import { suppress } from "../../../src/consent/suppression.ts";
import { FEW_BY_KEY, planned } from "../../../src/db/plans.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { StatementCounter } from "../../harness/statement-counter.ts";

const FAST = { hourly_rate: 3600 };

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(() => dialing.forget());

const CAMPAIGNS = "/api/v1/outbound/campaigns";
const consent = async (address: string, more: object = {}): Promise<number> =>
  (await app.send("POST", "/api/v1/consents/", { address, channel: "call", given_through: "form", ...more }))
    .body.id;
const marketing = async (whom: string[], more: object = {}) => {
  const made = await dialing.filled(whom, { ...FAST, ...more });
  const path = `${CAMPAIGNS}/${made.campaign_id}/reach-rules`;
  expect((await app.send("PUT", path, { purpose: "marketing" })).status).toBe(200);
  return made;
};
const traceOf = async (batch_id: string, reference_id: string) =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/${reference_id}/trace`)).body.next_step;
const completed = () => ({ tells: ["COMPLETED" as const] });
const numbers = ({ world }: ReturnType<typeof createTestDialer>) => world.handed.map(({ target }) => target);

test("a marketing campaign calls those who agreed to calls, and skips the others with the reason", async () => {
  const [ann, bob, cid] = [dialing.person(), dialing.person(), dialing.person()];
  await consent(ann);
  await consent(bob, { channel: "text" });
  const { batch_id, campaign_id } = await marketing([bob, cid, ann]);
  const forecast = await app.send("POST", `${CAMPAIGNS}/${campaign_id}/forecast`, { answer_rate: 1 });
  expect(forecast.body.assumptions).toContain(
    "Of the next 3 people, 2 have no consent on record, and are skipped.",
  );
  expect(await traceOf(batch_id, "p0")).toMatchObject({ kind: "waiting", reason: "no-consent" });
  const dialer = createTestDialer(app, completed);
  await dialer.pass(3);
  expect(numbers(dialer)).toEqual([ann]);
  expect(await dialing.shown(batch_id)).toEqual([
    "SKIPPED CANCELED 0",
    "SKIPPED CANCELED 0",
    "COMPLETED COMPLETED 1",
  ]);
  expect(await traceOf(batch_id, "p0")).toEqual({
    kind: "over",
    reason: "no-consent",
    text: `Skipped: no consent of ${bob} to marketing calls is on record.`,
    until: null,
  });
  const board = await app.send("GET", `${CAMPAIGNS}/${campaign_id}/board`);
  expect(board.body.skip_counts).toEqual({ "no-consent": 2 });
});

test("a campaign that informs needs no consent, and a PUT of its record leaves its purpose as it is", async () => {
  const ann = dialing.person();
  const { campaign_id } = await dialing.filled([ann], FAST);
  const path = `${CAMPAIGNS}/${campaign_id}`;
  expect((await app.send("GET", `${path}/reach-rules`)).body).toEqual({
    purpose: "informational",
    check_reassigned: false,
  });
  const dialer = createTestDialer(app, completed);
  await dialer.tick();
  expect(numbers(dialer)).toEqual([ann]);
  await app.send("PUT", `${path}/reach-rules`, { purpose: "marketing" });
  const { body } = await app.send("GET", path);
  expect((await app.send("PUT", path, body)).status).toBe(200);
  expect((await app.send("GET", `${path}/reach-rules`)).body).toEqual({
    purpose: "marketing",
    check_reassigned: false,
  });
  expect((await app.send("PUT", `${path}/reach-rules`, { purpose: "sales" })).status).toBe(422);
});

/** Withdraws while an attempt stands between its claim and its carrier. */
async function withdrawnMeanwhile(
  purpose: string,
  withdraw: (address: string, id: number) => Promise<unknown>,
) {
  const ann = dialing.person();
  const id = await consent(ann);
  const made = await dialing.filled([ann], FAST);
  await app.send("PUT", `${CAMPAIGNS}/${made.campaign_id}/reach-rules`, { purpose });
  const slow = createTestDialer(app, completed);
  const { send, ...sender } = slow.world.senders.voice;
  const voice = {
    ...sender,
    send: async (...[outreach, mayGo]: Parameters<typeof send>) => {
      // The claim is committed, and the carrier is not asked yet.
      await withdraw(ann, id);
      await requireGo(mayGo);
      return send(outreach);
    },
  };
  const dialer = createTestDialer(app, completed, { senders: { ...slow.world.senders, voice } });
  await dialer.tick();
  app.clock.advance(1_000);
  await dialer.tick();
  await dialer.pass(5);
  expect(slow.world.handed).toEqual([]);
  return { ...made, shown: await dialing.shown(made.batch_id), step: await traceOf(made.batch_id, "p0") };
}

test("a consent revoked between claim and call: nobody is called, and the request is skipped with the reason", async () => {
  const { shown, step } = await withdrawnMeanwhile("marketing", (_, id) =>
    app.send("DELETE", `/api/v1/consents/${id}?reason=letter`),
  );
  expect(shown).toEqual(["SKIPPED CANCELED 0"]);
  expect(step).toMatchObject({ kind: "over", reason: "no-consent" });
});

test("an opt-out between claim and call: nobody is called, whatever the campaign is for", async () => {
  const { shown, campaign_id } = await withdrawnMeanwhile("informational", (address) => {
    const at = app.clock.now();
    const proof = { at, through: "text", said: "STOP", session_id: null, message_id: null } as const;
    const { sub_organization_id } = app.admin;
    const entry = { sub_organization_id, address, scope: "all", reason: "unsubscribed", proof } as const;
    return app.db.transaction().execute((tx) => suppress(tx, [entry], at));
  });
  expect(shown).toEqual(["SKIPPED PRIOR_UNSUBSCRIBED 0"]);
  // It counts neither for the day's cap nor for the carrier's health.
  const { rows } = await sql<{ n: number }>`
    select first_attempts as n from campaign_days where campaign_id = ${campaign_id}`.execute(app.db);
  expect(rows.map(({ n }) => n)).toEqual([0]);
  expect((await sql`select * from dial_sources where closed_until is not null`.execute(app.db)).rows).toEqual(
    [],
  );
});

test("a claim asks about all of its candidates in one statement, each looked up by its index", async () => {
  const { sub_organization_id } = app.admin;
  await sql`
    insert into consents (sub_organization_id, address, purpose, channel, given_through, valid_from, created_at, created_by)
    select ${sub_organization_id}, '+1612' || n, 'marketing', 'call', 'form', now(), now(), 'test'
    from generate_series(5550000, 5570000) n`.execute(app.db);
  await sql`
    insert into suppressions (sub_organization_id, kind, address, scope, reason, occurred_at, through, created_at)
    select ${sub_organization_id}, 'phone', '+1613' || n, 'all', 'do-not-call', now(), 'import', now()
    from generate_series(5550000, 5570000) n`.execute(app.db);
  await sql`analyze consents, suppressions`.execute(app.db);
  const questions = Array.from({ length: 200 }, (_, n) => ({
    sub_organization_id,
    mode: "voice" as const,
    purpose: "marketing" as const,
    address: `+161${n % 3 === 0 ? 3 : 2}${5550000 + n}`,
  }));
  const counter = new StatementCounter();
  const issues = await readReachIssues(app.db.withPlugin(counter), questions, NOBODY_KNOWN);
  expect(counter.count).toBe(1);
  expect(issues.map((issue) => issue?.kind ?? null)).toEqual(
    questions.map((_, n) => (n % 3 === 0 ? "suppressed" : null)),
  );
  const plan = await planned(app.db, FEW_BY_KEY, async (tx) => {
    const { rows } = await sql<{
      "QUERY PLAN": string;
    }>`explain ${reachStatement(questions, NOBODY_KNOWN)}`.execute(tx);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
  expect(plan).not.toContain("Seq Scan");
  expect(plan).toContain("consents_live");
  expect(plan).toContain("suppressions_live");
});
