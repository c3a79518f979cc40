import type { ToolDefinition } from "../api-types.ts";
import { sourceOf } from "./condition.ts";
import { actionsOf, stepsTasks } from "./workflow.ts";

const PATH = /^[A-Za-z_]\w*(\[\d+\])*(\.[A-Za-z_]\w*(\[\d+\])*)*$/;
/** An answer is made up to this place of a list. */
const MOST_PLACES = 20;

/**
 * The parts of a tool's answer that a workflow keeps, where each is a plain path or the length of one: these can be entered
 * one by one, without writing the whole answer.
 */
export function keptParts(definition: ToolDefinition, tool: string): string[] {
  const parts = stepsTasks(definition).flatMap(({ task }) =>
    task.steps.flatMap((step) =>
      actionsOf(step).flatMap(({ action }) =>
        action.action === "call" && action.name === tool ? (action.result?.save ?? []) : [],
      ),
    ),
  );
  const sources = [...new Set(parts.map(({ from }) => sourceOf(from) ?? ""))];
  return sources.every((source) => PATH.test(pathOf(source))) ? sources : [];
}

const lengthOf = (source: string): string | undefined => /^length\((.+)\)$/.exec(source)?.[1];
const pathOf = (source: string): string => lengthOf(source) ?? source;

/** An answer that has these parts; a part that is a number, yes or no is one. */
export function exampleAnswer(parts: Readonly<Record<string, string>>): unknown {
  const answer: Record<string, unknown> = {};
  for (const [source, text] of Object.entries(parts)) {
    if (text === "") continue;
    const length = lengthOf(source);
    if (length === undefined) put(answer, source, readValue(text));
    else
      put(
        answer,
        length,
        Array.from({ length: Math.min(Number(text) || 0, MOST_PLACES) }, () => ({})),
      );
  }
  return answer;
}

function readValue(text: string): unknown {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}

function put(answer: Record<string, unknown>, path: string, value: unknown): void {
  const parts = [...path.matchAll(/([A-Za-z_]\w*)|\[(\d+)\]/g)].map(([, word, place]) =>
    word === undefined ? Math.min(Number(place), MOST_PLACES) : word,
  );
  let node = answer as Record<string | number, unknown>;
  for (const [index, part] of parts.entries()) {
    if (part === "__proto__") return;
    if (index === parts.length - 1) node[part] = value;
    else {
      const next = typeof parts[index + 1] === "number" ? [] : {};
      if (typeof node[part] !== "object" || node[part] === null) node[part] = next;
      node = node[part] as Record<string | number, unknown>;
    }
  }
}
