import { sql } from "kysely";
import { type CarrierPrices, carrierFee, hasCarrierPrices } from "../base/prices/carrier-prices.ts";
import { addSpending } from "../campaigns/spending.ts";
import type { Tx } from "../db/database.ts";
import type { AttemptRow } from "./settled-rows.ts";

type FeeChange = {
  key: string;
  /** 1: a carrier took it; -1: it was taken back. */
  times: 1 | -1;
};

type Row = {
  campaign_id: number;
  sub_organization_id: number;
  times: number;
  mode: "sms" | "whatsapp" | "email";
  segments: number | null;
};

/**
 * Adds to campaigns' spending what carriers charge for the texts and mails that this settlement found to be taken. The
 * attempt's row says whether a fee was added: it was while `placed_at` is there. `placed`: keys that had it before. Calls
 * are charged by the minute, with their session. Indexes: `attempts_pkey`, `text_messages_key`.
 */
export async function addOutreachFees(
  tx: Tx,
  prices: CarrierPrices,
  placed: ReadonlySet<string>,
  changed: readonly AttemptRow[],
  now: Date,
): Promise<void> {
  if (!hasCarrierPrices(prices)) return;
  const taken = changed.flatMap(({ key, mode, placed_at }): FeeChange[] => {
    const isPlaced = placed_at !== null;
    return mode === "voice" || isPlaced === placed.has(key) ? [] : [{ key, times: isPlaced ? 1 : -1 }];
  });
  if (taken.length === 0) return;
  const { rows } = await sql<Row>`
    select a.campaign_id, a.sub_organization_id, a.mode, w.times, m.segments
    from json_to_recordset(${JSON.stringify(taken)}::json) as w (key text, times integer)
    join attempts a on a.key = w.key
    left join text_messages m on m.channel_id = a.channel_id and m.direction = 'out' and m.key = a.key`.execute(
    tx,
  );
  const campaigns = Map.groupBy(rows, ({ campaign_id }) => campaign_id);
  // In one order, so that two settlements don't wait for each other.
  for (const [campaign_id, some] of [...campaigns].toSorted(([one], [other]) => one - other)) {
    const fee = some.reduce((sum, row) => sum + row.times * feeOf(prices, row), 0);
    const [{ sub_organization_id }] = some as [Row];
    if (fee !== 0)
      await addSpending(tx, { sub_organization_id, campaign_id, cost_usd: fee, carrier_usd: fee, at: now });
  }
}

function feeOf(prices: CarrierPrices, { mode, segments }: Row): number {
  switch (mode) {
    case "email":
      return carrierFee(prices, { mail: 1 });
    case "whatsapp":
      return carrierFee(prices, { whatsapp: 1 });
    default:
      return carrierFee(prices, { sms_segment: segments ?? 1 });
  }
}
