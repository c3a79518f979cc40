/** Bytes that may be held in memory at once, of all that share this. */
export type HeldBytes = {
  /** False, and nothing is taken: there is no room for so many more. */
  take(bytes: number): boolean;
  give(bytes: number): void;
};

export function createHeldBytes(most: number): HeldBytes {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > most) return false;
      held += bytes;
      return true;
    },
    give(bytes) {
      held -= bytes;
    },
  };
}
