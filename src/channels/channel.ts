import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { name, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { invalid, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { parseAllowedOrigins } from "./allowed-origins.ts";
import {
  type Credentials,
  lockCredentials,
  mergeCredentials,
  sealCredentials,
  shownCredentials,
} from "./channel-credentials.ts";
import { movedSecrets, readMailAccount } from "./mail-credentials.ts";
import { claimDomain, normaliseDomain } from "./mail-domain-store.ts";
import { sipFaults } from "./sip-credentials.ts";

/** How people and agents meet on a target. */
export const TARGET_MODES = ["voice", "chat", "sms", "email", "whatsapp"] as const;
type TargetMode = (typeof TARGET_MODES)[number];

const ChannelServices = z
  .enum(["sip", "twilio", "email", "webchat", "africastalking", "whatsapp"])
  .meta({ id: "ChannelServices" });

/** A number of seconds within bounds. */
const seconds = (min: number, max: number) => z.number().min(min).max(max).nullish();

const SipConfiguration = z
  .object({
    sip_transfer_mode: z.enum(["refer", "invite"]).nullish(),
    sip_endpoints: z
      .array(
        z.object({
          host: z.string().min(1),
          port: z.string().nullish(),
          transport: z.enum(["tls", "tcp", "udp"]).nullish(),
        }),
      )
      .max(100)
      .nullish(),
    call_info_placement: z
      .string()
      .regex(/^(uri_parameters|to_parameters|from_parameters|sip_header:[A-Za-z0-9-]+)$/)
      .nullish(),
  })
  .meta({ id: "SipConfiguration" });

/** How a voice channel listens and speaks; null stands for the platform's default. */
export const TelephonyConfigurations = z
  .object({
    pre_input_timeout: seconds(0, 10),
    post_speech_input_timeout: seconds(0, 10),
    post_dtmf_input_timeout: seconds(0, 10),
    overall_input_timeout: seconds(0, 300),
    output_padding: seconds(-5, 5),
    interruptibility: z.enum(["none", "dtmf_only", "speech_only", "all"]).nullish(),
    passive_speech_input_enabled: z.boolean().nullish(),
    passive_input_start: seconds(0, 5),
    async_enabled: z.boolean().nullish(),
    transfer_leg_voicemail_detection_enabled: z.boolean().nullish(),
    sip_configuration: SipConfiguration.nullish(),
    audio: z
      .enum(["relay", "stream"])
      .nullish()
      .describe(
        "Who listens and speaks: the carrier (relay, the default), or Parley itself, with the call's audio (stream)",
      ),
  })
  .meta({ id: "TelephonyConfigurations" });

const EmailConfigurations = z
  .object({ sending_domain: z.string().min(1) })
  .meta({ id: "EmailConfigurations" });

const ChannelConfigView = z
  .object({
    telephony: TelephonyConfigurations.nullish(),
    email: EmailConfigurations.nullish(),
    credentials: z.record(z.string(), z.string()).nullish(),
  })
  .meta({ id: "ChannelConfigView" });

export const Channel = z
  .object({
    name: z.string(),
    channel_service: ChannelServices,
    supported_modes: z.string().nullish(),
    is_system_channel: z.boolean(),
    id: z.int(),
    config: ChannelConfigView.nullish(),
  })
  .meta({ id: "Channel" });
export type Channel = z.infer<typeof Channel>;

const OrganizationChannelConfig = z
  .object({
    account_sid: z.string().nullish(),
    auth_token: z.string().nullish(),
    provider_credentials: z.record(z.string(), z.string()).nullish(),
    telephony: TelephonyConfigurations.nullish(),
    email: EmailConfigurations.nullish(),
  })
  .meta({ id: "OrganizationChannelConfig" });

const supportedModes = z
  .string()
  .refine((text) => splitModes(text).every((mode) => TARGET_MODES.includes(mode as TargetMode)), {
    error: `Input should be a comma-separated list of ${TARGET_MODES.join(", ")}`,
  })
  .nullish();

const ChannelCreateRequest = z
  .object({
    name: name(),
    channel_service: ChannelServices,
    supported_modes: supportedModes,
    is_system_channel: z.boolean().default(true),
    config: OrganizationChannelConfig,
  })
  .meta({ id: "OrganizationChannelCreateRequest" });
const ChannelUpdateRequest = ChannelCreateRequest.extend({ id: recordId() }).meta({
  id: "OrganizationChannelUpdateRequest",
});
type ChannelInput = z.infer<typeof ChannelCreateRequest>;

/** The modes a service carries when a channel does not say. */
const DEFAULT_MODES: Record<z.infer<typeof ChannelServices>, string> = {
  sip: "voice",
  twilio: "voice,sms",
  email: "email",
  webchat: "chat",
  africastalking: "voice,sms",
  whatsapp: "whatsapp",
};

const splitModes = (text: string): string[] =>
  text
    .split(",")
    .map((mode) => mode.trim())
    .filter((mode) => mode !== "");

export const modesOf = (channel: Pick<Channel, "supported_modes">): string[] =>
  splitModes(channel.supported_modes ?? "");

const channelList: list.ListRules = {
  fields: {
    id: list.integer("c.id"),
    name: list.text("c.name"),
    name_exact: list.exact("c.name"),
    channel_service: list.exact("c.channel_service"),
    supported_modes: list.text("c.supported_modes"),
    config: list.document("c.config"),
  },
  time: "c.updated_at",
  order: [{ column: "c.id", direction: "asc" }],
};

/** Channels belong to the organization; their targets to its sub-organizations. */
const selectChannels = (db: Db, caller: Caller) =>
  db
    .selectFrom("channels as c")
    .where("c.organization_id", "=", caller.organization_id)
    .select(["c.name", "c.channel_service", "c.supported_modes", "c.is_system_channel", "c.id", "c.config"])
    .$castTo<Channel>();

export async function findChannel(db: Db, caller: Caller, id: number): Promise<Channel> {
  const channel = await selectChannels(db, caller).where("c.id", "=", id).executeTakeFirst();
  if (!channel) throw notFound("Channel", id);
  return channel;
}

type Deps = {
  db: Db;
  clock: Clock;
  vault: Vault;
  /** Why this machine neither hears nor speaks itself; null: it does. */
  voice_missing: string | null;
};

export function channelRoutes(api: Api, deps: Deps): void {
  const { db } = deps;
  const path = "/api/v1/channels/";
  const tag = "channels";

  api.get(
    path,
    {
      summary: "List channels",
      tag,
      permission: "channels_read",
      query: list.listQuery(channelList),
      response: list.listOf(Channel),
    },
    ({ caller, query }) => list.recordPage(Channel, db, selectChannels(db, caller), query, channelList),
  );

  api.post(
    path,
    {
      summary: "Create a channel",
      tag,
      permission: "channels_write",
      body: ChannelCreateRequest,
      response: Channel,
    },
    ({ caller, body }) =>
      write(db, "Channel", async (tx) => {
        const after = await insertChannel(tx, deps, caller, body);
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: after.id, after });
        return after;
      }),
  );

  api.put(
    path,
    {
      summary: "Update a channel",
      tag,
      permission: "channels_write",
      body: ChannelUpdateRequest,
      response: Channel,
    },
    ({ caller, body }) =>
      write(db, "Channel", async (tx) => {
        const before = await findChannel(tx, caller, body.id);
        const after = await replaceChannel(tx, deps, caller, body);
        await api.audit(tx, caller, { action: "update", resource: tag, resource_id: body.id, before, after });
        return after;
      }),
  );
}

