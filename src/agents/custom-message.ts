import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, type Creates } from "../api/resource.ts";
import {
  boundedList,
  isCalendarDate,
  isObject,
  name,
  recordId,
  timestamp,
  ValidationIssue,
} from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { type Db, json } from "../db/database.ts";
import { type Issue, toValidationIssue } from "../schemas/validation-issue.ts";
import { templateIssues } from "../tools/issues/template-issues.ts";
import { removePart } from "./agent-part.ts";
import { DAYS_OF_WEEK } from "./message-rules.ts";
import { type RecordJson, records } from "./record-json.ts";

const CustomMessageType = z.enum(["greeting", "email_template"]).meta({ id: "CustomMessageType" });

const timeOfDay = () =>
  z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .nullable()
    .default(null);

export const CustomMessageRule = z
  .object({
    description: z.string(),
    time_range_start: timeOfDay().describe("24-hour `hh:mm`; null: from midnight."),
    time_range_end: timeOfDay().describe(
      "The end is outside the range; not after the start, it is on the next day. Null: to midnight.",
    ),
    date: z
      .string()
      .regex(/^(19|20)\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/, { abort: true })
      .refine(isCalendarDate, { error: "Input should be a date that exists" })
      .nullable()
      .default(null),
    days_of_week: z
      .array(z.enum(DAYS_OF_WEEK).meta({ id: "DayOfWeek" }))
      .max(100)
      .nullable()
      .default(null),
    invert: z.boolean().describe("The rule holds outside its days and times."),
    text: z.string(),
  })
  .refine(
    ({ date, days_of_week }) =>
      typeof date !== "string" || !Array.isArray(days_of_week) || days_of_week.length === 0,
    {
      when: isObject,
      path: ["days_of_week"],
      error: "A rule has either a date or days_of_week, not both",
    },
  )
  .meta({ id: "CustomMessageRule" });

/** The menu of languages can't be part of what is said whatever the language. */
const LANGUAGE_MENU = /\{\{\s*language\.mode\s*\}\}/;

const fields = z.object({
  name: name(),
  type: CustomMessageType.default("greeting"),
  preamble: z
    .string()
    .refine((text) => !LANGUAGE_MENU.test(text), {
      error: "preamble must not contain {{ language.mode }}; put it into text",
    })
    .nullish(),
  text: z.string(),
  subject: z.string().nullish().describe("Of an email_template, which needs one; ignored on a greeting."),
  label: z.string().nullish(),
  repeat_after_language_change: z
    .boolean()
    .nullish()
    .describe("Null or omitted: false on create, what is stored on update."),
  rules: boundedList(CustomMessageRule).default([]),
});

type Typed = { type: string; subject?: string | null | undefined };

/** What is no text has a fault of its own. */
const hasSubject = ({ type, subject }: Typed): boolean =>
  type !== "email_template" || (subject != null && (typeof subject !== "string" || subject.trim() !== ""));
const subjectMissing = {
  when: isObject,
  path: ["subject"],
  error: "subject is required when type is email_template",
};

export const CustomMessageCreateRequest = fields
  .refine(hasSubject, subjectMissing)
  .meta({ id: "CustomMessageCreateRequest" });
const CustomMessageUpdateRequest = fields
  .extend({ id: recordId() })
  .refine(hasSubject, subjectMissing)
  .meta({ id: "CustomMessageUpdateRequest" });
type CustomMessageInput = z.infer<typeof CustomMessageCreateRequest>;
export type CreatesMessage = Creates<CustomMessageInput, CustomMessageResponse>;

export const CustomMessageResponse = z
  .object({
    name: z.string(),
    type: CustomMessageType,
    preamble: z.string().nullish(),
    text: z.string(),
    subject: z.string().nullish(),
    label: z.string().nullish(),
    repeat_after_language_change: z.boolean(),
    rules: boundedList(CustomMessageRule),
    id: z.int(),
    updated_at: timestamp(),
    agent_count: z.int().nullish(),
    last_updated_by: z.string(),
    validation_issues: z
      .array(ValidationIssue)
      .optional()
      .describe("What is doubtful, and after a save what it ignored."),
  })
  .meta({ id: "CustomMessageResponse" });
type CustomMessageResponse = z.infer<typeof CustomMessageResponse>;

/** What was sent and isn't stored. */
const leftOut = ({ type, subject }: CustomMessageInput): Issue[] =>
  type !== "email_template" && subject
    ? [
        {
          id: "subject-ignored",
          severity: "info",
          message: "Only e-mail templates have a subject: it was not stored.",
          path: ["subject"],
          value: subject,
        },
      ]
    : [];

type MessageTexts = Pick<CustomMessageResponse, "type" | "preamble" | "text" | "subject" | "rules">;

/** Templates that never have a value: what people hear has a gap. */
const unfilled = ({ type, preamble, text, subject, rules }: MessageTexts): Issue[] => [
  ...templateIssues(preamble ?? "", ["preamble"]),
  ...templateIssues(text, ["text"]),
  ...templateIssues((type === "email_template" && subject) || "", ["subject"]),
  ...rules.flatMap((rule, index) => templateIssues(rule.text, ["rules", index, "text"])),
];

