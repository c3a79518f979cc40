import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault, notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { findSession } from "./session.ts";

const DialogToolCall = z
  .object({
    tool_call_id: z.string(),
    tool_name: z.string(),
    tool_arguments: z.unknown(),
    tool_result: z.unknown().describe("null unless the tool hands its results on"),
    display_result: z.unknown().optional(),
    timestamp: timestamp(),
  })
  .meta({ id: "DialogToolCall" });

const SessionMessage = z
  .object({
    role: z.enum(["agent", "user"]),
    dialog: z.object({ text: z.string() }),
    tool_calls: z.array(DialogToolCall),
    timestamp: timestamp(),
  })
  .meta({ id: "SessionMessage" });
type SessionMessage = z.infer<typeof SessionMessage>;

const SessionData = z
  .object({
    session_id: z.int(),
    source: z.string(),
    target: z.string(),
    is_test: z.boolean(),
    ended_at: timestamp().nullish().describe("Null while the session runs."),
    duration: z.number().nullish().describe("Seconds to its end; null while the session runs."),
    messages: z.array(SessionMessage),
  })
  .meta({ id: "SessionData" });

const ToolResultData = z
  .object({ tool_name: z.string(), tool_result: z.unknown() })
  .meta({ id: "ToolResultData" });

export function sessionDebugRoutes(api: Api, { db }: { db: Db }): void {
  const tag = "session_debug";
  const permission = "sessions_read";

  api.get(
    "/api/v1/session_debug/sid/:channel_manager_service/:channel_manager_sid",
    {
      summary: "Get session data by the channel's own session identifier",
      description: "Where several sessions share one identifier, the newest answers.",
      tag,
      permission,
      opens: { resource: "transcripts", by: "channel_manager_sid" },
      params: z.object({ channel_manager_service: z.string(), channel_manager_sid: z.string() }),
      response: SessionData,
    },
    async ({ caller, params }) => {
      const found = await db
        .selectFrom("sessions")
        .select("id")
        .where("sub_organization_id", "=", caller.sub_organization_id)
        .where("channel_manager_service", "=", params.channel_manager_service)
        .where("channel_manager_sid", "=", params.channel_manager_sid)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      if (!found) {
        throw new Fault(
          "not-found",
          `Session ${params.channel_manager_sid} of ${params.channel_manager_service} not found`,
        );
      }
      return sessionData(db, caller, found.id);
    },
  );

  api.get(
    "/api/v1/session_debug/session_id/:session_id",
    {
      summary: "Get session data",
      tag,
      permission,
      opens: { resource: "transcripts", by: "session_id" },
      params: z.object({ session_id: recordId() }),
      response: SessionData,
    },
    ({ caller, params }) => sessionData(db, caller, params.session_id),
  );

  api.get(
    "/api/v1/session_debug/tool_result/:session_id/:tool_call_id",
    {
      summary: "Get the complete result of a tool call",
      tag,
      permission,
      opens: { resource: "transcripts", by: "session_id" },
      params: z.object({ session_id: recordId(), tool_call_id: z.string() }),
      response: ToolResultData,
    },
    async ({ caller, params }) => {
      const session = await findSession(db, caller, params.session_id);
      const call = await db
        .selectFrom("session_tool_calls")
        .select(["tool_name", sql<unknown>`coalesce(whole_result, result)`.as("tool_result")])
        .where("session_id", "=", session.id)
        .where("tool_call_id", "=", params.tool_call_id)
        .orderBy("seq", "desc")
        .executeTakeFirst();
      if (!call) throw notFound("Tool call", params.tool_call_id);
      return call;
    },
  );
}

async function sessionData(db: Db, caller: Caller, id: number) {
  const session = await findSession(db, caller, id);
  const [messages, calls] = await Promise.all([
    db
      .selectFrom("session_messages")
      .select(["seq", "turn_index", "role", "text", "timestamp"])
      .where("session_id", "=", id)
      .orderBy("seq")
      .execute(),
    db
      .selectFrom("session_tool_calls")
      .select([
        "seq",
        "turn_index",
        "tool_call_id",
        "tool_name",
        "arguments",
        "result",
        "propagate_result",
        "display_result",
        "timestamp",
      ])
      .where("session_id", "=", id)
      .orderBy("seq")
      .execute(),
  ]);
  return {
    session_id: session.id,
    source: session.source ?? "",
    target: session.target ?? "",
    is_test: session.is_test,
    ended_at: session.ended_at,
    duration: session.duration,
    messages: joinCalls(messages, calls),
  };
}

type MessageRow = { seq: number; turn_index: number; role: string; text: string; timestamp: string };
type ToolCallRow = {
  seq: number;
  turn_index: number;
  tool_call_id: string;
  tool_name: string;
  arguments: unknown;
  result: unknown;
  propagate_result: boolean;
  display_result: unknown;
  timestamp: string;
};

/**
 * Attaches each call to the words it led to: the agent's next message of the turn, else its last. A turn without words gets
 * an empty message, so that no call is lost. Pure.
 */
function joinCalls(messages: MessageRow[], calls: ToolCallRow[]): SessionMessage[] {
  const joined = messages.map((row) => ({ ...row, calls: [] as ToolCallRow[] }));
  const said = Map.groupBy(
    joined.filter(({ role }) => role === "agent"),
    ({ turn_index }) => turn_index,
  );
  for (const call of calls) {
    const ofTurn = said.get(call.turn_index) ?? [];
    const place = ofTurn.find((row) => row.seq > call.seq) ?? ofTurn.at(-1);
    if (place) place.calls.push(call);
    else {
      const silent = { ...call, role: "agent", text: "", calls: [call] };
      joined.push(silent);
      said.set(call.turn_index, [silent]);
    }
  }
  return joined
    .toSorted((a, b) => a.seq - b.seq)
    .map((row) => ({
      role: row.role as "agent" | "user",
      dialog: { text: row.text },
      tool_calls: row.calls.map((call) => ({
        tool_call_id: call.tool_call_id,
        tool_name: call.tool_name,
        tool_arguments: call.arguments,
        tool_result: call.propagate_result ? call.result : null,
        display_result: call.display_result,
        timestamp: call.timestamp,
      })),
      timestamp: row.timestamp,
    }));
}
