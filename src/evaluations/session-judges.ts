import type { Caller } from "../api/caller.ts";
import type { Db } from "../db/database.ts";

/** A judge as it was when a run began: the run is judged alike from its first conversation to its last. */
export type FrozenJudge = {
  id: number;
  name: string;
  question: string;
  tool_arguments: unknown;
  insight_tool_definition_id: number;
  output: string;
  wanted: boolean | number | string;
  reason_output: string | null;
  votes: number;
  /** How it was calibrated, and by answers of which model; null: by answers that no model gave. */
  calibration: { gates: boolean; says: string; model: string | null };
};

export type JudgeAnswer =
  | {
      kind: "answered";
      is_yes: boolean;
      votes_yes: number;
      votes_no: number;
      /** Those that failed among them. */
      votes: number;
      reason: string | null;
      model: string | null;
      cost_usd: number | null;
    }
  /** `may_pass`: it may answer later. */
  | { kind: "failed"; message: string; may_pass: boolean; cost_usd: number | null };

/** What judges conversations. Insights are a room to the right: the program hands this in. */
export type SessionJudges = {
  names(db: Db, caller: Pick<Caller, "sub_organization_id">): Promise<string[]>;
  /** Of those with these names; one that there is not is left out, one without its tool has `fault`. */
  freeze(
    db: Db,
    caller: Pick<Caller, "sub_organization_id">,
    names: readonly string[],
  ): Promise<(FrozenJudge | { name: string; fault: string })[]>;
  /** `seed`: each vote derives its own. */
  ask(asked: {
    sub_organization_id: number;
    session_id: number;
    judge: FrozenJudge;
    seed: number;
  }): Promise<JudgeAnswer>;
};
