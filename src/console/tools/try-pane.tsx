import { Button, Grid, Group, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import type { ToolDefinition, ToolTryRequest, ToolTryResponse } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { KeyValues } from "../editors/key-values.tsx";
import { Unreadable } from "../editors/unreadable.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { useAction } from "../parts/action.ts";
import { formatDuration } from "../parts/duration.ts";
import { Code, Empty, Failure, Panel, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { exampleArguments } from "./example-arguments.ts";

/** A real test request with the unsaved tool, and the arguments after each stage. */
export function TryPane({ definition, service_id }: { definition: ToolDefinition; service_id: number }) {
  const [given, setGiven] = useState<unknown>(() => exampleArguments(definition));
  const [variables, setVariables] = useState<Record<string, string>>({});
  const [agent_id, setAgent] = useState<number | null>(null);
  const [unreadable, setUnreadable] = useState(0);
  const attempt = useAction({
    mutationFn: () =>
      call("POST /api/v1/tools/try", {
        body: {
          definition: definition as ToolTryRequest["definition"],
          service_id,
          arguments: given as Record<string, unknown>,
          variables,
          agent_id,
        },
      }),
  });
  return (
    <Grid gap="md" align="flex-start">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Panel title="Test request">
          <Stack gap="md">
            <Unreadable value={setUnreadable}>
              <JsonEditor
                label="Arguments"
                description="As the model would pass them."
                value={given}
                onChange={setGiven}
              />
            </Unreadable>
            <KeyValues
              label="Variables"
              description="Session variables used by templates and defaults."
              value={variables}
              onChange={setVariables}
            />
            <RecordSelect
              operation="GET /api/v1/agents/"
              label="Run as agent"
              description="Uses its variables, headers and defaults."
              placeholder="No agent"
              value={agent_id}
              onChange={setAgent}
            />
            <Group>
              <Button
                leftSection={<IconPlayerPlay size={15} />}
                loading={attempt.isPending}
                disabled={service_id === 0 || unreadable > 0}
                onClick={() => attempt.mutate()}
              >
                Run
              </Button>
              <Text size="xs" c="dimmed">
                {service_id === 0 ? "Choose a service in the form first." : "The request is real."}
              </Text>
            </Group>
          </Stack>
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Panel title="Result">
          {attempt.error ? (
            <Failure error={attempt.error} />
          ) : attempt.data ? (
            <Stages tried={attempt.data} />
          ) : (
            <Empty title="Not run yet">
              Shows each stage: the arguments given, the arguments prepared, the request, the response, and
              what the model reads.
            </Empty>
          )}
        </Panel>
      </Grid.Col>
    </Grid>
  );
}

type Sent = { method?: string; url?: string; headers?: Record<string, string>; body?: string | null };

/** The request as it was sent; tools without an HTTP request show what they record instead. */
function sentStages(request: unknown): [title: string, value: unknown][] {
  const { method, url, headers, body } = (request ?? {}) as Sent;
  if (headers === undefined) return [["3. Sent", request]];
  return [
    ["3. Sent: URL", `${method} ${url}`],
    ["Headers", headers],
    ["Body", body ?? "(no body)"],
  ];
}

function Stages({ tried }: { tried: ToolTryResponse }) {
  const stages: [title: string, value: unknown][] = [
    ["1. Given", tried.given],
    ["2. Prepared: static parameters, defaults and transforms applied", tried.prepared],
    ...sentStages(tried.request),
    ["4. What the model reads", tried.result],
  ];
  return (
    <Stack gap="md">
      <Group gap="xs">
        {tried.error === null ? <Status tone="good">answered</Status> : <Status tone="bad">failed</Status>}
        <Text size="sm">{formatDuration(tried.duration_ms)}</Text>
      </Group>
      {tried.error !== null && <Text c="var(--mantine-color-error)">{tried.error}</Text>}
      {stages.map(([title, value]) => (
        <div key={title}>
          <Text fw={600} size="sm" mb={4}>
            {title}
          </Text>
          {value === null || value === undefined ? (
            <Text size="sm" c="dimmed">
              Not reached.
            </Text>
          ) : (
            <Code value={value} label={title} />
          )}
        </div>
      ))}
      {tried.trace.length > 0 && (
        <div>
          <Text fw={600} size="sm" mb={4}>
            Notes
          </Text>
          {tried.trace.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: notes stand in the order they were made
            <Text key={index} size="sm">
              {entry.category}: {entry.label}
              {entry.duration_ms === null ? "" : `, ${formatDuration(entry.duration_ms)}`}
            </Text>
          ))}
        </div>
      )}
    </Stack>
  );
}
