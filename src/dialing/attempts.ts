import { sql } from "kysely";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { AttemptReports, Outreach } from "../channels/outreach.ts";
import type { Db } from "../db/database.ts";
import type { SettleQueue } from "./settle-queue.ts";
import { outreachVariables } from "./start-attempts.ts";

/** Where channels report status updates of attempts. Works in any process, since no attempt is kept in memory. */
export function createAttempts({ db, queue }: { db: Db; queue: SettleQueue }): AttemptReports {
  return {
    find: (key) => findOutreach(db, key),

    async sessionStarted(tx, key, { session_id, conversation_id }) {
      await sql`
        with attempt as (
          update attempts set session_id = ${session_id}, conversation_id = ${conversation_id} where key = ${key}
          returning batch_key, request_id, attempt_number
        )
        update requests r set session_id = ${session_id}, conversation_id = ${conversation_id}
        from attempt a
        where r.batch_key = a.batch_key and r.id = a.request_id and r.attempt_count = a.attempt_number`.execute(
        tx,
      );
    },

    signal: (signals) =>
      queue.add(
        signals.flatMap(({ key, sid, status, word, error_code, is_transient, our_fault, at }) =>
          key === null
            ? []
            : [
                {
                  kind: "status",
                  key,
                  status,
                  is_transient,
                  at,
                  sid,
                  provider_status: word,
                  error_code,
                  our_fault,
                },
              ],
        ),
      ),
  };
}

type Row = Omit<Outreach, "variables"> & {
  campaign_variables: Record<string, string>;
  request_variables: Record<string, string>;
  channel_status: ChannelStatus;
};

/** By primary keys. */
export async function findOutreach(db: Db, key: string): Promise<Outreach | null> {
  const { rows } = await sql<Row>`
    select a.key, a.sub_organization_id, a.mode, a.campaign_id, a.agent_id, a.channel_id, a.channel_target_id, a.source, a.caller_id,
      a.target, c.campaign_variables, r.request_variables, c.voicemail_detection, c.sms_session_ttl, a.is_test
    from attempts a
    join campaigns c on c.id = a.campaign_id
    join requests r on r.batch_key = a.batch_key and r.id = a.request_id
    where a.key = ${key}`.execute(db);
  const [found] = rows;
  if (!found) return null;
  const { campaign_variables, request_variables, ...rest } = found;
  return { ...rest, variables: outreachVariables(campaign_variables, request_variables) };
}
