import type { InsightAmounts, InsightToolOutput, InsightToolSpending } from "../api-types.ts";

/** What one run of a tool takes; null where nothing is known, for which the API says 0. */
export function runFigures({ basis, price, input_tokens, output_tokens, cost_usd }: InsightToolSpending): {
  input_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number | null;
} {
  if (basis === "none") return { input_tokens: null, output_tokens: null, cost_usd: null };
  return { input_tokens, output_tokens, cost_usd: price === null ? null : cost_usd };
}

/** What so many runs took; a 0 of what ran is what nobody counted, or has no price. */
export function amountFigures(runs: number, amounts: Omit<InsightAmounts, "count">) {
  const known = (amount: number): number | null => (runs > 0 && amount === 0 ? null : amount);
  return {
    input_tokens: known(amounts.input_tokens),
    output_tokens: known(amounts.output_tokens),
    cost_usd: known(amounts.cost_usd),
  };
}

/** The tools whose runs somebody has to pay for, and nobody knows how much: what the estimate leaves out. */
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

/** Sound is paid for by the minute: of recordings nobody measures how long they are, and one without a length counts as none. */
export const isLengthUnsure = (source: string, spending: readonly InsightToolSpending[]): boolean =>
  source === "upload" && spending.some(({ minute_price }) => minute_price !== null);
