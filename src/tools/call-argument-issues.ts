import { isRecord } from "../expressions/member.ts";
import type { Issue, Path } from "../schemas/validation-issue.ts";
import type { Task } from "./task-definition.ts";
import { actionsOf } from "./task-parts.ts";

/**
 * What a workflow's `call` gives, against the schema of the tool that takes it: names the tool doesn't know, and plain
 * values of another type. Warnings, since the tool may be mended later. Texts may be templates, whose values come at run
 * time, so a text is judged only where it can't be one. `parameters`: the schemas of the tools that are called.
 */
export function callArgumentIssues(
  task: Task,
  path: Path,
  parameters: ReadonlyMap<string, unknown>,
): Issue[] {
  return actionsOf(task, path).flatMap(({ action, path }): Issue[] => {
    if (action.action !== "call") return [];
    const schema = parameters.get(action.name);
    if (!isRecord(schema)) return [];
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const names = Object.keys(properties);
    return Object.entries(action.arguments ?? {}).flatMap(([name, value]): Issue[] => {
      const at = [...path, "arguments", name];
      if (!Object.hasOwn(properties, name)) {
        if (names.length === 0 || schema.additionalProperties === true) return [];
        const message = `${action.name} has no parameter "${name}"; it takes ${names.join(", ")}.`;
        return [{ id: "unknown-call-argument", severity: "warning", message, path: at, value: name }];
      }
      const wanted = typesOf(properties[name]);
      if (wanted.length === 0 || fits(value, wanted)) return [];
      const message = `${name} of ${action.name} is of type ${wanted.join(" or ")}.`;
      return [{ id: "call-argument-type", severity: "warning", message, path: at, value }];
    });
  });
}

const typesOf = (schema: unknown): string[] =>
  isRecord(schema) ? [schema.type].flat().filter((type): type is string => typeof type === "string") : [];

function fits(value: unknown, types: readonly string[]): boolean {
  if (value === null) return true;
  if (typeof value === "string") {
    if (types.includes("string") || value.includes("{")) return true;
    if (/^-?\d+(\.\d+)?$/.test(value)) return types.includes("number") || types.includes("integer");
    return types.includes("boolean") && /^(true|false)$/.test(value);
  }
  if (Array.isArray(value)) return types.includes("array");
  if (isRecord(value)) return types.includes("object") || "valueFrom" in value || "value_from" in value;
  if (types.includes("string")) return true;
  if (typeof value === "boolean") return types.includes("boolean");
  return types.includes("number") || (types.includes("integer") && Number.isInteger(value));
}
