import { isRecord, own } from "../../expressions/member.ts";
import type { Issue } from "../../schemas/validation-issue.ts";
import { parameterDefaults, type ToolDefinition } from "../tool-definition.ts";

/*
 * Whether the rules that fill in and change arguments fit the schema of these.
 */

export function defaultsWithoutEffect({ defaults }: ToolDefinition): Issue[] {
  if (defaults == null || (typeof defaults === "object" && !Array.isArray(defaults))) return [];
  return [
    {
      id: "defaults-without-effect",
      severity: "warning",
      message: "Defaults have an effect only as a map from parameter to value.",
      path: ["defaults"],
      value: defaults,
    },
  ];
}

/** The model is made to ask for it, and nobody is told. With `when` it may be meant, so that is only a hint. */
export function removedRequirements(definition: ToolDefinition): Issue[] {
  const required = own(definition.tool.function.parameters, "required");
  return parameterDefaults(definition).flatMap(([name, rule]): Issue[] => {
    if (rule.kind !== "transform" || rule.transform.action !== "remove") return [];
    if (!Array.isArray(required) || !required.includes(name)) return [];
    const { when } = rule.transform;
    return [
      {
        id: "required-argument-removed",
        severity: when ? "info" : "warning",
        message: `The model has to give "${name}", and this rule removes it${when ? ` where ${when.key} is "${when.value}"` : ""}. Take it out of required, or drop the rule.`,
        path: ["defaults", name, "transform", "action"],
        value: name,
      },
    ];
  });
}

/** One of `value` and `format` gives what is set; null is something to set where a rule always sets it. */
export function valuesOfRules(definition: ToolDefinition): Issue[] {
  return parameterDefaults(definition).flatMap(([name, rule]): Issue[] => {
    if (rule.kind !== "transform" || rule.transform.action === "remove") return [];
    const { action, value, format } = rule.transform;
    const path = ["defaults", name, "transform"];
    if (format) {
      const isBoth = value !== undefined && value !== null;
      const message = `This rule of "${name}" has a value beside its format, and the format counts. Drop one of them.`;
      return isBoth
        ? [{ id: "rule-value-unused", severity: "warning", message, path: [...path, "value"], value }]
        : [];
    }
    const isEmpty = value === undefined || (value === null && action === "default");
    const message = `This rule of "${name}" sets nothing. Give it a value or a format.`;
    return isEmpty ? [{ id: "rule-without-value", severity: "warning", message, path, value: name }] : [];
  });
}

/** A schema that is closed says that the service takes no other argument. */
export function defaultsOutsideSchema(definition: ToolDefinition): Issue[] {
  const { parameters } = definition.tool.function;
  if (own(parameters, "additionalProperties") !== false || own(parameters, "patternProperties") != null)
    return [];
  const properties = own(parameters, "properties");
  const known = new Set([
    ...(isRecord(properties) ? Object.keys(properties) : []),
    ...(definition.static_parameters ?? []).map(({ name }) => name),
  ]);
  return parameterDefaults(definition).flatMap(([name, rule]): Issue[] =>
    known.has(name) || (rule.kind === "transform" && rule.transform.action === "remove")
      ? []
      : [
          {
            id: "default-outside-schema",
            severity: "warning",
            message: `The schema takes no argument "${name}" (additionalProperties is false), yet this adds it to every call. Add it to the schema, or make it a static parameter.`,
            path: ["defaults", name],
            value: name,
          },
        ],
  );
}
