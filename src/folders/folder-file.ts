import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Storage } from "../accounts/storage.ts";
import type { Caller } from "../api/caller.ts";
import { file, fileName, refuseLeft } from "../api/input/form.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, inputTimestamp, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { errorText, Fault, invalid } from "../base/errors.ts";
import { tryParseJson } from "../base/parse-json.ts";
import { keyForFiles } from "../data-keys/data-keys.ts";
import type { Db } from "../db/database.ts";
import { textType } from "../insights/text-transcript.ts";
import { enqueue } from "../jobs/define-job.ts";
import type { RecordingStore, Saved } from "../sessions/recordings/recording-store.ts";
import { RECORDING_TYPES } from "../sessions/recordings/recording-type.ts";
import { FOLDERS, findFolder, folderParams } from "./folder.ts";
import {
  fileList,
  insertFile,
  moveFiles,
  pageOfFiles,
  type Recording,
  refuseKnownCall,
  removeFile,
} from "./folder-file-store.ts";
import { InsightsFolderFileMove, InsightsUploadFile } from "./folder-schema.ts";
import { removeRecording, removeUnlisted, UNLISTED_AFTER_ms } from "./remove-recording.ts";

/** Six hours of a call as MP3, half an hour as uncompressed stereo. */
const MAX_FILE_bytes = 200 * 1024 * 1024;

const text = () => z.string().max(255).nullish();

const seconds = z.preprocess(
  (value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value),
  z.number().min(0),
);

/** The map comes as a text, since a query string has no maps. */
const metadata = z.string().transform((given, context): Record<string, string | number> => {
  const flat = z.record(z.string(), z.union([z.string(), z.number()])).safeParse(tryParseJson(given));
  if (flat.success) return flat.data;
  context.addIssue({
    code: "custom",
    message: "Input should be a JSON object of texts and numbers",
    params: { type: "json_invalid" },
  });
  return z.NEVER;
});

const UploadQuery = z
  .object({
    call_id: z.string().min(1).max(255).describe("Your own name of the call; no two recordings share one."),
    agent_number: text(),
    customer_number: text(),
    start_time: inputTimestamp().nullish(),
    end_time: inputTimestamp().nullish(),
    duration: seconds.nullish().describe("In seconds; without it, the time from start_time to end_time."),
    metadata: metadata.nullish().describe('A JSON object of texts and numbers: {"queue": "billing"}'),
  })
  .superRefine(({ start_time, end_time }, context) => {
    if (start_time == null || end_time == null || start_time <= end_time) return;
    const message = "Input should not be before start_time";
    context.addIssue({ code: "custom", path: ["end_time"], message });
  });

type Deps = { db: Db; clock: Clock; vault: Vault; recordings: RecordingStore; storage: Storage };

