import { z } from "zod";
import type { Db } from "../db/database.ts";

/** What was said and done, in order, as tools read it. */
export type Transcript = TranscriptEntry[];
export type TranscriptEntry =
  | { kind: "said"; role: string; text: string; start_time: string | number | null }
  | { kind: "called"; tool_name: string; arguments: unknown; result: unknown; error: string | null };

/** What is analysed: a session of ours, or a recording that was uploaded. */
export type AnalysisSubject = { session_id: number } | { upload_file_id: number };

/** The key under which `transcribe` leaves a recording's words. */
export const TRANSCRIPT_KEY = "transcript";

/** null for a recording that nothing has transcribed yet. */
export const loadTranscript = (db: Db, subject: AnalysisSubject): Promise<Transcript | null> =>
  "session_id" in subject ? ofSession(db, subject.session_id) : ofRecording(db, subject.upload_file_id);

async function ofSession(db: Db, session_id: number): Promise<Transcript> {
  const messages = await db
    .selectFrom("session_messages")
    .select(["seq", "role", "text", "timestamp"])
    .where("session_id", "=", session_id)
    // Bridge phrases fill a silence; they say nothing.
    .where("aside", "=", false)
    .execute();
  const calls = await db
    .selectFrom("session_tool_calls")
    .select(["seq", "tool_name", "arguments", "result", "error"])
    .where("session_id", "=", session_id)
    .execute();
  const entries = [
    ...messages.map(({ seq, role, text, timestamp }) => ({
      seq,
      entry: { kind: "said" as const, role, text, start_time: timestamp },
    })),
    ...calls.map(({ seq, ...call }) => ({ seq, entry: { kind: "called" as const, ...call } })),
  ];
  return entries.toSorted((a, b) => a.seq - b.seq).map(({ entry }) => entry);
}

const Words = z.array(
  z.object({
    role: z.string(),
    content: z.string(),
    start_time: z.union([z.string(), z.number()]).nullish(),
  }),
);

/** Index: insight_outputs_file. */
async function ofRecording(db: Db, upload_file_id: number): Promise<Transcript | null> {
  const found = await db
    .selectFrom("insight_outputs")
    .select("json_value")
    .where("upload_file_id", "=", upload_file_id)
    .where("insight_key", "=", TRANSCRIPT_KEY)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const words = Words.safeParse((found?.json_value as Record<string, unknown> | undefined)?.[TRANSCRIPT_KEY]);
  if (!words.success) return null;
  return words.data.map(({ role, content, start_time }) => ({
    kind: "said",
    role,
    text: content,
    start_time: start_time ?? null,
  }));
}

/** The newest value of each key that is known of a subject: `{{ insights.<key> }}` of a prompt. */
export async function loadInsights(db: Db, subject: AnalysisSubject): Promise<Record<string, unknown>> {
  const outputs = db.selectFrom("insight_outputs").select(["insight_key", "json_value"]).orderBy("id");
  const rows = await ("session_id" in subject
    ? outputs.where("session_id", "=", subject.session_id)
    : outputs.where("upload_file_id", "=", subject.upload_file_id)
  ).execute();
  return Object.fromEntries(
    rows.map(({ insight_key, json_value }) => [
      insight_key,
      (json_value as Record<string, unknown>)[insight_key],
    ]),
  );
}
