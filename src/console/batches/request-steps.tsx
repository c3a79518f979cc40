import { Group, Stack, Text } from "@mantine/core";
import type { RequestTraceStep } from "../api-types.ts";
import classes from "../outbound/outbound.module.css";
import { Panel, Status } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";

const CHANNELS: Record<RequestTraceStep["mode"], string> = {
  voice: "Call",
  sms: "Text message",
  email: "E-mail",
};

const STATES: Record<RequestTraceStep["state"], { word: string; tone: "good" | "busy" | "quiet" | "warn" }> =
  {
    done: { word: "Done", tone: "good" },
    "under-way": { word: "In progress", tone: "busy" },
    waiting: { word: "Next", tone: "busy" },
    skipped: { word: "Skipped", tone: "warn" },
    stopped: { word: "Stopped", tone: "quiet" },
    "not-reached": { word: "Not needed", tone: "quiet" },
    later: { word: "Later", tone: "quiet" },
  };

/** The steps of the campaign as far as this person is concerned; nothing where it has one alone. */
export const RequestSteps = ({ steps }: { steps: RequestTraceStep[] }) =>
  steps.length === 0 ? null : (
    <Panel title="Steps">
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step.number}>
            <StepView step={step} />
          </li>
        ))}
      </ol>
    </Panel>
  );

function StepView({ step: { number, mode, source, target, state, at, text } }: { step: RequestTraceStep }) {
  const { word, tone } = STATES[state];
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {number}. {CHANNELS[mode]}
        </Text>
        <Status tone={tone}>{word}</Status>
      </Group>
      <Text size="xs" c="dimmed">
        {target === null ? "No address" : <bdi>{target}</bdi>}
        {source !== null && (
          <>
            {" "}
            from <bdi>{source}</bdi>
          </>
        )}
        {at !== null && (
          <>
            , {state === "waiting" ? "not before " : ""}
            <Time at={at} />
          </>
        )}
      </Text>
      {text !== null && <Text size="sm">{text}</Text>}
    </Stack>
  );
}
