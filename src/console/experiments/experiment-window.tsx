import { Checkbox, Group, NumberInput, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { AgentVersion, Experiment } from "../api-types.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import {
  EXPERIMENT_LABELS,
  type ExperimentValues,
  experimentBody,
  experimentValues,
  newExperiment,
  SET_TOGETHER,
} from "./experiment-values.ts";
import { GUARD_WORDS, type Guard } from "./experiment-words.ts";
import { LimitFields } from "./limit-fields.tsx";
import { RampFields } from "./ramp-fields.tsx";
import { SuccessFields } from "./success-fields.tsx";
import { VariantFields } from "./variant-fields.tsx";

/** Faults of a version or of a step stand at its own control, those of success at the fields below it. */
const hasField = (path: string): boolean =>
  /^(name|channel_target_id|campaign_id|variants(\.\d+\.(version_number|weight))?|ramp(\.\d+\.(percent|after_minutes))?|guards|slow_ms|success(\.(insight_key|values|end_reasons))?)$/.test(
    path,
  );

/** Plans an experiment, or changes one that was not started, and opens its page. */
export function ExperimentWindow(props: {
  agent_id: number;
  versions: readonly AgentVersion[];
  stored?: Experiment;
  onClose(): void;
}) {
  const { agent_id, versions, stored, onClose } = props;
  const client = useQueryClient();
  const navigate = useNavigate();
  const live = versions.find(({ is_live }) => is_live)?.version_number ?? 0;
  const newest = versions.find(({ version_number }) => version_number !== live)?.version_number ?? null;
  const { form, sending } = useWindowForm<ExperimentValues, Experiment>({
    initial: stored ? experimentValues(stored) : newExperiment(live, newest),
    changed: stored && {
      reread: () => call("GET /api/v1/experiments/{experiment_id}", { path: { experiment_id: stored.id } }),
      values: experimentValues,
      labels: EXPERIMENT_LABELS,
      together: SET_TOGETHER,
    },
    hasField,
    send: (values) =>
      stored
        ? call("PUT /api/v1/experiments/", { body: { id: stored.id, ...experimentBody(values, agent_id) } })
        : call("POST /api/v1/experiments/", { body: experimentBody(values, agent_id) }),
    async onSent({ id }) {
      onClose();
      await Promise.all(
        [["GET /api/v1/experiments/"], ["experiment"]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      );
      await navigate({ to: `/agents/${agent_id}/experiments/${id}` });
    },
  });
  const { variants } = form.getValues();
  return (
    <WindowForm
      title={stored ? `Edit ${stored.name}` : "New experiment"}
      size="lg"
      verb="Save draft"
      sending={sending}
      onClose={onClose}
    >
      <TextInput label="Name" required maxLength={255} data-autofocus {...form.getInputProps("name")} />
      <VariantFields form={form} versions={versions} />
      {variants.length === 2 && <RampFields form={form} />}
      <Checkbox.Group
        label="Guardrails"
        description="All traffic returns to the control when one of these gets worse."
        {...form.getInputProps("guards")}
        onChange={(guards) => form.setFieldValue("guards", guards as Guard[])}
      >
        <Group gap="md" mt={6}>
          {Object.entries(GUARD_WORDS).map(([value, label]) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Group>
      </Checkbox.Group>
      <NumberInput
        label="Slow from"
        description="A session is slow when its turns take longer on average."
        suffix=" s"
        min={0.1}
        max={600}
        decimalScale={1}
        {...form.getInputProps("slow_s")}
        error={form.errors.slow_ms}
      />
      <SuccessFields form={form} />
      <LimitFields form={form} agent_id={agent_id} />
    </WindowForm>
  );
}
