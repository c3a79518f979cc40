import { isDeepStrictEqual } from "node:util";
import { type LlmOffer, llmIssues } from "../agents/prompt-llm.ts";
import { scriptIssues } from "../agents/prompt-record.ts";
import { Fault } from "../base/errors.ts";
import { choosableLlms, PROVIDER_NAMES } from "../llm/catalogue.ts";
import { nearest } from "../schemas/nearest.ts";
import { type Issue, refuseErrors } from "../schemas/validation-issue.ts";
import { templateIssues } from "../tools/issues/template-issues.ts";
import { readToolArguments, type ToolArguments } from "./tool-arguments.ts";
import type { InsightToolInput, InsightToolOutput } from "./tool-configuration-schema.ts";
import { DEFINITIONS, definitionById } from "./tool-definition.ts";

/*
 * What may be saved as a configuration; pure.
 */

type Configured = { insight_tool_definition_id: number; tool_arguments: unknown };

/** 400 where the definition is unknown, the arguments don't fit it or the model isn't offered; 422 for a retired model. */
export function refuseWrongTool(input: Configured, offer: LlmOffer): ToolArguments {
  const definition = definitionById(input.insight_tool_definition_id);
  if (!definition) {
    const known = DEFINITIONS.map(({ id, name }) => `${id} (${name})`).join(", ");
    throw new Fault(
      "refused",
      `Insight tool definition ${input.insight_tool_definition_id} does not exist; choose one of ${known}.`,
    );
  }
  const read = readToolArguments(definition, input.tool_arguments);
  if (!read.ok) throw new Fault("refused", read.problem);
  const issues = modelIssues(read.arguments, offer);
  if (issues.some(({ id }) => id === "unknown-model")) throw unknownModel(read.arguments, offer);
  refuseErrors(issues, ["body"]);
  return read.arguments;
}

/** Warnings about a configuration, as of the day on which it is read. `keys` are those that insight tools write. */
export function toolIssues(tool: Configured, offer: LlmOffer, keys: InsightKeys): Issue[] {
  const read = readConfigured(tool);
  if (!read) return [];
  return [...modelIssues(read, offer), ...(read.type === "llm" ? promptIssues(read.prompt, keys) : [])];
}

function readConfigured({ insight_tool_definition_id, tool_arguments }: Configured): ToolArguments | null {
  const definition = definitionById(insight_tool_definition_id);
  const read = definition && readToolArguments(definition, tool_arguments);
  return read?.ok ? read.arguments : null;
}

/** The keys of all results; null where a service answers, which may give any. */
export type InsightKeys = readonly string[] | null;

export function keysOf(tools: readonly Configured[]): InsightKeys {
  const keys = new Set<string>();
  for (const tool of tools) {
    const read = readConfigured(tool);
    if (read?.type === "http") return null;
    const named = read?.type === "llm" ? read.outputs.map(({ name }) => name) : [];
    const fixed = Object.keys(definitionById(tool.insight_tool_definition_id)?.tool_result_set ?? {});
    for (const key of read?.type === "llm" ? named : fixed) keys.add(key);
  }
  return [...keys];
}

/** `{{ name }}` and `${name}`, not escaped; in `${name=default}` the default stands where there is no value. */
const READ = /(?<!\\)(?:\{\{\s*([\p{L}\p{M}\p{N}_.]+)\s*\}\}|\$\{([\p{L}\p{M}\p{N}_.]+)\})/gu;

/** Names of a prompt that never have a value: it is asked about a conversation that is over, and knows only insights. */
function promptIssues(prompt: string, keys: InsightKeys): Issue[] {
  const path = ["tool_arguments", "prompt"];
  const at = { severity: "warning", path, value: prompt } as const;
  const names = new Set([...prompt.matchAll(READ)].map(([, braced, dollar]) => braced ?? dollar ?? ""));
  return [
    ...templateIssues(prompt, path).filter(({ id }) => id === "template-never-filled"),
    ...[...names].flatMap((name): Issue[] => {
      const [root, key] = name.replace(/^vars\./, "").split(".");
      if (root !== "insights") {
        const message = `${name} has no value here: a prompt of an insight tool reads only {{ insights.<output> }}.`;
        return [{ id: "no-insight", message, ...at }];
      }
      if (key === undefined || keys === null || keys.includes(key)) return [];
      const message = `No insight tool has an output "${key}", so ${name} has no value${nearest(key, keys)}.`;
      return [{ id: "unknown-insight", message, ...at }];
    }),
  ];
}

const modelIssues = (read: ToolArguments, offer: LlmOffer): Issue[] =>
  read.type !== "llm"
    ? []
    : [
        ...llmIssues(read.llm_config, offer).map((issue) => ({
          ...issue,
          // The arguments hold flat what a prompt holds in llm_config.
          path: ["tool_arguments", ...issue.path.slice(1)],
        })),
        ...scriptIssues(read.prompt, ["tool_arguments", "prompt"]),
      ];

function unknownModel(read: ToolArguments, { catalogue, today }: LlmOffer): Fault {
  if (read.type !== "llm") throw new Error("only language models are looked up");
  const { provider, model } = read.llm_config;
  const offered = choosableLlms(catalogue, today, null).filter((entry) => entry.provider === provider);
  return new Fault(
    "refused",
    `tool_arguments.model: "${model}" of ${PROVIDER_NAMES[provider]} is not offered here. Choose one of ${offered.map((entry) => entry.model).join(", ")}.`,
  );
}

export type ActiveUse = { name: string };

/** 412: what was analysed with a version must stay what that version says. */
export function refuseStaleVersion(
  before: InsightToolOutput,
  input: InsightToolInput,
  active: ActiveUse[],
): void {
  if (input.version < before.version) {
    throw new Fault(
      "blocked",
      `Version ${input.version} is lower than the stored version ${before.version}. Read the configuration again, or raise the version.`,
    );
  }
  const same =
    input.insight_tool_definition_id === before.insight_tool_definition_id &&
    isDeepStrictEqual(input.tool_arguments, before.tool_arguments);
  if (same || input.version > before.version || active.length === 0) return;
  const holders = active.map(({ name }) => `"${name}"`).join(", ");
  throw new Fault(
    "blocked",
    `The arguments change, and active workflows use version ${before.version}: ${holders}. Raise the version, or inactivate them first.`,
  );
}
