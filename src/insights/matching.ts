import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import { requirementsOf, type SubjectColumns } from "./conditions.ts";
import type { StoredWorkflow } from "./workflow-schema.ts";

type MatchedWorkflow = Pick<
  StoredWorkflow,
  "id" | "sub_organization_id" | "source" | "conditions" | "agent_ids" | "prompt_ids"
>;

/** What a workflow runs over, found in the database. */
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

/** Every end stores a duration; a session that was stored without one lasted until its end. */
const sessionDuration = sql<number>`coalesce(s.duration, extract(epoch from s.ended_at - s.timestamp)::float8)`;

function matchingSessions(db: Db, workflow: MatchedWorkflow, span: Span): Subjects {
  return db
    .selectFrom("sessions as s")
    .where("s.sub_organization_id", "=", workflow.sub_organization_id)
    .where("s.timestamp", ">=", iso(span.from))
    .where("s.timestamp", "<=", iso(span.to))
    .where("s.ended_at", "is not", null)
    .where("s.is_test", "=", false)
    .where(
      meeting(workflow, "session", {
        id: sql`s.id`,
        duration: sessionDuration,
        agent: named("s.agent_id", "s.agent_name"),
        prompt: named("s.prompt_id", "s.prompt_name"),
        folder: sql`null`,
      }),
    )
    .select(["s.id", sessionDuration.as("duration_s")]);
}

function matchingFiles(db: Db, workflow: MatchedWorkflow, span: Span): Subjects {
  return db
    .selectFrom("insight_files as f")
    .where("f.sub_organization_id", "=", workflow.sub_organization_id)
    .where("f.deleted_at", "is", null)
    .where("f.created_at", ">=", iso(span.from))
    .where("f.created_at", "<=", iso(span.to))
    .where(
      meeting(workflow, "recording", {
        id: sql`f.id`,
        duration: sql`f.duration`,
        agent: (spellings) => sql`f.agent_number = any(${spellings}::text[])`,
        // Nobody prompts a person.
        prompt: () => sql`false`,
        folder: sql`f.folder_id`,
      }),
    )
    .select(["f.id", "f.duration as duration_s"]);
}

function meeting(
  workflow: MatchedWorkflow,
  kind: "session" | "recording",
  columns: SubjectColumns,
): RawBuilder<boolean> {
  const asked = requirementsOf(workflow, kind).map((one) => one.sql(columns));
  return asked.length === 0 ? sql`true` : sql`(${sql.join(asked, sql` and `)})`;
}

/** By name, or by the number as it is written without leading zeros. */
const named =
  (id: string, name: string) =>
  (spellings: string[]): RawBuilder<boolean> => {
    const numbers = spellings.filter((text) => /^(?:0|[1-9]\d{0,14})$/.test(text)).map(Number);
    return sql`(${sql.ref(id)} = any(${numbers}::bigint[]) or ${sql.ref(name)} = any(${spellings}::text[]))`;
  };

const iso = (at: Date | string): string => (typeof at === "string" ? at : at.toISOString());
