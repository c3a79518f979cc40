import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import { SAMPLE_PLACES, sampledPlaces } from "./conditions.ts";
import type { StoredWorkflow } from "./workflow-schema.ts";

type MatchedWorkflow = Pick<StoredWorkflow, "id" | "sub_organization_id" | "source" | "conditions">;

/** What a workflow runs over, found in the database: `conditions.ts` in SQL. */
export type Subjects = SelectQueryBuilder<
  // biome-ignore lint/suspicious/noExplicitAny: sessions or recordings; only these two columns matter
  any,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  any,
  { id: number; duration_s: number | null }
>;

/** From `from` on, and up to and with `to`. */
export type Span = { from: Date | string; to: Date | string };

/** The column of an execution that names what it runs over. */
export const subjectColumn = ({ source }: Pick<StoredWorkflow, "source">) =>
  source === "upload" ? "upload_file_id" : "session_id";

/**
 * null for workflows that find nothing by themselves (`manual`, `sheet`). A session counts once it is over, and never when
 * it was a test. Indexes: sessions_timestamp, insight_files_folder.
 */
export function matchingSubjects(db: Db, workflow: MatchedWorkflow, span: Span): Subjects | null {
  switch (workflow.source) {
    case "agent":
      return matchingSessions(db, workflow, span);
    case "transfer":
      return matchingSessions(db, workflow, span).where("s.end_reason", "=", "transfer");
    case "upload":
      return matchingFiles(db, workflow, span);
    default:
      return null;
  }
}

/** Of a call its duration, else the time from the first word to the last: an idle chat does not grow longer. */
const sessionDuration = sql<number>`coalesce(s.duration, extract(epoch from s.last_activity_at - s.timestamp)::float8)`;

function matchingSessions(db: Db, workflow: MatchedWorkflow, span: Span): Subjects {
  const { agent_list, prompt_list } = workflow.conditions;
  let sessions = db
    .selectFrom("sessions as s")
    .where("s.sub_organization_id", "=", workflow.sub_organization_id)
    .where("s.timestamp", ">=", iso(span.from))
    .where("s.timestamp", "<=", iso(span.to))
    .where("s.ended_at", "is not", null)
    .where("s.is_test", "=", false)
    .where(conditions(workflow, "s.id", sessionDuration));
  if (agent_list?.length) sessions = sessions.where(named("s.agent_id", "s.agent_name", agent_list));
  if (prompt_list?.length) sessions = sessions.where(named("s.prompt_id", "s.prompt_name", prompt_list));
  return sessions.select(["s.id", sessionDuration.as("duration_s")]);
}

function matchingFiles(db: Db, workflow: MatchedWorkflow, span: Span): Subjects {
  const { agent_list, prompt_list, folder_list } = workflow.conditions;
  const agents = agent_list?.length ? agent_list.map(String) : null;
  let files = db
    .selectFrom("insight_files as f")
    .where("f.sub_organization_id", "=", workflow.sub_organization_id)
    .where("f.deleted_at", "is", null)
    .where(sql<boolean>`f.folder_id = any(${folder_list ?? []}::bigint[])`)
    .where("f.created_at", ">=", iso(span.from))
    .where("f.created_at", "<=", iso(span.to))
    .where(conditions(workflow, "f.id", sql`f.duration`));
  if (agents) files = files.where("f.agent_number", "in", agents);
  // Nobody prompts a person.
  if (prompt_list?.length) files = files.where(sql<boolean>`false`);
  return files.select(["f.id", "f.duration as duration_s"]);
}

/** Duration and sample. */
function conditions(
  { id: workflow_id, conditions }: MatchedWorkflow,
  id: string,
  duration: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const { min_duration, max_duration, sample_rate } = conditions;
  const all: RawBuilder<boolean>[] = [sql`true`];
  if (min_duration !== null) all.push(sql`${duration} >= ${min_duration}`);
  if (max_duration !== null) all.push(sql`${duration} <= ${max_duration}`);
  if (sample_rate !== null) {
    const draw = sql`left(encode(sha256(convert_to(${`${workflow_id}:`} || ${sql.ref(id)}, 'UTF8')), 'hex'), 8)`;
    all.push(sql`('x' || ${draw})::bit(32)::bigint % ${SAMPLE_PLACES} < ${sampledPlaces(sample_rate)}`);
  }
  return sql`(${sql.join(all, sql` and `)})`;
}

/** By name, or by the number as it is written without leading zeros. */
function named(id: string, name: string, list: (number | string)[]): RawBuilder<boolean> {
  const texts = list.map(String);
  const numbers = texts.filter((text) => /^(?:0|[1-9]\d{0,14})$/.test(text)).map(Number);
  return sql`(${sql.ref(id)} = any(${numbers}::bigint[]) or ${sql.ref(name)} = any(${texts}::text[]))`;
}

const iso = (at: Date | string): string => (typeof at === "string" ? at : at.toISOString());
