import { Checkbox, NumberInput, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { AlertPreviewRequest, FigureMetric } from "../api-types.ts";
import { FilterFields } from "../boards/filter-fields.tsx";
import {
  baseText,
  choicesOf,
  countedBy,
  figureText,
  METRIC_UNITS,
  METRIC_WORDS,
} from "../boards/metric-words.ts";
import { FIGURE_LABELS, MetricFields } from "../boards/tile-fields.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { SeveralSelect } from "../lists/several-select.tsx";
import { counted } from "../parts/counted.ts";
import { NumberField, percentOf } from "../parts/number-field.tsx";
import { Fetched, Panel } from "../parts/parts.tsx";
import { useSettled } from "../parts/use-settled.ts";
import { recordPage } from "../records/build-record-page.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const CONDITIONS = {
  above: "Above",
  below: "Below",
  rises_by: "Rises by more than",
  falls_by: "Falls by more than",
};
type Measured = { metric: FigureMetric; condition: string; threshold: number };

/** Shares are entered, and reviewed, in percent. */
const isShare = ({ metric, condition }: Pick<Measured, "metric" | "condition">): boolean =>
  condition === "rises_by" || condition === "falls_by" || METRIC_UNITS[metric.name] === "percent";
const shown = (rule: Measured): number => (isShare(rule) ? percentOf(rule.threshold) : rule.threshold);
const sent = <T extends Measured>(values: T): T => ({
  ...values,
  threshold: isShare(values) ? values.threshold / 100 : values.threshold,
});

export default recordPage({
  operations: {
    list: "GET /api/v1/alerts/",
    read: "GET /api/v1/alerts/{alert_rule_id}",
    create: "POST /api/v1/alerts/",
    update: "PUT /api/v1/alerts/",
    remove: "DELETE /api/v1/alerts/{alert_rule_id}",
  },
  permission: "alerts",
  noun: "Alert",
  queryKey: "alert",
  list: { to: "/alerts", label: "Alerts" },
  newTitle: "New alert",
  title: "Alert",
  labels: {
    is_active: "Active",
    ...FIGURE_LABELS,
    condition: worded("Condition", CONDITIONS),
    window_minutes: "Window in minutes",
    least_sessions: "Minimum sessions",
    remind_hours: "Hours between reminders",
    notified_users: "E-mail to",
    uses_webhooks: "Send to webhooks that are notified of alerts",
  },
  values: (rule) => ({
    name: rule?.name ?? "",
    is_active: rule?.is_active ?? true,
    metric: rule?.metric ?? { name: "errors" as const },
    search_fields: (rule?.search_fields ?? []) as NonNullable<AlertPreviewRequest["search_fields"]>,
    search_field_values: rule?.search_field_values ?? [],
    window_minutes: rule?.window_minutes ?? 60,
    condition: rule?.condition ?? ("above" as const),
    threshold: rule ? shown(rule) : 5,
    least_sessions: rule?.least_sessions ?? 20,
    remind_hours: rule?.remind_hours ?? null,
    notified_users: rule?.notified_users ?? [],
    uses_webhooks: rule?.uses_webhooks ?? true,
  }),
  body: sent,
  together: [["metric", "condition", "threshold"]],
  Form({ form, record, frame }) {
    const values = form.getValues();
    return (
      <Stack gap="md">
        <Panel>
          <RecordFormFrame {...frame}>
            <TextInput label="Name" required {...form.getInputProps("name")} />
            <Switch label="Active" {...form.getInputProps("is_active", { type: "checkbox" })} />
            <MetricFields
              metric={values.metric}
              onChange={(metric) => form.setFieldValue("metric", metric)}
            />
            <FilterFields
              value={values}
              onChange={(filters) => {
                form.setFieldValue("search_fields", filters.search_fields);
                form.setFieldValue("search_field_values", filters.search_field_values);
              }}
            />
            <Select
              label="Condition"
              allowDeselect={false}
              data={choicesOf(CONDITIONS)}
              {...form.getInputProps("condition")}
            />
            <NumberField
              label={isShare(values) ? "Threshold in percent" : "Threshold"}
              min={0}
              value={values.threshold}
              onNumber={(given) => form.setFieldValue("threshold", given)}
              error={form.errors.threshold}
            />
            <NumberInput
              label="Window in minutes"
              min={5}
              max={10_080}
              {...form.getInputProps("window_minutes")}
            />
            <NumberInput
              label={`Minimum ${countedBy(values.metric.name)}`}
              min={0}
              {...form.getInputProps("least_sessions")}
            />
            <NumberInput
              label="Hours between reminders"
              description="Empty: only when it begins and ends."
              min={1}
              max={168}
              value={values.remind_hours ?? ""}
              onChange={(given) => form.setFieldValue("remind_hours", given === "" ? null : Number(given))}
              error={form.errors.remind_hours}
            />
            <People
              chosen={values.notified_users}
              onChange={(people) => form.setFieldValue("notified_users", people)}
            />
            <Checkbox
              label="Send to webhooks that are notified of alerts"
              {...form.getInputProps("uses_webhooks", { type: "checkbox" })}
            />
          </RecordFormFrame>
        </Panel>
        <Preview definition={sent(values)} />
        {record && <History id={record.id} />}
      </Stack>
    );
  },
});

