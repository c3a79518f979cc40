import { z } from "zod";
import { type CarrierAccount, CarrierFault, type Taken } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import type { TelnyxApi } from "./telnyx-api.ts";
import { readTelnyxEvent } from "./telnyx-events.ts";
import { readState } from "./telnyx-state.ts";

/** https://developers.telnyx.com/api-reference/debugging/list-call-events; `metadata` includes the event as it was posted. */
const CallEvents = z.object({ data: z.array(z.object({ metadata: z.unknown() })) });

const Posted = z.object({
  event_type: z.string(),
  payload: z.object({ call_control_id: z.string().min(1), client_state: z.string().nullish() }),
});

/**
 * A call of ours that is over, and whose events came while no process ran: Telnyx keeps what it posts for a day, whether or
 * not anybody took it. null: it posted nothing of it, or does not show it to this account.
 */
export async function findEndedCall(
  api: TelnyxApi,
  account: CarrierAccount,
  { key, to }: { key: string; to: string },
  since: Date,
): Promise<Taken | null> {
  const query = new URLSearchParams({
    "filter[type]": "webhook",
    "filter[to]": to,
    "filter[occurred_at][gte]": since.toISOString(),
    "page[size]": "250",
  });
  const kept = await api
    .get(account, { path: `/call_events?${query}`, answer: CallEvents })
    .catch((error) => {
      if (error instanceof CarrierFault) return { data: [] };
      throw error;
    });
  const ours = kept.data
    .flatMap(({ metadata }) => postedIn(metadata) ?? [])
    .filter(({ payload }) => readState(payload.client_state).key === key);
  const sid = ours[0]?.payload.call_control_id;
  return sid === undefined ? null : { sid, status: statusAfter(ours) };
}

/** Who picked up heard nothing of us, whatever ended the call. */
function statusAfter(posted: readonly unknown[]): ChannelStatus {
  const events = posted.flatMap((data) => readTelnyxEvent({ data }) ?? []);
  const end = events.find((event) => event.type === "hangup");
  if (end === undefined) return "QUEUED";
  return events.some(({ type }) => type === "answered") ? "NO_OUTCOME" : end.status;
}

/** Wherever it stands in what is kept with it. */
function postedIn(kept: unknown): z.infer<typeof Posted> | null {
  if (typeof kept !== "object" || kept === null) return null;
  if (Posted.safeParse(kept).success) return kept as z.infer<typeof Posted>;
  for (const value of Object.values(kept)) {
    const found = postedIn(value);
    if (found !== null) return found;
  }
  return null;
}
