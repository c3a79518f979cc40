import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { HeldMessage, loadHeld } from "./held-message.ts";
import { findSession, sessionNumber } from "./session.ts";

const SessionText = z
  .object({
    timestamp: timestamp(),
    lang: z.string().nullish(),
    source: z.enum(["user", "agent"]).nullish(),
    text: z.string().nullish(),
    written_by: z
      .string()
      .nullish()
      .describe("Who wrote it in the agent's place; null: the agent itself, or the person."),
    held: HeldMessage.nullish().describe("It came in and is not answered: it looks like an automatic reply."),
  })
  .meta({ id: "SessionText" });

const SessionAction = z
  .object({
    timestamp: timestamp(),
    tool_name: z.string().nullish(),
    tool_request: z.string().nullish().describe("JSON"),
    tool_result: z.string().nullish().describe("JSON"),
    tool_error: z.string().nullish().describe("JSON"),
    duration_ms: z.number().nullish(),
  })
  .meta({ id: "SessionAction" });

const SessionTranscriptionResponse = z
  .object({ session_id: z.string(), transcription: z.array(SessionText), actions: z.array(SessionAction) })
  .meta({ id: "SessionTranscriptionResponse" });

export const sessionParam = z.object({ session_id: z.string() });

/** Marks where an agent was interrupted; the unheard rest is only in the database. */
const BROKEN_OFF = "—";

/** Everything said in a session, in order. */
export async function loadMessages(db: Db, session_id: number) {
  const rows = await db
    .selectFrom("session_messages")
    .select(["seq", "turn_index", "timestamp", "lang", "role as source", "text", "unheard", "written_by"])
    .where("session_id", "=", session_id)
    .orderBy("seq")
    .execute();
  return rows.map(({ unheard, ...row }) => ({
    ...row,
    text: unheard === null ? row.text : `${row.text} ${BROKEN_OFF}`.trim(),
  }));
}

/** Every tool call of a session as the public API prints it: documents as JSON texts. */
export async function loadActions(db: Db, session_id: number) {
  const rows = await db
    .selectFrom("session_tool_calls")
    .select([
      "seq",
      "turn_index",
      "timestamp",
      "tool_name",
      "arguments",
      "request",
      "result",
      "error",
      "duration_ms",
    ])
    .where("session_id", "=", session_id)
    .orderBy("seq")
    .execute();
  return rows.map((row) => ({
    seq: row.seq,
    turn_index: row.turn_index,
    timestamp: row.timestamp,
    tool_name: row.tool_name,
    tool_request: JSON.stringify(row.request ?? row.arguments),
    tool_result: row.error === null ? JSON.stringify(row.result) : null,
    tool_error: row.error === null ? null : JSON.stringify(row.error),
    duration_ms: row.duration_ms,
  }));
}

export function transcriptRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/sessions/transcript/:session_id",
    {
      summary: "Get a session's transcript and tool calls",
      tag: "sessions",
      permission: "sessions_read",
      opens: { resource: "transcripts", by: "session_id" },
      params: sessionParam,
      response: SessionTranscriptionResponse,
    },
    async ({ caller, params }) => {
      const session = await findSession(db, caller, sessionNumber(params.session_id));
      const [messages, actions, held] = await Promise.all([
        loadMessages(db, session.id),
        loadActions(db, session.id),
        loadHeld(db, session.id),
      ]);
      return {
        session_id: String(session.id),
        transcription: [
          ...messages.map(({ timestamp, lang, source, text, written_by }) => ({
            timestamp,
            lang,
            source,
            text,
            written_by,
          })),
          ...held,
        ].toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)),
        actions: actions.map(({ seq: _seq, turn_index: _turn, ...action }) => action),
      };
    },
  );
}