const OFFERED = 50;
/** As many as one page of a list holds. */
const NAMED = 1000;

/** Who gets a mail. */
function People({ chosen, onChange }: { chosen: number[]; onChange(people: number[]): void }) {
  const may = useMay();
  const known = useQuery({
    queryKey: ["GET /api/v1/users/", "names"],
    enabled: may("users_read") && chosen.length > 0,
    queryFn: ({ signal }) =>
      call("GET /api/v1/users/", { query: { limit: NAMED, order_by: "email" }, signal }),
    select: ({ items }) => new Map(items.map(({ id, email }) => [String(id), email])),
  });
  if (!may("users_read")) return null;
  return (
    <SeveralSelect
      of="people"
      label="E-mail to"
      value={chosen.map(String)}
      named={known.data ?? new Map()}
      onChange={(ids) => onChange(ids.map(Number))}
      find={async (text, signal) => {
        const search = text ? { search_fields: ["email" as const], search_field_values: [text] } : {};
        const { items } = await call("GET /api/v1/users/", {
          query: { ...search, limit: OFFERED, order_by: "email" },
          signal,
        });
        return items.map(({ id, email }) => ({ value: String(id), label: email }));
      }}
    />
  );
}

const TYPING_MS = 400;

/** How often the rule would have fired last week. */
function Preview({ definition }: { definition: AlertPreviewRequest }) {
  const {
    metric,
    search_fields = [],
    search_field_values = [],
    window_minutes,
    condition,
    threshold,
    least_sessions,
  } = definition;
  const asked = useSettled(
    {
      metric,
      search_fields,
      search_field_values,
      window_minutes,
      condition,
      threshold,
      least_sessions,
    },
    TYPING_MS,
  );
  const preview = useQuery({
    queryKey: ["alert preview", asked],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call("POST /api/v1/alerts/preview", { body: asked, signal }),
  });
  return (
    <Panel title="Preview">
      <Fetched query={preview} lines={2}>
        {({ fired, last, problem }) => (
          <Stack gap={4}>
            <Text size="sm">
              {problem ??
                (fired.length === 0
                  ? "It would not have fired in the last 7 days."
                  : `It would have fired ${counted(fired.length, "time")} in the last 7 days.`)}
            </Text>
            <Text size="sm" c="dimmed">
              {METRIC_WORDS[metric.name]}, last window: {figureText(last.value, METRIC_UNITS[metric.name])}{" "}
              {baseText(metric.name, last.sessions)}
            </Text>
            {fired.slice(-5).map(({ at }) => (
              <Text key={at} size="sm">
                <Time at={at} kind="minute" />
              </Text>
            ))}
          </Stack>
        )}
      </Fetched>
    </Panel>
  );
}

function History({ id }: { id: number }) {
  return (
    <Panel title="History" flush>
      <DataTable
        label="History"
        operation="GET /api/v1/alerts/changes"
        fixed={{ alert_rule_id: String(id) }}
        columns={[
          { field: "at", title: "At", render: ({ at }) => <Time at={at} kind="minute" /> },
          { field: "state", title: "Change" },
          { field: "description", title: "Description" },
        ]}
        empty={{ title: "Never fired", about: "When it fires and resolves is listed here." }}
      />
    </Panel>
  );
}
