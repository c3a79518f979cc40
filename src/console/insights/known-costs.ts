import type { InsightAmounts, InsightToolOutput, InsightToolSpending } from "../api-types.ts";

/** Tokens and cost of one run; null where they are unknown, which the API reports as 0. */
export function runFigures({ basis, price, input_tokens, output_tokens, cost_usd }: InsightToolSpending): {
  input_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number | null;
} {
  if (basis === "none") return { input_tokens: null, output_tokens: null, cost_usd: null };
  return { input_tokens, output_tokens, cost_usd: price === null ? null : cost_usd };
}

/** Tokens and cost of a number of runs; 0 means that nothing was counted or that no price is known. */
export function amountFigures(runs: number, amounts: Omit<InsightAmounts, "count">) {
  const known = (amount: number): number | null => (runs > 0 && amount === 0 ? null : amount);
  return {
    input_tokens: known(amounts.input_tokens),
    output_tokens: known(amounts.output_tokens),
    cost_usd: known(amounts.cost_usd),
  };
}

/** Tools that cost money at an unknown price, which the estimate leaves out. */
export function withoutCost(
  tools: readonly Pick<InsightToolOutput, "id" | "name" | "insight_tool_definition">[],
  spending: readonly InsightToolSpending[],
): string[] {
  const isPaid = (type: string | undefined): boolean => type === "llm" || type === "transcription";
  return tools
    .filter(({ id, insight_tool_definition: definition }) => {
      const figures = spending.find(({ insight_tool_id }) => insight_tool_id === id);
      if (!figures || !isPaid(definition?.type)) return false;
      return figures.minute_price === null && runFigures(figures).cost_usd === null;
    })
    .map(({ name }) => name);
}

/** Audio is charged by the minute. The length of recordings is not measured, and one without a length counts as zero. */
export const isLengthUnsure = (source: string, spending: readonly InsightToolSpending[]): boolean =>
  source === "upload" && spending.some(({ minute_price }) => minute_price !== null);
