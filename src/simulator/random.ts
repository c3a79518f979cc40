/** Repeatable chance: the same seed and words give the same number, whenever and in whatever order they are asked. */
export function chance(seed: number, ...words: (string | number)[]): number {
  // FNV-1a over the words, then the finalizer of MurmurHash3: neighbouring numbers land far apart.
  let hash = 2166136261 ^ seed;
  for (const character of words.join("\u0000")) {
    hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** One of these by their weights. */
export function drawn<T>(weighted: readonly (readonly [weight: number, what: T])[], at: number): T {
  const total = weighted.reduce((sum, [weight]) => sum + weight, 0);
  let left = at * total;
  for (const [weight, what] of weighted) {
    left -= weight;
    if (left < 0) return what;
  }
  return weighted.at(-1)![1];
}
