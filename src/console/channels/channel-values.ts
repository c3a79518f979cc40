import type {
  Channel,
  ChannelServices,
  OrganizationChannelCreateRequest,
  TargetModes,
  TelephonyConfigurations,
} from "../api-types.ts";

/** The label and modes of each service. */
export const SERVICES: Record<ChannelServices, { name: string; about: string; modes: TargetModes[] }> = {
  twilio: {
    name: "Twilio",
    about: "Telephone calls and texts, on numbers of a Twilio account.",
    modes: ["voice", "sms"],
  },
  whatsapp: {
    name: "WhatsApp",
    about: "WhatsApp messages, from senders of a Twilio account.",
    modes: ["whatsapp"],
  },
  email: {
    name: "E-mail",
    about: "Mails of one domain, sent by SendGrid or a mail server.",
    modes: ["email"],
  },
  webchat: { name: "Web chat", about: "A chat page, and a widget for your own site.", modes: ["chat"] },
  sip: { name: "SIP", about: "Calls from a telephone system of your own.", modes: ["voice"] },
  africastalking: {
    name: "Africa's Talking",
    about: "Kept for programs that use the API: nothing comes in or goes out.",
    modes: ["voice", "sms"],
  },
};

export const MODE_NAMES: Record<TargetModes, string> = {
  voice: "Calls",
  sms: "Texts",
  chat: "Web chat",
  email: "E-mail",
  whatsapp: "WhatsApp",
};

/** The mail service of a channel; `kept` means the stored credentials, which are never read back. */
export type MailService = "kept" | "installation" | "sendgrid" | "smtp";

/** The carrier of a SIP channel; `kept` means what is stored, which is never read back. */
export type SipCarrier = "kept" | "none" | "telnyx" | "asterisk";

const SIP: Record<"telnyx" | "asterisk", readonly string[]> = {
  telnyx: ["api_key", "public_key", "connection_id"],
  asterisk: ["socket_password"],
};
const NO_SIP_CREDENTIALS = Object.fromEntries(
  ["carrier", ...SIP.telnyx, ...SIP.asterisk].map((name) => [name, ""]),
);

const SENDGRID = ["api_key", "base_url", "event_public_key", "inbound_public_key"] as const;
const SMTP = ["host", "port", "user", "password", "tls"] as const;
const NO_MAIL_CREDENTIALS = Object.fromEntries([...SENDGRID, ...SMTP].map((name) => [name, ""]));

const NO_TELEPHONY: TelephonyConfigurations = {
  pre_input_timeout: null,
  post_speech_input_timeout: null,
  post_dtmf_input_timeout: null,
  overall_input_timeout: null,
  output_padding: null,
  interruptibility: null,
  passive_speech_input_enabled: null,
  passive_input_start: null,
  async_enabled: null,
  transfer_leg_voicemail_detection_enabled: null,
  sip_configuration: null,
};

/** The form's values of a channel; they hold a secret only while a new one is being entered. */
export type ChannelValues = {
  name: string;
  channel_service: ChannelServices;
  supported_modes: string[];
  is_system_channel: boolean;
  mail_service: MailService;
  sip_carrier: SipCarrier;
  config: {
    account_sid: string;
    auth_token: string;
    provider_credentials: Record<string, string>;
    telephony: TelephonyConfigurations;
    email: { sending_domain: string };
  };
};

export function valuesOf(channel: Channel | null): ChannelValues {
  const service = channel?.channel_service ?? "twilio";
  return {
    name: channel?.name ?? "",
    channel_service: service,
    supported_modes: channel ? modesOf(channel) : SERVICES[service].modes,
    is_system_channel: channel?.is_system_channel ?? true,
    mail_service: channel ? "kept" : "installation",
    sip_carrier: channel ? "kept" : "none",
    config: {
      account_sid: "",
      auth_token: "",
      provider_credentials: {
        ...NO_MAIL_CREDENTIALS,
        ...NO_SIP_CREDENTIALS,
        allowed_origins: channel?.config?.credentials?.allowed_origins ?? "",
      },
      telephony: { ...NO_TELEPHONY, ...channel?.config?.telephony },
      email: { sending_domain: channel?.config?.email?.sending_domain ?? "" },
    },
  };
}

export const modesOf = ({ supported_modes }: Pick<Channel, "supported_modes">): string[] =>
  (supported_modes ?? "").split(",").filter((mode) => mode !== "");

/** The API keeps credentials that are not sent, and removes those sent empty. */
export function sentChannel(values: ChannelValues): OrganizationChannelCreateRequest {
  const { name, channel_service, supported_modes, is_system_channel, config } = values;
  const { account_sid, auth_token, telephony, email } = config;
  return {
    name,
    channel_service,
    supported_modes: supported_modes.join(","),
    is_system_channel,
    config: {
      account_sid: account_sid.trim() || null,
      auth_token: auth_token.trim() || null,
      provider_credentials: sentCredentials(values),
      telephony: Object.values(telephony).every((value) => value === null || value === undefined)
        ? null
        : telephony,
      email: channel_service === "email" ? email : null,
    },
  };
}

function sentCredentials(values: ChannelValues) {
  const { channel_service, mail_service, sip_carrier, config } = values;
  const given = config.provider_credentials;
  if (channel_service === "sip") return sentSipCredentials(sip_carrier, given);
  if (channel_service === "webchat") return { allowed_origins: given.allowed_origins ?? "" };
  if (channel_service !== "email" || mail_service === "kept") return null;
  if (mail_service === "installation") return NO_MAIL_CREDENTIALS;
  // A former service's credentials are dropped; untyped ones of the chosen service are kept.
  const [chosen, left] = mail_service === "sendgrid" ? [SENDGRID, SMTP] : [SMTP, SENDGRID];
  const typed = chosen.filter((name) => given[name]).map((name) => [name, given[name] ?? ""]);
  return Object.fromEntries([...typed, ...left.map((name) => [name, ""])]);
}

function sentSipCredentials(carrier: SipCarrier, given: Record<string, string>) {
  if (carrier === "kept") return null;
  if (carrier === "none") return NO_SIP_CREDENTIALS;
  const typed = SIP[carrier].filter((name) => given[name]).map((name) => [name, given[name] ?? ""]);
  const left = SIP[carrier === "telnyx" ? "asterisk" : "telnyx"].map((name) => [name, ""]);
  return Object.fromEntries([["carrier", carrier], ...typed, ...left]);
}
