import type { Db } from "../db/database.ts";
import type { ReplayMeasures } from "./lane-measures.ts";

/** What all conversations of a replay have cost; of unknown prices nothing is counted. */
export async function replayCost(db: Db, replay_id: number): Promise<number> {
  const pairs = await db
    .selectFrom("replay_pairs")
    .select(["baseline", "candidate"])
    .where("replay_id", "=", replay_id)
    .execute();
  return pairs
    .flatMap(({ baseline, candidate }) => [baseline, candidate] as (ReplayMeasures | null)[])
    .reduce((sum, measures) => sum + (measures?.cost_usd ?? 0) + (measures?.persona_cost_usd ?? 0), 0);
}
