import { sql } from "kysely";
import { inOrder } from "../agents/version-parts.ts";
import type { Caller, Stamp } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { refuseWhileHeld } from "../api/resource.ts";
import { sha256 } from "../base/crypto.ts";
import { notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import type { FrozenJudge } from "../evaluations/session-judges.ts";
import { suitesAsking } from "../evaluations/suites-using.ts";
import { shareTools } from "../insights/tool-configuration-store.ts";
import { calibrationOf, type JudgeCalibration } from "./calibration.ts";
import { readJudgeTool, refuseWrongJudge } from "./check-judge.ts";
import type { JudgeInput, JudgeListed, JudgeResponse } from "./judge-schema.ts";

export const judgeList: list.ListRules = {
  fields: {
    id: list.integer("j.id"),
    name: list.text("j.name"),
    name_exact: list.exact("j.name"),
    description: list.text("j.description"),
    insight_tool_id: list.integer("j.insight_tool_id"),
    last_updated: list.time("j.last_updated"),
    last_updated_by: list.text("j.last_updated_by"),
  },
  time: "j.last_updated",
  order: [{ column: "j.id", direction: "asc" }],
};

type Tenant = Pick<Caller, "sub_organization_id">;

export const selectJudges = (db: Db, { sub_organization_id }: Tenant) =>
  db
    .selectFrom("judges as j")
    .innerJoin("insight_tools as t", "t.id", "j.insight_tool_id")
    .where("j.sub_organization_id", "=", sub_organization_id)
    .where("j.deleted_at", "is", null)
    .select((row) => [
      "j.id",
      "j.name",
      "j.description",
      "j.question",
      "j.insight_tool_id",
      "t.name as insight_tool",
      "j.output",
      row.ref("j.wanted").$castTo<JudgeListed["wanted"]>().as("wanted"),
      "j.reason_output",
      row.ref("j.votes").$castTo<JudgeListed["votes"]>().as("votes"),
      "j.least_kappa",
      sql<number>`(select count(*) from judge_labels l where l.judge_id = j.id)`.as("label_count"),
      "j.last_updated",
      "j.last_updated_by",
    ]);

const selectWhole = (db: Db, tenant: Tenant) =>
  selectJudges(db, tenant).select([
    "t.tool_arguments",
    "t.insight_tool_definition_id",
    "t.deleted_at as tool_deleted_at",
  ]);
type WholeJudge = Awaited<ReturnType<typeof wholeJudge>>;

export async function wholeJudge(db: Db, tenant: Tenant, id: number) {
  const found = await selectWhole(db, tenant).where("j.id", "=", id).executeTakeFirst();
  if (!found) throw notFound("Judge", id);
  return found;
}

type Asking = Pick<
  WholeJudge,
  "tool_arguments" | "insight_tool_definition_id" | "output" | "wanted" | "votes" | "reason_output"
>;

/** Names the judge as it is now: an answer of another form says nothing of this one. Pure. */
export const formOf = ({
  tool_arguments,
  insight_tool_definition_id,
  output,
  wanted,
  votes,
  reason_output,
}: Asking): string =>
  sha256(inOrder({ tool_arguments, insight_tool_definition_id, output, wanted, votes, reason_output })).slice(
    0,
    32,
  );

export async function findJudge(db: Db, caller: Caller, id: number): Promise<JudgeResponse | undefined> {
  const whole = await selectWhole(db, caller).where("j.id", "=", id).executeTakeFirst();
  if (!whole) return undefined;
  const { tool_arguments: _a, insight_tool_definition_id: _d, tool_deleted_at: _t, ...judge } = whole;
  return { ...judge, calibration: await calibrate(db, whole) };
}

async function calibrate(db: Db, judge: WholeJudge): Promise<JudgeCalibration> {
  const labels = await db
    .selectFrom("judge_labels")
    .where("judge_id", "=", judge.id)
    .select(["label", "asked_as", "answer", "model", "answered_at"])
    .orderBy("session_id")
    .execute();
  return calibrationOf(labels, { form: formOf(judge), seed: judge.id, least_kappa: judge.least_kappa });
}

/** As `SessionJudges.freeze`. */
export async function freezeJudges(
  db: Db,
  tenant: Tenant,
  names: readonly string[],
): Promise<(FrozenJudge | { name: string; fault: string })[]> {
  if (names.length === 0) return [];
  const found = await selectWhole(db, tenant)
    .where("j.name", "in", [...names])
    .orderBy("j.id")
    .execute();
  return Promise.all(
    found.map(async (judge) => {
      const { id, name, question, tool_arguments, insight_tool_definition_id } = judge;
      const { output, wanted, reason_output, votes } = judge;
      if (judge.tool_deleted_at !== null) return { name, fault: "its insight tool was deleted" };
      const read = readJudgeTool(judge);
      if (!read.ok) return { name, fault: read.problem };
      const { gates, says, model } = await calibrate(db, judge);
      return {
        id,
        name,
        question,
        tool_arguments,
        insight_tool_definition_id,
        output,
        wanted,
        reason_output,
        votes,
        calibration: { gates, says, model },
      };
    }),
  );
}

/** As `JudgesOfTool`. */
export const judgesOfTool = (tx: Tx, insight_tool_id: number): Promise<{ name: string }[]> =>
  tx
    .selectFrom("judges")
    .where("insight_tool_id", "=", insight_tool_id)
    .where("deleted_at", "is", null)
    .select("name")
    .orderBy("name")
    .execute();

const columns = ({ caller, at }: Stamp, input: JudgeInput) => ({
  name: input.name,
  description: input.description,
  question: input.question,
  insight_tool_id: input.insight_tool_id,
  output: input.output,
  wanted: json(input.wanted),
  reason_output: input.reason_output ?? null,
  votes: input.votes,
  least_kappa: input.least_kappa,
  last_updated: at.toISOString(),
  last_updated_by: caller.email,
});

/** The tool can't be changed or deleted until the caller's transaction is over. */
async function accept(tx: Tx, caller: Caller, input: JudgeInput): Promise<void> {
  await shareTools(tx, caller, [input.insight_tool_id]);
  const tool = await tx
    .selectFrom("insight_tools")
    .where("id", "=", input.insight_tool_id)
    .select(["tool_arguments", "insight_tool_definition_id"])
    .executeTakeFirstOrThrow();
  refuseWrongJudge(input, tool);
}

export async function insertJudge(tx: Tx, stamp: Stamp, input: JudgeInput): Promise<number> {
  await accept(tx, stamp.caller, input);
  const { id } = await tx
    .insertInto("judges")
    .values({ ...columns(stamp, input), sub_organization_id: stamp.caller.sub_organization_id })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Test cases know it by its name. */
async function refuseWhileAsked(
  tx: Tx,
  caller: Caller,
  name: string,
  change: "delete" | "rename",
): Promise<void> {
  const suites = await suitesAsking(tx, caller, name);
  refuseWhileHeld(
    `judge "${name}"`,
    suites.map((suite) => ({ kind: "test suite", name: suite })),
    { change },
  );
}

export async function removeJudge(
  tx: Tx,
  { caller, at }: Stamp,
  { id, name }: Pick<JudgeListed, "id" | "name">,
  reason: string,
): Promise<void> {
  await refuseWhileAsked(tx, caller, name, "delete");
  await tx
    .updateTable("judges")
    .set({ deleted_at: at.toISOString(), deleted_reason: reason })
    .where("id", "=", id)
    .execute();
}

export async function replaceJudge(
  tx: Tx,
  stamp: Stamp,
  { id, name }: Pick<JudgeListed, "id" | "name">,
  input: JudgeInput,
): Promise<void> {
  await accept(tx, stamp.caller, input);
  if (input.name !== name) await refuseWhileAsked(tx, stamp.caller, name, "rename");
  await tx.updateTable("judges").set(columns(stamp, input)).where("id", "=", id).execute();
}
