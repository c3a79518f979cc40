import { z } from "zod";
import { file } from "../api/input/form.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, parseTimestamp, queryBoolean, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { LanguageCode } from "../speech/languages.ts";
import { readDirectoryFile } from "./directory-file.ts";
import { type LocalMoment, reachedNumber } from "./directory-rules.ts";
import {
  DirectoryMember,
  DirectoryMemberCreate,
  DirectoryMemberHistoryResponse,
  DirectoryMemberRestore,
  DirectoryMemberTestResponse,
  DirectoryMemberUpdate,
  historyQuery,
  inFormat,
  responseFormat,
} from "./directory-schema.ts";
import {
  findMember,
  historyList,
  insertMember,
  lockLiveMember,
  lockMember,
  memberList,
  memberNotFound,
  removeMember,
  replaceMember,
  restoreMember,
  selectMembers,
  selectVersions,
  upsertMembers,
} from "./directory-store.ts";

const MAX_FILE_bytes = 5 * 1024 * 1024;

const formatQuery = z.object({ response_format: responseFormat() });
const listQuery = list.listQuery(memberList).safeExtend({
  include_deleted: queryBoolean().prefault(false),
  response_format: responseFormat(),
});

export function directoryRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = "/api/v1/directory_members";
  const one = `${path}/:member_id`;
  const tag = "directory";
  const params = z.object({ member_id: recordId() });
  const noun = "Directory member";

  api.get(
    `${path}/`,
    {
      summary: "List directory members",
      tag,
      permission: "directory_read",
      query: listQuery,
      response: list.listOf(DirectoryMember),
    },
    async ({ caller, query }) => {
      const all = selectMembers(db, caller);
      const rows = query.include_deleted ? all : all.where("m.deleted_at", "is", null);
      const page = await list.listPage(db, rows, query, memberList);
      const items = page.items.map((member) => inFormat(member, query.response_format));
      return list.onlyFields({ ...page, items }, query.fields, DirectoryMember);
    },
  );

  api.post(
    `${path}/`,
    {
      summary: "Create a directory member",
      tag,
      permission: "directory_write",
      query: formatQuery,
      body: DirectoryMemberCreate,
      response: DirectoryMember,
    },
    ({ caller, query, body }) =>
      write(db, noun, async (tx) => {
        const after = await insertMember(tx, caller, clock.now(), body);
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: after.id, after });
        return inFormat(after, query.response_format);
      }),
  );

  api.put(
    `${path}/upload/`,
    {
      summary: "Create and replace directory members from a file",
      description:
        "A JSON list as the download gives it, or CSV with the columns name, type, extension, number, language, days, start_time, end_time and tags. Members are told apart by name and type. Of a file that is wrong anywhere nothing is stored.",
      tag,
      permission: "directory_write",
      form: { type: "multipart/form-data", max_file_bytes: MAX_FILE_bytes },
      body: z.object({ file: file() }).meta({ id: "Body_directory_member_bulk_load" }),
      response: z.object({ success: z.literal(true), created: z.int(), updated: z.int() }),
    },
    ({ caller, body }) => {
      const members = readDirectoryFile(body.file.bytes);
      return write(db, noun, async (tx) => {
        const after = await upsertMembers(tx, caller, clock.now(), members);
        await api.audit(tx, caller, { action: "bulk_load", resource: tag, resource_id: null, after });
        return { success: true, created: after.created.length, updated: after.updated.length };
      });
    },
  );

  api.get(
    `${path}/download/`,
    {
      summary: "Download all directory members",
      tag,
      permission: "directory_read",
      query: formatQuery,
      response: z.array(DirectoryMember),
    },
    async ({ caller, query, reply }) => {
      const members = await selectMembers(db, caller)
        .where("m.deleted_at", "is", null)
        .orderBy("m.id")
        .execute();
      reply.header("content-disposition", 'attachment; filename="directory.json"');
      return members.map((member) => inFormat(member, query.response_format));
    },
  );

  api.get(
    one,
    {
      summary: "Get a directory member",
      tag,
      permission: "directory_read",
      params,
      query: formatQuery,
      response: DirectoryMember,
    },
    async ({ caller, params, query }) =>
      inFormat(await findMember(db, caller, params.member_id), query.response_format),
  );

  api.put(
    one,
    {
      summary: "Update a directory member",
      tag,
      permission: "directory_write",
      params,
      query: formatQuery,
      body: DirectoryMemberUpdate,
      response: DirectoryMember,
    },
    ({ caller, params: { member_id }, query, body }) =>
      write(db, noun, async (tx) => {
        if (body.id !== member_id) throw invalid(["body", "id"], "id differs from the one in the path");
        const before = await lockLiveMember(tx, caller, member_id);
        const after = await replaceMember(tx, caller, clock.now(), member_id, body);
        await api.audit(tx, caller, {
          action: "update",
          resource: tag,
          resource_id: member_id,
          before,
          after,
        });
        return inFormat(after, query.response_format);
      }),
  );

  api.delete(
    one,
    {
      summary: "Delete a directory member",
      description: "It can be restored.",
      tag,
      permission: "directory_delete",
      params,
      query: z.object({ comment: z.string() }),
      response: Deleted,
    },
    ({ caller, params: { member_id }, query }) =>
      write(db, noun, async (tx) => {
        const before = await lockLiveMember(tx, caller, member_id);
        await removeMember(tx, caller, clock.now(), member_id, query.comment);
        await api.audit(tx, caller, { action: "delete", resource: tag, resource_id: member_id, before });
        return { success: true };
      }),
  );

  api.put(
    `${one}/restore`,
    {
      summary: "Restore a deleted directory member",
      tag,
      permission: "directory_write",
      params,
      query: formatQuery,
      body: DirectoryMemberRestore,
      response: DirectoryMember,
    },
    ({ caller, params: { member_id }, query, body }) =>
      write(db, noun, async (tx) => {
        const before = await lockMember(tx, caller, member_id);
        if (!before.deleted_at) {
          throw new Fault("conflict", `Directory member with ID ${member_id} is not deleted`);
        }
        const after = await restoreMember(tx, caller, clock.now(), before, body.comments);
        await api.audit(tx, caller, {
          action: "restore",
          resource: tag,
          resource_id: member_id,
          before,
          after,
        });
        return inFormat(after, query.response_format);
      }),
  );

  api.get(
    `${one}/history`,
    {
      summary: "List the versions of a directory member",
      description: "Deleted members keep theirs.",
      tag,
      permission: "directory_read",
      params,
      query: historyQuery,
      response: list.listOf(DirectoryMemberHistoryResponse),
    },
    async ({ caller, params: { member_id }, query: { response_format, ...query } }) => {
      const asked = { ...query, search_fields: [], search_field_values: [], fields: [] };
      const page = await list.listPage(db, selectVersions(db, caller, member_id), asked, historyList);
      if (page.total_count === 0) throw memberNotFound(member_id);
      return { ...page, items: page.items.map((version) => inFormat(version, response_format)) };
    },
  );

  api.get(
    `${one}/test`,
    {
      summary: "Preview which number of a directory member is called",
      description:
        "A timestamp without an offset is what the clock shows, whatever the time zone of a rule. With one it is a moment, seen in the time zone of each rule, or in UTC where a rule names none and an agent's would count.",
      tag,
      permission: "directory_read",
      params,
      query: z.object({ timestamp: z.string(), language_code: LanguageCode.nullish() }),
      response: DirectoryMemberTestResponse,
    },
    async ({ caller, params, query }) => {
      const wallClock = readWallClock(query.timestamp);
      const member = await findMember(db, caller, params.member_id);
      const language = query.language_code ?? null;
      const extension = reachedNumber(member.extensions ?? [], { wallClock, language });
      const status = extension === null ? "No extension matches the given time and language" : null;
      return { extension, status };
    },
  );
}

function readWallClock(text: string): LocalMoment["wallClock"] {
  const at = parseTimestamp(text);
  if (!at) throw invalid(["query", "timestamp"], "Input should be a valid datetime", "datetime_parsing");
  const instant = Temporal.Instant.fromEpochMilliseconds(at.getTime());
  const isMoment = /[T ].*(Z|[+-]\d{2}:?\d{2})$/i.test(text);
  return (timezone) => instant.toZonedDateTimeISO((isMoment && timezone) || "UTC").toPlainDateTime();
}
