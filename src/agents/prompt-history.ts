import { sql } from "kysely";
import { z } from "zod";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { PromptLlmConfig } from "./prompt-llm.ts";

/** Every write of a prompt leaves a version behind; agents may pin one, and a session keeps the one it started with. */

const LinkedTool = z
  .object({
    tool_id: z.int(),
    current_tool_name: z.string(),
    out_of_date: z.boolean().describe("The tool has changed since this version of the prompt."),
    deleted: z.boolean(),
  })
  .meta({ id: "PromptHistoryLinkedTool" });

const PromptHistory = z
  .object({
    timestamp: timestamp(),
    prompt_id: z.string(),
    version_number: z.int(),
    prompt_text: z.string(),
    prompt_description: z.string().nullish(),
    prompt_name: z.string(),
    llm_config: PromptLlmConfig.nullish(),
    comments: z.string().nullish(),
    user_email: z.string(),
    linked_tools: z.array(LinkedTool),
    session_end_tool: LinkedTool.nullish(),
    is_pre_enhancements: z.boolean().describe("Older than the tracking of tools; never so here."),
  })
  .meta({ id: "PromptHistory" });
type PromptHistory = z.infer<typeof PromptHistory>;

/** Writes the prompt as it stands in this transaction, with the tools it has and their versions. */
export async function writePromptVersion(tx: Tx, prompt_id: number): Promise<void> {
  await sql`
    insert into prompt_versions (
      prompt_id, version_number, timestamp, prompt_name, prompt_description, prompt_text, llm_config,
      session_end_enabled, tools, session_end_tool, comments, user_email)
    select
      p.id, p.version_number, p.last_updated, p.name, p.description, p.context, p.llm_config,
      p.session_end_enabled,
      (select coalesce(
          json_agg(json_build_object('tool_id', t.id, 'version_number', t.version_number) order by link.position),
          '[]')
        from prompt_tools link join tools t on t.id = link.tool_id
        where link.prompt_id = p.id),
      (select json_build_object('tool_id', t.id, 'version_number', t.version_number)
        from tools t where t.id = p.session_end_tool_id),
      p.edit_comments, p.last_updated_by
    from prompts p where p.id = ${prompt_id}
  `.execute(tx);
}

/** What became of a tool that a version names in `tool`, a json of {tool_id, version_number}. */
const linkedTool = sql`json_build_object(
  'tool_id', t.id,
  'current_tool_name', t.name,
  'out_of_date', t.version_number > (link.tool ->> 'version_number')::bigint,
  'deleted', t.deleted_at is not null)`;

export function promptHistoryRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/prompts/:prompt_id/history",
    {
      summary: "List the versions of a prompt, the latest first",
      tag: "prompts",
      permission: "prompts_read",
      params: z.object({ prompt_id: recordId() }),
      response: z.array(PromptHistory),
    },
    async ({ caller, params }) => {
      const { rows } = await sql<PromptHistory>`
        select
          v.timestamp, v.prompt_id::text as prompt_id, v.version_number, coalesce(v.prompt_text, '') as prompt_text,
          v.prompt_description, v.prompt_name, v.llm_config, v.comments, v.user_email,
          (select coalesce(json_agg(${linkedTool} order by link.position), '[]')
            from json_array_elements(v.tools) with ordinality link (tool, position)
            join tools t on t.id = (link.tool ->> 'tool_id')::bigint) as linked_tools,
          (select ${linkedTool}
            from (select v.session_end_tool) link (tool)
            join tools t on t.id = (link.tool ->> 'tool_id')::bigint) as session_end_tool,
          false as is_pre_enhancements
        from prompts p join prompt_versions v on v.prompt_id = p.id
        where p.id = ${params.prompt_id} and p.sub_organization_id = ${caller.sub_organization_id} and p.deleted_at is null
        order by v.version_number desc
      `.execute(db);
      if (rows.length === 0) throw notFound("Prompt", params.prompt_id);
      return rows;
    },
  );
}
