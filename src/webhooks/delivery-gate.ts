/**
 * Limits how much one process sends to one webhook at once, so that a slow receiver delays only itself. Kept in memory:
 * each process measures for itself, and a new one starts with a small limit.
 *
 *     start small → each accepted message raises the limit by one → an unresponsive receiver halves it
 *     FAILURES_TO_OPEN of those in a row → the circuit opens for OPEN_ms, then one at a time, until one is accepted,
 *     which may be one that was under way
 */
const FIRST = 4;
export const MOST_TO_ONE = 64;
const FAILURES_TO_OPEN = 5;
const OPEN_ms = 30_000;
/** Above this many, idle and healthy webhooks are forgotten; those with an open circuit are kept. */
const MOST_REMEMBERED = 10_000;

type Gate = {
  allowed: number;
  in_flight: number;
  /** In a row; 0 after a success. */
  failures: number;
  /** Nothing is sent before this time. */
  open_until: number;
};

/** A time further ahead than `OPEN_ms` was set before the clock was set back, so it is ignored. */
const isLeftAlone = ({ open_until }: Gate, now: Date): boolean => {
  const left_ms = open_until - now.getTime();
  return left_ms > 0 && left_ms <= OPEN_ms;
};

type Gates = {
  /** How many more may be sent now, by known webhook. */
  rooms(now: Date): { webhook_id: number; room: number }[];
  began(webhook_id: number): void;
  /** null: an error of this program, which says nothing about the receiver. */
  ended(webhook_id: number, responsive: boolean | null, now: Date): void;
};

/** The limit of a webhook that this process does not know yet. */
export const FIRST_ROOM = FIRST;

export function createGates(): Gates {
  const gates = new Map<number, Gate>();
  const gateOf = (webhook_id: number): Gate => {
    const known = gates.get(webhook_id);
    if (known) return known;
    if (gates.size >= MOST_REMEMBERED) forgetQuiet();
    const gate = { allowed: FIRST, in_flight: 0, failures: 0, open_until: 0 };
    gates.set(webhook_id, gate);
    return gate;
  };
  const forgetQuiet = () => {
    for (const [id, gate] of gates) if (gate.in_flight === 0 && gate.failures === 0) gates.delete(id);
  };

  return {
    rooms: (now) =>
      [...gates].map(([webhook_id, gate]) => ({
        webhook_id,
        room: isLeftAlone(gate, now) ? 0 : Math.max(0, gate.allowed - gate.in_flight),
      })),
    began(webhook_id) {
      gateOf(webhook_id).in_flight++;
    },
    ended(webhook_id, responsive, now) {
      const gate = gateOf(webhook_id);
      gate.in_flight--;
      if (responsive === null) return;
      if (responsive) {
        gate.allowed = gate.failures >= FAILURES_TO_OPEN ? FIRST : Math.min(MOST_TO_ONE, gate.allowed + 1);
        gate.failures = 0;
        gate.open_until = 0;
        return;
      }
      gate.failures++;
      gate.allowed = Math.max(1, Math.floor(gate.allowed / 2));
      if (gate.failures < FAILURES_TO_OPEN) return;
      gate.allowed = 1;
      gate.open_until = now.getTime() + OPEN_ms;
    },
  };
}
