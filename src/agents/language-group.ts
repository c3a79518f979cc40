import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, type Creates } from "../api/resource.ts";
import { isObject, name, recordId, timestamp, ValidationIssue } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { type Db, json } from "../db/database.ts";
import { toValidationIssue } from "../schemas/validation-issue.ts";
import { LanguageConfig, LanguageConfigs, voiceIssues } from "../speech/language-config.ts";
import { removePart } from "./agent-part.ts";
import { type RecordJson, records } from "./record-json.ts";

const fields = z.object({
  name: name(),
  description: z.string().nullish(),
  language_configs: LanguageConfigs,
  skip_current_language_in_message: z
    .boolean()
    .optional()
    .describe(
      "Whether the menu in a message leaves out the language being spoken. Required, unless every language says it for itself.",
    ),
});

/** Public descriptions of the API disagree on whether the flag is the group's or each language's; either place will do. */
const saysWhatToSkip = (group: Partial<z.infer<typeof fields>> | undefined): boolean =>
  group?.skip_current_language_in_message !== undefined ||
  (Array.isArray(group?.language_configs) &&
    group.language_configs.length > 0 &&
    group.language_configs.every((config) => config?.skip_current_language_in_message != null));
const skipMissing = {
  when: isObject,
  path: ["skip_current_language_in_message"],
  error: "Field required",
  params: { type: "missing" },
};

export const VoiceGroupCreateRequest = fields
  .refine(saysWhatToSkip, skipMissing)
  .meta({ id: "VoiceGroupCreateRequest" });
const VoiceGroupUpdateRequest = fields
  .extend({ id: recordId(), edit_comments: z.string().nullish() })
  .refine(saysWhatToSkip, skipMissing)
  .meta({ id: "VoiceGroupUpdateRequest" });
type LanguageGroupInput = z.infer<typeof fields> & { edit_comments?: string | null | undefined };

export const LanguageGroupResponse = z
  .object({
    name: z.string(),
    description: z.string().nullish(),
    language_configs: z.array(LanguageConfig),
    skip_current_language_in_message: z.boolean(),
    id: z.int(),
    edit_comments: z.string().nullish(),
    agents_info: z
      .array(z.object({ id: z.int(), name: z.string() }).meta({ id: "LanguageGroupAgentInfo" }))
      .nullish(),
    updated_at: timestamp(),
    last_updated_by: z.string(),
    validation_issues: z.array(ValidationIssue).nullish(),
  })
  .meta({ id: "LanguageGroupResponse" });
export type LanguageGroupResponse = z.infer<typeof LanguageGroupResponse>;

/** Without findings; `languageGroupFindings` adds them. Index: agents_language_group. */
export const languageGroupJson: RecordJson<LanguageGroupResponse> = (id) => sql`(
  select json_build_object(
    'name', this_group.name,
    'description', this_group.description,
    'language_configs', this_group.language_configs,
    'skip_current_language_in_message', this_group.skip_current_language_in_message,
    'id', this_group.id,
    'edit_comments', this_group.edit_comments,
    'agents_info', (
      select coalesce(json_agg(json_build_object('id', this_user.id, 'name', this_user.name) order by this_user.id), '[]')
      from agents this_user
      where this_user.language_group_id = this_group.id and this_user.deleted_at is null),
    'updated_at', this_group.updated_at,
    'last_updated_by', this_group.last_updated_by,
    'validation_issues', null)
  from language_groups this_group where this_group.id = ${sql.ref(id)})`;

export const languageGroupFindings = (group: LanguageGroupResponse): LanguageGroupResponse => ({
  ...group,
  validation_issues: voiceIssues(group.language_configs).map(toValidationIssue),
});

const groupList: list.ListRules = {
  fields: {
    name: list.text("g.name"),
    description: list.text("g.description"),
    skip_current_language_in_message: list.boolean("g.skip_current_language_in_message"),
    updated_at: list.time("g.updated_at"),
    last_updated_by: list.text("g.last_updated_by"),
  },
  time: "g.updated_at",
  order: [{ column: "g.id", direction: "asc" }],
};

const selectGroups = (db: Db, caller: Caller) =>
  db
    .selectFrom("language_groups as g")
    .where("g.sub_organization_id", "=", caller.sub_organization_id)
    .where("g.deleted_at", "is", null)
    .select(languageGroupJson("g.id").as("record"));

/** "Voice group" is the present name of what was called a language group; both paths lead to the same records. */
const NAMES = [
  { path: "/api/v1/voice_groups", noun: "Voice group", id_name: "voice_group_id", deprecated: false },
  { path: "/api/v1/language_groups", noun: "Language group", id_name: "language_group_id", deprecated: true },
];

export type CreatesLanguageGroup = Creates<LanguageGroupInput, LanguageGroupResponse>;

export function languageGroupRoutes(
  api: Api,
  { db, clock }: { db: Db; clock: Clock },
): { create: CreatesLanguageGroup } {
  const values = (caller: Caller, input: LanguageGroupInput, storedSkip: boolean | null) => {
    const skips = skipFlags(input, storedSkip);
    const configs = input.language_configs.map((config, index) => ({
      ...config,
      skip_current_language_in_message: skips.configs[index],
    }));
    return {
      name: input.name,
      description: input.description ?? null,
      language_configs: json(configs),
      skip_current_language_in_message: skips.group,
      edit_comments: input.edit_comments ?? null,
      updated_at: clock.now().toISOString(),
      last_updated_by: caller.email,
    };
  };

  const [groups] = NAMES.map((name) =>
    addResource(api, db, {
      ...name,
      tag: "language_groups",
      permission: "language_groups",
      record: LanguageGroupResponse,
      create: VoiceGroupCreateRequest,
      update: VoiceGroupUpdateRequest,
      list: groupList,
      store: {
        async page(caller, query) {
          const page = records(await list.listPage(db, selectGroups(db, caller), query, groupList));
          return { ...page, items: page.items.map(languageGroupFindings) };
        },
        async find(from, caller, id) {
          const found = await selectGroups(from, caller).where("g.id", "=", id).executeTakeFirst();
          return found && languageGroupFindings(found.record);
        },
        async insert(tx, caller, input) {
          const { id } = await tx
            .insertInto("language_groups")
            .values({ ...values(caller, input, null), sub_organization_id: caller.sub_organization_id })
            .returning("id")
            .executeTakeFirstOrThrow();
          return id;
        },
        async replace(tx, caller, input, before) {
          await tx
            .updateTable("language_groups")
            .set(values(caller, input, before.skip_current_language_in_message))
            .where("id", "=", input.id)
            .execute();
        },
        remove: (tx, caller, id, { reason }, before) =>
          removePart(tx, caller, clock, "language_groups", { id, name: before.name, reason }),
      },
    }),
  );
  return groups as { create: CreatesLanguageGroup };
}

/**
 * A language's own flag wins over the group's. But answers carry both, so a client that changes the group's and sends
 * everything back says the old one for each language: a flag equal to what the group had is such an echo.
 */
function skipFlags(
  input: Pick<LanguageGroupInput, "language_configs" | "skip_current_language_in_message">,
  stored: boolean | null,
): { group: boolean; configs: boolean[] } {
  const own = input.language_configs.map((config) => config.skip_current_language_in_message ?? null);
  const group = input.skip_current_language_in_message;
  if (group === undefined) {
    return { group: own.every((flag) => flag === true), configs: own.map((flag) => flag ?? false) };
  }
  return { group, configs: own.map((flag) => (flag === null || flag === stored ? group : flag)) };
}
