import type { Db } from "../db/database.ts";
import type { SessionJudges } from "../evaluations/session-judges.ts";
import type { ToolRunner } from "../insights/tool-run.ts";
import { askJudge } from "./ask-judge.ts";
import { freezeJudges } from "./judge-store.ts";

/** What tests ask of judges. */
export const sessionJudges = (db: Db, runner: ToolRunner): SessionJudges => ({
  async names(from, { sub_organization_id }) {
    const rows = await from
      .selectFrom("judges")
      .where("sub_organization_id", "=", sub_organization_id)
      .where("deleted_at", "is", null)
      .select("name")
      .orderBy("name")
      .execute();
    return rows.map(({ name }) => name);
  },
  freeze: freezeJudges,
  ask: (asked) => askJudge(db, runner, asked),
});
