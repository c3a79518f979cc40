import { z } from "zod";
import { type LlmOffer, offerAt } from "../agents/prompt-llm.ts";
import type { Caller, Stamp } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { toValidationIssue } from "../schemas/validation-issue.ts";
import { requireServiceHost } from "../tools/service-hosts.ts";
import { refuseStaleVersion, refuseWrongTool, toolIssues } from "./check-tool.ts";
import { InsightToolInput, InsightToolOutput, InsightToolResponse } from "./tool-configuration-schema.ts";
import {
  activeUsers,
  findTool,
  insertTool,
  insightKeys,
  type JudgesOfTool,
  lockTool,
  pageOfTools,
  refuseWhileUsed,
  removeTool,
  replaceTool,
  requireService,
  toolList,
} from "./tool-configuration-store.ts";

type Deps = { db: Db; clock: Clock; catalogue: readonly LlmEntry[]; insightToolJudges: JudgesOfTool };

export function toolConfigurationRoutes(api: Api, { db, clock, catalogue, insightToolJudges }: Deps): void {
  const path = "/api/v1/insights/tool-configurations";
  const one = `${path}/:tool_id`;
  const tag = "insights";
  const noun = "Insight tool configuration";
  const params = z.object({ tool_id: recordId() });

  const stamped = (caller: Caller): Stamp => ({ caller, at: clock.now() });
  const offer = (): LlmOffer => offerAt(catalogue, clock);

  api.get(
    path,
    {
      summary: "List insight tool configurations",
      tag,
      permission: "insights_read",
      query: list.listQuery(toolList),
      response: list.listOf(InsightToolOutput),
    },
    async ({ caller, query }) =>
      list.onlyFields(await pageOfTools(db, caller, query), query.fields, InsightToolOutput),
  );

  api.post(
    path,
    {
      summary: "Create an insight tool configuration",
      tag,
      permission: "insights_write",
      body: InsightToolInput,
      response: InsightToolResponse,
      refusals: [400],
    },
    ({ caller, body }) =>
      write(db, noun, async (tx) => {
        await accept(tx, caller, body);
        const stamp = stamped(caller);
        const after = await findTool(tx, caller, await insertTool(tx, stamp, body));
        await audit(tx, caller, "create", { after });
        return withIssues(tx, caller, after);
      }),
  );

  api.get(
    one,
    {
      summary: "Get an insight tool configuration",
      tag,
      permission: "insights_read",
      // A text in the public API: what is no number names nothing, and is not refused as a broken one.
      params: z.object({ tool_id: z.string() }),
      response: InsightToolResponse,
    },
    async ({ caller, params }) => {
      if (!/^\d{1,15}$/.test(params.tool_id)) throw notFound(noun, params.tool_id);
      return withIssues(db, caller, await findTool(db, caller, Number(params.tool_id)));
    },
  );

  api.put(
    one,
    {
      summary: "Update an insight tool configuration",
      description:
        "412 when the version is lower than the stored one, or when the arguments change at the same version while an active workflow uses it. Work that waits then runs at the new version.",
      tag,
      permission: "insights_write",
      params,
      body: InsightToolInput,
      response: InsightToolResponse,
      refusals: [400, 404, 412],
    },
    ({ caller, params, body }) =>
      write(db, noun, async (tx) => {
        const before = await lockTool(tx, caller, params.tool_id);
        await accept(tx, caller, body);
        refuseStaleVersion(before, body, await activeUsers(tx, before.id));
        await replaceTool(tx, stamped(caller), before, body);
        const after = await findTool(tx, caller, before.id);
        await audit(tx, caller, "update", { before, after });
        return withIssues(tx, caller, after);
      }),
  );

  api.delete(
    one,
    {
      summary: "Delete an insight tool configuration",
      tag,
      permission: "insights_delete",
      params,
      response: Deleted,
      refusals: [400, 404, 412],
    },
    ({ caller, params }) =>
      write(db, noun, async (tx) => {
        const before = await lockTool(tx, caller, params.tool_id);
        await refuseWhileUsed(tx, before, insightToolJudges);
        await removeTool(tx, stamped(caller), before.id);
        await audit(tx, caller, "delete", { before });
        return { success: true };
      }),
  );

  async function accept(tx: Tx, caller: Caller, input: InsightToolInput): Promise<void> {
    const read = refuseWrongTool(input, offer());
    if (read.type !== "http" || read.service_id == null) return;
    await requireServiceHost(api, tx, caller, {
      service_id: read.service_id,
      url: read.url,
      loc: ["body", "tool_arguments", "url"],
    });
    await requireService(tx, caller, read.service_id);
  }

  const audit = (
    tx: Tx,
    caller: Caller,
    action: string,
    change: { before?: InsightToolOutput; after?: InsightToolOutput },
  ) => {
    const { id } = (change.after ?? change.before) as InsightToolOutput;
    return api.audit(tx, caller, { action, resource: "insight_tools", resource_id: id, ...change });
  };

  async function withIssues(from: Db, caller: Caller, tool: InsightToolOutput): Promise<InsightToolResponse> {
    const keys = await insightKeys(from, caller);
    return { ...tool, validation_issues: toolIssues(tool, offer(), keys).map(toValidationIssue) };
  }
}
