import { PatternMeter } from "../../base/pattern.ts";
import { Meter } from "../../expressions/meter.ts";
import { patternProblem } from "../../schemas/json-schema.ts";
import type { Issue } from "../../schemas/validation-issue.ts";
import { type CallTarget, targetOfTask } from "../call-target.ts";
import { type McpSurroundings, mcpIssues } from "../mcp/mcp-pin.ts";
import { stepsOf, taskToolName, toolMentionsOf } from "../task-parts.ts";
import {
  callsService,
  type StaticToolParameter,
  type ToolDefinition,
  type ToolType,
  tasksOf,
  toolType,
} from "../tool-definition.ts";
import { callArgumentIssues } from "./call-argument-issues.ts";
import { conditionIssues } from "./condition-issues.ts";
import { confirmationIssues } from "./confirmation-issues.ts";
import {
  defaultsOutsideSchema,
  defaultsWithoutEffect,
  removedRequirements,
  valuesOfRules,
} from "./default-issues.ts";
import { cardsNotShown, unknownDisplayVersion } from "./display-issues.ts";
import {
  bodyOfRead,
  missingEndpoint,
  pathPlaceholder,
  urlWithCredentials,
  urlWithoutHost,
  urlWithoutScheme,
} from "./endpoint-issues.ts";
import { doubledInputs, inputsLeftBehind, unknownActionInputs, unknownRequires } from "./input-issues.ts";
import { parameterSchema } from "./parameter-issues.ts";
import { endlessRouting, waitIssues } from "./routing-issues.ts";
import { unknownSourcesOfTool } from "./source-issues.ts";
import {
  deadTransitions,
  duplicateStepIds,
  missingFallbacks,
  missingSteps,
  unknownStepIds,
  unreachableSteps,
} from "./step-issues.ts";
import {
  callsToOwnTool,
  collidingNames,
  doubledValues,
  expressionIssues,
  GO_TO_STEP,
  importTasks,
  misplacedActions,
  namesAsTexts,
  unknownTools,
  writtenSystemVariables,
} from "./task-issues.ts";
import { taskTemplateIssues, toolTemplateIssues } from "./template-issues.ts";
import { unknownKeys, unknownToolKeys } from "./unknown-keys.ts";

/*
 * What is wrong, or odd, about a definition whose shape is right. Errors block the save; warnings
 * and infos are told with every answer that shows the tool.
 */

/** What a definition is checked against beside itself. */
export type ToolSurroundings = {
  name: string;
  /** Built-in tools are run by the program itself, so that an endpoint is nothing they miss. */
  is_system: boolean;
  /** Every name that a workflow can call, among those the definition mentions. */
  callable: ReadonlySet<string>;
  /** What those of them take, as far as they take arguments. */
  targets?: ReadonlyMap<string, CallTarget>;
  /** Names that other tools show to models, among those the definition mentions. */
  taken: ReadonlySet<string>;
  /** Names and labels of data sources, among those the definition mentions. */
  sources: ReadonlySet<string>;
  /** The service of a tool that calls an MCP server. */
  mcp?: McpSurroundings;
};

export function toolIssues(definition: ToolDefinition, around: ToolSurroundings): Issue[] {
  const tasks = tasksOf(definition);
  const own = tasks.flatMap(({ task, path }) => taskToolName(task, path)?.name ?? []);
  const callable = new Set([...around.callable, ...own]);
  const meter = new Meter();
  const targets = new Map(around.targets);
  for (const { task, path } of tasks) {
    const name = taskToolName(task, path)?.name;
    if (name) targets.set(name, targetOfTask(task));
  }
  return [
    ...functionName(definition, around.name),
    ...(around.is_system ? [] : offeredNames(definition, around.name)),
    ...(around.is_system ? [] : missingEndpoint(definition)),
    ...urlWithoutScheme(definition),
    ...urlWithoutHost(definition),
    ...urlWithCredentials(definition),
    ...mcpIssues(definition, around.mcp),
    ...parameterSchema(definition),
    ...pathPlaceholder(definition),
    ...bodyOfRead(definition),
    ...defaultsWithoutEffect(definition),
    ...valuesOfRules(definition),
    ...removedRequirements(definition),
    ...defaultsOutsideSchema(definition),
    ...cardsNotShown(definition),
    ...unknownDisplayVersion(definition),
    ...unknownToolKeys(definition),
    ...toolTemplateIssues(definition),
    ...unprotectedTasks(definition, tasks.length),
    ...confirmationIssues(definition, tasks.length),
    ...duplicateStaticParameters(definition),
    ...staticDefaults(definition),
    ...unknownSourcesOfTool(definition, around.sources),
    ...collidingNames(tasks, around.taken),
    ...waitIssues(tasks),
    ...tasks.flatMap(({ task, path }) => [
      ...importTasks(task, path),
      ...misplacedActions(task, path),
      ...doubledValues(task, path),
      ...namesAsTexts(task, path),
      ...expressionIssues(task, path),
      ...callsToOwnTool(task, path),
      ...unknownTools(toolMentionsOf(task, path), callable),
      ...callArgumentIssues(task, path, targets, meter),
      ...doubledInputs(task, path),
      ...unknownActionInputs(task, path),
      ...unknownRequires(task, path),
      ...inputsLeftBehind(task, path),
      ...conditionIssues(task, path),
      ...writtenSystemVariables(task, path),
      ...taskTemplateIssues(task, path),
      ...unknownKeys(task, path),
      ...(task.type === "steps"
        ? [
            ...duplicateStepIds(task, path),
            ...unknownStepIds(task, path),
            ...unreachableSteps(task, path),
            ...missingFallbacks(task, path),
            ...deadTransitions(task, path),
            ...missingSteps(task, path),
            ...endlessRouting(task, path),
          ]
        : []),
    ]),
    ...inputPatterns(definition),
  ];
}

