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
 *       └─given-up, refused──┴──refused, dropped───┴──→ failed
 *
 * A `failed` one that was dropped while it was being handed over is `sent` too once its carrier says that it has it. No
 * change leads from `handing` or `unknown` to `handing`: what a carrier may have is sent again only once the carrier is
 * known not to have it.
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
  /** The same of one that its carrier may have, and that nobody asks about any more. */
  | "dropped"
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
  "given-up": { from: ["queued"], to: "failed" },
  dropped: { from: ["handing"], to: "failed" },
  unanswered: { from: ["handing"], to: "unknown" },
  told: { from: ["handing", "unknown"], to: "sent" },
};

/** Where a change leads, and from where: for a statement that makes it. */
export const transition = (change: OutboundChange) => TRANSITIONS[change];

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

/** Its carrier may have it, and there is nobody to ask. */
export const isLost = ({ state }: WaitingMessage, { shown_after_ms }: OutboundRules): boolean =>
  state === "handing" && shown_after_ms === null;

/** What is known about a waiting message beside itself. */
export type Circumstances<C> = {
  /** Why this person must not be written to. */
  prior: ChannelStatus | null;
  /** By which it goes out. */
  carrier: C | null;
  /** The carrier was asked just now and shows nothing of it. */
  is_absent: boolean;
};

export type GivenUp = {
  kind: "given-up" | "dropped";
  status: ChannelStatus;
  why: "suppressed" | "no-carrier" | "too-late";
};

export type OutboundStep<C> =
  | { kind: "unanswered"; why: null }
  /** Ask the carrier whether it has taken it since then. */
  | { kind: "find"; carrier: C; since: Date }
  | { kind: "wait"; until: Date }
  | GivenUp
  | { kind: "send"; carrier: C };

/** What to do with a waiting message. */
export function nextStep<C>(
  message: WaitingMessage,
  { prior, carrier, is_absent }: Circumstances<C>,
  now: Date,
  rules: OutboundRules,
): OutboundStep<C> {
  const { shown_after_ms, statuses } = rules;
  if (isLost(message, rules)) return { kind: "unanswered", why: null };
  const isAsked = message.state === "handing" && !is_absent;
  const kind = isAsked ? "dropped" : "given-up";
  if (prior) return { kind, status: prior, why: "suppressed" };
  if (!carrier) return { kind, status: statuses["no-carrier"], why: "no-carrier" };
  if (message.state === "handing") {
    const since = new Date(message.asked_at ?? message.created_at);
    if (isAsked) return { kind: "find", carrier, since };
    const until = new Date(since.getTime() + (shown_after_ms ?? 0));
    if (now < until) return { kind: "wait", until };
  }
  return isTooLate(message, now, rules) ? tooLate(rules) : { kind: "send", carrier };
}

export const tooLate = ({ statuses }: OutboundRules): GivenUp => ({
  kind: "given-up",
  status: statuses["too-late"],
  why: "too-late",
});

/** What came of handing a message over. */
export type Fate =
  /** `is_simulated`: by a carrier that reaches nobody. */
  | { kind: "taken"; taken: Taken; is_simulated: boolean }
  | { kind: "refused"; status: ChannelStatus; why: string }
  | { kind: "not-taken"; why: string }
  /** It stays `handing`, so that its carrier is asked. */
  | { kind: "to-be-asked" }
  /** `why`: what its carrier's call ended with; null: the process that made it is gone. */
  | { kind: "unanswered"; why: string | null };

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
