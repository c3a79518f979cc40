import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconPlayerPlay, IconSend } from "@tabler/icons-react";
import { useState } from "react";
import type { PlayedEvent, ToolDefinition, ToolTryRequest } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { Unreadable } from "../editors/unreadable.ts";
import { useAction } from "../parts/action.ts";
import { Failure } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { exampleAnswer, keptParts } from "../workflows/example-answer.ts";
import { useSurroundings } from "./step-context.ts";

/** The answer of a tool that the play waits for: from the tool itself, entered by hand, or a failure. */
export function ToolAnswer(props: {
  tool: string;
  played: PlayedEvent;
  definition: ToolDefinition;
  onAnswer(result: unknown, error: string | null): void;
}) {
  const { tool, played, definition, onAnswer } = props;
  const { tools } = useSurroundings();
  const may = useMay();
  const known = tools.find(({ name }) => name === tool);
  const asked = played.effects.find(({ type }) => type === "call");
  const parts = keptParts(definition, tool);
  const [values, setValues] = useState<Record<string, string>>({});
  const [whole, setWhole] = useState<unknown>(null);
  const [unreadable, setUnreadable] = useState(0);
  const attempt = useAction({
    mutationFn: () =>
      call("POST /api/v1/tools/try", {
        body: {
          definition: known?.definition as ToolTryRequest["definition"],
          service_id: known?.service_id as number,
          arguments: (asked?.arguments ?? {}) as Record<string, unknown>,
          variables: Object.fromEntries(
            Object.entries(played.variables).flatMap(([name, value]) =>
              typeof value === "string" ? [[name, value]] : [],
            ),
          ),
        },
      }),
    onSuccess: ({ result, error }) => onAnswer(result, error),
  });
  return (
    <Stack gap={6} role="group" aria-label={`Answer of ${tool}`}>
      <Text size="sm" fw={550}>
        {tool} is called
      </Text>
      {attempt.error && <Failure error={attempt.error} />}
      {parts.map((part) => (
        <TextInput
          key={part}
          size="xs"
          label={part}
          value={values[part] ?? ""}
          onChange={({ currentTarget }) => setValues({ ...values, [part]: currentTarget.value })}
        />
      ))}
      {parts.length === 0 && whole !== null && (
        <Unreadable value={setUnreadable}>
          <JsonEditor label="Answer" value={whole} onChange={setWhole} />
        </Unreadable>
      )}
      <Group gap="xs">
        {known && may("tools_write") && (
          <Button
            size="xs"
            leftSection={<IconPlayerPlay size={14} />}
            loading={attempt.isPending}
            onClick={() => attempt.mutate()}
          >
            Call the tool
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconSend size={14} />}
          disabled={unreadable > 0}
          onClick={() => onAnswer(parts.length > 0 ? exampleAnswer(values) : (whole ?? {}), null)}
        >
          Use this answer
        </Button>
        {parts.length === 0 && whole === null && (
          <Button size="xs" variant="subtle" onClick={() => setWhole({})}>
            Enter an answer
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconAlertTriangle size={14} />}
          onClick={() => onAnswer(null, "The service did not answer.")}
        >
          Fail
        </Button>
      </Group>
      {known && may("tools_write") && (
        <Text size="xs" c="dimmed">
          “Call the tool” sends a real request.
        </Text>
      )}
    </Stack>
  );
}
