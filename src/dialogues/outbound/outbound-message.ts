import type { CarrierFault, Taken } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { SHOWN_AFTER_ms } from "../../channels/outreach.ts";

/**
 * The life of a message that goes out, a text's as a mail's. It is `queued` when it is written. `handing`: its carrier is
 * being asked to take it and may have it. `sent`: the carrier has it. `failed`: it never left, and never will. `unknown`:
 * the carrier may have it, and nobody asks about it any more.
 *
 *     queued ──asked──→ handing ──────────taken, told─────────→ sent
 *       │ ↑                │ │ └──unanswered──→ unknown ──────────↑
 *       │ └────not-taken───┘ │                     │
 *       └─given-up, refused──┴──────refused────────┴──→ failed
 *
 * A `failed` one that somebody gave up while it was being handed over is `sent` too once its carrier has it. No change
 * leads from `handing` or `unknown` to `handing`: what a carrier may have is sent again only once it is known not to have it.
 */
export const OUTBOUND_STATES = ["queued", "handing", "sent", "failed", "unknown"] as const;
export type OutboundState = (typeof OUTBOUND_STATES)[number];

export type OutboundChange =
  /** From now on its carrier may have it. */
  | "asked"
  /** The carrier says that it has it, to whoever hands it over or asks. */
  | "taken"
  /** The carrier says that it has not: another try is safe. */
  | "not-taken"
  /** It never will go: the carrier won't have it. */
  | "refused"
  /** It never will go: we don't send it any more. */
  | "given-up"
  /** Whoever handed it over heard no answer, and there is nobody to ask. */
  | "unanswered"
  /** The carrier, or a mail server, tells later what became of it. */
  | "told";

/** What is missing here leaves a message as it is: reports come twice, late and out of order. */
const TRANSITIONS: Record<OutboundChange, { from: readonly OutboundState[]; to: OutboundState }> = {
  asked: { from: ["queued"], to: "handing" },
  taken: { from: ["handing", "unknown", "failed", "sent"], to: "sent" },
  "not-taken": { from: ["handing"], to: "queued" },
  refused: { from: ["queued", "handing", "unknown"], to: "failed" },
  "given-up": { from: ["queued", "handing"], to: "failed" },
  unanswered: { from: ["handing"], to: "unknown" },
  told: { from: ["handing", "unknown"], to: "sent" },
};

/** Where a change leads, and from where: for a statement that makes it. */
export const transition = (change: OutboundChange) => TRANSITIONS[change];

export const nextState = (state: OutboundState, change: OutboundChange): OutboundState =>
  TRANSITIONS[change].from.includes(state) ? TRANSITIONS[change].to : state;

/** What a medium's messages have in common. */
export type OutboundRules = {
  /**
   * Its carriers can be asked for what they took, and show it so long after they were handed it; null: no carrier can be
   * asked, so that what may have been taken is never sent again.
   */
  shown_after_ms: number | null;
  /** Older than that it answers nothing any more and isn't sent; null: it is tried at any age. */
  too_late_ms: number | null;
  /** How long to wait after the carrier did not take a message of that age; null: it is given up. */
  wait_ms(age_ms: number, retry_after_s: number | null): number | null;
  /** What stands at a message that failed, where its carrier has no word for it. */
  statuses: Record<"refused" | "too-late" | "no-carrier", ChannelStatus>;
};

/** An answer this old answers nothing any more. */
export const TEXT_TOO_LATE_MS = 24 * 3_600_000;

export const TEXTS: OutboundRules = {
  shown_after_ms: SHOWN_AFTER_ms,
  too_late_ms: TEXT_TOO_LATE_MS,
  wait_ms: (_age_ms, retry_after_s) => (retry_after_s ?? 1) * 1000,
  statuses: { refused: "DELIVERY_FAILED", "too-late": "DELIVERY_FAILED", "no-carrier": "DELIVERY_FAILED" },
};