export async function insertChannel(
  tx: Tx,
  deps: Omit<Deps, "db">,
  caller: Caller,
  input: ChannelInput,
): Promise<Channel> {
  checkConfig(input, deps);
  const { id } = await tx
    .insertInto("channels")
    .values({ ...columns(deps, caller, input, {}), organization_id: caller.organization_id })
    .returning("id")
    .executeTakeFirstOrThrow();
  await claimSendingDomain(tx, deps.clock, caller, input);
  return findChannel(tx, caller, id);
}

/** The caller has found the channel already: its number is known to be the organization's. */
export async function replaceChannel(
  tx: Tx,
  deps: Omit<Deps, "db">,
  caller: Caller,
  input: ChannelInput & { id: number },
): Promise<Channel> {
  checkConfig(input, deps);
  const stored = await lockCredentials(tx, deps.vault, input.id);
  await tx
    .updateTable("channels")
    .set(columns(deps, caller, input, stored))
    .where("id", "=", input.id)
    .execute();
  await claimSendingDomain(tx, deps.clock, caller, input);
  return findChannel(tx, caller, input.id);
}

/** Who sets a domain says that it is theirs; what it takes to prove it stands with the claim (mail-domain.ts). */
async function claimSendingDomain(tx: Tx, clock: Clock, caller: Caller, input: ChannelInput): Promise<void> {
  const domain =
    input.channel_service === "email" && normaliseDomain(input.config.email?.sending_domain ?? "");
  if (domain) await claimDomain(tx, clock, caller, domain);
}

function columns(
  { clock, vault }: Pick<Deps, "clock" | "vault">,
  caller: Caller,
  input: ChannelInput,
  stored: Credentials,
) {
  const credentials = mergeCredentials(input.config, stored);
  // What was not sent again is kept, so that only both together can be judged.
  const faults = [
    ...(input.channel_service === "email" ? readMailAccount(credentials).faults : []),
    ...(input.channel_service === "sip" ? sipFaults(credentials) : []),
    ...movedSecrets(input.config.provider_credentials ?? {}, stored),
  ];
  if (faults.length > 0) throw invalid(["body", "config", "provider_credentials"], faults.join("; "));
  const { telephony = null, email = null } = input.config;
  const shown = shownCredentials(input.channel_service, credentials);
  return {
    name: input.name,
    channel_service: input.channel_service,
    supported_modes:
      splitModes(input.supported_modes ?? "").join(",") || DEFAULT_MODES[input.channel_service],
    is_system_channel: input.is_system_channel,
    config: json({ telephony, email, credentials: shown }),
    sealed_credentials: sealCredentials(vault, credentials),
    account_sid_last_four: credentials.account_sid?.slice(-4) ?? null,
    updated_at: clock.now().toISOString(),
    last_updated_by: caller.email,
  };
}

/** What the schema can't say because it depends on the service. */
function checkConfig(
  { channel_service, config }: ChannelInput,
  { voice_missing }: Pick<Deps, "voice_missing">,
): void {
  if (config.telephony?.audio === "stream") {
    const at = ["body", "config", "telephony", "audio"];
    if (channel_service !== "twilio" && channel_service !== "sip")
      throw invalid(at, "Only a Twilio or SIP channel streams its audio.");
    if (voice_missing !== null) throw invalid(at, voice_missing);
  }
  if (channel_service === "email" && !config.email) {
    throw invalid(["body", "config", "email"], "Field required", "missing");
  }
  if (channel_service !== "webchat") return;
  const { faults } = parseAllowedOrigins(config.provider_credentials?.allowed_origins ?? "");
  if (faults.length > 0) {
    throw invalid(["body", "config", "provider_credentials", "allowed_origins"], faults.join("; "));
  }
}
