import { Button, Group, Text } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { LlmProviderResponse } from "../api-types.ts";
import { call } from "../ground/api.ts";
import { formatDuration } from "../ground/duration.ts";
import { useMay } from "../ground/me.tsx";
import { Status, type Tone } from "../ground/parts.tsx";

export const PROVIDER_NAMES: Record<LlmProviderResponse["provider"], string> = {
  openai: "OpenAI",
  azure_openai: "Azure OpenAI",
  anthropic: "Anthropic",
  google: "Google",
};

const VERDICTS: Record<string, { tone: Tone; word: string }> = {
  good: { tone: "good", word: "works" },
  refused: { tone: "bad", word: "refused" },
  unreachable: { tone: "bad", word: "not reached" },
  unclear: { tone: "warn", word: "unclear" },
};

/** Asks the provider now whether the key in use is good. */
export function TestKey({ provider }: { provider: LlmProviderResponse["provider"] }) {
  const may = useMay();
  const test = useMutation({
    mutationFn: () => call("POST /api/v1/llm_providers/{provider}/test", { path: { provider } }),
  });
  const verdict = test.data && VERDICTS[test.data.verdict];
  return (
    <Group gap="xs">
      <span>{PROVIDER_NAMES[provider]}</span>
      {may("integrations_write") && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlugConnected size={13} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Test the key
        </Button>
      )}
      <span role="status">
        {verdict && <Status tone={verdict.tone}>{verdict.word}</Status>}
        {(test.data || test.error) && (
          <Text size="xs" c="dimmed" component="span" ml={6}>
            {test.data
              ? `${test.data.message} ${formatDuration(test.data.duration_ms)}`
              : test.error?.message}
          </Text>
        )}
      </span>
    </Group>
  );
}
