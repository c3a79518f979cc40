import { z } from "zod";
import { queryInteger, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { TRACE_CATEGORIES } from "../events/trace.ts";
import { findSession } from "./session.ts";

const TraceEntryResponse = z
  .object({
    id: z.int().describe("Grows with time; the `after` of a reader that has come this far."),
    turn_index: z.int().nullable().describe("0 is the opening of the session."),
    category: z.enum(TRACE_CATEGORIES),
    label: z.string(),
    timestamp: timestamp().describe("When it began."),
    duration_ms: z.number().nullable(),
    metadata: z.array(z.string()).nullable().describe("Of a model's answer: model and provider."),
    details: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: "TraceEntryResponse" });

const SessionTraceResponse = z
  .object({ session_id: z.int(), entries: z.array(TraceEntryResponse) })
  .meta({ id: "SessionTraceResponse" });

const MAX_ENTRIES = 1_000;

export function sessionTraceRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/sessions/:session_id/trace",
    {
      summary: "Get a session's debug trace",
      description: [
        "In the order it happened. What `details` holds depends on the category and the label:",
        "`llm`: tokens, milliseconds to the first part, the tools offered, the choice forced on the model, the calls made.",
        "`tool`: the arguments as they were given and as the pipeline prepared them, the result or the error, the round.",
        "`http`: the outcome of one request of a tool.",
        "`step`: `entered` (step, visit), `condition` (expression, value, whether it holds), `submission` (inputs, faults), `variables` (each with its value before and after), `call`, `requires`, `completed`.",
        "`state`: variables and language that a tool changed, before and after.",
        "`greeting`: which text of the agent's message was chosen: the rule's place (from 0, null: the message's own text) and description, the kind of days that made it win, all rules that held, the agent's local time, day and time zone.",
        "`turn`: the milliseconds of a turn by phase.",
        "`note` and `error`: what was ignored or went wrong.",
        "Values longer than 2,000 characters are cut. A session that runs can be followed with `after`.",
      ].join("\n"),
      tag: "sessions",
      permission: "sessions_read",
      opens: { resource: "transcripts", by: "session_id" },
      params: z.object({ session_id: recordId() }),
      query: z.object({
        after: queryInteger({ min: 0 }).default(0).describe("Only entries after this one's id."),
        limit: queryInteger({ min: 1, max: MAX_ENTRIES }).default(MAX_ENTRIES),
      }),
      response: SessionTraceResponse,
    },
    async ({ caller, params, query }) => {
      const session = await findSession(db, caller, params.session_id);
      const entries = await db
        .selectFrom("session_trace")
        .select([
          "id",
          "turn_index",
          "category",
          "label",
          "measurement_start as timestamp",
          "duration_ms",
          "metadata",
          "details",
        ])
        .where("session_id", "=", session.id)
        .where("id", ">", query.after)
        .orderBy("id")
        .limit(query.limit)
        .$castTo<z.infer<typeof TraceEntryResponse>>()
        .execute();
      return { session_id: session.id, entries };
    },
  );
}
