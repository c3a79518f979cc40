import type { ChannelStatus } from "../channels/channel-status.ts";
import type { Hours } from "./schedule.ts";
import type { DayCap } from "./steps/batch-step.ts";
import { type ReachedOn, type RequestView, requestStep, type SkipReason } from "./steps/request-step.ts";
import type { WaitReason } from "./steps/step-wait.ts";

export type Choice = {
  /** Who is tried; `index` among the candidates. */
  start: { index: number; counts_on: string | null } | null;
  /** Who is not to be reached at all. */
  skips: { index: number; status: ChannelStatus; reason: SkipReason; text: string }[];
  /** Who may not be tried before a time, so that those behind have their turn; `due_at` is to be put there. */
  put_off: { index: number; until: Date }[];
  /** When the batch is worth another look, where nobody starts; null: not before something changes. */
  look_at: Date | null;
  /** Somebody waits for what has no time: a lookup, another batch. */
  looks_soon: boolean;
};

/** Reasons that hold one person until a known time, so that their row is put off and those behind have their turn. */
const HOLDS: ReadonlySet<string> = new Set([
  "too-often",
  "country-paused",
  "person-hours",
  "holiday",
  "not-before",
  "unknown-zone",
  "unreadable-time",
  "no-approved-template",
  "contact-cap",
  "after-conversation",
] satisfies WaitReason[]);

/** The first of the candidates, in their order, who may be tried now; those before who must not be are skipped. */
export function chooseNext(
  candidates: Iterable<RequestView>,
  days: readonly DayCap[],
  reached: ReachedOn,
  hours: Hours,
  now: Date,
): Choice {
  const choice: Choice = { start: null, skips: [], put_off: [], look_at: null, looks_soon: false };
  let index = -1;
  for (const candidate of candidates) {
    index++;
    const step = requestStep(candidate, days, reached, hours, now);
    if (step.kind === "start") return { ...choice, start: { index, counts_on: step.counts_on } };
    if (step.kind === "skip") {
      const { status, reason, text } = step;
      choice.skips.push({ index, status, reason, text });
    }
    const isHeld = step.kind === "wait" && HOLDS.has(step.reason);
    const put_off = isHeld ? step.until : null;
    const isMoved = put_off !== null && put_off > candidate.due_at;
    if (isMoved) choice.put_off.push({ index, until: put_off });
    // Behind one that was skipped, or put off, stands the next.
    const at = step.kind === "skip" || isMoved ? now : step.until;
    if (at === null) choice.looks_soon ||= step.kind === "wait" && step.reason !== "cap";
    else if (choice.look_at === null || at < choice.look_at) choice.look_at = at;
  }
  return choice;
}
