import type { ChannelStatus } from "../../channels/channel-status.ts";

/**
 * What happens next with a batch and with one of its requests, and why. The dialer starts an attempt when, and only
 * when, both answers are "start"; the trace that people read is made of the very same answers.
 */
const WAIT_REASONS = [
  "batch-empty",
  "batch-paused",
  "stopped",
  "spend-cap",
  "confirmation",
  "no-sender",
  "no-number",
  "closed",
  "never-opens",
  "source-paused",
  "no-words",
  "busy-lines",
  "campaign-limit",
  "agent-limit",
  "rate",
  "queue",
  "retry",
  "call-back",
  "step",
  "cap",
  "same-reference",
  "same-address",
  "too-often",
  "lookup",
  "refused-by-carrier",
  "country-paused",
  "person-hours",
  "holiday",
  "not-before",
  "unknown-zone",
  "unreadable-time",
  "no-approved-template",
  "contact-cap",
  "after-conversation",
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** `until`: when it is looked at again; null: when something else changes. `text` is a sentence for a person. */
export type StepWait = { kind: "wait"; reason: WaitReason; text: string; until: Date | null };

export const wait = (reason: WaitReason, text: string, until: Date | null): StepWait => ({
  kind: "wait",
  reason,
  text,
  until,
});

/** `09:00 America/Phoenix` today, `2026-11-23 09:00 America/Phoenix` on another day. */
export function clockText(at: Date, zone: string, now: Date): string {
  const [then, today] = [at, now].map((instant) =>
    Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime];
  const time = then.toPlainTime().toString({ smallestUnit: then.second === 0 ? "minute" : "second" });
  const date = then.toPlainDate();
  return `${date.equals(today.toPlainDate()) ? "" : `${date} `}${time} ${zone}`;
}

/** NO-ANSWER → no answer. */
export const spoken = (status: ChannelStatus): string =>
  status.replace(/^SIP_/, "SIP ").replaceAll(/[-_]/g, " ").toLowerCase().replace(/^sip/, "SIP");
