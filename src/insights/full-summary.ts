import { sql } from "kysely";
import { z } from "zod";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { SCRIPTED_MODEL } from "../llm/catalogue.ts";
import { findSession, sessionNumber } from "../sessions/session.ts";
import { sessionParam } from "../sessions/transcript.ts";

const SessionSummaryResponse = z
  .object({
    summary: z.string().nullish(),
    rating: z.string().nullish(),
    scripted: z
      .boolean()
      .optional()
      .describe("true: the scripted offline model made one of them up. Absent otherwise."),
  })
  .meta({ id: "SessionSummaryResponse" });

/** Of the analyses of a session, the built-in one is asked first; without it, whichever said it last. */
const SUMMARY_WORKFLOW = "summary-workflow";

export function fullSummaryRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/sessions/full-summary/:session_id",
    {
      summary: "Get a session's summary and rating",
      description:
        "Null until an insight workflow with outputs of these names has run, and without insights_read.",
      tag: "sessions",
      permission: "sessions_read",
      opens: { resource: "transcripts", by: "session_id" },
      params: sessionParam,
      response: SessionSummaryResponse,
    },
    async ({ caller, params }) => {
      const session = await findSession(db, caller, sessionNumber(params.session_id));
      if (!caller.permissions.has("insights_read")) return { summary: null, rating: null };
      const outputs = await db
        .selectFrom("insight_outputs as o")
        .leftJoin("insight_workflows as w", "w.id", "o.workflow_id")
        .distinctOn("o.insight_key")
        .select(["o.insight_key", "o.string_value", "o.model"])
        .where("o.session_id", "=", session.id)
        .where("o.insight_key", "in", ["summary", "rating"])
        .orderBy("o.insight_key")
        .orderBy(sql`w.name is not distinct from ${SUMMARY_WORKFLOW}`, "desc")
        .orderBy("o.id", "desc")
        .execute();
      const value = (key: string) =>
        outputs.find((output) => output.insight_key === key)?.string_value ?? null;
      const scripted = outputs.some(({ model }) => model === SCRIPTED_MODEL);
      return { summary: value("summary"), rating: value("rating"), ...(scripted && { scripted }) };
    },
  );
}
