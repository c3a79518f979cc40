/** Bytes that may be held in memory at once, of all that share this; `owner` is whoever brought them. */
export type HeldBytes = {
  /** False, and nothing is taken: there is no room for so many more. */
  take(bytes: number, owner: string): boolean;
  give(bytes: number, owner: string): void;
};

export function createHeldBytes(most: number, most_of_one: number): HeldBytes {
  let held = 0;
  const ofOwners = new Map<string, number>();
  return {
    take(bytes, owner) {
      const own = (ofOwners.get(owner) ?? 0) + bytes;
      if (held + bytes > most || own > most_of_one) return false;
      held += bytes;
      ofOwners.set(owner, own);
      return true;
    },
    give(bytes, owner) {
      held -= bytes;
      const left = (ofOwners.get(owner) ?? 0) - bytes;
      if (left > 0) ofOwners.set(owner, left);
      else ofOwners.delete(owner);
    },
  };
}