export function folderFileRoutes(api: Api, { db, clock, vault, recordings, storage }: Deps): void {
  const tag = "insights";

  api.post(
    `${FOLDERS}/:folder_id/upload-file`,
    {
      summary: "Upload a recording into a folder",
      description: `${RECORDING_TYPES}, at most ${MAX_FILE_bytes / 1024 / 1024} MB; or a transcript as .json, .vtt, .srt or .txt. Active workflows over the folder analyse it.`,
      tag,
      permission: "insights_write",
      params: folderParams,
      query: UploadQuery,
      body: z.object({ file: file().optional() }),
      form: { type: "multipart/form-data", streamed: true },
      response: InsightsUploadFile,
    },
    async ({ caller, params, query, request }) => {
      const folder = await findFolder(db, caller, params.folder_id);
      // Before the bytes are taken in; the unique index decides when two come at once.
      await refuseKnownCall(db, caller, query.call_id);
      await storage.admit(db, caller.sub_organization_id, Number(request.headers["content-length"] ?? 0));
      const { filename, saved } = await receive(request, caller, query.call_id);
      try {
        return await write(db, "File", async (tx) => {
          const recording = { filename, ...described(query) };
          const after = await insertFile(tx, { caller, at: clock.now() }, folder.id, recording, saved);
          const resource_id = after.id;
          await api.audit(tx, caller, { action: "create", resource: "insight_files", resource_id, after });
          return after;
        });
      } catch (error) {
        await recordings.remove(saved.object_key);
        throw error;
      }
    },
  );

  api.get(
    `${FOLDERS}/:folder_id/files`,
    {
      summary: "List the recordings of a folder",
      description: `Oldest first. ${list.LONG}`,
      tag,
      permission: "insights_read",
      params: folderParams,
      query: list.listQuery(fileList),
      response: list.listOf(InsightsUploadFile),
    },
    async ({ caller, params, query }) => {
      const folder = await findFolder(db, caller, params.folder_id);
      return list.onlyFields(
        await pageOfFiles(db, caller, folder.id, query),
        query.fields,
        InsightsUploadFile,
      );
    },
  );

  api.post(
    `${FOLDERS}/:folder_id/move-files`,
    {
      summary: "Move recordings to another folder",
      tag,
      permission: "insights_write",
      params: folderParams,
      body: InsightsFolderFileMove,
      response: z.array(InsightsUploadFile),
    },
    ({ caller, params, body }) =>
      write(db, "File", async (tx) => {
        const { destination_folder_id: to, file_id_list: ids } = body;
        const files = await moveFiles(tx, caller, { from: params.folder_id, to, ids });
        await api.audit(tx, caller, {
          action: "move-files",
          resource: "insight_folders",
          resource_id: params.folder_id,
          after: body,
        });
        return files;
      }),
  );

  api.delete(
    `${FOLDERS}/:folder_id/files/:file_id`,
    {
      summary: "Delete a recording",
      description:
        "Its sound, a moment later, and its transcript are removed for good; what else tools found in it stays.",
      tag,
      permission: "insights_delete",
      params: folderParams.extend({ file_id: recordId() }),
      response: Deleted,
    },
    ({ caller, params }) =>
      write(db, "File", async (tx) => {
        const { folder_id, file_id } = params;
        const before = await removeFile(tx, { caller, at: clock.now() }, folder_id, file_id);
        const resource_id = before.id;
        await api.audit(tx, caller, { action: "delete", resource: "insight_files", resource_id, before });
        await enqueue(tx, removeRecording, { object_key: before.object_key });
        return { success: true };
      }),
  );

  async function receive(request: FastifyRequest, { sub_organization_id }: Caller, call_id: string) {
    const missing = invalid(["body", "file"], "Field required", "missing");
    if (!request.isMultipart()) throw missing;
    refuseLeft(request);
    const limits = { fileSize: MAX_FILE_bytes };
    const part = await request.file({ limits, throwFileSizeLimit: false }).catch(brokenForm);
    if (part?.fieldname !== "file") throw missing;
    const filename = fileName(part) || "recording";
    const at = clock.now();
    const stem = recordings.newStem({ sub_organization_id, at });
    const run_at = new Date(at.getTime() + UNLISTED_AFTER_ms);
    const unlisted = { sub_organization_id, call_id, stem };
    await db.transaction().execute((tx) => enqueue(tx, removeUnlisted, unlisted, { run_at }));
    const key = await keyForFiles({ db, vault }, sub_organization_id);
    const saved = await recordings.save(part.file, stem, { text: textType(filename), key }).catch(brokenForm);
    if (part.file.truncated) {
      if (saved.kind === "saved") await recordings.remove(saved.object_key);
      throw new Fault("too-large", `The recording is larger than ${MAX_FILE_bytes / 1024 / 1024} MB.`);
    }
    return { filename: filename.slice(-255), saved: accepted(saved) };
  }
}

function accepted(saved: Saved): Extract<Saved, { kind: "saved" }> {
  if (saved.kind === "saved") return saved;
  throw invalid(
    ["body", "file"],
    `Input should be a recording: ${RECORDING_TYPES}; or a transcript in UTF-8, named .json, .vtt, .srt or .txt`,
  );
}

/** A form that breaks off is the sender's; a full disk is ours. */
function brokenForm(error: unknown): never {
  const broken = /terminated early|multipart|closed before|premature close/i.test(errorText(error));
  throw broken ? invalid(["body", "file"], "The form ends before its file does", "value_error") : error;
}

function described(query: z.output<typeof UploadQuery>): Omit<Recording, "filename"> {
  const { start_time = null, end_time = null } = query;
  const between_s = start_time && end_time ? (Date.parse(end_time) - Date.parse(start_time)) / 1000 : null;
  return {
    call_id: query.call_id,
    agent_number: query.agent_number ?? null,
    customer_number: query.customer_number ?? null,
    duration: query.duration ?? between_s,
    start_time,
    end_time,
    metadata: query.metadata ?? null,
  };
}
