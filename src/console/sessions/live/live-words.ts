import type { LiveSession } from "../../api-types.ts";
import type { Tone } from "../../parts/parts.tsx";

const CHANNELS: Record<LiveSession["channel"], string> = {
  voice: "call",
  chat: "web chat",
  sms: "SMS",
  email: "e-mail",
  whatsapp: "WhatsApp",
};

export const liveChannel = ({ channel }: Pick<LiveSession, "channel">): string => CHANNELS[channel];

/** What happens in it at this moment. */
export function liveState(session: Pick<LiveSession, "state" | "running_tool" | "taken_by">): {
  tone: Tone;
  words: string;
} {
  const { state, running_tool, taken_by } = session;
  if (state === "set-aside") return { tone: "bad", words: "set aside" };
  if (taken_by !== null) return { tone: "warn", words: `taken over by ${taken_by}` };
  if (state === "tool") return { tone: "busy", words: `tool: ${running_tool}` };
  if (state === "answering") return { tone: "busy", words: "answering" };
  return { tone: "quiet", words: "listening" };
}

/** Where something happened last comes first. */
export const byActivity = (
  one: Pick<LiveSession, "last_activity_at">,
  other: Pick<LiveSession, "last_activity_at">,
): number => Date.parse(other.last_activity_at) - Date.parse(one.last_activity_at);
