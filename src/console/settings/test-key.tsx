import type { LlmProviderResponse } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import type { Tone } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { TestLine } from "./test-line.tsx";

export const PROVIDER_NAMES: Record<LlmProviderResponse["provider"], string> = {
  openai: "OpenAI",
  azure_openai: "Azure OpenAI",
  anthropic: "Anthropic",
  google: "Google",
};

export const KEY_VERDICTS: Record<string, { tone: Tone; word: string }> = {
  good: { tone: "good", word: "works" },
  refused: { tone: "bad", word: "refused" },
  unreachable: { tone: "bad", word: "not reached" },
  unclear: { tone: "warn", word: "unclear" },
};

/** Asks the provider now whether the key in use is good. */
export function TestKey({ provider }: { provider: LlmProviderResponse["provider"] }) {
  const may = useMay();
  const test = useAction({
    mutationFn: () => call("POST /api/v1/llm_providers/{provider}/test", { path: { provider } }),
  });
  return (
    <TestLine
      name={PROVIDER_NAMES[provider]}
      action="Test the key"
      mayTest={may("integrations_write")}
      test={test}
      verdictOf={({ verdict }) => KEY_VERDICTS[verdict]}
    />
  );
}
