import { z } from "zod";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import type { Carriers } from "./carrier.ts";
import { findChannel } from "./channel.ts";

const ChannelCarrier = z
  .object({
    name: z.string().nullable().describe("null: this installation has no carrier for the channel"),
    simulated: z.boolean().describe("Nobody is really reached"),
    note: z.string().nullable(),
  })
  .meta({ id: "ChannelCarrier" });

export const NOBODY_IS_REACHED =
  "This channel has no carrier account, so a simulated carrier plays the people: nobody is really called or written to.";

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
}
