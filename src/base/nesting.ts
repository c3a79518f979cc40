/** Whether lists and maps lie in one another deeper than this. Doesn't recurse, so no document is too deep for it. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((item) =>
      typeof item === "object" && item !== null ? Object.values(item as object) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

/** What others answer may nest so far; PostgreSQL takes 20,000 levels, and whoever walks through it must not fall. */
export const DEEPEST_ANSWER = 500;
