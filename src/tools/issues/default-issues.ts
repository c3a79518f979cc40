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
