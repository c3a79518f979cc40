import { MultiSelect, NumberInput, Select, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { NumberGroup, NumberHealthRule } from "../api-types.ts";
import { NumberField, percentOf } from "../parts/number-field.tsx";
import { Panel } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { fieldsOf } from "../records/record-fields.ts";
import type { FieldsForm } from "../records/record-form.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import type { RecordFormProps } from "../records/record-page.tsx";
import { numberOrNull } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { useMay } from "../server/me.tsx";
import { zone, zones } from "../time/zone.ts";
import { GROUP_MODES } from "./group-modes.ts";
import { NumbersPanel } from "./numbers-panel.tsx";

/** In the form the share is in percent. */
const NEW_HEALTH: NumberHealthRule = {
  window_hours: 24,
  least_share: 50,
  least_attempts: 30,
  rest_hours: 24,
};
const MOST_TARGETS = 1_000;

const fields = fieldsOf("PUT /api/v1/outbound/number-groups/", {
  name: { initial: "" },
  mode: { initial: "voice", label: "Used for" },
  timezone: { initial: "", label: "Time zone" },
  channel_target_ids: { initial: [], label: "Numbers" },
  daily_cap: { initial: null, label: "Daily cap" },
  local_presence: { initial: true, label: "Local presence" },
  health: { initial: NEW_HEALTH, label: "Rest" },
});
type Values = ReturnType<typeof fields.values>;

export default recordPage({
  operations: {
    list: "GET /api/v1/outbound/number-groups/",
    read: "GET /api/v1/outbound/number-groups/{number_group_id}",
    create: "POST /api/v1/outbound/number-groups/",
    update: "PUT /api/v1/outbound/number-groups/",
    remove: "DELETE /api/v1/outbound/number-groups/{number_group_id}",
  },
  permission: "outbound",
  noun: "Number group",
  queryKey: "number group",
  alsoInvalidates: [["number report"]],
  list: { to: "/number-groups", label: "Number groups" },
  newTitle: "New number group",
  title: "Number group",
  ...fields,
  labels: {
    ...fields.labels,
    mode: worded("Used for", GROUP_MODES),
    "health.window_hours": "Window (h)",
    "health.least_share": "Least share of answers (%)",
    "health.least_attempts": "Least attempts",
    "health.rest_hours": "Rest (h)",
  },
  values: (record) => {
    const found = fields.values(record);
    // A rule that a group turned off stays off; a new group begins with one, and on the clock of its author.
    if (record === null) return { ...found, timezone: zone.get() };
    const { health } = record;
    return { ...found, health: health && { ...health, least_share: percentOf(health.least_share) } };
  },
  body: ({ health, ...values }: Values, stored) =>
    fields.body(
      { ...values, health: health && { ...health, least_share: health.least_share / 100 } },
      stored,
    ),
  Form: NumberGroupForm,
});

function NumberGroupForm({ form, record, frame }: RecordFormProps<NumberGroup, Values>) {
  return (
    <Stack gap="md">
      {record && <NumbersPanel number_group_id={record.id} mode={record.mode} />}
      <Panel title="Settings">
        <RecordFormFrame {...frame}>
          <TextInput label="Name" required {...form.getInputProps("name")} />
          <Select
            label="Used for"
            data={Object.entries(GROUP_MODES).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps("mode")}
          />
          <NumbersField form={form} />
          <Switch
            label="Local presence"
            description="Each person sees the number nearest to theirs: same area code, then state, then time zone. Off: the least used number."
            {...form.getInputProps("local_presence", { type: "checkbox" })}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NumberInput
              label="Daily cap"
              description="Attempts from each number. Empty: no cap."
              placeholder="No cap"
              min={1}
              allowDecimal={false}
              allowNegative={false}
              thousandSeparator=","
              value={form.getValues().daily_cap ?? ""}
              onChange={(value) => form.setFieldValue("daily_cap", numberOrNull(value))}
              error={form.errors.daily_cap}
            />
            <Select
              label="Time zone"
              description="The day of the cap begins here at midnight."
              data={zones()}
              searchable
              limit={50}
              allowDeselect={false}
              {...form.getInputProps("timezone")}
            />
          </SimpleGrid>
          <HealthFields form={form} />
        </RecordFormFrame>
      </Panel>
    </Stack>
  );
}

/** Numbers that an agent has for the group's channel. */
function NumbersField({ form }: { form: FieldsForm<Values> }) {
  const may = useMay();
  const { mode, channel_target_ids } = form.getValues();
  const targets = useQuery({
    queryKey: ["GET /api/v1/channels/targets", "numbers", mode],
    enabled: may("channels_read"),
    queryFn: ({ signal }) =>
      call("GET /api/v1/channels/targets", {
        query: {
          limit: MOST_TARGETS,
          order_by: "target",
          search_fields: ["target_mode"],
          search_field_values: [mode],
        },
        signal,
      }),
  });
  const found = (targets.data?.items ?? []).filter(({ target }) => /^\+?\d{7,15}$/.test(target));
  const known = new Set(found.map(({ id }) => id));
  return (
    <MultiSelect
      label="Numbers"
      description="Connect a number to an agent under Channels first: the agent answers people who call back."
      data={[
        ...found.map(({ id, target, channel_name }) => ({
          value: String(id),
          label: `${target}, ${channel_name}`,
        })),
        ...channel_target_ids
          .filter((id) => !known.has(id))
          .map((id) => ({ value: String(id), label: `Address ${id}` })),
      ]}
      searchable
      limit={100}
      value={channel_target_ids.map(String)}
      onChange={(ids) => form.setFieldValue("channel_target_ids", ids.map(Number))}
      error={errorOfNumbers(form.errors)}
    />
  );
}

const errorOfNumbers = (errors: Record<string, unknown>) =>
  Object.entries(errors).find(([path]) => path.startsWith("channel_target_ids"))?.[1] as string | undefined;

function HealthFields({ form }: { form: FieldsForm<Values> }) {
  const { health } = form.getValues();
  const set = (part: Partial<NumberHealthRule>) =>
    form.setFieldValue("health", { ...NEW_HEALTH, ...health, ...part });
  const field = (name: Exclude<keyof NumberHealthRule, "least_share">, label: string, suffix = "") => (
    <NumberField
      label={label}
      min={1}
      allowDecimal={false}
      allowNegative={false}
      suffix={suffix}
      value={health?.[name] ?? NEW_HEALTH[name]}
      onNumber={(value) => set({ [name]: value })}
      error={form.errors[`health.${name}`]}
    />
  );
  return (
    <>
      <Switch
        label="Rest numbers that people stop answering"
        description="A number rests when its share of answers falls below the least share of the other numbers', by more than chance explains."
        checked={health !== null}
        onChange={({ currentTarget }) =>
          form.setFieldValue("health", currentTarget.checked ? NEW_HEALTH : null)
        }
      />
      {health && (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
          {field("window_hours", "Window", " h")}
          <NumberField
            label="Least share of answers"
            min={1}
            max={100}
            allowNegative={false}
            suffix=" %"
            value={health.least_share}
            onNumber={(least_share) => set({ least_share })}
            error={form.errors["health.least_share"]}
          />
          {field("least_attempts", "Least attempts")}
          {field("rest_hours", "Rest", " h")}
        </SimpleGrid>
      )}
    </>
  );
}
