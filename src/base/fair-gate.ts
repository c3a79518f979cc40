import { Fault } from "./errors.ts";

/** Lets in whoever may hold a place now; the function it resolves with gives the place back. */
export type FairGate = {
  /** Waits `patience_ms` at most, then a `too-many` Fault with this sentence. */
  enter(key: string, patience_ms: number, sentence: string): Promise<() => void>;
};

/**
 * Nobody may hold more than are still free: the first takes half of the places, the next half of the rest, and whoever
 * comes last finds one. A fixed share would leave most places empty when one is alone, or be used up by a few.
 */
const maySpare = (held: number, free: number): boolean => held < free;

/** Those who hold so many of the places that they may take no more. Pure. */
export function atTheirShare(held: ReadonlyMap<string, number>, places: number): string[] {
  let free = places;
  for (const count of held.values()) free -= count;
  return [...held].filter(([, count]) => !maySpare(count, free)).map(([key]) => key);
}

type Waiting = { let_in(): void };

/** A number of places that several share; those who wait are let in one of each in turn. */
export function createFairGate(places: number): FairGate {
  const held = new Map<string, number>();
  /** By key, in the order in which it is their turn. */
  const lines = new Map<string, Waiting[]>();
  let free = places;

  const take = (key: string) => {
    free -= 1;
    held.set(key, (held.get(key) ?? 0) + 1);
  };
  const giveBack = (key: string) => {
    free += 1;
    const left = (held.get(key) ?? 1) - 1;
    if (left === 0) held.delete(key);
    else held.set(key, left);
    letIn();
  };
  const letIn = () => {
    for (let found = true; found; ) {
      found = false;
      for (const [key, line] of lines) {
        if (!maySpare(held.get(key) ?? 0, free)) continue;
        const next = line.shift();
        lines.delete(key);
        // Behind the others.
        if (line.length > 0) lines.set(key, line);
        take(key);
        next?.let_in();
        found = true;
        break;
      }
    }
  };
  /** A place is given back once, however often that is said. */
  const place = (key: string) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      giveBack(key);
    };
  };

  return {
    enter(key, patience_ms, sentence) {
      const line = lines.get(key);
      if (!line && maySpare(held.get(key) ?? 0, free)) {
        take(key);
        return Promise.resolve(place(key));
      }
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          let_in() {
            clearTimeout(timer);
            resolve(place(key));
          },
        };
        const timer = setTimeout(() => {
          const waits = lines.get(key) ?? [];
          const left = waits.filter((one) => one !== waiting);
          if (left.length > 0) lines.set(key, left);
          else lines.delete(key);
          reject(new Fault("too-many", sentence, { retry_after_s: RETRY_AFTER_S }));
        }, patience_ms);
        if (line) line.push(waiting);
        else lines.set(key, [waiting]);
      });
    },
  };
}

const RETRY_AFTER_S = 5;
