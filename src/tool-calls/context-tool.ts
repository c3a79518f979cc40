import type { SnapshotTool } from "../agents/snapshot.ts";
import { renderDeep } from "../expressions/template.ts";
import { takenNames } from "../schemas/taken-names.ts";
import { isWrittenDefault } from "../tools/tool-arguments.ts";
import { parameterDefaults } from "../tools/tool-definition.ts";
import {
  done,
  offersLanguage,
  type ToolContext,
  type ToolEffects,
  type ToolOutcome,
} from "./tool-outcome.ts";

/**
 * A `context` tool without tasks: `language` and `message`/`say` act, every other argument becomes a variable. Only what the
 * tool's author named: a person could have a model set the variable that holds a service's address.
 */
export function runContextTool(
  context: ToolContext,
  { definition }: SnapshotTool,
  values: Record<string, unknown>,
): ToolOutcome {
  const written = new Set([
    ...(definition.static_parameters ?? []).map(({ name }) => name),
    ...parameterDefaults(definition).map(([name]) => name),
  ]);
  const isTaken = takenNames(definition.tool.function.parameters);
  const [named, unnamed] = [new Map<string, unknown>(), [] as string[]];
  for (const [name, value] of Object.entries(values)) {
    if (written.has(name) || isTaken(name)) named.set(name, value);
    else unnamed.push(name);
  }
  const { language, message, say, ...variables } = Object.fromEntries(named) as Record<string, unknown>;
  const effects: ToolEffects = { variables };
  const spoken = say ?? message;
  if (typeof spoken === "string" && spoken !== "") {
    // Variables are filled in where the author wrote the words: a person could have a model say the name of a secret one.
    const isAuthors = isWrittenDefault(definition, say == null ? "message" : "say", spoken);
    effects[isAuthors ? "say" : "speech"] = spoken;
  }
  if (typeof language === "string" && offersLanguage(context.snapshot, language)) effects.language = language;
  // The variables of this call, not those of the call before: the model would read the person their last answer.
  const lookup = context.lookupAfter(effects);
  const result = definition.result == null ? { status: "ok" } : renderDeep(definition.result, lookup);
  const listed = unnamed.slice(0, 10).map((name) => name.slice(0, 100));
  const label = `not remembered, because the tool's parameters don't name them: ${listed.join(", ")}`;
  return { ...done(result, effects, values), trace: unnamed.length > 0 ? [{ category: "note", label }] : [] };
}
