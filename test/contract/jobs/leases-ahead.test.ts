import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insertBatch, insertSession } from "../../harness/rows.ts";

/** What a process held that died while the clock of its machine was years ahead, and what a living one holds. */
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const AHEAD = sql<string>`now() + interval '9 years'`;
const HELD = sql<string>`now() + interval '20 s'`;

/** A row each of what is leased, held until then. */
async function hold(until: typeof AHEAD): Promise<void> {
  const { db, admin, clock } = app;
  const { sub_organization_id } = admin;
  const lease = { lease_owner: "a process that is gone", lease_expires_at: until };
  const session_id = await insertSession(app, lease);
  const now = clock.now().toISOString();
  const call = { carrier: "browser", sid: `page-${session_id}`, is_outbound: false, number: "", leg: 1 };
  await db
    .insertInto("calls")
    .values({ ...call, ...lease, sub_organization_id, session_id, state: "open", answered_at: now })
    .execute();
  await db
    .insertInto("webhook_outbox")
    .values({ delivery_key: session_id, webhook_id: 1, due_at: until, lease_owner: lease.lease_owner })
    .execute();
  const service = await app.send("POST", "/api/v1/services/", {
    name: `Service ${session_id}`,
    description: "",
  });
  await db
    .insertInto("service_tokens")
    .values({ ...lease, service_id: service.body.id })
    .execute();
  const batch_key = await insertBatch(app, `campaign-${session_id}`);
  const upload = { upload_id: "u", filename: "people.csv", rows_read: 0, beat_at: until };
  await db
    .insertInto("batch_uploads")
    .values({ ...upload, batch_key })
    .execute();
}

/** Seconds from now on until each is free, at most. */
const held = async (): Promise<number[]> => {
  const { rows } = await sql<{ s: number }>`
    select ceil(extract(epoch from expires - now()))::integer as s from (
      select lease_expires_at as expires, 1 as n from sessions where lease_owner is not null
      union all select lease_expires_at, 2 from calls where state = 'open'
      union all select due_at, 3 from webhook_outbox
      union all select lease_expires_at, 4 from service_tokens
      union all select beat_at, 5 from batch_uploads
    ) as each order by n, expires`.execute(app.db);
  return rows.map(({ s }) => s);
};

test("what a process held that died while its clock was ahead is free a lease later; what others hold stays as it is", async () => {
  await hold(HELD);
  await hold(AHEAD);
  const cap = app.jobs.find(({ job: { name } }) => name === "cap-leases");
  await cap?.run({}, {} as never);
  const most = [8, 20, 8, 20, 20, 60, 20, 25, 0, 20];
  const found = await held();
  expect(found).toHaveLength(most.length);
  for (const [index, s] of found.entries()) expect(s).toBeLessThanOrEqual(most[index] as number);
  // None of those that were held for 20 s was made longer or ended by it.
  expect(found.filter((s) => s > 10 && s <= 20)).toHaveLength(5);
});

test("a delivery that waits for its next try, held by nobody, waits on", async () => {
  await app.db.deleteFrom("webhook_outbox").execute();
  await app.db
    .insertInto("webhook_outbox")
    .values({ delivery_key: 1, webhook_id: 1, due_at: sql<string>`now() + interval '6 h'` })
    .execute();
  await app.jobs.find(({ job: { name } }) => name === "cap-leases")?.run({}, {} as never);
  const { rows } = await sql`select due_at > now() + interval '5 h' as waits from webhook_outbox`.execute(
    app.db,
  );
  expect(rows).toEqual([{ waits: true }]);
});
