import { sql } from "kysely";
import type { z } from "zod";
import { tryParseJson } from "../base/parse-json.ts";
import type { Db } from "../db/database.ts";
import type { RecordingStore } from "../sessions/recordings/recording-store.ts";
import { Lines, MAX_TEXT_BYTES, readTextTranscript, type Spoken, TEXT_TYPES } from "./text-transcript.ts";

/** What was said and done, in order, as tools read it. */
export type Transcript = TranscriptEntry[];
export type TranscriptEntry =
  | { kind: "said"; role: string; text: string; start_time: string | number | null }
  | {
      kind: "called";
      tool_name: string;
      arguments: unknown;
      result: unknown;
      error: string | null;
      start_time: string | number | null;
    };

/** The fields of an uploaded recording that tools read. */
export type RecordingFile = {
  object_key: string;
  media_type: string;
  size_bytes: number;
  /** In seconds, as the upload said; null: it did not. */
  duration: number | null;
};

/** What is analysed: a session of ours, or a recording that was uploaded. */
export type AnalysisSubject = { session_id: number } | { upload_file_id: number };

/** What tools look at; `file` is null for sessions, `transcript` for a recording that nothing has transcribed yet. */
export type Material = {
  transcript: Transcript | null;
  file: RecordingFile | null;
  /** It was deleted; there is nothing to look at. */
  gone?: boolean;
  /** Its file could not be read now, and why. */
  unreadable?: string;
};

/** The key under which `transcribe` leaves a recording's words. */
export const TRANSCRIPT_KEY = "transcript";

type RecordingFiles = Pick<RecordingStore, "open">;

export async function loadMaterial(
  db: Db,
  recordings: RecordingFiles,
  subject: AnalysisSubject,
): Promise<Material> {
  if ("upload_file_id" in subject) return loadRecording(db, recordings, subject.upload_file_id);
  const transcripts = await loadTranscripts(db, [subject.session_id]);
  return { transcript: transcripts.get(subject.session_id) ?? [], file: null };
}

/** By session; one without a word has none. Bridge phrases fill a silence and say nothing. Indexes: the tables' keys. */
export async function loadTranscripts(db: Db, session_ids: number[]): Promise<Map<number, Transcript>> {
  if (session_ids.length === 0) return new Map();
  const [messages, calls] = await Promise.all([
    db
      .selectFrom("session_messages")
      .select(["session_id", "seq", "role", "text", "timestamp"])
      .where(sql<boolean>`session_id = any(${session_ids}::bigint[])`)
      .where("aside", "=", false)
      .execute(),
    db
      .selectFrom("session_tool_calls")
      .select(["session_id", "seq", "tool_name", "arguments", "result", "error", "timestamp"])
      .where(sql<boolean>`session_id = any(${session_ids}::bigint[])`)
      .execute(),
  ]);
  const entries = [
    ...messages.map(({ session_id, seq, role, text, timestamp }) => ({
      session_id,
      seq,
      entry: { kind: "said" as const, role, text, start_time: timestamp },
    })),
    ...calls.map(({ session_id, seq, timestamp, ...call }) => ({
      session_id,
      seq,
      entry: { kind: "called" as const, ...call, start_time: timestamp },
    })),
  ];
  const transcripts = new Map<number, Transcript>();
  for (const { session_id, entry } of entries.toSorted((a, b) => a.seq - b.seq)) {
    const transcript = transcripts.get(session_id);
    if (transcript) transcript.push(entry);
    else transcripts.set(session_id, [entry]);
  }
  return transcripts;
}

/** Its words as the last transcription left them, else as they were uploaded. Index: insight_outputs_file. */
async function loadRecording(db: Db, recordings: RecordingFiles, upload_file_id: number): Promise<Material> {
  const file = await db
    .selectFrom("insight_files")
    .select(["object_key", "media_type", "size_bytes", "duration", "deleted_at"])
    .where("id", "=", upload_file_id)
    .executeTakeFirstOrThrow();
  if (file.deleted_at !== null) return { transcript: null, file, gone: true };
  const found = await db
    .selectFrom("insight_outputs")
    .select("json_value")
    .where("upload_file_id", "=", upload_file_id)
    .where("insight_key", "=", TRANSCRIPT_KEY)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const words = Lines.safeParse(
    jsonOf((found?.json_value as Record<string, unknown> | undefined)?.[TRANSCRIPT_KEY]),
  );
  if (words.success) return { transcript: asTranscript(words.data), file };
  const spoken = TEXT_TYPES.has(file.media_type) ? await readUploaded(recordings, file) : null;
  return { transcript: spoken && asTranscript(spoken), file };
}

/** A list stands in json_value as its JSON text. */
const jsonOf = (stored: unknown): unknown => (typeof stored === "string" ? tryParseJson(stored) : stored);

async function readUploaded(recordings: RecordingFiles, file: RecordingFile): Promise<Spoken[] | null> {
  if (file.size_bytes > MAX_TEXT_BYTES) return null;
  const opened = await recordings.open(file.object_key);
  if (!opened) return null;
  const text = Buffer.concat(await opened.stream().toArray()).toString("utf8");
  return readTextTranscript(text, file.media_type);
}

export const asTranscript = (words: z.infer<typeof Lines>): Transcript =>
  words.map(({ role, content, start_time }) => ({
    kind: "said",
    role,
    text: content,
    start_time: start_time ?? null,
  }));

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
