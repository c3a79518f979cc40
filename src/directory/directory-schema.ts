import { z } from "zod";
import { boundedList, name, queryInteger, recordId, textMap, timestamp } from "../api/schema.ts";
import { normalizedRule, ruleIssues } from "./directory-rules.ts";

/** A telephone number or extension as people write it, or a SIP address. */
const NUMBER = /^([Ss][Ii][Pp][Ss]?:\S+|\+?\(?[0-9*#][0-9*#().\s-]*)$/;
export const directoryNumber = () => z.string().regex(NUMBER);

const rule = textMap().check(({ value, issues }) => {
  issues.push(...ruleIssues(value).map((issue) => ({ ...issue, input: value }) as z.core.$ZodRawIssue));
});

const DirectoryExtensionNumber = z
  .object({
    number: directoryNumber(),
    rules: z
      .array(rule)
      .max(1_000)
      .nullable()
      .default(null)
      .describe(
        "One of them has to hold; none means always. Keys, all optional: `language` (es, es-US), `days` (mo,we or mo-fr) or `date` (2026-12-24), `start_time` with `end_time` (09:00), `invert` (true: outside those days and times), `timezone`. Days and times may stand together under any key: `@hours mo-fr 09:00-17:00`.",
      ),
  })
  .meta({ id: "DirectoryExtensionNumber" });

const DirectoryExtension = z
  .object({
    name: z.string().describe("What the numbers are for, such as work."),
    numbers: boundedList(DirectoryExtensionNumber).nullable().default(null),
  })
  .meta({ id: "DirectoryExtension" });
type DirectoryExtension = z.infer<typeof DirectoryExtension>;

const contactTags = () => z.record(z.string(), boundedList(z.string()));

export const DirectoryMemberCreate = z
  .object({
    name: name(),
    type: name().describe("Such as Operator, Department or contact."),
    extensions: boundedList(DirectoryExtension).nullish(),
    contact_tags: contactTags().nullish(),
    comments: z.string().nullish().describe("On this change."),
  })
  .meta({ id: "DirectoryMemberCreate" });
export type DirectoryMemberInput = z.infer<typeof DirectoryMemberCreate>;

export const DirectoryMemberUpdate = DirectoryMemberCreate.extend({ id: recordId() }).meta({
  id: "DirectoryMemberUpdate",
});

export const DirectoryMemberRestore = z
  .object({ comments: z.string().default("Restored") })
  .meta({ id: "DirectoryMemberRestore" });

export const DirectoryMember = z
  .object({
    name: z.string(),
    type: z.string(),
    extensions: boundedList(DirectoryExtension).nullish(),
    contact_tags: contactTags().nullish(),
    comments: z.string().nullish(),
    id: z.int(),
    created_at: timestamp(),
    updated_at: timestamp(),
    deleted_at: timestamp().nullish(),
    last_updated_by: z.string().nullish(),
    created_by: z.string().nullish(),
  })
  .meta({ id: "DirectoryMember" });
export type DirectoryMember = z.infer<typeof DirectoryMember>;

/** How a member was after one change, the first being version 1. */
export const DirectoryMemberHistoryResponse = z
  .object({
    directory_member_id: z.int(),
    version: z.int(),
    timestamp: timestamp(),
    name: z.string(),
    type: z.string(),
    extensions: boundedList(DirectoryExtension),
    contact_tags: contactTags(),
    user_email: z.string(),
    comments: z.string().nullish(),
    operation: z.enum(["create", "update", "delete", "restore", "bulk_load"]).nullish(),
  })
  .meta({ id: "DirectoryMemberHistoryResponse" });
export type DirectoryMemberHistory = z.infer<typeof DirectoryMemberHistoryResponse>;
export type DirectoryOperation = NonNullable<DirectoryMemberHistory["operation"]>;

export const DirectoryMemberTestResponse = z
  .object({
    extension: z.string().nullable().describe("The number that is called."),
    status: z.string().nullable().describe("Why no number is called."),
  })
  .meta({ id: "DirectoryMemberTestResponse" });

/** Without a name: openapi.json would leave out the default and the description of a parameter that has one. */
const DirectoryResponseFormat = z.enum(["normalized", "raw"]);
type DirectoryResponseFormat = z.infer<typeof DirectoryResponseFormat>;

export const responseFormat = () =>
  DirectoryResponseFormat.default("normalized").describe(
    "`raw` shows rules as they are stored; `normalized` has no markers, and one spelling of days and times.",
  );

export const historyQuery = z.object({
  page: queryInteger({ min: 0 }).prefault(0),
  limit: queryInteger({ min: 1, max: 100 }).prefault(25),
  order_by_direction: z.enum(["asc", "desc"]).default("asc"),
  response_format: responseFormat(),
});

export function inFormat<T extends { extensions?: DirectoryExtension[] | null | undefined }>(
  member: T,
  format: DirectoryResponseFormat,
): T {
  if (format === "raw" || !member.extensions) return member;
  const extensions = member.extensions.map((extension) => ({
    ...extension,
    numbers:
      extension.numbers?.map((number) => ({
        ...number,
        rules: number.rules?.map((texts) => normalizedRule(texts)) ?? null,
      })) ?? null,
  }));
  return { ...member, extensions };
}
