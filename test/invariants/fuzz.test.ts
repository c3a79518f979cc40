import { expect, test } from "vitest";
import { createExampleApp } from "../harness/examples/example.ts";
import { fuzz } from "../harness/fuzz/run.ts";
import { SEED } from "../harness/seed.ts";

/**
 * A short run with every test run. For a long one, or another:
 * `FUZZ_REQUESTS=20000 SEED=7 ./parley test test/invariants/fuzz.test.ts`
 */
const requests = Number(process.env.FUZZ_REQUESTS ?? 1500);
/** A request takes 10 ms; ten times that for slow machines. */
const TIMEOUT_MS = 60_000 + requests * 100;

test(
  `whatever is sent, no operation fails or hangs, and nobody else's records change (seed ${SEED})`,
  async () => {
    const { faults, leaked, ...figures } = await fuzz(await createExampleApp(), { requests, seed: SEED });
    if (process.env.FUZZ_REQUESTS) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
    expect(faults).toEqual([]);
    expect(leaked).toEqual([]);
    // Calls are only a little wrong: were all refused at the door, nothing would have been tried.
    expect(figures.statuses[200]).toBeGreaterThan(requests / 10);
  },
  TIMEOUT_MS,
);
