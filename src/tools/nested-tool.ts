import { type RawBuilder, sql } from "kysely";
import type { ToolResponse } from "./tool.ts";

/**
 * A tool as it stands inside a prompt or an agent, from tables called `this_tool` and `this_service`. Which other prompts
 * and agents use it is left to GET /api/v1/tools: every prompt has `hangup`, so that with 500 prompts a page of 25 would
 * name 12,500 of them.
 */
export const nestedTool: RawBuilder<ToolResponse> = sql<ToolResponse>`json_build_object(
  'name', this_tool.name,
  'definition', this_tool.definition,
  'service_id', this_tool.service_id,
  'id', this_tool.id,
  'last_updated_comments', this_tool.last_updated_comments,
  'service_name', this_service.name,
  'prompts_info', null,
  'agents_info', null,
  'last_updated', this_tool.last_updated,
  'last_updated_by', this_tool.last_updated_by,
  'version_number', this_tool.version_number,
  'validation_issues', null)`;
