import { gather } from "../base/gather.ts";
import { Withdrawn } from "../channels/outreach.ts";
import { type ReachQuestion, readReachIssues } from "../consent/reach-check.ts";
import type { Db } from "../db/database.ts";
import { EACH_BY_KEY, planned } from "../db/plans.ts";
import type { StopQuestion } from "../planning/cadences/stop-sign.ts";
import { readStopSigns } from "./cadences/stop-signs.ts";

/** Asked in one statement. */
const MOST_ASKED = 500;

/**
 * Asks once more, right before an attempt is handed to its carrier, whether its person may be reached: they may have
 * withdrawn since the claim, while the first words of a text were written or a process stood still. Attempts that are
 * handed over at the same time share a statement. Throws `Withdrawn`.
 */
export function handOverGate(db: Db): (question: ReachQuestion, stop: StopQuestion | null) => Promise<void> {
  const asked = gather({
    most: MOST_ASKED,
    write: (questions: ReachQuestion[]) => planned(db, EACH_BY_KEY, (tx) => readReachIssues(tx, questions)),
  });
  return async (question, stop) => {
    const issue = await asked.add(question);
    if (issue !== null) throw new Withdrawn();
    // A later step of a cadence is not taken where its person has answered meanwhile, on whichever channel.
    if (stop === null) return;
    const signs = await planned(db, EACH_BY_KEY, (tx) => readStopSigns(tx, [stop]));
    if (signs.size > 0) throw new Withdrawn();
  };
}
