import type { Session } from "../api-types.ts";

/** The label of a session's channel; an unknown channel keeps its name. */
const WORDS: Record<string, string> = {
  console_test_v1: "test chat",
  web_chat_v1: "web chat",
  voice_browser_v1: "web call",
  sms_twilio_v1: "SMS",
  whatsapp_v1: "WhatsApp",
  email_v1: "e-mail",
};

/** Whoever's lines it is held on. */
const CALL = /^voice_/;

export function channelWords(session: Pick<Session, "channel_manager_type" | "simulated">): string {
  const { channel_manager_type: type, simulated } = session;
  if (!type) return "–";
  const words = WORDS[type] ?? (CALL.test(type) ? "call" : type.replace(/_v\d+$/, "").replaceAll("_", " "));
  return simulated ? `${words}, simulated` : words;
}

export const isCall = ({ channel_manager_type: type }: Pick<Session, "channel_manager_type">): boolean =>
  CALL.test(type ?? "");

/** Chats and calls from a page have no carrier; their field holds an id of our own. */
const WITHOUT_CARRIER = new Set(["console_test_v1", "web_chat_v1", "voice_browser_v1"]);

/** The carrier's name for the call or message that a session began with. */
export const carrierId = (
  session: Pick<Session, "channel_manager_type" | "channel_manager_sid">,
): string | null =>
  WITHOUT_CARRIER.has(session.channel_manager_type ?? "") ? null : (session.channel_manager_sid ?? null);
