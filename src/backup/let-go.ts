import type pg from "pg";

export type Calmed = { paused_batches: number; held_messages: number };

/**
 * What the program that was backed up had in its hands is let go without counting as interrupted: it has gone on with it,
 * or lost it with everything else. A job that ran is due again, with the try it was on. Attempts are left alone, as at a
 * start: their leases take three seconds, and their carrier has to be asked.
 */
const LET_GO = [
  `update graphile_worker._private_jobs set locked_at = null, locked_by = null, attempts = greatest(attempts - 1, 0)
   where locked_at is not null`,
  "update graphile_worker._private_job_queues set locked_at = null, locked_by = null where locked_at is not null",
  "update sessions set lease_owner = null, lease_expires_at = null where lease_owner is not null and ended_at is null",
  "delete from session_takeovers",
  "update calls set lease_expires_at = case when is_streamed then now() else 'epoch' end where state = 'open'",
  "update service_tokens set lease_owner = null, lease_expires_at = null where lease_owner is not null",
  "update webhook_outbox set lease_owner = null where lease_owner is not null",
  `update insight_executions set status = 'PENDING', lease_owner = null, lease_expires_at = null, attempts = attempts - 1
   where status = 'PROCESSING'`,
];

/**
 * A copy stands beside the program it was taken from, or after it, and that one went on reaching people. So no batch goes
 * on by itself (planning/batch-state.ts), and what waited to go out counts as handed to its carrier, which is asked about
 * texts before one is sent again; mail servers can't be asked, so no mail is sent again. A campaign's test that waited is
 * looked for at its carrier and not sent: it may have reached its author.
 */
export async function calm(
  client: pg.ClientBase,
  { pause, taken_at }: { pause: boolean; taken_at: string },
): Promise<Calmed> {
  for (const statement of LET_GO) await client.query(statement);
  await client.query("update test_outreach set state = 'SENDING' where state = 'QUEUED'");
  const changed = async (statement: string, values: unknown[] = []) =>
    (await client.query(statement, values)).rowCount ?? 0;
  return {
    held_messages:
      (await changed(
        `update text_messages set asked_at = created_at
         where direction = 'out' and status = 'PENDING' and asked_at is null`,
      )) +
      (await changed(
        "update mail_messages set state = 'handing' where direction = 'out' and state = 'queued'",
      )),
    paused_batches: pause ? await changed(PAUSE, [taken_at]) : 0,
  };
}

const PAUSE = `
  with paused as (
    update batches set paused = true, status = case status when 'ACTIVE' then 'PAUSED' else status end,
      last_updated_at = now(), last_updated_by = 'restore'
    where status in ('PENDING', 'ACTIVE') and paused is distinct from true
    returning sub_organization_id, batch_id, campaign_id
  )
  insert into events (sub_organization_id, timestamp, source, category, type, description, attributes)
  select sub_organization_id, now(), 'outbound', 'outbound', 'batch-updated',
    format('Batch "%s" was paused: the database was restored from the backup of %s', batch_id, $1::text),
    json_build_object('batch_id', batch_id, 'campaign_id', campaign_id)
  from paused`;
