import type { Carriers } from "../channels/carrier.ts";
import { carrierOfChannel } from "../channels/channel-carrier.ts";
import type { Db } from "../db/database.ts";

/** Asks the carrier to end a call. Does nothing when it has no carrier, or that is no longer configured. */
export async function hangUp(
  carriers: Carriers,
  db: Db,
  call: { channel_id: number | null; sid: string },
): Promise<void> {
  if (call.channel_id === null) return;
  const found = await carrierOfChannel({ db, carriers }, call.channel_id);
  await found?.carrier.calls?.hangUp(found.account, call.sid);
}
