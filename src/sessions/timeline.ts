import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { ANSWER_NOT_DELIVERED, eventsOfSession } from "../events/event.ts";
import { TIMED_CATEGORIES } from "../events/trace.ts";
import { HeldMessage, loadHeld } from "./held-message.ts";
import { loadNotes } from "./operator-notes.ts";
import { findSession, sessionNumber } from "./session.ts";
import { loadActions, loadMessages, sessionParam } from "./transcript.ts";

const LatencyCategory = z.enum(TIMED_CATEGORIES).meta({ id: "LatencyCategory" });

const LatencyEntry = z
  .object({
    timestamp: timestamp(),
    measurement_start: timestamp(),
    category: LatencyCategory,
    label: z.string(),
    metadata: z.array(z.string()).nullish(),
    unit_type: z.enum(["minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"]),
    value: z.number(),
    value_str: z.string(),
    time_delta: z.string(),
  })
  .meta({ id: "LatencyEntry" });

const SummaryEntry = z
  .object({
    category: LatencyCategory,
    sub_category: z.string().nullish(),
    event_count: z.int(),
    sum_ms: z.number(),
    sum_str: z.string(),
    average_ms: z.number(),
    average_str: z.string(),
  })
  .meta({ id: "SummaryEntry" });

const InspectLatencyResponse = z
  .object({ session_id: z.string(), timeline: z.array(LatencyEntry), summary: z.array(SummaryEntry) })
  .meta({ id: "InspectLatencyResponse" });

const TimelineEvent = z
  .object({
    kind: z.enum(["transcript", "tool", "latency", "note"]),
    timestamp: timestamp(),
    offset: z.string().describe("MM:SS or HH:MM:SS since the session's start"),
    turn_index: z.int().nullish(),
    source: z.string().nullish(),
    text: z.string().nullish(),
    lang: z.string().nullish(),
    category: z.string().nullish(),
    label: z.string().nullish(),
    metadata: z.array(z.string()).nullish(),
    duration_ms: z.number().nullish(),
    tool_request: z.string().nullish(),
    tool_result: z.string().nullish(),
    tool_error: z.string().nullish(),
    written_by: z
      .string()
      .nullish()
      .describe(
        "Who wrote it in the agent's place; of a note, which only the model reads, who whispered it.",
      ),
    held: HeldMessage.nullish().describe("It came in and is not answered: it looks like an automatic reply."),
  })
  .meta({ id: "TimelineEvent" });
type TimelineEvent = z.infer<typeof TimelineEvent>;

const SessionTimelineResponse = z
  .object({ session_id: z.string(), session_start: timestamp().nullish(), events: z.array(TimelineEvent) })
  .meta({ id: "SessionTimelineResponse" });

export function timelineRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/sessions/latency/:session_id",
    {
      summary: "Get a session's latency by step",
      tag: "sessions",
      permission: "sessions_read",
      opens: { resource: "sessions", by: "session_id" },
      params: sessionParam,
      response: InspectLatencyResponse,
    },
    async ({ caller, params }) => {
      const session = await findSession(db, caller, sessionNumber(params.session_id));
      const rows = await loadLatencies(db, session.id);
      return { session_id: String(session.id), timeline: rows.map(latencyEntry), summary: summarize(rows) };
    },
  );

  api.get(
    "/api/v1/sessions/timeline/:session_id",
    {
      summary: "Get a session's timeline",
      tag: "sessions",
      permission: "sessions_read",
      opens: { resource: "transcripts", by: "session_id" },
      params: sessionParam,
      response: SessionTimelineResponse,
    },
    async ({ caller, params }) => {
      const session = await findSession(db, caller, sessionNumber(params.session_id));
      const [messages, actions, latencies, held, notes, undelivered] = await Promise.all([
        loadMessages(db, session.id),
        loadActions(db, session.id),
        loadLatencies(db, session.id),
        loadHeld(db, session.id),
        loadNotes(db, session.id),
        eventsOfSession(db, caller, {
          session_id: session.id,
          type: ANSWER_NOT_DELIVERED,
          most: MOST_UNDELIVERED,
        }),
      ]);
      const start = session.timestamp;
      // The sort is stable, so entries of the same millisecond keep this order.
      const events: TimelineEvent[] = [
        ...[
          ...messages.map((message) => ({ kind: "transcript" as const, ...message })),
          ...actions.map(({ tool_name, ...action }) => ({
            kind: "tool" as const,
            label: tool_name,
            ...action,
          })),
        ]
          .toSorted((a, b) => a.seq - b.seq)
          .map(({ seq: _, ...event }) => event),
        ...held.map((message) => ({ kind: "transcript" as const, ...message })),
        ...notes.map((note) => ({ kind: "note" as const, ...note })),
        ...undelivered.map(({ timestamp, description: text }) => ({
          kind: "note" as const,
          timestamp,
          label: "Not delivered",
          text,
        })),
        // A tool call has an entry of its own, so its latency row is left out.
        ...latencies
          .filter((row) => row.category !== "tool")
          .map(({ measurement_start, ...row }) => ({
            kind: "latency" as const,
            ...row,
            timestamp: measurement_start,
          })),
      ].map((event) => ({ ...event, offset: offsetOf(start, event.timestamp) }));
      return {
        session_id: String(session.id),
        session_start: start,
        events: events.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)),
      };
    },
  );
}

/** A number that is off may be answered for long; its newest answers show why they don't arrive. */
const MOST_UNDELIVERED = 200;

type LatencyRow = {
  category: string;
  label: string;
  measurement_start: string;
  timestamp: string;
  duration_ms: number | null;
  metadata: string[] | null;
  turn_index: number | null;
};

const loadLatencies = (db: Db, session_id: number): Promise<LatencyRow[]> =>
  db
    .selectFrom("session_trace")
    .select(["category", "label", "measurement_start", "timestamp", "duration_ms", "metadata", "turn_index"])
    .where("session_id", "=", session_id)
    .where("category", "in", [...TIMED_CATEGORIES])
    .orderBy("id")
    .execute();

function latencyEntry(row: LatencyRow) {
  const ms = row.duration_ms ?? 0;
  return {
    timestamp: row.timestamp,
    measurement_start: row.measurement_start,
    category: row.category as z.infer<typeof LatencyCategory>,
    label: row.label,
    metadata: row.metadata,
    unit_type: "milliseconds" as const,
    value: round(ms),
    value_str: inWords(ms),
    time_delta: `${(ms / 1000).toFixed(6)}`,
  };
}

function summarize(rows: LatencyRow[]) {
  const groups = Map.groupBy(rows, (row) => `${row.category} ${row.label}`);
  return [...groups.values()].map((group) => {
    const { category, label } = group[0] as LatencyRow;
    const sum_ms = group.reduce((sum, row) => sum + (row.duration_ms ?? 0), 0);
    const average_ms = sum_ms / group.length;
    return {
      category: category as z.infer<typeof LatencyCategory>,
      sub_category: label,
      event_count: group.length,
      sum_ms: round(sum_ms),
      sum_str: inWords(sum_ms),
      average_ms: round(average_ms),
      average_str: inWords(average_ms),
    };
  });
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

const inWords = (ms: number): string => (ms < 1000 ? `${round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);

/** `MM:SS`, from the first hour on `HH:MM:SS`. */
function offsetOf(start: string, at: string): string {
  const seconds = Math.max(0, Math.floor((Date.parse(at) - Date.parse(start)) / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor((seconds % 3600) / 60),
    seconds % 60,
  ];
  return hours > 0 ? `${two(hours)}:${two(minutes)}:${two(rest)}` : `${two(minutes)}:${two(rest)}`;
}
