import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { type StatusChange, tellWebhooks } from "../../../src/batches/status-change.ts";
import type { ChannelStatus } from "../../../src/channels/channel-status.ts";
import type { Egress } from "../../../src/egress/egress.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createPeer, json } from "../../harness/peer.ts";
import { rounds } from "../../harness/seed.ts";
import { createTelling, routesTo } from "../../harness/webhooks.ts";

/**
 * Every committed change of a status that triggers has exactly one webhook id and is tried; none that was rolled back
 * has any. A history is one person's: transactions of changes, each of which commits or does not.
 */
let app: TestApp;
let telling: Awaited<ReturnType<typeof createTelling>>;
let egress: Egress;
beforeAll(async () => {
  app = await createTestApp();
  telling = await createTelling(app);
  const peer = await createPeer();
  peer.respond((_, response) => json(response, 200, {}));
  egress = routesTo({ "good.example": peer });
  return () => egress.close();
});
beforeEach(() => app.db.deleteFrom("webhook_outbox").execute());

const FEW: ChannelStatus[] = ["QUEUED", "HUMAN", "COMPLETED", "BUSY", "NO-ANSWER"];
const hooks = fc.array(fc.uniqueArray(fc.constantFrom(...FEW), { minLength: 1 }), { maxLength: 3 });
const change = fc.record({ status: fc.constantFrom(...FEW), attempt_count: fc.integer({ min: 1, max: 2 }) });
const history = fc.array(fc.record({ changes: fc.array(change, { maxLength: 2 }), commits: fc.boolean() }), {
  maxLength: 3,
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

type Hook = { id: number; triggers: ChannelStatus[] };
type Person = Parameters<typeof telling.change>[0];

async function createHooked(triggers: ChannelStatus[][]) {
  const campaign = await telling.createCampaign(
    triggers.map((trigger_statuses, n) => ({ url: `https://good.example/${n}`, trigger_statuses })),
  );
  return { campaign, hooks: campaign.webhooks.map(({ id }, n): Hook => ({ id, triggers: triggers[n]! })) };
}

const keyOf = (webhook_id: number, { request_id, attempt_count, status }: StatusChange): string =>
  `${webhook_id} ${request_id} ${attempt_count} ${status}`;

const inTransaction = (changes: StatusChange[], commits: boolean) =>
  app.db
    .transaction()
    .execute(async (tx) => {
      await tellWebhooks(tx, changes);
      if (!commits) throw new Error("rolled back");
    })
    .catch((error) => {
      if (commits) throw error;
    });

/** All histories at once: their first transactions, those that commit in one and the others in another; and so on. */
async function play(histories: { person: Person; hooks: Hook[]; steps: History }[]): Promise<Set<string>> {
  const expected = new Set<string>();
  const longest = Math.max(...histories.map(({ steps }) => steps.length));
  for (let step = 0; step < longest; step++) {
    for (const commits of [true, false]) {
      const told = histories.flatMap(({ person, hooks, steps }) => {
        const taken = steps[step];
        if (taken?.commits !== commits) return [];
        return taken.changes.map(({ status, attempt_count }) => ({
          hooks,
          change: telling.change(person, status, { attempt_count }),
        }));
      });
      await inTransaction(
        told.map(({ change }) => change),
        commits,
      );
      if (!commits) continue;
      for (const { hooks, change } of told) {
        for (const { id, triggers } of hooks) {
          if (triggers.includes(change.status)) expected.add(keyOf(id, change));
        }
      }
    }
  }
  return expected;
}

/** What is stored of these people; each with how often it is in the outbox. */
async function storedOf(people: Person[]) {
  const { rows } = await sql<{ id: string; change: string; tries: number; in_outbox: number }>`
    select d.id, concat_ws(' ', d.webhook_id, d.request_id, d.attempt_count, d.channel_manager_status) as change,
      d.tries, (select count(*) from webhook_outbox where delivery_key = d.key) as in_outbox
    from webhook_deliveries d where d.request_id = any (${people.map(({ request_id }) => request_id)}::bigint[])
  `.execute(app.db);
  return rows;
}

const CAMPAIGNS = 40;
const HISTORIES = 10_000;
const AT_ONCE = 500;

test("in 10,000 histories every committed change that triggers has exactly one webhook id, and no rolled-back one any", async () => {
  const waiting: { person: Person; hooks: Hook[] }[] = [];
  for (const triggers of fc.sample(hooks, CAMPAIGNS)) {
    const { campaign, hooks } = await createHooked(triggers);
    const people = await telling.addPeople(campaign, HISTORIES / CAMPAIGNS);
    waiting.push(...people.map((person) => ({ person, hooks })));
  }
  // Of many campaigns in each lot.
  const lots = Array.from({ length: HISTORIES / AT_ONCE }, (_, lot) =>
    waiting.filter((_, n) => n % (HISTORIES / AT_ONCE) === lot),
  );
  const ids = new Set<string>();
  let played = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(history, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (histories) => {
      const lot = lots.pop()!;
      const expected = await play(lot.map((one, n) => ({ ...one, steps: histories[n]! })));
      const rows = await storedOf(lot.map(({ person }) => person));
      expect(rows.map(({ change }) => change).toSorted()).toEqual([...expected].toSorted());
      expect(rows.filter(({ in_outbox }) => in_outbox !== 1)).toEqual([]);
      for (const { id } of rows) ids.add(id);
      played += rows.length;
    }),
    // The people of a lot have had their history: nothing can be tried on them again with less.
    { numRuns: HISTORIES / AT_ONCE, endOnFailure: true },
  );
  expect(lots).toEqual([]);
  expect(ids.size).toBe(played);
  expect(played).toBeGreaterThan(HISTORIES / 2);
});

test("and each is tried, and accepted under its id", async () => {
  await fc.assert(
    fc.asyncProperty(
      hooks,
      fc.array(history, { minLength: 1, maxLength: 4 }),
      async (triggers, histories) => {
        const { campaign, hooks } = await createHooked(triggers);
        const people = await telling.addPeople(campaign, histories.length);
        const expected = await play(people.map((person, n) => ({ person, hooks, steps: histories[n]! })));
        expect(await telling.deliverer(egress).drain()).toBe(expected.size);
        const rows = await storedOf(people);
        expect(rows.map(({ change }) => change).toSorted()).toEqual([...expected].toSorted());
        expect(rows.filter(({ tries, in_outbox }) => tries !== 1 || in_outbox !== 0)).toEqual([]);
      },
    ),
    { numRuns: rounds(15, 400) },
  );
});
