import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { Db, Tx } from "../../db/database.ts";
import { publish } from "../../events/event.ts";
import { handle, type Job, type JobHandler } from "../../jobs/define-job.ts";
import { oneByOne } from "../../jobs/one-by-one.ts";
import { forgetOldUses } from "../../number-groups/number-uses.ts";
import {
  type HealthRule,
  numbersToRest,
  restText,
  type SickNumber,
} from "../../planning/numbers/number-health.ts";

const restNumbersEachMinute: Job<object> = {
  name: "rest-numbers",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

export const restNumbersJob = (parts: { db: Db; clock: Clock }): JobHandler =>
  handle(restNumbersEachMinute, () => restNumbers(parts));

/** Rests the numbers whose answers collapsed, group by group, each in a transaction of its own. */
export async function restNumbers({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  const groups = await db
    .selectFrom("number_groups")
    .select("id")
    .where("health", "is not", null)
    .where("deleted_at", "is", null)
    .execute();
  // First, because it must not wait for a group that fails.
  await db.transaction().execute((tx) => forgetOldUses(tx, clock.now()));
  await oneByOne(groups, ({ id }) => db.transaction().execute((tx) => restNumbersOf(tx, id, clock.now())));
}

/**
 * An attempt that ended is answered when a person picked up the call, or when the text was delivered. On `attempts` as `a`.
 */
export const IS_ANSWERED = sql`case a.mode when 'voice'
  then a.channel_status = 'COMPLETED' and a.answerer is distinct from 'MACHINE'
  else a.channel_status in ('COMPLETED', 'DELIVERED') end`;

/** What was handed to a carrier and is over. */
export const IS_OVER = sql`a.state = 'ENDED' and a.placed_at is not null`;

type Answers = { id: number; number: string; attempts: number; answered: number };

async function restNumbersOf(tx: Tx, group_id: number, now: Date): Promise<void> {
  const { rows } = await sql<{ name: string; sub_organization_id: number; health: HealthRule | null }>`
    select name, sub_organization_id, health from number_groups
    where id = ${group_id} and deleted_at is null for no key update`.execute(tx);
  const [group] = rows;
  if (!group?.health) return;
  const rule = group.health;
  const from = new Date(now.getTime() - rule.window_hours * 3_600_000).toISOString();
  // One scan of `attempts_number_group`; a number that rests, or whose rest just ended, has no attempts yet.
  const answers = await sql<Answers>`
    select a.channel_target_id as id, min(a.source) as number, count(*) as attempts,
      count(*) filter (where ${IS_ANSWERED}) as answered
    from attempts a join number_group_numbers m on m.channel_target_id = a.channel_target_id and m.group_id = ${group_id}
    where a.number_group_id = ${group_id} and a.started_at >= ${from}::timestamptz and ${IS_OVER}
      and (m.resting_until is null or a.started_at >= m.resting_until)
    group by 1`.execute(tx);
  const numbers = new Map(answers.rows.map(({ id, number }) => [id, number]));
  for (const sick of numbersToRest(rule, answers.rows))
    await rest(tx, { ...group, id: group_id, rule }, sick, numbers.get(sick.id) ?? "", now);
}

async function rest(
  tx: Tx,
  group: { id: number; name: string; sub_organization_id: number; rule: HealthRule },
  sick: SickNumber,
  number: string,
  now: Date,
): Promise<void> {
  const until = new Date(now.getTime() + group.rule.rest_hours * 3_600_000).toISOString();
  const why = restText(group.rule, sick);
  await sql`
    update number_group_numbers set resting_until = ${until}::timestamptz, rest_reason = ${why}
    where channel_target_id = ${sick.id} and group_id = ${group.id}`.execute(tx);
  await publish(tx, group.sub_organization_id, [
    {
      at: now,
      source: "outbound",
      source_id: null,
      category: "outbound",
      type: "number-resting",
      description: `${number} of the number group ${group.name} rests until ${until}: ${why}`,
      attributes: {
        number_group_id: group.id,
        number,
        until,
        attempts: sick.attempts,
        answered: sick.answered,
      },
    },
  ]);
}
