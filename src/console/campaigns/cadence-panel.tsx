import {
  ActionIcon,
  Autocomplete,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CadenceStep } from "../api-types.ts";
import { useSenders } from "../campaign-form/senders.ts";
import { useAction } from "../parts/action.ts";
import { Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { keptOutcomes, outcomesAfter, type StepMode, UNITS, waitParts } from "./cadence-outcomes.ts";
import { RowsToSave } from "./rows-to-save.tsx";

const MOST_STEPS = 5;
const CHANNELS: { value: StepMode; label: string }[] = [
  { value: "voice", label: "Call" },
  { value: "sms", label: "Text message" },
  { value: "email", label: "E-mail" },
];

type Props = { campaign_id: number; mode: StepMode };

/** Channels on which a person is reached when the campaign's own got no answer. */
export function CadencePanel({ campaign_id, mode }: Props) {
  const setting = useQuery({
    queryKey: ["campaign", campaign_id, "cadence"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/campaigns/{campaign_id}/cadence", { path: { campaign_id }, signal }),
  });
  return (
    <Panel title="Follow-up steps">
      <Fetched query={setting}>
        {({ steps }) => (
          <StepsForm key={JSON.stringify(steps)} campaign_id={campaign_id} mode={mode} stored={steps} />
        )}
      </Fetched>
    </Panel>
  );
}

function StepsForm({ campaign_id, mode, stored }: Props & { stored: CadenceStep[] }) {
  const readOnly = !useMay()("outbound_write");
  const client = useQueryClient();
  const [steps, setSteps] = useState(stored);
  const save = useAction({
    mutationFn: () =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/cadence", {
        path: { campaign_id },
        body: { steps },
      }),
    async onSuccess() {
      notifications.show({ message: "Steps saved. They apply from the next outcome.", color: "green" });
      await client.invalidateQueries({ queryKey: ["campaign", campaign_id] });
    },
  });
  const modeBefore = (index: number): StepMode => steps[index - 1]?.mode ?? mode;
  const setAll = (changed: CadenceStep[]) =>
    setSteps(
      changed.map((step, index) => ({
        ...step,
        after: keptOutcomes(step.after, changed[index - 1]?.mode ?? mode),
      })),
    );
  const add = () => {
    const next = steps.at(-1)?.mode ?? mode;
    const first: StepMode = next === "voice" ? "sms" : "email";
    const wait = first === "sms" ? "10m" : "1d";
    setAll([...steps, { mode: first, source: "", address: null, wait, after: null }]);
  };
  return (
    <Stack gap="md">
      <Text size="sm">
        When a person does not answer, the next step is tried: by its own channel's consent, lists, caps and
        hours. An answer, a call or an opt-out ends the steps. Retries come first.
      </Text>
      {steps.map((step, index) => (
        <StepRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other name than its place
          key={index}
          number={index + 2}
          step={step}
          before={modeBefore(index)}
          readOnly={readOnly}
          onChange={(more) => setAll(steps.with(index, { ...step, ...more }))}
          onRemove={() => setAll(steps.toSpliced(index, 1))}
        />
      ))}
      {!readOnly && (
        <RowsToSave
          noun={{ one: "step", all: "steps" }}
          canAdd={steps.length < MOST_STEPS}
          isChanged={JSON.stringify(steps) !== JSON.stringify(stored)}
          save={save}
          onAdd={add}
        />
      )}
    </Stack>
  );
}

type RowProps = {
  /** As people count them: the campaign's own is 1. */
  number: number;
  step: CadenceStep;
  before: StepMode;
  readOnly: boolean;
  onChange(more: Partial<CadenceStep>): void;
  onRemove(): void;
};

function StepRow({ number, step, before, readOnly, onChange, onRemove }: RowProps) {
  const senders = useSenders(step.mode);
  const { count, unit } = waitParts(step.wait);
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      <legend className="sr-only">Step {number}</legend>
      <Group align="flex-end" gap="sm">
        <NumberInput
          label={`Step ${number} after`}
          min={1}
          max={9999}
          w={110}
          value={count}
          onChange={(value) => onChange({ wait: `${Math.max(1, Number(value) || 1)}${unit}` })}
          readOnly={readOnly}
        />
        <Select
          label="Unit"
          data={UNITS}
          allowDeselect={false}
          w={110}
          value={unit}
          onChange={(value) => onChange({ wait: `${count}${value}` })}
          readOnly={readOnly}
        />
        <Select
          label="Channel"
          data={CHANNELS}
          allowDeselect={false}
          w={150}
          value={step.mode}
          onChange={(value) => onChange({ mode: value as StepMode, source: "", address: null })}
          readOnly={readOnly}
        />
        <Autocomplete
          label="Send from"
          data={senders}
          w={210}
          value={step.source}
          onChange={(source) => onChange({ source })}
          readOnly={readOnly}
        />
        <TextInput
          label="Address column"
          placeholder={step.mode === "email" ? "email" : "phone"}
          w={140}
          value={step.address ?? ""}
          onChange={({ currentTarget }) => onChange({ address: currentTarget.value.trim() || null })}
          readOnly={readOnly}
        />
        <MultiSelect
          label="Only after"
          placeholder={step.after === null ? "No answer of any kind" : ""}
          data={outcomesAfter(before)}
          w={260}
          value={step.after ?? []}
          onChange={(values) =>
            onChange({ after: values.length === 0 ? null : (values as NonNullable<CadenceStep["after"]>) })
          }
          readOnly={readOnly}
        />
        {!readOnly && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove step ${number}`}
            onClick={onRemove}
            mb={4}
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
    </fieldset>
  );
}
