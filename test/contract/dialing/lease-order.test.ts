import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { attemptLeases } from "../../../src/dialing/leases.ts";
import { LEASE_ms, RENEW_ms } from "../../../src/planning/attempt.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing } from "../../harness/dialing.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

test("leases are renewed in the order in which settlements lock attempts, however the rows lie: neither waits for the other", async () => {
  const dialing = await createDialing(app);
  for (let batch = 0; batch < 6; batch++) await dialing.filled(1);
  await createTestDialer(app, () => ({ tells: [] })).tick();
  await sql`update attempts set state = 'CLAIMED', lease_owner = 'this'`.execute(app.db);
  const attempts = await app.db.selectFrom("attempts").select("key").orderBy("key").execute();
  const keys = attempts.map(({ key }) => key);
  expect(keys).toHaveLength(6);
  // The first lies in the middle of the table, and so few are read as they lie, from either side.
  for (const key of [...keys.slice(3), ...keys.slice(0, 3)])
    await sql`update attempts set checks = checks where key = ${key}`.execute(app.db);
  await sql`analyze attempts`.execute(app.db);
  const { db, clock, log } = app;
  const leases = attemptLeases({ db, clock, log, owner: "this" });
  for (const key of keys) leases.hold(key);

  const [first = "", ...others] = keys;
  const { renewal } = await db.transaction().execute(async (settling) => {
    await sql`select from attempts where key = ${first} for update`.execute(settling);
    app.clock.advance(RENEW_ms);
    const renewal = leases.renew();
    await waitForLocks(app.database.pool, 1);
    await sql`select from attempts where key = any(${others}::text[]) order by key for update nowait`.execute(
      settling,
    );
    return { renewal };
  });
  await renewal;
  leases.stop();
  const leased = await db.selectFrom("attempts").select("check_at").execute();
  const end = new Date(clock.now().getTime() + LEASE_ms).toISOString();
  expect(leased.map(({ check_at }) => new Date(check_at ?? 0).toISOString())).toEqual(keys.map(() => end));
});
