/**
 * The life of an attempt. It is CLAIMED when it is written, before its carrier is called. PLACED: the carrier has it.
 * UNCERTAIN: nobody can say whether the carrier has it, so the carrier is asked. ENDED: it holds nothing any more.
 *
 *     claim → CLAIMED ──accepted──────────→ PLACED ──over, refused-later──→ ENDED
 *                │                            ↑                               ↑ │
 *                └──unanswered, lease-ended→ UNCERTAIN ──over, not-taken──────┘ │
 *                                             ↑──────────revived────────────────┘
 *
 * A CLAIMED one ends like an UNCERTAIN one, and an UNCERTAIN one may be refused later too. Only an attempt that was taken
 * back (settle.ts) is revived: its carrier had it after all.
 */
export const ATTEMPT_PHASES = ["CLAIMED", "PLACED", "UNCERTAIN", "ENDED"] as const;
export type AttemptPhase = (typeof ATTEMPT_PHASES)[number];

type AttemptChange =
  /** The carrier has it. */
  | "accepted"
  /** Whoever handed it over, or asked about it, heard no answer. */
  | "unanswered"
  /** The process that claimed it no longer renews its lease. */
  | "lease-ended"
  /** The carrier did not take it, or never got it. */
  | "not-taken"
  /** The carrier had taken it, and refuses it because of us. */
  | "refused-later"
  /** Its outcome is known. */
  | "over"
  /** It was taken back, and the carrier had it after all. */
  | "revived";

/** What is missing here leaves an attempt as it is: events come twice, late and out of order. */
const TRANSITIONS: Record<AttemptPhase, Partial<Record<AttemptChange, AttemptPhase>>> = {
  CLAIMED: {
    accepted: "PLACED",
    unanswered: "UNCERTAIN",
    "lease-ended": "UNCERTAIN",
    "not-taken": "ENDED",
    "refused-later": "ENDED",
    over: "ENDED",
  },
  UNCERTAIN: { accepted: "PLACED", "not-taken": "ENDED", "refused-later": "ENDED", over: "ENDED" },
  PLACED: { "refused-later": "ENDED", over: "ENDED" },
  ENDED: { revived: "UNCERTAIN" },
};

export const FIRST_PHASE: AttemptPhase = "CLAIMED";

export const nextPhase = (phase: AttemptPhase, change: AttemptChange): AttemptPhase =>
  TRANSITIONS[phase][change] ?? phase;

/** Nobody knows yet that the carrier has it. */
export const UNPLACED = ["CLAIMED", "UNCERTAIN"] as const satisfies readonly AttemptPhase[];
export const isUnplaced = ({ state }: { state: AttemptPhase }): boolean =>
  state === "CLAIMED" || state === "UNCERTAIN";
export const isPlaced = ({ state }: { state: AttemptPhase }): boolean => state === "PLACED";
export const hasEnded = ({ state }: { state: AttemptPhase }): boolean => state === "ENDED";
