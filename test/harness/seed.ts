import fc from "fast-check";

/**
 * What the random parts of the suite begin from: the same for everybody, so that a run that passes here passes there.
 * `SEED=7 ./parley test` explores others; what fails prints the seed it had.
 */
export const SEED = Number(process.env.SEED ?? 20270312);
if (!Number.isSafeInteger(SEED)) throw new Error(`SEED takes a whole number, not ${process.env.SEED}`);

/** `./parley test --nightly`: the long forms, from a seed that changes. */
export const NIGHTLY = process.env.NIGHTLY === "1";

/** How often something random is done: in the suite, and in its long form. */
export const rounds = (suite: number, nightly = 10 * suite): number => (NIGHTLY ? nightly : suite);

/** In the suite one of these for the n-th place, by the seed, so that over the places all occur; in the long form all. */
export const ofThisRun = <T>(all: readonly T[], n = 0): readonly T[] =>
  NIGHTLY ? all : all.filter((_, at) => at === (SEED + n) % all.length);

// A property says itself how often it is tried, by `rounds`; one that doesn't has fast-check's hundred. What it says may be so
// long is as long: fast-check alone makes no array, object or text of more than ten, whatever `maxLength` says.
fc.configureGlobal({ seed: SEED, numRuns: rounds(100), defaultSizeToMaxWhenMaxSpecified: true });
