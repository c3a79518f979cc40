import { ActionIcon, Autocomplete, Group, MultiSelect, Select, Text, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { CadenceStep, CampaignCadence } from "../api-types.ts";
import { useSenders } from "../campaign-form/senders.ts";
import { OUTCOME_WORDS } from "../outbound/channel-statuses.ts";
import { NumberField } from "../parts/number-field.tsx";
import type { FieldsForm } from "../records/record-form.tsx";
import { SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { useMay } from "../server/me.tsx";
import { AddRow } from "./add-row.tsx";
import { keptOutcomes, outcomesAfter, type StepMode, UNITS, waitParts } from "./cadence-outcomes.ts";

const MOST_STEPS = 5;
const CHANNELS: { value: StepMode; label: string }[] = [
  { value: "voice", label: "Call" },
  { value: "sms", label: "Text message" },
  { value: "email", label: "E-mail" },
];

/** As the review of a change calls them. */
const LABELS = {
  steps: "Steps",
  "steps.*.mode": worded("Channel", CHANNELS),
  "steps.*.source": "Send from",
  "steps.*.address": "Address column",
  "steps.*.wait": "Wait",
  "steps.*.after": worded("Only after", OUTCOME_WORDS),
};

type Props = { campaign_id: number; mode: StepMode };

/** Channels on which a person is reached when the campaign's own got no answer. */
export const CadencePanel = ({ campaign_id, mode }: Props) => (
  <SettingsPanel<CampaignCadence, CampaignCadence>
    title="Follow-up steps"
    noun="Steps"
    queryKey={["campaign", campaign_id, "cadence"]}
    read={() => call("GET /api/v1/outbound/campaigns/{campaign_id}/cadence", { path: { campaign_id } })}
    save={(body) =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/cadence", { path: { campaign_id }, body })
    }
    values={({ steps }) => ({ steps })}
    labels={LABELS}
    permission="outbound_write"
    verb="Save steps"
    invalidates={[["campaign", campaign_id]]}
  >
    {(form) => <StepRows form={form} mode={mode} />}
  </SettingsPanel>
);

function StepRows({ form, mode }: { form: FieldsForm<CampaignCadence>; mode: StepMode }) {
  const readOnly = !useMay()("outbound_write");
  const { steps } = form.getValues();
  const modeBefore = (index: number): StepMode => steps[index - 1]?.mode ?? mode;
  const setAll = (changed: CadenceStep[]) =>
    form.setFieldValue(
      "steps",
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
    <>
      <Text size="sm">
        When a person does not answer, the next step is tried: by its own channel's consent, lists, caps and
        hours. An answer, a call or an opt-out ends the steps. Retries come first. Changes apply from the next
        outcome.
      </Text>
      {steps.map((step, index) => (
        <StepRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other name than its place
          key={index}
          number={index + 2}
          step={step}
          before={modeBefore(index)}
          readOnly={readOnly}
          errorOf={(field) => form.errors[`steps.${index}.${field}`]}
          onChange={(more) => setAll(steps.with(index, { ...step, ...more }))}
          onRemove={() => setAll(steps.toSpliced(index, 1))}
        />
      ))}
      {!readOnly && <AddRow noun="step" disabled={steps.length >= MOST_STEPS} onAdd={add} />}
    </>
  );
}

type RowProps = {
  /** As people count them: the campaign's own is 1. */
  number: number;
  step: CadenceStep;
  before: StepMode;
  readOnly: boolean;
  errorOf(field: keyof CadenceStep): ReactNode;
  onChange(more: Partial<CadenceStep>): void;
  onRemove(): void;
};

function StepRow({ number, step, before, readOnly, errorOf, onChange, onRemove }: RowProps) {
  const senders = useSenders(step.mode);
  const { count, unit } = waitParts(step.wait);
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      <legend className="sr-only">Step {number}</legend>
      <Group align="flex-end" gap="sm">
        <NumberField
          label={`Step ${number} after`}
          min={1}
          max={9999}
          w={110}
          value={count}
          onNumber={(value) => onChange({ wait: `${Math.max(1, value)}${unit}` })}
          error={errorOf("wait")}
        />
        <Select
          label="Unit"
          data={UNITS}
          allowDeselect={false}
          w={110}
          value={unit}
          onChange={(value) => onChange({ wait: `${count}${value}` })}
        />
        <Select
          label="Channel"
          data={CHANNELS}
          allowDeselect={false}
          w={150}
          value={step.mode}
          onChange={(value) => onChange({ mode: value as StepMode, source: "", address: null })}
          error={errorOf("mode")}
        />
        <Autocomplete
          label="Send from"
          data={senders}
          w={210}
          value={step.source}
          onChange={(source) => onChange({ source })}
          error={errorOf("source")}
        />
        <TextInput
          label="Address column"
          placeholder={step.mode === "email" ? "email" : "phone"}
          w={140}
          value={step.address ?? ""}
          onChange={({ currentTarget }) => onChange({ address: currentTarget.value.trim() || null })}
          error={errorOf("address")}
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
          error={errorOf("after")}
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
