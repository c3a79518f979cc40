import { sql } from "kysely";
import type { Stage } from "./stage.ts";

const RETRIES = 2;
const INTERVAL_MS = 1_000;

/** What was promised and did not hold, in sentences; looked up in the database and in what the carrier knows. */
export async function brokenPromises(stage: Stage): Promise<string[]> {
  const { carrier, people, over } = stage;
  const { db } = stage.database;
  const broken: string[] = [];
  const none = async (promise: string, query: ReturnType<typeof sql<{ found: string }>>) => {
    const { rows } = await query.execute(db);
    if (rows.length > 0)
      broken.push(
        `${promise}: ${rows
          .slice(0, 3)
          .map(({ found }) => found)
          .join(", ")}`,
      );
  };

  const done = await over();
  if (done !== people) {
    const { rows } = await sql<{ text: string }>`
      select format('%s %s, due %s of %s', request_status, channel_manager_status, due_at - now(),
        (select 'paused for ' || max(closed_until) - now() from dial_sources)) as text
      from requests where request_status in ('PENDING', 'INITIATED', 'CONNECTED')`.execute(db);
    const left = rows.map(({ text }) => text).join("; ");
    broken.push(`${people - done} of ${people} people were neither reached nor given up (${left})`);
  }
  await none(
    "an attempt is still live",
    sql`select key || ' ' || state as found from attempts where state <> 'ENDED'`,
  );
  await none("a line is still held", sql`select key as found from attempts where holds_slot`);
  await none(
    "attempts of one batch started closer than its interval",
    sql`select key as found from (
      select key, started_at - lag(started_at) over (partition by batch_key order by started_at) as gap from attempts
    ) as gaps where gap < ${INTERVAL_MS} * interval '1 millisecond' and gap >= interval '0'`,
  );
  await none(
    "a person was tried more often than the campaign allows",
    sql`select reference_id as found from attempts where channel_status <> 'PENDING'
      group by campaign_id, reference_id having count(*) > ${RETRIES + 1}`,
  );
  await none(
    "a person was tried again after being reached",
    sql`select a.reference_id as found from attempts a join attempts later
      on later.reference_id = a.reference_id and later.attempt_number > a.attempt_number
      where a.channel_status = 'COMPLETED'
        and not exists (select from attempts u where u.key = a.key and u.decision ->> 'status' = 'NO_OUTCOME')`,
  );
  await none(
    "a status that the webhook asked for was not told exactly once",
    sql`
      with changed as (
        select e.attributes ->> 'reference_id' as reference_id, (e.attributes ->> 'attempt_count')::integer as attempt_count,
          e.attributes ->> 'status' as status
        from events e where e.type = 'request-status'
      ),
      told as (
        select r.reference_id, d.attempt_count, d.channel_manager_status as status
        from webhook_deliveries d join requests r on r.batch_key = d.batch_key and r.id = d.request_id
      )
      select coalesce(c.reference_id, t.reference_id) || ' ' || coalesce(c.status, t.status) as found
      from (select reference_id, attempt_count, status, count(*) as n from changed group by 1, 2, 3) c
      full join (select reference_id, attempt_count, status, count(*) as n from told group by 1, 2, 3) t
        using (reference_id, attempt_count, status)
      where c.n is distinct from 1 or t.n is distinct from 1`,
  );
  const { rows } = await sql<{ key: string }>`select key from attempts`.execute(db);
  const known = new Set(rows.map(({ key }) => key));
  for (const { key } of carrier.calls.values()) {
    if (!known.has(key)) broken.push(`the carrier was called without an attempt's row: ${key}`);
  }
  const { rows: never } = await sql<{ key: string }>`
    select key from attempts where state = 'ENDED' and channel_status = 'PENDING'`.execute(db);
  for (const { key } of never) {
    if (carrier.calls.has(key))
      broken.push(`a call was made for an attempt that counted as never made: ${key}`);
  }
  broken.push(...overlappingCalls(carrier), ...(await untold(stage)));
  return broken;
}

/** Whatever was to be told arrived, by the receiver's own books. */
async function untold({ receiver, database: { db } }: Stage): Promise<string[]> {
  if (receiver === null) return [];
  const { rows } = await sql<{ id: string; state: string }>`
    select id, state from webhook_deliveries order by key`.execute(db);
  const lost = rows.filter(({ id, state }) => state !== "DELIVERED" || !receiver.taken.has(id));
  return lost.length === 0
    ? []
    : [
        `${lost.length} of ${rows.length} messages did not arrive, the first ${lost[0]?.id} (${lost[0]?.state})`,
      ];
}

/** One person is never on two calls at once, whatever rows say. */
function overlappingCalls({ calls }: Stage["carrier"]): string[] {
  return [...Map.groupBy(calls.values(), ({ target }) => target)].flatMap(([target, some]) => {
    const inOrder = some.toSorted((a, b) => a.at - b.at);
    const twice = inOrder.some((call, i) => {
      const next = inOrder[i + 1];
      return next !== undefined && (call.ended_at === null || next.at < call.ended_at);
    });
    return twice ? [`${target} was on two calls at once`] : [];
  });
}
