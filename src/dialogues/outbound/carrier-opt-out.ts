import { suppress, wasLiftedSince } from "../../consent/suppression.ts";
import type { Tx } from "../../db/database.ts";

export type RefusedText = {
  sub_organization_id: number;
  /** The person's number. */
  address: string;
  session_id: number | null;
  written_at: string;
  /** The carrier's words. */
  said: string;
};

/**
 * The carrier was written STOP and we were not: before the number was ours, or while nobody listened. Who wrote START after
 * the refused text was written is not put on the list again.
 */
export async function keepCarrierOptOut(
  tx: Tx,
  { sub_organization_id, address, session_id, written_at, said }: RefusedText,
  now: Date,
): Promise<void> {
  if (await wasLiftedSince(tx, sub_organization_id, address, written_at)) return;
  const proof = { at: now, through: "carrier", said, session_id, message_id: null } as const;
  await suppress(tx, [{ sub_organization_id, address, scope: "all", reason: "unsubscribed", proof }], now);
}
