/** What is wrong with the shape of a value, and where. */
export type ShapeFault = { path: (string | number)[]; message: string };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Whether forms and canvas can show a definition; all else the API's checker says. Typed JSON may be anything, and what has
 * another shape is refused here before it reaches them.
 */
export function definitionFault(value: unknown): ShapeFault | null {
  if (!isObject(value)) return { path: [], message: "A definition is an object." };
  const { tool, context } = value;
  if (!isObject(tool) || !isObject(tool.function))
    return { path: ["tool"], message: "A definition has a tool with its function." };
  for (const key of ["name", "description"])
    if (typeof tool.function[key] !== "string")
      return { path: ["tool", "function", key], message: `The ${key} of the function is a text.` };
  if (context == null) return null;
  if (!isObject(context)) return { path: ["context"], message: "The context is an object." };
  const { task } = context;
  if (task == null) return null;
  if (!Array.isArray(task)) return taskFault(task, ["context", "task"]);
  for (const [index, each] of task.entries()) {
    const fault = taskFault(each, ["context", "task", index]);
    if (fault) return fault;
  }
  return null;
}

function taskFault(task: unknown, path: (string | number)[]): ShapeFault | null {
  if (!isObject(task)) return { path, message: "A task is an object." };
  if (task.type !== "steps") return null;
  const { steps, tool, variables, config } = task;
  if (tool != null && !isObject(tool)) return { path: [...path, "tool"], message: "The tool is an object." };
  if (config != null && !isObject(config))
    return { path: [...path, "config"], message: "The config is an object." };
  const faulty = listFault(variables, [...path, "variables"], "variable", ["name"]);
  if (faulty) return faulty;
  if (!Array.isArray(steps)) return { path: [...path, "steps"], message: "The steps are a list." };
  for (const [index, step] of steps.entries()) {
    const fault = stepFault(step, [...path, "steps", index]);
    if (fault) return fault;
  }
  return null;
}

function stepFault(step: unknown, path: (string | number)[]): ShapeFault | null {
  if (!isObject(step)) return { path, message: "A step is an object." };
  for (const key of ["id", "goal"])
    if (typeof step[key] !== "string")
      return { path: [...path, key], message: `The ${key} of a step is a text.` };
  const { instructions, inputs, next, on, tools } = step;
  if (tools != null && !isObject(tools))
    return { path: [...path, "tools"], message: "The tools are an object." };
  const fault =
    listFault(instructions, [...path, "instructions"], "instruction", ["text"], true) ??
    listFault(inputs, [...path, "inputs"], "input", ["name"]) ??
    listFault(next, [...path, "next"], "transition", ["id"], true);
  if (fault || on == null) return fault;
  if (!isObject(on)) return { path: [...path, "on"], message: "The actions are an object." };
  for (const [event, actions] of Object.entries(on)) {
    const found = listFault(actions, [...path, "on", event], "action", ["action"]);
    if (found) return found;
  }
  return null;
}

function listFault(
  list: unknown,
  path: (string | number)[],
  noun: string,
  texts: readonly string[],
  mayBeText = false,
): ShapeFault | null {
  if (list == null) return null;
  if (!Array.isArray(list)) return { path, message: `This is a list of ${noun}s.` };
  for (const [index, each] of list.entries()) {
    if (mayBeText && typeof each === "string") continue;
    if (!isObject(each)) return { path: [...path, index], message: `This ${noun} is an object.` };
    for (const key of texts)
      if (typeof each[key] !== "string")
        return { path: [...path, index, key], message: `The ${key} of this ${noun} is a text.` };
  }
  return null;
}
