import { expect } from "vitest";
import { contactChannelOf } from "../../src/planning/contact-hours.ts";
import type { PersonLimit } from "../../src/planning/per-person.ts";
import type { OutreachRules } from "../../src/planning/person-hold.ts";
import type { Book } from "./book.ts";

/*
 * What is promised of a person, whichever of their addresses is reached: as their contact links them when an attempt starts.
 * Read as plainly as can be, without the program's own code.
 */

type Mode = "voice" | "sms" | "whatsapp" | "email";
export type PersonStart = { target: string; mode: Mode; started_at: string };

/** On all channels, or on one; `said`: by the person themselves, `noted`: by somebody here, `bounced`: by a carrier. */
export type Suppression = {
  address: string;
  scope: "all" | "voice" | "sms" | "email";
  how: "said" | "noted" | "bounced";
};

const DAY_ms = 86_400_000;

/** `own`: addresses that the start's request reaches; `before`: earlier attempts that carriers took. */
export function checkPersonCaps(
  start: PersonStart,
  { own, before, book }: { own: readonly string[]; before: readonly PersonStart[]; book: Book },
  { rules, per_person }: { rules: OutreachRules | null; per_person: PersonLimit | null },
): void {
  const at = Date.parse(start.started_at);
  const tried = (addresses: readonly string[], window_ms: number) =>
    before.filter(
      ({ target, started_at }) => addresses.includes(target) && Date.parse(started_at) > at - window_ms,
    );
  const person = own.flatMap((address) => book.peersOf(address));
  for (const { channel, attempts, days } of rules?.caps ?? []) {
    if (channel !== "any" && channel !== contactChannelOf(start.mode)) continue;
    const counted = tried(person, days * DAY_ms).filter(
      ({ mode }) => channel === "any" || contactChannelOf(mode) === channel,
    );
    expect(counted.length, "a person was contacted more often than a cap").toBeLessThan(attempts);
  }
  if (per_person !== null)
    expect(
      tried(book.peersOf(start.target), per_person.window_ms).length,
      "a person was tried too often",
    ).toBeLessThan(per_person.attempts);
}

/** `live`: other attempts that hold their person when this one starts. */
export function checkOneAtATime(
  { target }: Pick<PersonStart, "target">,
  live: readonly Pick<PersonStart, "target">[],
  book: Book,
): void {
  const peers = book.peersOf(target).filter((address) => address !== target);
  const other = live.find((attempt) => peers.includes(attempt.target));
  expect(other, "a person was reached at two addresses at once").toBeUndefined();
}

/** Whether one of these forbids to reach the address: one of its own, or one that the person asked for at another. */
export function forbids(
  suppressions: readonly Suppression[],
  { target, mode }: Pick<PersonStart, "target" | "mode">,
  book: Book,
): boolean {
  const peers = book.peersOf(target);
  return suppressions.some(({ address, scope, how }) => {
    if (scope !== "all" && scope !== mode) return false;
    if (address === target) return true;
    if (how === "bounced" || !peers.includes(address)) return false;
    return scope === "all" || how === "said";
  });
}
