import { isDeepStrictEqual } from "node:util";
import { type LlmOffer, llmIssues } from "../agents/prompt-llm.ts";
import { scriptIssues } from "../agents/prompt-record.ts";
import { Fault } from "../base/errors.ts";
import { choosableLlms, PROVIDER_NAMES } from "../llm/catalogue.ts";
import { type Issue, refuseErrors } from "../schemas/validation-issue.ts";
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

/** Warnings about a configuration, as of the day on which it is read. */
export function toolIssues(tool: Configured, offer: LlmOffer): Issue[] {
  const definition = definitionById(tool.insight_tool_definition_id);
  const read = definition && readToolArguments(definition, tool.tool_arguments);
  return read?.ok ? modelIssues(read.arguments, offer) : [];
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