/** The names that `callable` and `taken` are asked about: of tasks, and of the tools they call beyond one another. */
export function mentionedNames(definition: ToolDefinition): { shown: string[]; called: string[] } {
  const tasks = tasksOf(definition);
  const shown = new Set(tasks.map(({ task, path }) => taskToolName(task, path)?.name ?? ""));
  const called = new Set(
    tasks.flatMap(({ task, path }) => toolMentionsOf(task, path).map(({ name }) => name)),
  );
  shown.delete("");
  return { shown: [...shown], called: [...called.difference(shown)].filter((name) => name !== GO_TO_STEP) };
}

/** What providers take for a tool's name; another one makes them refuse every request that offers the tool. */
const OFFERED_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const NAME_CURE = "Use 1 to 64 letters (a to z), digits, underscores and hyphens.";

/** The names that models see: a tool's own, or, of a context tool that only holds tasks, those of the tasks. */
function offeredNames(definition: ToolDefinition, name: string): Issue[] {
  const issue = (value: string, what: string, path: Issue["path"]): Issue[] =>
    OFFERED_NAME.test(value)
      ? []
      : [
          {
            id: "invalid-tool-name",
            severity: "error",
            message: `Model providers refuse ${what} "${value}". ${NAME_CURE}`,
            path,
            value,
          },
        ];
  const tasks = tasksOf(definition);
  const named = tasks.flatMap(({ task, path }) => {
    const placed = taskToolName(task, path);
    return placed ? issue(placed.name, "the name", placed.path) : [];
  });
  const holds = toolType(definition) === "context" && tasks.length > 0;
  const unnamed = tasks.filter(({ task }) => task.type !== "event" && !task.tool?.name).length;
  // A task without a name is shown under the tool's, with its number behind it.
  const shown = unnamed > 0 && tasks.length > 1 ? `${name}_${tasks.length - 1}` : name;
  return holds && unnamed === 0
    ? named
    : [...issue(shown, "the tool name", ["tool", "function", "name"]), ...named];
}

/** The model calls an endpoint by its function's name, and everything else finds it by the tool's. */
function functionName(definition: ToolDefinition, name: string): Issue[] {
  const given = definition.tool.function.name;
  if (!callsService(definition) || given === name) return [];
  return [
    {
      id: "function-name-mismatch",
      severity: "error",
      message: `The function of ${KINDS_IN_WORDS[toolType(definition)] ?? "an endpoint"} tool has the tool's own name: "${name}".`,
      path: ["tool", "function", "name"],
      value: given,
    },
  ];
}

/** A workflow's steps are no calls that could be refused; the tools they call are. */
function unprotectedTasks({ requires_verified }: ToolDefinition, tasks: number): Issue[] {
  if (!requires_verified || tasks === 0) return [];
  return [
    {
      id: "requires-verified-on-task",
      severity: "error",
      message:
        "A workflow can't require a verified person; set requires_verified on the tools its steps call.",
      path: ["requires_verified"],
    },
  ];
}

function duplicateStaticParameters(definition: ToolDefinition): Issue[] {
  const seen = new Set<string>();
  return (definition.static_parameters ?? []).flatMap(({ name }, index): Issue[] => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [
      {
        id: "duplicate-static-parameter",
        severity: "error",
        message: `The tool has a static parameter "${name}" already.`,
        path: ["static_parameters", index, "name"],
        value: name,
      },
    ];
  });
}

const STATIC_TYPES: Record<StaticToolParameter["type"], { words: string; fits(value: unknown): boolean }> = {
  string: { words: "a string", fits: (value) => typeof value === "string" },
  int: { words: "an integer", fits: Number.isInteger },
  boolean: { words: "true or false", fits: (value) => typeof value === "boolean" },
  data_source_list: {
    words: "a list of data source names",
    fits: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  },
};

function staticDefaults(definition: ToolDefinition): Issue[] {
  return (definition.static_parameters ?? []).flatMap((parameter, index): Issue[] => {
    const { words, fits } = STATIC_TYPES[parameter.type];
    if (parameter.default == null || fits(parameter.default)) return [];
    return [
      {
        id: "static-default-type-mismatch",
        severity: "error",
        message: `The default of a parameter of type ${parameter.type} is ${words}.`,
        path: ["static_parameters", index, "default"],
        value: parameter.default,
      },
    ];
  });
}

/** The inputs of tasks become JSON Schemas too. */
function inputPatterns(definition: ToolDefinition): Issue[] {
  const places = tasksOf(definition).flatMap(({ task, path }) => [
    ...stepsOf(task, path).map(({ step, path }) => ({ inputs: step.inputs, path })),
    ...(task.type === "expression" ? [{ inputs: task.inputs, path }] : []),
  ]);
  const meter = new PatternMeter();
  return places.flatMap(({ inputs, path }) =>
    (inputs ?? []).flatMap(({ pattern }, index): Issue[] => {
      const problem = pattern == null ? null : patternProblem(pattern, meter);
      if (problem === null) return [];
      const at = [...path, "inputs", index, "pattern"];
      return [{ id: "invalid-json-schema", severity: "error", message: problem, path: at, value: pattern }];
    }),
  );
}

const KINDS_IN_WORDS: Partial<Record<ToolType, string>> = { mcp: "an MCP", client: "a client" };