/** The specification allows a rule without a text, and callers hear nothing of it while it holds. */
const silentRules = ({ rules }: MessageTexts): Issue[] =>
  rules.flatMap(({ text }, index) =>
    text.trim() === ""
      ? [
          {
            id: "rule-without-text",
            severity: "warning",
            message:
              "This rule has no text: while it applies, nothing is said in place of the message's text.",
            path: ["rules", index, "text"],
            value: text,
          },
        ]
      : [],
  );

const doubtful = (message: MessageTexts): Issue[] => [...silentRules(message), ...unfilled(message)];

export const messageIssues = (input: CustomMessageInput): Issue[] => [...leftOut(input), ...doubtful(input)];

const withIssues = (message: CustomMessageResponse, issues: Issue[]): CustomMessageResponse =>
  issues.length === 0
    ? message
    : {
        ...message,
        validation_issues: [...issues.map(toValidationIssue), ...(message.validation_issues ?? [])],
      };

export const messageFindings = (message: CustomMessageResponse): CustomMessageResponse =>
  withIssues(message, doubtful(message));

/** Without findings; `messageFindings` adds them. Index: agents_custom_message. */
export const customMessageJson: RecordJson<CustomMessageResponse> = (id) => sql`(
  select json_build_object(
    'name', this_message.name,
    'type', this_message.type,
    'preamble', this_message.preamble,
    'text', this_message.text,
    'subject', this_message.subject,
    'label', this_message.label,
    'repeat_after_language_change', this_message.repeat_after_language_change,
    'rules', this_message.rules,
    'id', this_message.id,
    'updated_at', this_message.updated_at,
    'agent_count', (
      select count(*) from agents this_user
      where this_user.custom_message_id = this_message.id and this_user.deleted_at is null),
    'last_updated_by', this_message.last_updated_by)
  from custom_messages this_message where this_message.id = ${sql.ref(id)})`;

const messageList: list.ListRules = {
  fields: {
    id: list.integer("m.id"),
    name: list.text("m.name"),
    name_exact: list.exact("m.name"),
    text: list.text("m.text"),
    label: list.text("m.label"),
    type: list.exact("m.type"),
    updated_at: list.time("m.updated_at"),
    agent_id: list.custom(
      (value) =>
        /^-?\d{1,15}$/.test(value.trim())
          ? sql<boolean>`exists (
              select from agents a
              where a.custom_message_id = m.id and a.deleted_at is null and a.id = ${Number(value)})`
          : { problem: "Input should be a valid integer" },
      sql`(select min(a.id) from agents a where a.custom_message_id = m.id and a.deleted_at is null)`,
    ),
  },
  time: "m.updated_at",
  order: [{ column: "m.id", direction: "asc" }],
};

const selectMessages = (db: Db, caller: Caller) =>
  db
    .selectFrom("custom_messages as m")
    .where("m.sub_organization_id", "=", caller.sub_organization_id)
    .where("m.deleted_at", "is", null)
    .select(customMessageJson("m.id").as("record"));

export function customMessageRoutes(
  api: Api,
  { db, clock }: { db: Db; clock: Clock },
): { create: CreatesMessage } {
  const values = (caller: Caller, input: CustomMessageInput, repeat: boolean) => ({
    name: input.name,
    type: input.type,
    preamble: input.preamble ?? null,
    text: input.text,
    subject: input.type === "email_template" ? input.subject || null : null,
    label: input.label ?? null,
    repeat_after_language_change: input.repeat_after_language_change ?? repeat,
    rules: json(input.rules),
    updated_at: clock.now().toISOString(),
    last_updated_by: caller.email,
  });

  return addResource(api, db, {
    path: "/api/v1/custom_messages",
    noun: "Custom message",
    id_name: "custom_message_id",
    tag: "custom_messages",
    permission: "custom_messages",
    record: CustomMessageResponse,
    create: CustomMessageCreateRequest,
    update: CustomMessageUpdateRequest,
    list: messageList,
    audited: ({ validation_issues: _, ...message }: CustomMessageResponse) => message,
    answered: (input: CustomMessageInput, stored: CustomMessageResponse) =>
      withIssues(stored, leftOut(input)),
    store: {
      async page(caller, query) {
        const page = records(await list.listPage(db, selectMessages(db, caller), query, messageList));
        return { ...page, items: page.items.map(messageFindings) };
      },
      async find(from, caller, id) {
        const found = await selectMessages(from, caller).where("m.id", "=", id).executeTakeFirst();
        return found && messageFindings(found.record);
      },
      async insert(tx, caller, input) {
        const { id } = await tx
          .insertInto("custom_messages")
          .values({ ...values(caller, input, false), sub_organization_id: caller.sub_organization_id })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      },
      async replace(tx, caller, input, before) {
        await tx
          .updateTable("custom_messages")
          .set(values(caller, input, before.repeat_after_language_change))
          .where("id", "=", input.id)
          .execute();
      },
      remove: (tx, caller, id, { reason }, before) =>
        removePart(tx, caller, clock, "custom_messages", { id, name: before.name, reason }),
    },
  });
}
