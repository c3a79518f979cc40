import { expect, test } from "vitest";
import { DEMO_TARGET } from "../../src/demo/seed.ts";
import { afterFile } from "../harness/after-file.ts";
import { createTestDatabase } from "../harness/database.ts";
import { createRandom } from "../harness/fuzz/random.ts";
import { SEED } from "../harness/seed.ts";
import { ATTACKS, shuffled } from "./soak-attacks.ts";
import { judge } from "./soak-judge.ts";
import { runSoak } from "./soak-run.ts";
import { setStage } from "./soak-stage.ts";

/** Of the suite's time: `./parley attack` tries all of them for minutes and measures. */
const SOAK_MS = 3_000;
const TRIED = 10;

test("two programs bear attacks in a random order: none dies, nothing foreign is read or changed, no chat fails", {
  timeout: 240_000,
}, async () => {
  const { config, drop } = await createTestDatabase();
  afterFile(drop);
  const stage = await setStage(config, 2);
  afterFile(stage.close);
  // Mails that occupy a thread for its ten seconds are in mail-flood.test.ts.
  const brief = ATTACKS.filter(({ name }) => !name.startsWith("a mail"));
  const attacks = shuffled(brief, createRandom(SEED).next).slice(0, TRIED);
  const { all } = await runSoak(stage.world, attacks, {
    total_ms: SOAK_MS,
    people: 4,
    most: 1,
    chat: DEMO_TARGET,
    stop: new AbortController().signal,
    idleBlock: stage.idleBlock,
    told: () => {},
  });
  expect(all).toHaveLength(TRIED);
  // Times are for a quiet machine.
  const untimed = all.map((figures) => ({ ...figures, quiet_p95_ms: 1, p95_ms: 1, blocks: [] }));
  const { faults } = judge(untimed, { quiet_p95_ms: 1, p95_ms: 1 }, await stage.end());
  expect(faults).toEqual([]);
});
