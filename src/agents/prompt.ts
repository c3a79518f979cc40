import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, type Creates } from "../api/resource.ts";
import { boundedList, name, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { type InputIssue, notFound } from "../base/errors.ts";
import { type Db, json } from "../db/database.ts";
import { isRecord } from "../expressions/member.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { errorsAt, refuseErrors } from "../schemas/validation-issue.ts";
import { type FollowsNames, removePart } from "./agent-part.ts";
import { promptHistoryRoutes, writePromptVersion } from "./prompt-history.ts";
import {
  type LlmOffer,
  llmIssues,
  offerAt,
  PromptLlmConfig,
  refuseLlm,
  supportedLlmRoutes,
} from "./prompt-llm.ts";
import { PromptResponse, promptFindings, promptJson, scriptIssues } from "./prompt-record.ts";
import { linkTools, toolsOfPrompt } from "./prompt-tools.ts";
import { records } from "./record-json.ts";

export const PromptCreateRequest = z
  .object({
    name: name(),
    description: z.string().nullish(),
    type: z.string().min(1),
    context: z.string().nullish(),
    tools: boundedList(z.string()).default([]).describe("Names, in the order the model sees them."),
    llm_config: PromptLlmConfig,
    session_end_enabled: z.boolean().default(false),
    session_end_tool_id: recordId().nullish(),
    edit_comments: z.string().nullish(),
    include_default_tools: z
      .boolean()
      .default(true)
      .describe(
        "Adds hangup, and set_current_language when an agent of this prompt changes language by speech. Say false on every update too, or they are added then.",
      ),
  })
  .meta({ id: "PromptCreateRequest" });
const PromptUpdateRequest = PromptCreateRequest.extend({ id: recordId() }).meta({
  id: "PromptUpdateRequest",
});
type PromptInput = z.infer<typeof PromptCreateRequest>;
export type CreatesPrompt = Creates<PromptInput, PromptResponse>;

const toolNames = sql`(
  select string_agg(t.name, ',' order by l.position)
  from prompt_tools l join tools t on t.id = l.tool_id where l.prompt_id = p.id)`;
const agentCount = sql`(select count(*) from agents a where a.prompt_id = p.id and a.deleted_at is null)`;

const promptList: list.ListRules = {
  fields: {
    id: list.integer("p.id"),
    name: list.text("p.name"),
    name_exact: list.exact("p.name"),
    description: list.text("p.description"),
    name_description: list.eitherText("p.name", "p.description"),
    context: list.text("p.context"),
    tools: list.custom(
      (value) => sql<boolean>`exists (
        select from prompt_tools l join tools t on t.id = l.tool_id
        where l.prompt_id = p.id and t.name ilike ${list.containing(value)})`,
      toolNames,
    ),
    llm_config: list.document("p.llm_config"),
    last_updated: list.time("p.last_updated"),
    last_updated_by: list.text("p.last_updated_by"),
    agent_count: list.custom(
      (value) =>
        /^\d{1,15}$/.test(value.trim())
          ? sql<boolean>`${agentCount} = ${Number(value)}`
          : { problem: "Input should be a valid integer" },
      agentCount,
    ),
    session_end_enabled: list.boolean("p.session_end_enabled"),
  },
  time: "p.last_updated",
  order: [{ column: "p.id", direction: "asc" }],
};

const selectPrompts = (db: Db, caller: Caller) =>
  db
    .selectFrom("prompts as p")
    .where("p.sub_organization_id", "=", caller.sub_organization_id)
    .where("p.deleted_at", "is", null)
    .select(promptJson("p.id").as("record"));

/** What is wrong with the model and the text of a prompt whose shape is wrong elsewhere. */
function errorsBeside(given: unknown, offer: LlmOffer): InputIssue[] {
  if (!isRecord(given)) return [];
  const config = PromptLlmConfig.safeParse(given.llm_config);
  const context = typeof given.context === "string" ? given.context : null;
  const issues = [
    ...(config.success ? llmIssues(config.data, offer) : []),
    ...scriptIssues(context, ["context"]),
  ];
  return errorsAt(issues, ["body"]);
}

type Deps = { db: Db; clock: Clock; catalogue: readonly LlmEntry[]; followNames: FollowsNames };

export function promptRoutes(
  api: Api,
  { db, clock, catalogue, followNames }: Deps,
): { create: CreatesPrompt } {
  const values = (caller: Caller, input: PromptInput) => ({
    name: input.name,
    description: input.description ?? null,
    type: input.type,
    context: input.context ?? null,
    llm_config: json(input.llm_config),
    session_end_enabled: input.session_end_enabled,
    session_end_tool_id: input.session_end_tool_id ?? null,
    edit_comments: input.edit_comments ?? null,
    last_updated: clock.now().toISOString(),
    last_updated_by: caller.email,
  });

  const refuseInput = ({ llm_config, context }: PromptInput): void => {
    refuseLlm(llm_config, offerAt(catalogue, clock));
    refuseErrors(scriptIssues(context, ["context"]), ["body"]);
  };

  const prompts = addResource(api, db, {
    path: "/api/v1/prompts",
    noun: "Prompt",
    id_name: "prompt_id",
    tag: "prompts",
    permission: "prompts",
    record: PromptResponse,
    create: PromptCreateRequest,
    update: PromptUpdateRequest,
    also_wrong: (given) => errorsBeside(given, offerAt(catalogue, clock)),
    list: promptList,
    audited: ({ tools_full, session_end_tool, ...own }: PromptResponse) => own,
    store: {
      async page(caller, query) {
        const page = records(await list.listPage(db, selectPrompts(db, caller), query, promptList));
        const offer = offerAt(catalogue, clock);
        return { ...page, items: page.items.map((prompt) => promptFindings(prompt, offer)) };
      },
      async find(from, caller, id) {
        const found = await selectPrompts(from, caller).where("p.id", "=", id).executeTakeFirst();
        return found && promptFindings(found.record, offerAt(catalogue, clock));
      },
      async insert(tx, caller, input) {
        refuseInput(input);
        const tools = await toolsOfPrompt(tx, caller, input, null);
        const { id } = await tx
          .insertInto("prompts")
          .values({ ...values(caller, input), sub_organization_id: caller.sub_organization_id })
          .returning("id")
          .executeTakeFirstOrThrow();
        await linkTools(tx, id, tools);
        await writePromptVersion(tx, id);
        return id;
      },
      async replace(tx, caller, input, before) {
        refuseInput(input);
        const tools = await toolsOfPrompt(tx, caller, input, input.id);
        // Counting up locks the row, so that two updates at once write two versions.
        const changed = await tx
          .updateTable("prompts")
          .set({ ...values(caller, input), version_number: sql`version_number + 1` })
          .where("id", "=", input.id)
          .where("deleted_at", "is", null)
          .returning("id")
          .executeTakeFirst();
        if (!changed) throw notFound("Prompt", input.id);
        await linkTools(tx, input.id, tools);
        await writePromptVersion(tx, input.id);
        if (input.name === before.name) return;
        const renamed = { id: input.id, from: before.name, to: input.name };
        await followNames(
          tx,
          { caller, at: clock.now(), audit: api.audit },
          { table: "prompts", ...renamed },
        );
      },
      async remove(tx, caller, id, { reason }, before) {
        await removePart(tx, caller, clock, "prompts", { id, name: before.name, reason });
        // Its tools may be deleted now; what it had stays in its versions.
        await linkTools(tx, id, []);
      },
    },
  });
  promptHistoryRoutes(api, { db });
  supportedLlmRoutes(api, { clock, catalogue });
  return prompts;
}
