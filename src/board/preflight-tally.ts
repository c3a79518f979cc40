import { z } from "zod";
import type { PersonHoldReason } from "../planning/person-hold.ts";
import type { SkipReason } from "../planning/steps/request-step.ts";

export type PreflightReason =
  | SkipReason
  | PersonHoldReason
  | "too-often"
  | "duplicate"
  | "invalid"
  | "no-address"
  | "never-open";

const WORDS: Record<PreflightReason, string> = {
  filtered: "filtered by the campaign's number rules",
  suppressed: "on the suppression list",
  "do-not-call": "on a do-not-call list",
  "no-consent": "without a consent on record",
  reassigned: "number given to somebody else",
  destination: "number that the operator does not allow",
  "too-late": "after their not_after",
  answered: "answered already",
  "step-removed": "waiting for a step that the campaign no longer has",
  duplicate: "duplicate",
  invalid: "invalid number or address",
  "no-address": "without an address for this step",
  "never-open": "no minute that both the campaign's hours and their own leave open",
  "person-hours": "waiting for the hours of their own zone",
  holiday: "waiting for the end of a holiday",
  "not-before": "waiting for their not_before",
  "unknown-zone": "time zone that does not exist",
  "unreadable-time": "not_before or not_after that is no time",
  "no-approved-template":
    "without an approved template of WhatsApp, and not written to by them within 24 hours",
  "contact-cap": "contacted as often as a cap allows",
  "after-conversation": "resting after a conversation",
  "too-often": "tried as often as the installation allows",
};

export const Counted = z
  .object({ reason: z.string(), text: z.string(), count: z.int() })
  .meta({ id: "PreflightReason" });

/** Waits that no time ends: something has to be changed first. */
const LASTING: ReadonlySet<PreflightReason> = new Set(["never-open", "unknown-zone", "unreadable-time"]);

/** What was found of the people of a list, for one step. */
export class PreflightTally {
  contacted = 0;
  judged = 0;
  /** Whether somebody has a number of the North American plan, whose texts to the US need a registered sender. */
  reaches_us = false;
  /** People who would be written to by WhatsApp without the name of an approved template. */
  without_template = 0;
  readonly later = new Map<PreflightReason, number>();
  readonly skipped = new Map<PreflightReason, number>();

  add(to: "later" | "skipped", reason: PreflightReason, count = 1): void {
    this[to].set(reason, (this[to].get(reason) ?? 0) + count);
  }

  /** For a step that is due some day: who waits now may be reached then. */
  byThen(): { reachable: number; unreachable: Map<PreflightReason, number> } {
    const lasting = [...this.later].filter(([reason]) => LASTING.has(reason));
    const passing = [...this.later].filter(([reason]) => !LASTING.has(reason));
    return {
      reachable: this.contacted + passing.reduce((sum, [, count]) => sum + count, 0),
      unreachable: new Map([...this.skipped, ...lasting]),
    };
  }
}

export const counted = (counts: ReadonlyMap<PreflightReason, number>) =>
  [...counts]
    .map(([reason, count]) => ({ reason, text: WORDS[reason], count }))
    .toSorted((a, b) => b.count - a.count);
