import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault, notFound, unreachable } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { readToolArguments } from "../insights/tool-arguments.ts";
import { findToolByName } from "../insights/tool-configuration-store.ts";
import { definitionById } from "../insights/tool-definition.ts";
import { isScripted, type ToolRunner } from "../insights/tool-run.ts";
import { type AnalysisSubject, loadInsights, loadMaterial } from "../insights/transcript.ts";
import { runInsightTool } from "./run-insight-tool.ts";

const InsightToolTestInput = z
  .object({
    tool_name: z.string(),
    session_id: recordId().nullish(),
    upload_file_id: recordId().nullish(),
  })
  .meta({ id: "InsightToolTestInput" });
type InsightToolTestInput = z.output<typeof InsightToolTestInput>;

/** Somebody waits for the answer. */
const TIMEOUT_MS = 120_000;

/** Set to `true` when the shipped offline model answered, whose words are no analysis. */
export const SCRIPTED_HEADER = "x-parley-scripted-model";

export function toolsTestRoutes(api: Api, { db, runner }: { db: Db; runner: ToolRunner }): void {
  api.post(
    "/api/v1/insights/tools-test",
    {
      summary: "Run an insight tool once, on one session or recording",
      description: `Answers the tool's own result and stores nothing. The header ${SCRIPTED_HEADER} tells when the offline model answered in place of a configured one.`,
      tag: "insights",
      permission: "insights_write",
      body: InsightToolTestInput,
      response: z.record(z.string(), z.unknown()),
    },
    async ({ caller, body, reply }) => {
      const configured = await findToolByName(db, caller, body.tool_name);
      const subject = await subjectOf(db, caller, body);
      const definition = definitionById(configured.insight_tool_definition_id);
      const read = definition && readToolArguments(definition, configured.tool_arguments);
      if (!read?.ok)
        throw new Fault("refused", read?.problem ?? "The definition of this tool no longer exists.");

      // Before it runs: a tool may send what was said to a service.
      await db.transaction().execute((tx) =>
        api.audit(tx, caller, {
          action: "test",
          resource: "insight_tools",
          resource_id: configured.id,
          after: { name: body.tool_name, ...subject },
        }),
      );
      const material = await loadMaterial(db, runner.recordings, subject);
      if (material.gone) throw notFound("File", body.upload_file_id as number);
      const outcome = await runInsightTool(runner, {
        sub_organization_id: caller.sub_organization_id,
        subject,
        tool: read.arguments,
        ...material,
        insights: await loadInsights(db, subject),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      switch (outcome.kind) {
        case "done":
          if (isScripted(outcome.used)) reply.header(SCRIPTED_HEADER, "true");
          return Object.fromEntries(outcome.values.map(({ key, value }) => [key, value]));
        case "failed":
          throw new Fault(outcome.retry.when === "never" ? "refused" : "unavailable", outcome.message);
        case "unsupported":
          throw new Fault("unsupported", outcome.message);
        default:
          return unreachable(outcome);
      }
    },
  );
}

async function subjectOf(
  db: Db,
  caller: Caller,
  { session_id, upload_file_id }: InsightToolTestInput,
): Promise<AnalysisSubject> {
  if ((session_id == null) === (upload_file_id == null)) {
    throw new Fault("refused", "Give either session_id or upload_file_id.");
  }
  const [table, noun, id] =
    session_id != null
      ? (["sessions", "Session", session_id] as const)
      : (["insight_files", "File", upload_file_id as number] as const);
  const found = await db
    .selectFrom(table)
    .select("id")
    .where("id", "=", id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .executeTakeFirst();
  if (!found) throw notFound(noun, id);
  return session_id != null ? { session_id: id } : { upload_file_id: id };
}