/** As mail servers do: sooner at first, then each quarter hour and more, for two days. */
export const MAIL_GIVE_UP_MS = 2 * 86_400_000;

export const MAILS: OutboundRules = {
  shown_after_ms: null,
  too_late_ms: null,
  wait_ms: (age_ms, retry_after_s) =>
    age_ms >= MAIL_GIVE_UP_MS
      ? null
      : Math.max((retry_after_s ?? 0) * 1000, Math.min(Math.max(age_ms / 2, 10_000), 3_600_000)),
  statuses: { refused: "DROPPED", "too-late": "DROPPED", "no-carrier": "UNEXPECTED_ERROR" },
};

/** A message that waits to go out: written, or being handed over by somebody who is gone. */
export type WaitingMessage = {
  state: "queued" | "handing";
  created_at: string;
  /** Since when its carrier may have it, where that is kept. */
  asked_at: string | null;
};

export const ageOf = ({ created_at }: { created_at: string }, now: Date): number =>
  now.getTime() - new Date(created_at).getTime();

export const isTooLate = (message: { created_at: string }, now: Date, { too_late_ms }: OutboundRules) =>
  too_late_ms !== null && ageOf(message, now) > too_late_ms;

/** What is known about a waiting message beside itself. */
export type Circumstances = {
  /** Why this person must not be written to. */
  prior: ChannelStatus | null;
  has_carrier: boolean;
  /** The carrier was asked just now and showed nothing. */
  is_absent: boolean;
};

export type GivenUp = {
  kind: "given-up";
  status: ChannelStatus;
  why: "suppressed" | "no-carrier" | "too-late";
};

export type Step =
  | { kind: "unanswered" }
  /** Ask the carrier whether it took it since then. */
  | { kind: "find"; since: Date }
  | { kind: "wait"; until: Date }
  | GivenUp
  /** `is_absent`: the carrier was asked before and did not take it. */
  | { kind: "send"; is_absent: boolean };

/** What to do with a waiting message. */
export function nextStep(
  message: WaitingMessage,
  { prior, has_carrier, is_absent }: Circumstances,
  now: Date,
  rules: OutboundRules,
): Step {
  const { shown_after_ms, statuses } = rules;
  const isAsked = message.state === "handing";
  if (isAsked && shown_after_ms === null) return { kind: "unanswered" };
  if (prior) return { kind: "given-up", status: prior, why: "suppressed" };
  if (!has_carrier) return { kind: "given-up", status: statuses["no-carrier"], why: "no-carrier" };
  if (isAsked) {
    const since = new Date(message.asked_at ?? message.created_at);
    if (!is_absent) return { kind: "find", since };
    const until = new Date(since.getTime() + (shown_after_ms ?? 0));
    if (now < until) return { kind: "wait", until };
  }
  if (isTooLate(message, now, rules)) return tooLate(rules);
  return { kind: "send", is_absent: isAsked };
}

export const tooLate = ({ statuses }: OutboundRules): GivenUp => ({
  kind: "given-up",
  status: statuses["too-late"],
  why: "too-late",
});

/** What came of handing a message over. */
export type Fate =
  | { kind: "taken"; taken: Taken }
  | { kind: "refused"; status: ChannelStatus; why: string }
  | { kind: "not-taken"; why: string }
  /** It stays `handing`, so that its carrier is asked. */
  | { kind: "to-be-asked" }
  | { kind: "unanswered"; why: string };

export function fateOf(
  { fate, status, message: why }: Pick<CarrierFault, "fate" | "status" | "message">,
  { shown_after_ms, statuses }: OutboundRules,
): Fate {
  switch (fate) {
    case "refused":
      return { kind: "refused", status: status ?? statuses.refused, why };
    case "not-sent":
      return { kind: "not-taken", why };
    case "unknown":
      return shown_after_ms === null ? { kind: "unanswered", why } : { kind: "to-be-asked" };
  }
}
