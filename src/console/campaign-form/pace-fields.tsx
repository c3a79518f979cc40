import { Checkbox, Grid, Group, Input, MultiSelect, NumberInput, Select, Stack, Switch } from "@mantine/core";
import type { ReactNode } from "react";
import type { LineTypeBucket, VoicemailDetectionConfig } from "../api-types.ts";
import { NumberField } from "../parts/number-field.tsx";
import { type CampaignValues, VOICEMAIL_TIMEOUTS } from "./campaign-values.ts";
import { DETECTION_METHODS, LINE_TYPES } from "./campaign-words.ts";
import { numberOrNull } from "./opening-fields.tsx";

export type CampaignFieldsProps<Shown extends keyof CampaignValues = keyof CampaignValues> = {
  values: Pick<CampaignValues, Shown>;
  set<Name extends keyof CampaignValues>(name: Name, value: CampaignValues[Name]): void;
  errorOf(path: string): ReactNode;
};

const UNITS = [
  { value: "s", label: "seconds" },
  { value: "m", label: "minutes" },
  { value: "h", label: "hours" },
  { value: "d", label: "days" },
  { value: "w", label: "weeks" },
];

/** How fast, how many, and how often again. */
export function PaceFields(
  props: CampaignFieldsProps<"hourly_rate" | "max_daily_calls" | "retry_count" | "retry_interval">,
) {
  const { values, set, errorOf } = props;
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <NumberField
          label="Attempts per hour"
          description="Per batch: two batches double it."
          required
          min={1}
          max={3600}
          value={values.hourly_rate}
          onNumber={(rate) => set("hourly_rate", rate)}
          error={errorOf("hourly_rate")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <NumberInput
          label="New people per day"
          description="Retries don't count. Empty: no limit."
          min={0}
          value={values.max_daily_calls ?? ""}
          onChange={(most) => set("max_daily_calls", numberOrNull(most))}
          error={errorOf("max_daily_calls")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <NumberField
          label="Retries"
          description="After busy or no answer."
          min={0}
          value={values.retry_count}
          onNumber={(count) => set("retry_count", count)}
          error={errorOf("retry_count")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <RetryInterval
          value={values.retry_interval}
          onChange={(interval) => set("retry_interval", interval)}
          error={errorOf("retry_interval")}
        />
      </Grid.Col>
    </Grid>
  );
}

function RetryInterval(props: {
  value: string | null;
  onChange(value: string | null): void;
  error: ReactNode;
}) {
  const { value, onChange, error } = props;
  const count = value === null ? "" : value.slice(0, -1);
  const unit = value?.slice(-1) ?? "h";
  return (
    <Input.Wrapper
      label="Wait before a retry"
      description="From the end of the attempt. Empty: one hour."
      error={error}
      labelElement="div"
    >
      <Group gap="xs" wrap="nowrap" mt={4}>
        <NumberInput
          aria-label="Wait before a retry"
          min={1}
          max={9999}
          placeholder="1"
          value={count === "" ? "" : Number(count)}
          onChange={(next) => onChange(next === "" ? null : `${next}${unit}`)}
        />
        <Select
          aria-label="Unit of the wait"
          data={UNITS}
          allowDeselect={false}
          value={unit}
          onChange={(next) => onChange(`${count || "1"}${next}`)}
        />
      </Group>
    </Input.Wrapper>
  );
}

/** The older, simpler filter: it counts where there are no rules. */
export function LineTypeFields(
  props: CampaignFieldsProps<"allowed_line_types" | "include_unknown_line_types">,
) {
  const { values, set, errorOf } = props;
  return (
    <Stack gap="xs">
      <MultiSelect
        label="Line types"
        description="None selected: all. Ignored when number rules are set."
        data={LINE_TYPES}
        value={values.allowed_line_types ?? []}
        onChange={(types) => set("allowed_line_types", types.length > 0 ? (types as LineTypeBucket[]) : null)}
        error={errorOf("allowed_line_types")}
        clearable
        clearButtonProps={{ "aria-label": "Clear the line types" }}
      />
      <Checkbox
        label="Include unknown types"
        checked={values.include_unknown_line_types}
        onChange={({ currentTarget }) => set("include_unknown_line_types", currentTarget.checked)}
      />
    </Stack>
  );
}

/** Telling a mailbox from a person in the first seconds. */
export function VoicemailFields({ values, set, errorOf }: CampaignFieldsProps<"voicemail_detection">) {
  const config = values.voicemail_detection;
  const change = (part: Partial<VoicemailDetectionConfig>) =>
    set("voicemail_detection", { ...config, ...part });
  return (
    <Stack gap="md">
      <Switch
        label="Detect voicemail"
        checked={config !== null}
        onChange={({ currentTarget }) =>
          set("voicemail_detection", currentTarget.checked ? { mode: "v2" } : null)
        }
      />
      {config !== null && (
        <Grid gap="md">
          <Grid.Col span={{ base: 12, sm: 6 }}>
            <Select
              label="Detection method"
              data={DETECTION_METHODS}
              placeholder="Default"
              clearable
              clearButtonProps={{ "aria-label": "Clear the detection method" }}
              value={config.mode ?? null}
              onChange={(mode) => change({ mode: mode as "v1" | "v2" | null })}
              error={errorOf("voicemail_detection.mode")}
            />
          </Grid.Col>
          {VOICEMAIL_TIMEOUTS.map(([field, label, description]) => (
            <Grid.Col key={field} span={{ base: 12, sm: 6 }}>
              <NumberInput
                label={label}
                description={description}
                suffix=" s"
                min={0}
                decimalScale={2}
                placeholder="default"
                value={(config[field] as number | null | undefined) ?? ""}
                onChange={(seconds) => change({ [field]: numberOrNull(seconds) })}
                error={errorOf(`voicemail_detection.${field}`)}
              />
            </Grid.Col>
          ))}
        </Grid>
      )}
    </Stack>
  );
}
