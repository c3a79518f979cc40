import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import { write } from "../../api/resource.ts";
import { name, recordId } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { notFound } from "../../base/errors.ts";
import { findChannel, insertChannel, lockChannel, replaceChannel } from "../../channels/channel.ts";
import { Channel } from "../../channels/channel-schema.ts";
import type { Db } from "../../db/database.ts";

const secret = () => z.string().min(1).max(255);

const TwilioChannelCreateRequest = z
  .object({ name: name(), config: z.object({ account_sid: secret(), auth_token: secret() }) })
  .meta({ id: "TwilioChannelCreateRequest" });

const TwilioChannelUpdateRequest = z
  .object({
    id: recordId(),
    name: name().nullish(),
    config: z.object({ account_sid: secret().nullish(), auth_token: secret().nullish() }).nullish(),
  })
  .meta({ id: "TwilioChannelUpdateRequest" });

async function findTwilioChannel(db: Db, caller: Caller, id: number): Promise<Channel> {
  const channel = await findChannel(db, caller, id);
  if (channel.channel_service !== "twilio") throw notFound("Twilio channel", id);
  return channel;
}

type Deps = { db: Db; clock: Clock; vault: Vault; voice_missing: string | null };

/** The older way to write channels of one carrier; `channel.ts` has the way for all. */
export function twilioChannelRoutes(api: Api, deps: Deps): void {
  const { db } = deps;
  const path = "/api/v1/channels/twilio";
  const tag = "channels";

  api.get(
    `${path}/:channel_id`,
    {
      summary: "Get a Twilio channel",
      tag,
      permission: "channels_read",
      params: z.object({ channel_id: recordId() }),
      response: Channel,
    },
    ({ caller, params }) => findTwilioChannel(db, caller, params.channel_id),
  );

  api.post(
    `${path}/`,
    {
      summary: "Create a Twilio channel",
      description: "Use POST /api/v1/channels/.",
      deprecated: true,
      tag,
      permission: "channels_write",
      body: TwilioChannelCreateRequest,
      response: Channel,
    },
    ({ caller, body }) =>
      write(db, "Channel", async (tx) => {
        const input = { ...body, channel_service: "twilio", is_system_channel: true } as const;
        const after = await insertChannel(tx, deps, caller, input);
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: after.id, after });
        return after;
      }),
  );

  api.put(
    `${path}/`,
    {
      summary: "Change a Twilio channel",
      description: "What is null or left out stays. Use PUT /api/v1/channels/.",
      deprecated: true,
      tag,
      permission: "channels_write",
      body: TwilioChannelUpdateRequest,
      response: Channel,
    },
    ({ caller, body }) =>
      write(db, "Channel", async (tx) => {
        await lockChannel(tx, caller, body.id);
        const before = await findTwilioChannel(tx, caller, body.id);
        const { telephony, email } = before.config ?? {};
        const after = await replaceChannel(tx, deps, caller, {
          ...before,
          name: body.name ?? before.name,
          config: { telephony, email, ...body.config },
        });
        await api.audit(tx, caller, { action: "update", resource: tag, resource_id: body.id, before, after });
        return after;
      }),
  );
}
