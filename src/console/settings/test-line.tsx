import { Button, Group, Text } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import type { UseMutationResult } from "@tanstack/react-query";
import { formatDuration } from "../parts/duration.ts";
import { Status, type Tone } from "../parts/parts.tsx";

type Answer = { message: string; duration_ms: number };

/** A name, a button that asks somebody outside now, and what they answered. */
export function TestLine<Found extends Answer>(props: {
  name: React.ReactNode;
  action: string;
  mayTest: boolean;
  test: UseMutationResult<Found, Error, void>;
  verdictOf(answer: Found): { tone: Tone; word: string } | undefined;
}) {
  const { name, action, mayTest, test, verdictOf } = props;
  const verdict = test.data && verdictOf(test.data);
  return (
    <Group gap="xs">
      <bdi>{name}</bdi>
      {mayTest && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlugConnected size={13} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {action}
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
