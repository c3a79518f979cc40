import { sql } from "kysely";
import { beforeAll, expect, test, vi } from "vitest";
import { recordOutcomes } from "../../../src/dialing/source-health.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { WAITING } from "../../harness/waiting.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const SOURCE = "+15125550199";

test("a pause of a number that nothing was counted of yet outlasts what another process counts at the same moment", async () => {
  const { organization_id } = app.admin;
  const record = (tx: Parameters<typeof recordOutcomes>[0], tally: object) =>
    recordOutcomes(
      tx,
      [
        {
          organization_id,
          source: SOURCE,
          tally: { ended: 1, failed: 0, repeated: 0, refused: null, ...tally },
        },
      ],
      app.clock.now(),
    );
  let other: Promise<void> | undefined;
  await app.db.transaction().execute(async (tx) => {
    await record(tx, { refused: "This number is not yours." });
    other = app.db.transaction().execute((beside) => record(beside, {}));
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_locks l join pg_stat_activity a using (pid)
        where not l.granted and a.datname = current_database()`.execute(app.db);
      expect(rows.length).toBeGreaterThan(0);
    }, WAITING);
  });
  await other;
  const { rows } = await sql`
    select reason, trips, closed_until > ${app.clock.now().toISOString()}::timestamptz as is_paused
    from dial_sources where source = ${SOURCE}`.execute(app.db);
  expect(rows).toEqual([{ reason: "This number is not yours.", trips: 1, is_paused: true }]);
});
