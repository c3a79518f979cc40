import { isRecord } from "../expressions/member.ts";
import { checkable } from "../tools/coerce-arguments.ts";
import { isEmpty } from "../tools/tool-arguments.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";
import { parameterDefaults } from "../tools/tool-definition.ts";
import { argumentFaults } from "./validate-arguments.ts";

/*
 * A tool's schema is a contract with the model. The model's arguments are validated against all of it, before the pipeline.
 * The pipeline's result is only checked by its types, because an author may remove a required argument, or add one that the
 * model doesn't know, on purpose.
 */

type Arguments = Record<string, unknown>;

/** The faults of the model's arguments, without those that the tool sets itself. */
export function givenFaults(definition: ToolDefinition, given: Arguments): string[] {
  const schema = definition.tool.function.parameters;
  const statics = new Set((definition.static_parameters ?? []).map(({ name }) => name));
  const rules = parameterDefaults(definition);
  const filled = new Set([...statics, ...rules.map(([name]) => name)]);
  const replaced = new Set(
    rules.flatMap(([name, rule]) =>
      rule.kind === "transform" && rule.transform.action !== "default" && !rule.transform.when ? [name] : [],
    ),
  );
  const own = Object.entries(given).filter(
    ([name, value]) => !statics.has(name) && !replaced.has(name) && !(filled.has(name) && isEmpty(value)),
  );
  return argumentFaults(schema, checkable(schema, Object.fromEntries(own)), filled);
}

/** The faults after the pipeline: required arguments without a value, and values of the wrong type. */
export function preparedFaults(definition: ToolDefinition, prepared: Arguments): string[] {
  const schema = definition.tool.function.parameters;
  if (!isRecord(schema)) return [];
  const removed = new Set(
    parameterDefaults(definition).flatMap(([name, rule]) =>
      rule.kind === "transform" && rule.transform.action === "remove" ? [name] : [],
    ),
  );
  const required = (Array.isArray(schema.required) ? schema.required : []).filter(
    (name) => typeof name === "string" && !removed.has(name),
  );
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const types = Object.entries(properties).map(([name, property]) => [name, typesOnly(property)]);
  const typed = { type: "object", properties: Object.fromEntries(types), required };
  return argumentFaults(typed, checkable(schema, prepared));
}

const typesOnly = (schema: unknown): unknown =>
  isRecord(schema) && schema.type !== undefined
    ? { type: schema.type, ...(schema.nullable !== undefined && { nullable: schema.nullable }) }
    : {};
