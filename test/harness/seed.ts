import fc from "fast-check";

/**
 * What the random parts of the suite begin from: the same for everybody, so that a run that passes here passes there.
 * `SEED=7 ./parley test` explores others; what fails prints the seed it had.
 */
export const SEED = Number(process.env.SEED ?? 20270312);
if (!Number.isSafeInteger(SEED)) throw new Error(`SEED takes a whole number, not ${process.env.SEED}`);

fc.configureGlobal({ seed: SEED });
