import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { type Creates, write } from "../api/resource.ts";
import { Deleted, name, recordId, timestamp, ValidationIssue } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Db, Tx } from "../db/database.ts";
import { knownSources } from "../knowledge/data-source-names.ts";
import { type Issue, refuseErrors, toValidationIssue } from "../schemas/validation-issue.ts";
import { definitionErrors } from "./issues/definition-alone.ts";
import { sourcesOfTool } from "./issues/source-issues.ts";
import { mentionedNames, toolIssues } from "./issues/tool-issues.ts";
import { mcpSurroundings } from "./mcp/mcp-listing.ts";
import { type FollowsToolName, renamedInUse, type WatchesTools } from "./renamed-tool.ts";
import { requireServiceHost } from "./service-hosts.ts";
import { ToolDefinition, toolFields } from "./tool-definition.ts";
import { toolHistoryRoutes } from "./tool-history.ts";
import {
  holdTool,
  insertTool,
  MAX_USERS_IN_LIST,
  namesInUse,
  removeTool,
  replaceTool,
  requireService,
  selectToolRows,
  type ToolInput,
  type ToolRow,
  toolNotFound,
} from "./tool-store.ts";

export const ToolCreateRequest = z
  .object({
    name: name().regex(/^\S*$/).describe("No whitespace. An endpoint tool's function has the same name."),
    definition: ToolDefinition,
    service_id: recordId().describe("The service that the tool's calls authenticate with."),
  })
  .meta({ id: "ToolCreateRequest" });
const ToolUpdateRequest = ToolCreateRequest.extend({
  id: recordId(),
  last_updated_comments: z.string().nullish(),
}).meta({ id: "ToolUpdateRequest" });

const ToolPromptInfo = z.object({ id: z.int(), name: z.string() }).meta({ id: "ToolPromptInfo" });
const ToolAgentInfo = z.object({ id: z.int(), name: z.string() }).meta({ id: "ToolAgentInfo" });

export const ToolResponse = z
  .object({
    name: z.string(),
    definition: ToolDefinition,
    service_id: z.int(),
    id: z.int(),
    last_updated_comments: z.string().nullish(),
    service_name: z.string().nullish(),
    prompts_info: z.array(ToolPromptInfo).nullish(),
    agents_info: z.array(ToolAgentInfo).nullish().describe("Agents whose prompt uses the tool."),
    last_updated: timestamp(),
    last_updated_by: z.string(),
    version_number: z.int(),
    validation_issues: z.array(ValidationIssue).nullish(),
  })
  .meta({ id: "ToolResponse" });
export type ToolResponse = z.infer<typeof ToolResponse>;

const ToolDetailResponse = ToolResponse.extend({
  fields: z.array(z.string()).describe("The model's arguments, then the static parameters."),
}).meta({ id: "ToolDetailResponse" });

const toolList: list.ListRules = {
  fields: {
    id: list.integer("t.id"),
    name: list.text("t.name"),
    service_name: list.text("s.name"),
    definition: list.document("t.definition"),
    service_id: list.integer("t.service_id"),
    last_updated: list.time("t.last_updated"),
    last_updated_by: list.text("t.last_updated_by"),
  },
  time: "t.last_updated",
  order: [{ column: "t.id", direction: "asc" }],
};

export type CreatesTool = Creates<ToolInput, ToolResponse>;
type ToolUpdate = z.infer<typeof ToolUpdateRequest>;

export type ToolWriters = { create: CreatesTool; replace: Creates<ToolUpdate, ToolResponse> };

type Deps = { db: Db; clock: Clock; followToolName: FollowsToolName; watchingTools: WatchesTools };

