import { z } from "zod";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { type Carrier, type CarrierAccount, CarrierFault, type Carriers } from "./carrier.ts";
import { findChannel } from "./channel.ts";

const ChannelCarrier = z
  .object({
    name: z.string().nullable().describe("null: this installation has no carrier for the channel"),
    simulated: z.boolean().describe("No one is really contacted"),
    note: z.string().nullable(),
  })
  .meta({ id: "ChannelCarrier" });

const ChannelCarrierTest = z
  .object({
    works: z.boolean().describe("The carrier takes the account; always true of the simulator"),
    message: z.string(),
    duration_ms: z.number(),
  })
  .meta({ id: "ChannelCarrierTest" });

const NOBODY_IS_REACHED =
  "This channel has no carrier account, so a simulated carrier plays the people: nobody is really called or written to.";

/** Null: no such channel, or this installation has no carrier for it. */
export async function carrierOfChannel(
  { db, carriers }: { db: Db; carriers: Carriers },
  channel_id: number,
): Promise<{ carrier: Carrier; account: CarrierAccount } | null> {
  if (!Number.isSafeInteger(channel_id)) return null;
  const channel = await db
    .selectFrom("channels")
    .select(["id", "channel_service"])
    .where("id", "=", channel_id)
    .executeTakeFirst();
  return channel ? carriers.of(channel) : null;
}

/** Says who really carries what goes over a channel, before anybody counts on it. */
export function channelCarrierRoutes(api: Api, { db, carriers }: { db: Db; carriers: Carriers }): void {
  api.get(
    "/api/v1/channels/:channel_id/carrier",
    {
      summary: "Get the carrier of a channel",
      description: "Tells also whether it is the simulator, which reaches nobody.",
      tag: "channels",
      permission: "channels_read",
      params: z.object({ channel_id: recordId() }),
      response: ChannelCarrier,
    },
    async ({ caller, params }) => {
      const found = await carriers.of(await findChannel(db, caller, params.channel_id));
      if (!found) return { name: null, simulated: false, note: null };
      const { name, simulated } = found.carrier;
      return { name, simulated, note: simulated ? NOBODY_IS_REACHED : null };
    },
  );

  api.post(
    "/api/v1/channels/:channel_id/carrier/test",
    {
      summary: "Test a channel's carrier account",
      description: "Signs in and sends nothing. Nothing is stored.",
      tag: "channels",
      permission: "channels_write",
      params: z.object({ channel_id: recordId() }),
      response: ChannelCarrierTest,
    },
    async ({ caller, params }) => {
      const found = await carriers.of(await findChannel(db, caller, params.channel_id));
      const begun = performance.now();
      const answer = (works: boolean, message: string) => ({
        works,
        message,
        duration_ms: performance.now() - begun,
      });
      if (!found) return answer(false, "This installation has no carrier for the channel.");
      const { carrier, account } = found;
      if (!carrier.check)
        return answer(true, carrier.simulated ? NOBODY_IS_REACHED : "Nothing to sign in to.");
      try {
        return answer(true, await carrier.check(account));
      } catch (error) {
        if (!(error instanceof CarrierFault)) throw error;
        return answer(false, error.message);
      }
    },
  );
}
