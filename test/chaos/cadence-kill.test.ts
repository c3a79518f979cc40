import { sql } from "kysely";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import type { TestApp } from "../harness/app.ts";
import { createTestDatabase } from "../harness/database.ts";
import { createRandom } from "../harness/fuzz/random.ts";
import { SEED } from "../harness/seed.ts";
import { createSender } from "../harness/sender.ts";
import { type Stage, setStage, until } from "./stage.ts";

const SECOND = "+19032900845";
const PEOPLE = { seed: SEED, batches: 6, each: 4 };
const MOST_MS = 300_000;

/** Where a process dies: between the settlement that planned a step and the claim of it, or around either. */
const POINTS = ["before-claim", "after-settle", "after-claim"];
const random = createRandom(SEED).next;
const chosen = [POINTS[0], POINTS[1 + Math.floor(random() * 2)]] as string[];

test.each(chosen)(`kill -9 %s loses no step of a campaign and repeats none (seed ${SEED})`, async (point) => {
  const { config, drop } = await createTestDatabase();
  const stage = await setStage(config, PEOPLE);
  try {
    await giveSteps(stage);
    const dying = await stage.startDialer({ die_at: { point, nth: 12 } });
    await dying.died;
    await stage.startDialer();
    const isOver = async () => (await stage.over()) === stage.people;
    expect(await until(isOver, MOST_MS), "people were left waiting").not.toBeNull();
    const rows = await stepsTaken(stage);
    expect(rows.some(({ planned }) => planned > 0)).toBe(true);
    expect(rows.filter(({ planned, taken }) => planned !== taken)).toEqual([]);
    expect(rows.filter(({ repeated }) => repeated > 0)).toEqual([]);
    expect(rows.filter(({ after_success }) => after_success > 0)).toEqual([]);
  } finally {
    await stage.stop();
    await drop();
  }
});

/** Two further calls from another number, the second a second after the first. */
async function giveSteps({ database: { db } }: Stage): Promise<void> {
  const { rows } = await sql<{ sub_organization_id: number; organization_id: number }>`
    select c.sub_organization_id, o.organization_id from campaigns c
    join sub_organizations o on o.id = c.sub_organization_id`.execute(db);
  const caller = { ...rows[0], email: "chaos@example.com" } as TestApp["admin"];
  await createSender({ db, clock: systemClock } as TestApp, caller, { target: SECOND });
  const step = { mode: "voice", source: SECOND, address: null, wait: "1s", after: null };
  await sql`
    update campaigns set retry_count = 0, cadence = ${JSON.stringify({ steps: [step, step] })}::json`.execute(
    db,
  );
}

type Taken = { request_id: number; planned: number; taken: number; repeated: number; after_success: number };

/** Of each person: steps that a settlement planned, those that were tried, twice, or after somebody had answered. */
async function stepsTaken({ database: { db } }: Stage): Promise<Taken[]> {
  const { rows } = await sql<Taken>`
    with tried as (select * from attempts where not (state = 'ENDED' and channel_status = 'PENDING'))
    select request_id,
      count(*) filter (where decision ->> 'kind' = 'step') as planned,
      count(*) filter (where step > 0) as taken,
      count(*) filter (where step > 0) - count(distinct step) filter (where step > 0) as repeated,
      count(*) filter (where step > 0 and exists (
        select from tried before where before.request_id = tried.request_id and before.step < tried.step
          and before.channel_status = 'COMPLETED')) as after_success
    from tried group by request_id`.execute(db);
  return rows;
}
