import type { Attack } from "./soak-attack.ts";
import { BODY_ATTACKS } from "./soak-bodies.ts";
import { DOOR_ATTACKS } from "./soak-doors.ts";
import { FOREIGN_ATTACKS } from "./soak-foreign.ts";
import { MAIL_ATTACKS } from "./soak-mail.ts";

export const ATTACKS: Attack[] = [...FOREIGN_ATTACKS, ...MAIL_ATTACKS, ...BODY_ATTACKS, ...DOOR_ATTACKS];

/** The same order for the same seed, so that a finding can be had again. */
export function shuffled(attacks: Attack[], random: () => number): Attack[] {
  return attacks
    .map((attack) => ({ attack, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ attack }) => attack);
}
