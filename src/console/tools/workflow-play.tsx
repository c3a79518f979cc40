import { Button, Group, Stack, Text } from "@mantine/core";
import { IconArrowBackUp, IconPlayerPlay, IconRefresh } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { PlayEvent, PlayedEvent, TaskPlayRequest, ToolDefinition } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { KeyValues } from "../editors/key-values.tsx";
import { Unreadable } from "../editors/unreadable.ts";
import { Code, Failure, Loading, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { exampleArguments } from "./example-arguments.ts";
import classes from "./workflow-editor.module.css";

type Props = {
  definition: ToolDefinition;
  task: number;
  onStep(played: { current: string | null; visited: string[] }): void;
};

/** Plays the unsaved workflow: the person enters what a model and the tools would return. */
export function WorkflowPlay({ definition, task, onStep }: Props) {
  const [events, setEvents] = useState<PlayEvent[]>([{ type: "activate" }]);
  const [variables, setVariables] = useState<Record<string, string>>({});
  const body: TaskPlayRequest = {
    definition: definition as TaskPlayRequest["definition"],
    task,
    events,
    variables,
  };
  const query = useQuery({
    queryKey: ["play", body],
    queryFn: ({ signal }) => call("POST /api/v1/tools/play", { body, signal }),
    placeholderData: keepPreviousData,
  });
  const played = query.data?.played ?? [];
  const last = played.at(-1);
  const visited = played.flatMap(({ step }) => (step === null ? [] : [step])).join("\n");
  const current = last?.step ?? null;
  useEffect(() => {
    onStep({ current, visited: visited.split("\n") });
  }, [current, visited, onStep]);

  if (query.error && !last) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (!last) return <Loading />;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Status tone={last.status === "completed" ? "good" : "busy"}>
          {last.status === "completed" ? "completed" : `in ${last.step ?? "no step"}`}
        </Status>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconArrowBackUp size={14} />}
          disabled={events.length <= 1}
          onClick={() => setEvents(events.slice(0, -1))}
        >
          Back
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRefresh size={14} />}
          onClick={() => setEvents([{ type: "activate" }])}
        >
          Restart
        </Button>
      </Group>
      {query.error && <Failure error={query.error} />}
      {last.awaits !== null ? (
        <Give
          key={events.length}
          label={`What ${last.awaits} answers`}
          example={{}}
          action="Answer"
          onGive={(result) => setEvents([...events, { type: "called", result, error: null }])}
        />
      ) : last.offered !== null ? (
        <Give
          key={events.length}
          label={`What the model submits with ${last.offered.name}`}
          example={exampleArguments(asTool(last.offered))}
          action="Submit"
          onGive={(given) =>
            setEvents([...events, { type: "submit", arguments: given as Record<string, unknown> }])
          }
        />
      ) : (
        <Text size="sm" c="dimmed">
          The workflow is done; its tool is gone, and the model talks on freely.
        </Text>
      )}
      <KeyValues
        label="Variables at the start"
        keyLabel="Full name, such as vars.name"
        value={variables}
        onChange={setVariables}
      />
      <Code value={{ inputs: last.inputs, local: last.local, variables: last.variables }} label="State" />
      <Text size="sm" fw={600}>
        What happened
      </Text>
      {played
        .map((each, index) => {
          // Gone already where one was taken back, and what is played without it is not read yet.
          const event = events[index];
          // biome-ignore lint/suspicious/noArrayIndexKey: events stand in the order they were given
          return event && <Happened key={index} event={event} played={each} />;
        })
        .toReversed()}
    </Stack>
  );
}

const asTool = (offered: NonNullable<PlayedEvent["offered"]>): ToolDefinition =>
  ({ tool: { type: "function", function: { ...offered } } }) as ToolDefinition;

function Give(props: { label: string; example: unknown; action: string; onGive(value: unknown): void }) {
  const [value, setValue] = useState(props.example);
  const [unreadable, setUnreadable] = useState(0);
  return (
    <Stack gap={6}>
      <Unreadable value={setUnreadable}>
        <JsonEditor label={props.label} value={value} onChange={setValue} />
      </Unreadable>
      <Group>
        <Button
          size="xs"
          leftSection={<IconPlayerPlay size={14} />}
          disabled={unreadable > 0}
          onClick={() => props.onGive(value)}
        >
          {props.action}
        </Button>
      </Group>
    </Stack>
  );
}

function Happened({ event, played }: { event: PlayEvent; played: PlayedEvent }) {
  return (
    <div className={classes.played}>
      <Text size="sm" fw={550}>
        {EVENTS[event.type]} → {played.step ?? played.status}
      </Text>
      {played.trace.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: in the order it happened
        <Text key={index} size="xs" c="dimmed">
          {entry.label}: {JSON.stringify(entry.details)}
        </Text>
      ))}
      {played.effects.map((effect, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: in the order it happened
        <Text key={index} size="xs" dir="auto">
          {effectText(effect)}
        </Text>
      ))}
    </div>
  );
}

const EVENTS: Record<PlayEvent["type"], string> = {
  activate: "Started",
  start: "First words",
  submit: "Submitted",
  go_to_step: "Jumped",
  called: "Answered",
};

function effectText(effect: Record<string, unknown>): string {
  if (effect.type === "say") return `says “${effect.text}”`;
  if (effect.type === "hear") return `as if the person said “${effect.text}”`;
  if (effect.type === "call") return `calls ${effect.tool} ${JSON.stringify(effect.arguments)}`;
  return `the model reads ${JSON.stringify(effect.result)}`;
}
