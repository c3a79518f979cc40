import { expect, test } from "vitest";
import { FAULT_POINTS } from "../../src/dialing/dialer.ts";
import { createTestDatabase } from "../harness/database.ts";
import { createRandom } from "../harness/fuzz/random.ts";
import { SEED } from "../harness/seed.ts";
import CELLS from "./cells.ts";
import { play } from "./play.ts";

/** The short part of `./parley chaos`, at points that a seed chooses; `SEED` replays one. */
const random = createRandom(SEED).next;
const point = FAULT_POINTS[Math.floor(random() * FAULT_POINTS.length)] as string;
const chosen = [
  `kill -9 ${point.replace("-", " ")}`,
  "callbacks doubled and in the wrong order, to two dialers",
];

test.each(chosen)(`%s: every promise holds (seed ${SEED})`, async (name) => {
  const cell = CELLS.find((each) => each.name === name);
  if (!cell) throw new Error(`no cell is called ${name}`);
  const { config, drop } = await createTestDatabase();
  try {
    const { broken, calls } = await play(config, cell, { seed: SEED, batches: 6, each: 3 });
    expect(broken).toEqual([]);
    expect(calls).toBeGreaterThanOrEqual(18);
  } finally {
    await drop();
  }
});
