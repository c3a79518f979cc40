import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Input,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { DaysOfWeek, ScheduleOverride } from "../api-types.ts";
import classes from "../outbound/outbound.module.css";
import { DayField } from "../time/day-field.tsx";
import type { CampaignValues } from "./campaign-values.ts";
import { DAY_NAMES } from "./campaign-words.ts";
import { WEEKDAYS } from "./opening.ts";

type Rules = CampaignValues["outreach_override_rules"];

export function DayChoice(props: {
  value: DaysOfWeek[];
  onChange(days: DaysOfWeek[]): void;
  error?: ReactNode;
}) {
  const { value, onChange, error } = props;
  return (
    <Checkbox.Group
      label="Days"
      value={value}
      onChange={(chosen) => onChange(WEEKDAYS.filter((day) => chosen.includes(day)))}
      error={error}
    >
      <Group gap="xs" mt={6}>
        {WEEKDAYS.map((day) => (
          <Checkbox key={day} value={day} label={DAY_NAMES[day]} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

/** Stored as HH:MM:SS; an empty field is null. */
export function TimeOfDay(props: {
  label: string;
  hideLabel?: boolean;
  description?: ReactNode;
  value: string | null | undefined;
  onChange(time: string | null): void;
  error?: ReactNode;
}) {
  const { label, hideLabel = false, value, onChange, ...rest } = props;
  return (
    <TextInput
      {...rest}
      {...(hideLabel ? { "aria-label": label } : { label })}
      type="time"
      value={value ?? ""}
      onChange={({ currentTarget }) => {
        const time = currentTarget.value;
        onChange(time === "" ? null : time.length === "HH:MM".length ? `${time}:00` : time);
      }}
    />
  );
}

/** A number, or null for an empty field. */
export const numberOrNull = (value: string | number): number | null =>
  value === "" || !Number.isFinite(Number(value)) ? null : Number(value);

const SHOWN = 20;

/** Exceptions from the usual hours by weekday and by date; a date wins. Empty fields keep the usual value. */
export function ExceptionFields(props: {
  value: Rules;
  onChange(rules: Rules): void;
  errorOf(path: string): ReactNode;
  readOnly: boolean;
  /** A date that is always shown, however long the list is. */
  sought: string | null;
}) {
  const { value, onChange, errorOf, readOnly, sought } = props;
  const [shown, setShown] = useState(SHOWN);
  const [date, setDate] = useState("");
  const weekdays = WEEKDAYS.filter((day) => day in value.days);
  const free = WEEKDAYS.filter((day) => !(day in value.days));
  const dates = Object.keys(value.dates).sort();
  const [stored] = useState(value.dates);
  // The focus moves to the exception that was just added.
  const listed = dates.filter((each, index) => index < shown || each === sought || !(each in stored));
  const setDays = (days: Rules["days"]) => onChange({ ...value, days });
  const setDates = (next: Rules["dates"]) => onChange({ ...value, dates: next });
  return (
    <Input.Wrapper
      label="Exceptions"
      labelElement="div"
      description="Dates override weekdays, weekdays override the hours above, field by field. Empty: unchanged."
      error={errorOf("outreach_override_rules")}
    >
      <Stack gap="xs" mt={6}>
        {weekdays.map((day) => (
          <RuleRow
            key={day}
            name={`${DAY_NAMES[day]}s`}
            rule={value.days[day] ?? {}}
            onChange={(rule) => setDays({ ...value.days, [day]: rule })}
            onRemove={() => setDays(without(value.days, day))}
            errorOf={(field) => errorOf(`outreach_override_rules.days.${day}.${field}`)}
          />
        ))}
        {listed.map((each) => (
          <RuleRow
            key={each}
            name={each}
            rule={value.dates[each] ?? {}}
            onChange={(rule) => setDates({ ...value.dates, [each]: rule })}
            onRemove={() => setDates(without(value.dates, each))}
            errorOf={(field) => errorOf(`outreach_override_rules.dates.${each}.${field}`)}
          />
        ))}
        {dates.length > listed.length && (
          <Button size="compact-sm" variant="subtle" onClick={() => setShown(shown + 100)}>
            {dates.length - listed.length} more dates
          </Button>
        )}
        {weekdays.length + dates.length === 0 && (
          <Text size="sm" c="dimmed">
            No exceptions: every week is the same.
          </Text>
        )}
        {!readOnly && (
          <Group gap="xs" align="flex-end">
            <Select
              label="Weekday exception"
              size="xs"
              w={150}
              placeholder="Choose"
              data={free.map((day) => ({ value: day, label: DAY_NAMES[day] ?? day }))}
              value={null}
              onChange={(day) => day && setDays({ ...value.days, [day]: {} })}
            />
            <DayField label="Date exception" size="xs" value={date} onChange={(day) => setDate(day ?? "")} />
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} />}
              disabled={date === "" || date in value.dates}
              onClick={() => {
                setDates({ ...value.dates, [date]: {} });
                setDate("");
              }}
            >
              Add the date
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

const without = (rules: Record<string, ScheduleOverride>, name: string): Record<string, ScheduleOverride> =>
  Object.fromEntries(Object.entries(rules).filter(([key]) => key !== name));

function RuleRow(props: {
  name: string;
  rule: ScheduleOverride;
  onChange(rule: ScheduleOverride): void;
  onRemove(): void;
  errorOf(field: keyof ScheduleOverride): ReactNode;
}) {
  const { name, rule, onChange, onRemove, errorOf } = props;
  const isClosed = rule.active === false;
  return (
    <fieldset className={classes.rule} aria-label={name}>
      <b className={classes.ruleName}>{name}</b>
      <Select
        size="xs"
        aria-label={`${name}: open or closed`}
        data={[
          { value: "", label: "default" },
          { value: "open", label: "open" },
          { value: "closed", label: "closed" },
        ]}
        allowDeselect={false}
        value={rule.active === true ? "open" : isClosed ? "closed" : ""}
        onChange={(chosen) => onChange({ ...rule, active: chosen === "" ? null : chosen === "open" })}
        error={errorOf("active")}
      />
      {!isClosed && (
        <>
          <TimeOfDay
            label={`${name}: from`}
            hideLabel
            value={rule.daily_start_time}
            onChange={(time) => onChange({ ...rule, daily_start_time: time })}
            error={errorOf("daily_start_time")}
          />
          <TimeOfDay
            label={`${name}: until`}
            hideLabel
            value={rule.daily_end_time}
            onChange={(time) => onChange({ ...rule, daily_end_time: time })}
            error={errorOf("daily_end_time")}
          />
          <NumberInput
            size="xs"
            aria-label={`${name}: new people at most`}
            placeholder="people"
            min={0}
            value={rule.max_daily_calls ?? ""}
            onChange={(most) => onChange({ ...rule, max_daily_calls: numberOrNull(most) })}
            error={errorOf("max_daily_calls")}
          />
        </>
      )}
      <ActionIcon
        className={classes.ruleRemove}
        aria-label={`Remove the exception for ${name}`}
        onClick={onRemove}
      >
        <IconTrash size={15} />
      </ActionIcon>
    </fieldset>
  );
}
