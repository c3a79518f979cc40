import { sql } from "kysely";
import type { Caller, Stamp } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, isUniqueViolation, jsonOrNull, type Tx } from "../db/database.ts";
import { queueExecutions } from "../executions/queue.ts";
import { runInsights } from "../executions/run-insights.ts";
import { inSpan, meets } from "../insights/conditions.ts";
import { refuseUnknown } from "../insights/held-rows.ts";
import { TRANSCRIPT_KEY } from "../insights/transcript.ts";
import { shareFolders, shareUploads, type Workflow } from "../insights/workflow-store.ts";
import { enqueue } from "../jobs/define-job.ts";
import type { Saved } from "../sessions/recordings/recording-store.ts";
import type { InsightsUploadFile } from "./folder-schema.ts";

export const fileList: list.ListRules = {
  fields: {
    filename: list.wholeBeforePart("f.filename"),
    filename_exact: list.exact("f.filename"),
    call_id: list.wholeBeforePart("f.call_id"),
    agent_number: list.read(list.text("f.agent_number")),
    customer_number: list.wholeBeforePart("f.customer_number"),
    duration: list.read(list.number("f.duration")),
    start_time: list.read(list.time("f.start_time")),
    end_time: list.read(list.time("f.end_time")),
    created_at: list.time("f.created_at"),
  },
  time: "f.created_at",
  order: [
    { column: "f.created_at", direction: "asc" },
    { column: "f.id", direction: "asc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

/** Indexes: insight_files_folder, _name, _call, _customer. */
const selectFiles = (db: Db, caller: Caller) =>
  db
    .selectFrom("insight_files as f")
    .where("f.sub_organization_id", "=", caller.sub_organization_id)
    .where("f.deleted_at", "is", null)
    .select([
      "f.id",
      "f.folder_id",
      "f.filename",
      "f.object_key",
      "f.call_id",
      "f.agent_number",
      "f.customer_number",
      "f.duration",
      "f.start_time",
      "f.end_time",
      "f.error_message",
      "f.metadata",
      "f.created_at",
    ])
    .$castTo<InsightsUploadFile>();

export const pageOfFiles = (db: Db, caller: Caller, folder_id: number, query: list.ListQuery) =>
  list.listPage(db, selectFiles(db, caller).where("f.folder_id", "=", folder_id), query, fileList);

/** What is told of a recording, beside its bytes. */
export type Recording = {
  filename: string;
  call_id: string;
  agent_number: string | null;
  customer_number: string | null;
  duration: number | null;
  start_time: string | null;
  end_time: string | null;
  metadata: Record<string, string | number> | null;
};

type SavedFile = Extract<Saved, { kind: "saved" }>;

/** Index: insight_files_call. */
export async function refuseKnownCall(db: Db, caller: Caller, call_id: string): Promise<void> {
  const known = await db
    .selectFrom("insight_files")
    .select("id")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("call_id", "=", call_id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (known) throw knownCall(call_id);
}

const knownCall = (call_id: string): Fault =>
  new Fault("refused", `A recording with call_id "${call_id}" was uploaded before.`);

/** The row of a recording whose bytes are on disk, and work for the active workflows that want it. */
export async function insertFile(
  tx: Tx,
  { caller, at }: Stamp,
  folder_id: number,
  recording: Recording,
  { object_key, size_bytes, type }: SavedFile,
): Promise<InsightsUploadFile> {
  const active = await shareUploads(tx, caller, folder_id);
  await shareFolders(tx, caller, [folder_id]);
  const { id } = await tx
    .insertInto("insight_files")
    .values({
      ...recording,
      metadata: jsonOrNull(recording.metadata),
      sub_organization_id: caller.sub_organization_id,
      folder_id,
      object_key,
      media_type: type.media_type,
      size_bytes,
      created_at: at.toISOString(),
    })
    .returning("id")
    .executeTakeFirstOrThrow()
    .catch((error) => {
      throw isUniqueViolation(error, "insight_files_call") ? knownCall(recording.call_id) : error;
    });
  const wanting = active.filter((workflow) => wants(workflow, { ...recording, id, folder_id }, at));
  const queued = await queueExecutions(tx, wanting, [id], { cause: "upload", at });
  if (queued > 0) await enqueue(tx, runInsights, {});
  return selectFiles(tx, caller).where("f.id", "=", id).executeTakeFirstOrThrow();
}

function wants(workflow: Workflow, file: Recording & { id: number; folder_id: number }, at: Date): boolean {
  const subject = {
    id: file.id,
    duration_s: file.duration,
    agents: file.agent_number === null ? [] : [file.agent_number],
    prompts: [],
    folder_id: file.folder_id,
  };
  return inSpan(workflow, at) && meets(workflow, subject);
}

/** All or none: an id that is not in the folder is a 404. */
export async function moveFiles(
  tx: Tx,
  caller: Caller,
  move: { from: number; to: number; ids: number[] },
): Promise<InsightsUploadFile[]> {
  await shareFolders(tx, caller, [move.from]);
  await shareFolders(tx, caller, [move.to]);
  const ids = [...new Set(move.ids)];
  const moved = await tx
    .updateTable("insight_files")
    .set({ folder_id: move.to })
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("folder_id", "=", move.from)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .returning("id")
    .execute();
  refuseUnknown("File", ids, moved);
  return selectFiles(tx, caller).where(sql<boolean>`f.id = any(${ids}::bigint[])`).orderBy("f.id").execute();
}

/** The row stays for what was found; its words go. Lock: the recording's row. */
export async function removeFile(
  tx: Tx,
  { caller, at }: Stamp,
  folder_id: number,
  id: number,
): Promise<InsightsUploadFile> {
  const before = await selectFiles(tx, caller)
    .where("f.folder_id", "=", folder_id)
    .where("f.id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!before) throw notFound("File", id);
  await tx.updateTable("insight_files").set({ deleted_at: at.toISOString() }).where("id", "=", id).execute();
  await tx
    .deleteFrom("insight_outputs")
    .where("upload_file_id", "=", id)
    .where("insight_key", "=", TRANSCRIPT_KEY)
    .execute();
  return before;
}
