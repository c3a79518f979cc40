import { sql } from "kysely";
import { type CarrierPrices, carrierFee, hasCarrierPrices } from "../base/prices/carrier-prices.ts";
import type { Tx } from "../db/database.ts";

type UsedUnits = { id: number; call_minute: number; sms_segment: number; whatsapp: number; mail: number };

/** A text that no carrier may have costs nothing. */
const HANDED = sql`m.asked_at is not null and m.status not in ('PENDING', 'UNEXPECTED_ERROR', 'CANCELED')`;

/**
 * What carriers charge for these sessions, as far as there are prices: started minutes of calls out, texts and mails. The
 * text or mail with which a campaign opened one is not among them: it counts when its attempt is taken. Indexes:
 * `calls_session_id_key`, `text_messages_session`, `mail_messages_session`, `attempts_pkey`.
 */
export async function carrierFees(
  tx: Tx,
  prices: CarrierPrices,
  sessions: readonly { id: number; ended_at: string }[],
): Promise<Map<number, number>> {
  if (!hasCarrierPrices(prices) || sessions.length === 0) return new Map();
  const given = sessions.map(({ id, ended_at }) => ({ id, ended_at }));
  const { rows } = await sql<UsedUnits>`
    select s.id,
      coalesce((
        select greatest(1, ceil(extract(epoch from coalesce(c.ended_at, s.ended_at) - c.answered_at) / 60)) from calls c
        where c.session_id = s.id and c.is_outbound), 0)::integer as call_minute,
      t.sms_segment, t.whatsapp, (
        select count(*) from mail_messages m
        where m.session_id = s.id and m.direction = 'out' and m.state = 'sent'
          and not exists (select from attempts a where a.key = m.key)) as mail
    from json_to_recordset(${JSON.stringify(given)}::json) as s (id bigint, ended_at timestamptz)
    cross join lateral (
      select coalesce(sum(coalesce(m.segments, 1)) filter (where m.medium = 'sms'), 0) as sms_segment,
        count(*) filter (where m.medium = 'whatsapp') as whatsapp
      from text_messages m
      where m.session_id = s.id and m.direction = 'out' and m.purpose <> 'outreach' and ${HANDED}
    ) t`.execute(tx);
  return new Map(rows.map(({ id, ...used }) => [id, carrierFee(prices, used)]));
}
