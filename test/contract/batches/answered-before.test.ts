import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});

test("calls made before results said who answered are filled in from their attempts, as the dialer would have said it", async () => {
  const { batch_id } = await dialing.filled(4, { hourly_rate: 3600, retry_count: 0 });
  const [machine, human, nobody] = ["p0", "p1", "p2"];
  let started = 0;
  const dialer = createTestDialer(app, () => {
    started += 1;
    if (started === 1) return { tells: ["IN-PROGRESS", "MACHINE", "COMPLETED"] };
    if (started === 2) return { tells: ["IN-PROGRESS", "HUMAN", "COMPLETED"] };
    return started === 3 ? { tells: ["NO-ANSWER"] } : { tells: ["IN-PROGRESS", "COMPLETED"] };
  });
  await dialer.pass(1, 5_000);
  const results = async () => (await dialing.outbound.results(batch_id)).body;
  const counts = async () => (await dialing.outbound.get(batch_id)).body.outcome_counts;
  const [before, counted] = [await results(), await counts()];
  const by = (reference_id: string | undefined) =>
    before.find((row: { reference_id: string }) => row.reference_id === reference_id);
  expect(by(machine)).toMatchObject({ answered_by: "MACHINE", voicemail_left: false, reached: false });
  expect(by(human)).toMatchObject({ answered_by: "HUMAN", reached: true });
  expect(by(nobody)).toMatchObject({ answered_by: null, voicemail_left: null, reached: false });
  await app.db.updateTable("requests").set({ answered_by: null, voicemail_left: null }).execute();
  const file = new URL("../../../src/db/migrations/0086_answered_before.sql", import.meta.url);
  await sql.raw(await readFile(file, "utf8")).execute(app.db);
  expect(await results()).toEqual(before);
  expect(await counts()).toEqual(counted);
});

test("what no attempt tells is not recorded: null; results and counts agree", async () => {
  const { batch_id } = await dialing.filled(1, { hourly_rate: 3600 });
  const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "COMPLETED"] }));
  await dialer.pass(1, 5_000);
  await app.db.updateTable("requests").set({ answered_by: null, voicemail_left: null }).execute();
  const [row] = (await dialing.outbound.results(batch_id)).body;
  expect(row).toMatchObject({ answered_by: null, voicemail_left: null, duration_s: null, reached: true });
  expect((await dialing.outbound.get(batch_id)).body.outcome_counts).toMatchObject({
    reached: 1,
    not_reached: 0,
  });
});
