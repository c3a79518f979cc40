import { z } from "zod";
import { name, recordId } from "../api/schema.ts";

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
    credentials: z.record(z.string(), z.string()).nullish().describe("As read."),
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

export const ChannelCreateRequest = z
  .object({
    name: name(),
    channel_service: ChannelServices,
    supported_modes: supportedModes,
    is_system_channel: z.boolean().default(true),
    config: OrganizationChannelConfig,
  })
  .meta({ id: "OrganizationChannelCreateRequest" });
export const ChannelUpdateRequest = ChannelCreateRequest.extend({ id: recordId() }).meta({
  id: "OrganizationChannelUpdateRequest",
});
export type ChannelInput = z.infer<typeof ChannelCreateRequest>;

const SITES = "config.provider_credentials.allowed_origins";

/** Where settings of a channel are looked for and not read; nothing is said of those that stand where they belong. */
export const MISPLACED_SETTINGS = {
  allowed_origins: SITES,
  "config.allowed_origins": SITES,
  provider_credentials: "config.provider_credentials",
  account_sid: "config.account_sid",
  auth_token: "config.auth_token",
  telephony: "config.telephony",
  email: "config.email",
};

/** The modes a service carries when a channel does not say. */
export const DEFAULT_MODES: Record<z.infer<typeof ChannelServices>, string> = {
  sip: "voice",
  twilio: "voice,sms",
  email: "email",
  webchat: "chat",
  africastalking: "voice,sms",
  whatsapp: "whatsapp",
};

export const splitModes = (text: string): string[] =>
  text
    .split(",")
    .map((mode) => mode.trim())
    .filter((mode) => mode !== "");

export const modesOf = (channel: Pick<Channel, "supported_modes">): string[] =>
  splitModes(channel.supported_modes ?? "");
