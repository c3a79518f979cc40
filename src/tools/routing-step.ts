import type { Step } from "./task-definition.ts";

/**
 * A step that only decides where to go: it calls its task's own tool at once and collects nothing, so that a model could
 * add nothing to that call. The engine makes it, and no model is asked. `tool`: the name of the task's own tool.
 */
export function isRoutingStep({ tools, inputs, next }: Step, tool: string | null | undefined): boolean {
  if (!tools?.call || (inputs ?? []).length > 0 || (next ?? []).length === 0) return false;
  return tools.allow?.length !== 1 || tools.allow[0] === tool;
}
