import type { InputParameter, Task } from "./task-definition.ts";
import { parameterDefaults, type ToolDefinition } from "./tool-definition.ts";

/** What a name that a workflow calls takes as arguments. */
export type CallTarget = {
  /** JSON Schemas, any of which may apply: a workflow has one for each step, and several workflows may share a name. */
  schemas: readonly unknown[];
  /** Arguments that the tool sets itself, whatever a call gives. */
  decided: ReadonlySet<string>;
};

export function targetOfTool(definition: ToolDefinition): CallTarget {
  const statics = (definition.static_parameters ?? []).map(({ name }) => name);
  const replaced = parameterDefaults(definition).flatMap(([name, rule]) =>
    rule.kind === "transform" && rule.transform.action !== "default" && !rule.transform.when ? [name] : [],
  );
  return { schemas: [definition.tool.function.parameters], decided: new Set([...statics, ...replaced]) };
}

export function targetOfTask(task: Task): CallTarget {
  const inputs =
    task.type === "steps"
      ? task.steps.map((step) => step.inputs ?? [])
      : task.type === "expression"
        ? [task.inputs ?? []]
        : [];
  return { schemas: inputs.map(schemaOf), decided: new Set() };
}

export const eitherTarget = (one: CallTarget | undefined, other: CallTarget): CallTarget =>
  one ? { schemas: [...one.schemas, ...other.schemas], decided: one.decided.union(other.decided) } : other;

const schemaOf = (inputs: readonly InputParameter[]) => ({
  type: "object",
  properties: Object.fromEntries(inputs.map((input) => [input.name, inputSchema(input)])),
});

/** The choices of an input are texts; a number is compared by its text. */
function inputSchema({ type, enum: choices, pattern, format }: InputParameter): object {
  const numeric = type === "integer" || type === "number";
  return {
    ...(type && type !== "null" && { type }),
    ...(choices?.length && { enum: numeric ? choices.map(Number) : choices }),
    ...(pattern && { pattern }),
    ...(format && { format }),
  };
}
