import { compileExpression } from "../../expressions/expression.ts";
import type { Issue, Path } from "../../schemas/validation-issue.ts";
import { isSystemVariable } from "../system-variable.ts";
import { ACTIONS_OF_EVENT } from "../task-action.ts";
import type { Task } from "../task-definition.ts";
import {
  actionsOf,
  expressionsOf,
  type PlacedName,
  taskToolName,
  valueSourcesOf,
  writesOf,
} from "../task-parts.ts";

export function misplacedActions(task: Task, path: Path): Issue[] {
  return actionsOf(task, path)
    .filter(({ action, event }) => !ACTIONS_OF_EVENT[event].includes(action.action))
    .map(({ action, event, path }) => ({
      id: "action-not-allowed-for-event",
      severity: "error",
      message: `The event ${event} takes ${ACTIONS_OF_EVENT[event].join(", ")}, not ${action.action}.`,
      path: [...path, "action"],
      value: action.action,
    }));
}

/** null counts as not given. */
export function doubledValues(task: Task, path: Path): Issue[] {
  return valueSourcesOf(task, path)
    .filter(({ value, valueFrom }) => value != null && valueFrom != null)
    .map(({ path }) => ({
      id: "value-and-value-from",
      severity: "error",
      message: "value and valueFrom exclude each other; keep one.",
      path,
    }));
}

/** A name where a text is set: the name itself becomes the value. */
export function namesAsTexts(task: Task, path: Path): Issue[] {
  const values = valueSourcesOf(task, path).map(({ value, path }) => ({ value, path: [...path, "value"] }));
  const given = actionsOf(task, path).flatMap(({ action, path }) =>
    action.action === "call"
      ? Object.entries(action.arguments ?? {}).map(([name, value]) => ({
          value,
          path: [...path, "arguments", name],
        }))
      : [],
  );
  return [...values, ...given].flatMap(({ value, path }): Issue[] => {
    if (typeof value !== "string" || !/^(?:inputs|local)\.[\p{L}\p{M}\p{N}_.]+$/u.test(value)) return [];
    const message = `This is the text "${value}". Write {{ ${value} }} for the value of ${value}.`;
    return [{ id: "name-as-text", severity: "warning", message, path, value }];
  });
}

export function expressionIssues(task: Task, path: Path): Issue[] {
  return expressionsOf(task, path).flatMap(({ expression, path }): Issue[] => {
    const compilation = compileExpression(expression);
    if (compilation.ok) {
      return compilation.warnings.map(({ id, message }) => ({ id, severity: "warning", message, path }));
    }
    const { message, position } = compilation;
    const where = position === null ? "" : ` at character ${position + 1}`;
    const inObject = typeof expression === "object" && "expression" in expression;
    return [
      {
        id: "invalid-expression",
        severity: "error",
        message: `The expression can't be read${where}: ${message}`,
        path: inObject ? [...path, "expression"] : path,
        value: inObject ? expression.expression : expression,
      },
    ];
  });
}

export function writtenSystemVariables(task: Task, path: Path): Issue[] {
  return writesOf(task, path)
    .filter(({ name }) => isSystemVariable(name))
    .map(({ name, path }) => ({
      id: "system-variable-written",
      severity: "warning",
      message: `"${name}" is set by the program and can't be written.`,
      path,
      value: name,
    }));
}

export function importTasks(task: Task, path: Path): Issue[] {
  if (task.type !== "import") return [];
  return [
    {
      id: "import-task-not-allowed",
      severity: "error",
      message: "Tasks are imported from files only on a developer's own machine; put the task itself here.",
      path: [...path, "type"],
      value: task.type,
    },
  ];
}

/** A submission made by the task itself would be a step that no one took. */
export function callsToOwnTool(task: Task, path: Path): Issue[] {
  const own = task.tool?.name;
  return actionsOf(task, path).flatMap(({ action, path }): Issue[] =>
    action.action === "call" && action.name === own
      ? [
          {
            id: "call-to-own-submit-tool",
            severity: "error",
            message: "A task can't call its own tool; use next to move on.",
            path: [...path, "name"],
            value: own,
          },
        ]
      : [],
  );
}

/** The one tool that is generated for the model under a fixed name. */
export const GO_TO_STEP = "go_to_step";

/**
 * Tasks become tools of their own, and a model can't be offered two tools of one name: not two tasks of a tool, nor a
 * task and another tool (`taken`) of the sub-organization.
 */
export function collidingNames(
  tasks: readonly { task: Task; path: Path }[],
  taken: ReadonlySet<string>,
): Issue[] {
  const seen = new Set<string>();
  return tasks
    .map(({ task, path }) => taskToolName(task, path))
    .filter((placed) => placed !== null)
    .flatMap(({ name, path }: PlacedName): Issue[] => {
      const why =
        name === GO_TO_STEP
          ? `The name ${name} is kept for moving between steps.`
          : seen.has(name)
            ? `Another task of this tool is named "${name}" already.`
            : taken.has(name)
              ? `There is a tool named "${name}" already.`
              : null;
      seen.add(name);
      return why === null
        ? []
        : [
            {
              id: "submit-tool-name-collision",
              severity: "error",
              message: `${why} Choose another name.`,
              path,
              value: name,
            },
          ];
    });
}

/** Misspelt, renamed, left empty, or not made yet: the task can be saved first and the tool later. */
export function unknownTools(mentions: readonly PlacedName[], known: ReadonlySet<string>): Issue[] {
  return mentions
    .filter(({ name }) => name !== GO_TO_STEP && !known.has(name))
    .map(({ name, path }) => ({
      id: "unknown-tool-reference",
      severity: "warning",
      message: name === "" ? "No tool is named here; choose one." : `There is no tool named "${name}" yet.`,
      path,
      value: name,
    }));
}
