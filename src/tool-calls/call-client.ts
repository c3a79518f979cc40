import type { SnapshotTool } from "../agents/snapshot.ts";
import { CLIENT_TIMEOUT_S } from "../tools/tool-definition.ts";
import { done, failed, type ToolContext, type ToolOutcome } from "./tool-outcome.ts";

/** A tool that runs in the visitor's page. What the page answers is the visitor's word, as what they write. */
export async function callClient(
  { page }: ToolContext,
  { name, definition }: SnapshotTool,
  values: Record<string, unknown>,
): Promise<ToolOutcome> {
  if (!page)
    return failed(`${name} runs in the visitor's page, and there is no page in this conversation.`, values);
  const timeout_s = definition.client?.timeout ?? CLIENT_TIMEOUT_S;
  const answer = await page({ tool_name: name, arguments: values, timeout_s });
  if (answer === null) return failed(`The visitor's page did not answer within ${timeout_s} s.`, values);
  return "error" in answer ? failed(answer.error, values) : done(answer.result, {}, values);
}
