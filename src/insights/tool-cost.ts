import { findLlm, type LlmEntry, type LlmPrice } from "../llm/catalogue.ts";
import { usedCost } from "../llm/used-cost.ts";
import { readToolArguments, type ToolArguments } from "./tool-arguments.ts";
import type { InsightToolOutput } from "./tool-configuration-schema.ts";
import { definitionById } from "./tool-definition.ts";
import { type MinutePrice, transcriptionPrice } from "./transcription-prices.ts";

/* What tools cost, from price tables that are data; pure. */

/** How often, and how long in all. */
export type Amount = { count: number; duration_s: number };

/** Means of the runs of a tool that were counted. */
export type Measured = { runs: number; input_tokens: number; output_tokens: number };

/** What one run of a tool will take. */
export type ToolEstimate = {
  insight_tool_id: number;
  name: string;
  /** Where the tokens come from: runs of this tool, the length of transcripts and prompt, or nowhere. */
  basis: "measured" | "transcripts" | "none";
  measured_runs: number;
  input_tokens: number;
  output_tokens: number;
  /** For a million tokens; null where the price is unknown or the tool asks no model. */
  price: LlmPrice | null;
  /** For a minute of sound; null for all but transcription. */
  minute_price: MinutePrice | null;
  /** Of one run, without the minutes. */
  cost_usd: number;
};

/** What everybody counts with who knows no better. */
const CHARACTERS_PER_TOKEN = 4;
/** The frame around a prompt: what kind of material comes, the schema's own words. */
const FRAME_CHARACTERS = 400;
const OUTPUT_TOKENS = { free_text: 60, other: 10 };

export function estimateTool(
  tool: Pick<InsightToolOutput, "id" | "name" | "insight_tool_definition_id" | "tool_arguments">,
  known: { measured: Measured | undefined; transcript_characters: number; catalogue: readonly LlmEntry[] },
): ToolEstimate {
  const definition = definitionById(tool.insight_tool_definition_id);
  const read = definition && readToolArguments(definition, tool.tool_arguments);
  const given = read?.ok ? read.arguments : null;
  const price =
    given?.type === "llm"
      ? (findLlm(known.catalogue, given.llm_config.provider, given.llm_config.model)?.price ?? null)
      : null;
  const tokens = tokensOf(given, known);
  return {
    insight_tool_id: tool.id,
    name: tool.name,
    ...tokens,
    price,
    minute_price: given?.type === "transcription" ? transcriptionPrice(given) : null,
    cost_usd: price ? usedCost({ ...tokens, cached_input_tokens: null }, price) : 0,
  };
}

type Tokens = Pick<ToolEstimate, "basis" | "measured_runs" | "input_tokens" | "output_tokens">;

function tokensOf(
  given: ToolArguments | null,
  { measured, transcript_characters }: { measured: Measured | undefined; transcript_characters: number },
): Tokens {
  if (measured) {
    const { runs, input_tokens, output_tokens } = measured;
    return { basis: "measured", measured_runs: runs, input_tokens, output_tokens };
  }
  if (given?.type !== "llm" || transcript_characters === 0) {
    return { basis: "none", measured_runs: 0, input_tokens: 0, output_tokens: 0 };
  }
  const asked = given.prompt.length + JSON.stringify(given.outputs).length + FRAME_CHARACTERS;
  const output_tokens = given.outputs.reduce(
    (sum, { type, return_values }) =>
      sum + (type === "string" && return_values === null ? OUTPUT_TOKENS.free_text : OUTPUT_TOKENS.other),
    0,
  );
  const input_tokens = Math.ceil((asked + transcript_characters) / CHARACTERS_PER_TOKEN);
  return { basis: "transcripts", measured_runs: 0, input_tokens, output_tokens };
}

/** All tools over this many sessions or recordings, in US dollars; what is unknown adds nothing. */
export const costOf = (tools: ToolEstimate[], { count, duration_s }: Amount): number =>
  tools.reduce(
    (sum, { cost_usd, minute_price }) =>
      sum + count * cost_usd + (duration_s / 60) * (minute_price?.minute_usd ?? 0),
    0,
  );

/** In and out, of all tools over this many. */
export const tokensOfAll = (tools: ToolEstimate[], count: number) => ({
  input_tokens: Math.round(tools.reduce((sum, tool) => sum + count * tool.input_tokens, 0)),
  output_tokens: Math.round(tools.reduce((sum, tool) => sum + count * tool.output_tokens, 0)),
});
