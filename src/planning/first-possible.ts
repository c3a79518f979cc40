import type { OutreachPurpose } from "../consent/consent.ts";
import type { PersonPlace } from "../geography/person-zones.ts";
import { capHold, type PastContact } from "./contact-caps.ts";
import { type ContactKind, nextContact } from "./contact-hours.ts";
import type { OutreachRules } from "./person-hold.ts";
import { type Hours, nextOpening } from "./schedule.ts";

/** What bounds when one person may be contacted. `hours`: the campaign's, on its agent's clock. */
export type StartBounds = {
  hours: Hours;
  rules: OutreachRules | null;
  /** What the campaign calls for. */
  purpose: OutreachPurpose;
  /** Left out: a call. */
  channel?: ContactKind["channel"];
  place: Pick<PersonPlace, "zones" | "jurisdictions">;
  past: readonly PastContact[];
};

/** Each bound moves the time on until none does. */
const MOST_MOVES = 100;

/** The first instant from then on at which the campaign, the person's own hours and the caps all allow it; null: none. Pure. */
export function firstPossible(
  { hours, rules, purpose, channel = "call", place, past }: StartBounds,
  from: Date,
): Date | null {
  const kind = { channel, purpose };
  let at = from;
  for (let moves = 0; moves < MOST_MOVES; moves++) {
    const open = nextOpening(hours.schedule, hours.zone, at);
    if (open === null) return null;
    const legal = rules?.person_clock ? nextContact(rules, kind, place, open).at : open;
    if (legal === null) return null;
    const cap = rules === null ? null : capHold(rules, channel, past, legal);
    const next = cap?.until ?? legal;
    if (next.getTime() === at.getTime()) return at;
    at = next;
  }
  return null;
}
