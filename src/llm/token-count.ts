/** More than any provider takes at a time. */
const MOST_TOKENS = 10_000_000;

/** What a server of somebody's own says may be any number, such as -1 for what it did not count; sums of it are stored. */
export const countOf = (tokens: number | undefined): number | null =>
  tokens !== undefined && Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS ? tokens : null;
