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
  return { schemas: schemasOf(task), decided: new Set() };
}

function schemasOf(task: Task): object[] {
  if (task.type === "expression") return [schemaOf(task.inputs ?? [], inputSchema)];
  if (task.type !== "steps") return [];
  return task.steps.map(({ inputs = [], on }) => {
    // What a presubmit hook writes comes before the check, so that it may mend anything.
    const mends = on?.presubmit?.some(({ action }) => action !== "save") === true;
    return schemaOf(inputs, mends ? () => ({}) : inputSchema);
  });
}

export const eitherTarget = (one: CallTarget | undefined, other: CallTarget): CallTarget =>
  one ? { schemas: [...one.schemas, ...other.schemas], decided: one.decided.union(other.decided) } : other;

const schemaOf = (inputs: readonly InputParameter[], schema: (input: InputParameter) => object) => ({
  type: "object",
  properties: Object.fromEntries(inputs.map((input) => [input.name, schema(input)])),
});

function inputSchema({ type, enum: choices, pattern, format }: InputParameter): object {
  return {
    ...(type && type !== "null" && { type }),
    ...(choices?.length && { enum: choices.flatMap(readingsOf) }),
    ...(pattern && { pattern }),
    ...(format && { format }),
  };
}

/** The choices of an input are texts; any value is compared by its text. */
const readingsOf = (choice: string): unknown[] => {
  const number = choice.trim() === "" ? Number.NaN : Number(choice);
  const truth = choice === "true" || choice === "false" ? [choice === "true"] : [];
  return [choice, ...(Number.isFinite(number) ? [number] : []), ...truth];
};
