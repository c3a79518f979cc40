import type { Session, SessionDetail } from "../api-types.ts";
import { dollars } from "../insights/insight-words.tsx";
import { formatDuration } from "../parts/duration.ts";

type Ending = Pick<Session, "timestamp" | "ended_at" | "end_reason" | "duration">;

export const isRunning = ({ ended_at }: Pick<Session, "ended_at">): boolean =>
  ended_at === null || ended_at === undefined;

/** Duration from the first message to the end; a call reports its own. Null while it runs. */
export function lengthOf({ timestamp, ended_at, duration }: Ending): string | null {
  if (ended_at === null || ended_at === undefined) return null;
  const ms =
    duration === null || duration === undefined
      ? new Date(ended_at).getTime() - new Date(timestamp).getTime()
      : duration * 1000;
  return formatDuration(ms);
}

export const REASONS: Record<string, string> = {
  user: "person",
  agent: "agent",
  idle: "idle timeout",
  transfer: "transfer",
  "max-duration": "maximum duration",
  operator: "operator",
  error: "error",
};

export const endedBy = ({ ended_at, end_reason }: Ending): string | null =>
  ended_at == null ? null : end_reason == null ? "unknown" : (REASONS[end_reason] ?? end_reason);

/** "1 min 2 s heard, 8.0 s spoken, $0.0041", of a call whose audio came to us; else null. */
export function voiceWords({ voice }: Pick<SessionDetail, "voice">): string | null {
  if (!voice) return null;
  const { hearing_seconds, speaking_seconds, cost_usd } = voice;
  const cost = cost_usd === null ? "cost unknown" : cost_usd === 0 ? "no cost" : dollars(cost_usd);
  const length = (seconds: number) => formatDuration(seconds * 1000);
  return `${length(hearing_seconds)} heard, ${length(speaking_seconds)} spoken, ${cost}`;
}
