import { invalid } from "../base/errors.ts";
import { readToolArguments, type ToolArguments } from "../insights/tool-arguments.ts";
import { definitionById } from "../insights/tool-definition.ts";
import type { JudgeInput } from "./judge-schema.ts";

/** What may be saved as a judge; pure. */

type Configured = { insight_tool_definition_id: number; tool_arguments: unknown };

export type JudgeTool = Extract<ToolArguments, { type: "llm" | "regex" }>;

/** The tool's arguments as they are run, or why it can't judge. Nothing that is said in a test leaves for a service. */
export function readJudgeTool(
  tool: Configured,
): { ok: true; tool: JudgeTool } | { ok: false; problem: string } {
  const definition = definitionById(tool.insight_tool_definition_id);
  if (!definition) return { ok: false, problem: "The definition of this tool no longer exists" };
  const read = readToolArguments(definition, tool.tool_arguments);
  if (!read.ok) return { ok: false, problem: read.problem };
  const { type } = read.arguments;
  if (type !== "llm" && type !== "regex")
    return { ok: false, problem: `A judge is an llm_tool or a regex_tool; this is ${definition.name}` };
  return { ok: true, tool: read.arguments };
}

/** Its keys, each with the type of its values. */
const outputsOf = (tool: JudgeTool): Map<string, string> =>
  tool.type === "llm"
    ? new Map(tool.outputs.map(({ name, type }) => [name, type]))
    : new Map([
        ["matched", "boolean"],
        ["value", "string"],
      ]);

export function refuseWrongJudge(
  { output, wanted, reason_output }: Pick<JudgeInput, "output" | "wanted" | "reason_output">,
  configured: Configured,
): void {
  const read = readJudgeTool(configured);
  if (!read.ok) throw invalid(["body", "insight_tool_id"], read.problem);
  const outputs = outputsOf(read.tool);
  const known = [...outputs.keys()].join(", ");
  const type = outputs.get(output);
  if (type === undefined)
    throw invalid(["body", "output"], `The tool has no output ${output}; it has ${known}`);
  if (type === "array") throw invalid(["body", "output"], "A list can't decide; choose another output");
  const isNumber = type === "integer" || type === "number";
  if (typeof wanted !== (isNumber ? "number" : type))
    throw invalid(["body", "wanted"], `The output ${output} is ${type}; this is another kind of value`);
  if (reason_output != null && !outputs.has(reason_output))
    throw invalid(["body", "reason_output"], `The tool has no output ${reason_output}; it has ${known}`);
}
