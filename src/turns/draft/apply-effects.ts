import type { SnapshotTool } from "../../agents/snapshot.ts";
import { type TraceEntry, traced } from "../../events/trace.ts";
import { renderTemplate } from "../../expressions/template.ts";
import type { SessionState } from "../../sessions/variables.ts";
import type { ToolEffects } from "../../tool-calls/tool-outcome.ts";
import type { TurnDraft } from "./turn-draft.ts";
import { lookupOf } from "./turn-surroundings.ts";

/** Applies a call's effects to the session. Variables are set first, so that its words can use them. */
export function applyEffects(draft: TurnDraft, effects: ToolEffects, tool: SnapshotTool | undefined): void {
  const { variables, language, answerer, say, speech, keys, event, opt_out, call_back, action } = effects;
  draft.trace(...changesTrace(draft.state.memory, effects, tool));
  if (variables) draft.remember({ variables: { ...draft.state.memory.variables, ...variables } });
  if (language && language !== draft.state.memory.language) {
    draft.remember({ language });
    draft.tell({ type: "language", language });
  }
  if (answerer) draft.remember({ answerer });
  if (say) draft.say(renderTemplate(say, lookupOf(draft.facts, draft.state.memory, draft.at)));
  if (speech) draft.say(speech);
  if (keys) draft.tell({ type: "keys", digits: keys });
  if (event) draft.event(event, tool?.id ?? null);
  if (opt_out) draft.optOut(opt_out);
  if (call_back) draft.callBack(call_back);
  if (action) draft.act(action);
}

function changesTrace(
  memory: Readonly<SessionState>,
  { variables = {}, language }: ToolEffects,
  tool: SnapshotTool | undefined,
): TraceEntry[] {
  const before: Record<string, unknown> = { ...memory.variables, "vars.session.language": memory.language };
  const after = { ...variables, ...(language && { "vars.session.language": language }) };
  const changes = Object.entries(after).map(([name, value]) => [
    name,
    { before: traced(before[name]), after: traced(value) },
  ]);
  if (changes.length === 0) return [];
  const details = { tool: tool?.name ?? null, changes: Object.fromEntries(changes) };
  return [{ category: "state", label: "variables", details }];
}
