import type { LlmPrice } from "./catalogue.ts";
import type { ModelUsage } from "./model.ts";

/** US dollars of what was used; tokens that nobody counted cost nothing. */
export function usedCost(
  { input_tokens, output_tokens, cached_input_tokens }: ModelUsage,
  {
    input_usd,
    output_usd,
    cached_input_usd,
  }: Pick<LlmPrice, "input_usd" | "output_usd" | "cached_input_usd">,
): number {
  const cached = Math.min(cached_input_tokens ?? 0, input_tokens ?? 0);
  const fresh = (input_tokens ?? 0) - cached;
  return (
    (fresh * input_usd + cached * (cached_input_usd ?? input_usd) + (output_tokens ?? 0) * output_usd) / 1e6
  );
}