export function toolRoutes(api: Api, { db, clock, followToolName, watchingTools }: Deps): ToolWriters {
  const tag = "tools";
  const byName = z.object({ tool_name: z.string() });

  /** The tool as it stands after a change, with the change's audit entry written. */
  const changed = async (
    tx: Tx,
    caller: Caller,
    id: number,
    before?: ToolResponse,
  ): Promise<ToolResponse> => {
    const after = await findTool(tx, caller, id);
    const action = before ? "update" : "create";
    await api.audit(tx, caller, { action, resource: tag, resource_id: id, before, after });
    return after;
  };

  const requireHost = (tx: Tx, caller: Caller, { service_id, definition }: ToolInput): Promise<void> =>
    requireServiceHost(api, tx, caller, {
      service_id,
      url: definition.endpoint?.url,
      loc: ["body", "definition", "endpoint", "url"],
    });

  const create: CreatesTool = async (tx, caller, body) => {
    const input = await checked(tx, caller, body, null);
    await requireHost(tx, caller, input);
    const id = await insertTool(tx, caller, clock.now(), input);
    return changed(tx, caller, id);
  };

  const replace: ToolWriters["replace"] = async (tx, caller, body) => {
    const { id, name } = await holdTool(tx, caller, { id: body.id });
    const before = await findTool(tx, caller, id);
    const input = await checked(tx, caller, body, id);
    await requireHost(tx, caller, input);
    const last_updated_comments = body.last_updated_comments ?? null;
    const at = clock.now();
    await replaceTool(tx, caller, at, { ...input, id, last_updated_comments });
    if (input.name !== name)
      await followToolName(tx, { caller, at, audit: api.audit }, { from: name, to: input.name });
    return changed(tx, caller, id, before);
  };

  api.get(
    "/api/v1/tools/",
    {
      summary: "List tools",
      description: `Of the prompts and agents that use a tool, up to ${MAX_USERS_IN_LIST} each are named; the tool itself names them all.`,
      tag,
      permission: "tools_read",
      query: list.listQuery(toolList),
      response: list.listOf(ToolResponse),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectToolRows(db, caller, MAX_USERS_IN_LIST), query, toolList);
      const items = await withIssues(db, caller, page.items);
      return list.onlyFields({ ...page, items }, query.fields, ToolResponse);
    },
  );

  api.post(
    "/api/v1/tools/",
    {
      summary: "Create a tool",
      tag,
      permission: "tools_write",
      body: ToolCreateRequest,
      also_wrong: definitionErrors,
      response: ToolResponse,
    },
    ({ caller, body }) => write(db, "Tool", (tx) => create(tx, caller, body)),
  );

  api.put(
    "/api/v1/tools/",
    {
      summary: "Update a tool",
      tag,
      permission: "tools_write",
      body: ToolUpdateRequest,
      also_wrong: definitionErrors,
      response: ToolResponse,
    },
    ({ caller, body }) => write(db, "Tool", (tx) => replace(tx, caller, body)),
  );

  api.post(
    "/api/v1/tools/check",
    {
      summary: "Check a tool without saving it",
      description: "All that saving it would find: errors, which would refuse it, warnings and hints.",
      tag,
      permission: "tools_read",
      body: ToolCreateRequest.extend({
        id: recordId().nullish().describe("Of the tool that this replaces."),
      }).meta({ id: "ToolCheckRequest" }),
      also_wrong: definitionErrors,
      response: z.object({ validation_issues: z.array(ValidationIssue) }).meta({ id: "ToolCheckResponse" }),
    },
    async ({ caller, body }) => {
      await requireService(db, caller, body.service_id);
      const id = body.id ?? null;
      const [issues = []] = await issuesOf(db, caller, [{ ...body, id, is_system: false }]);
      const stored =
        id === null ? null : await selectToolRows(db, caller, 0).where("t.id", "=", id).executeTakeFirst();
      const renamed = stored ? await renamedInUse(db, caller, stored.id, [stored, body], watchingTools) : [];
      return { validation_issues: [...issues, ...renamed].map(toValidationIssue) };
    },
  );

  api.get(
    "/api/v1/tools/:tool_name",
    {
      summary: "Get a tool by its name",
      tag,
      permission: "tools_read",
      params: byName,
      response: ToolDetailResponse,
    },
    async ({ caller, params: { tool_name } }) => {
      const row = await selectToolRows(db, caller, null).where("t.name", "=", tool_name).executeTakeFirst();
      if (!row) throw toolNotFound(tool_name);
      const [tool] = await withIssues(db, caller, [row]);
      return { ...tool, fields: toolFields(row.definition) };
    },
  );

  api.delete(
    "/api/v1/tools/:tool_name",
    {
      summary: "Delete a tool by its name",
      tag,
      permission: "tools_delete",
      params: byName,
      query: z.object({ reason: z.string() }),
      response: Deleted,
    },
    ({ caller, params: { tool_name }, query: { reason } }) =>
      write(db, "Tool", async (tx) => {
        const tool = await holdTool(tx, caller, { name: tool_name });
        const before = await findTool(tx, caller, tool.id);
        await removeTool(tx, caller, clock.now(), tool, reason);
        await api.audit(tx, caller, { action: "delete", resource: tag, resource_id: tool.id, before });
        return { success: true };
      }),
  );

  toolHistoryRoutes(api, { db });
  return { create, replace };
}

async function findTool(db: Db, caller: Caller, id: number): Promise<ToolResponse> {
  const row = await selectToolRows(db, caller, null).where("t.id", "=", id).executeTakeFirstOrThrow();
  const [tool] = await withIssues(db, caller, [row]);
  return tool as ToolResponse;
}

type Checked = ToolInput & { id: number | null; is_system: boolean };

/** Each tool's issues, with one look at the names, and one at the data sources, that all of them mention. */
async function issuesOf(db: Db, caller: Caller, tools: readonly Checked[]): Promise<Issue[][]> {
  const mentioned = tools.map((tool) => mentionedNames(tool.definition));
  const { callable, shown, targets } = await namesInUse(db, caller, {
    shown: mentioned.flatMap((names) => names.shown),
    called: mentioned.flatMap((names) => names.called),
  });
  const mentionedSources = tools.flatMap((tool) => sourcesOfTool(tool.definition));
  const sources = await knownSources(db, caller.sub_organization_id, mentionedSources);
  const calling = tools.filter(({ definition }) => definition.mcp).map(({ service_id }) => service_id);
  const servers = await mcpSurroundings(db, calling);
  const issues: Issue[][] = [];
  for (const { id, name, is_system, definition, service_id } of tools) {
    // The patterns of one tool may take 80 ms to compile, and a page has up to a thousand tools: others have their turn between.
    if (issues.length > 0) await setImmediate();
    const taken = new Set([...shown].filter(([, by]) => by !== id).map(([name]) => name));
    const mcp = servers.get(service_id);
    issues.push(
      toolIssues(definition, { name, is_system, callable, targets, taken, sources, ...(mcp && { mcp }) }),
    );
  }
  return issues;
}

/** Told anew with every answer: what a tool mentions may have come or gone since it was saved. */
async function withIssues(db: Db, caller: Caller, rows: readonly ToolRow[]): Promise<ToolResponse[]> {
  const issues = await issuesOf(db, caller, rows);
  return rows.map(({ is_system: _, ...tool }, index) => ({
    ...tool,
    validation_issues: (issues[index] ?? []).map(toValidationIssue),
  }));
}

/** The input, unless it has errors. */
async function checked(tx: Tx, caller: Caller, input: ToolInput, id: number | null): Promise<ToolInput> {
  const [issues = []] = await issuesOf(tx, caller, [{ ...input, id, is_system: false }]);
  refuseErrors(issues, ["body", "definition"]);
  return input;
}
