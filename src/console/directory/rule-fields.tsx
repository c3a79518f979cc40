import { ActionIcon, Checkbox, Chip, Group, Select, Text, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { DAYS } from "../messages/message-fields.ts";
import { DayField } from "../time/day-field.tsx";
import { zones } from "../time/zone.ts";
import classes from "./directory.module.css";
import { type Rule, ruleWords } from "./member-values.ts";

type Props = {
  /** The rule's position: "1.2, rule 1". */
  name: string;
  /** Whether it is an alternative to the rules before: one of them has to apply. */
  isOther: boolean;
  value: Rule;
  onChange(rule: Rule): void;
  onRemove(): void;
  errorOf(key: string): ReactNode;
  readOnly: boolean;
};

/** When a number is reached: in a language, on days or a date, at hours, or outside of these. */
export function RuleFields({ name, isOther, value, onChange, onRemove, errorOf, readOnly }: Props) {
  const set = (part: Rule) => onChange({ ...value, ...part });
  const text = (key: string) => value[key] ?? "";
  return (
    <fieldset className={classes.rule} aria-label={`Number ${name}`}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm">
          {isOther && "or "}
          <b>{ruleWords(value)}</b>
        </Text>
        {!readOnly && (
          <ActionIcon aria-label={`Remove number ${name}`} onClick={onRemove}>
            <IconTrash size={15} />
          </ActionIcon>
        )}
      </Group>
      {!text("date") && (
        <Chip.Group
          multiple
          value={text("days").split(",")}
          onChange={(days) =>
            set({ days: DAYS.flatMap(([day]) => (days.includes(day) ? [day] : [])).join(",") })
          }
        >
          <Group gap={6} role="group" aria-label={`Days of number ${name}; none chosen means every day`}>
            {DAYS.map(([day, label]) => (
              <Chip key={day} value={day} size="xs" variant="outline" disabled={readOnly}>
                {label}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      )}
      {errorOf("days") && (
        <Text size="xs" c="var(--mantine-color-error)">
          {errorOf("days")}
        </Text>
      )}
      <Group gap="sm" align="flex-start">
        <DayField
          size="xs"
          label="On the date"
          value={text("date")}
          onChange={(date) => set({ date: date ?? "", days: "" })}
          error={errorOf("date")}
        />
        <TextInput
          size="xs"
          type="time"
          label="From"
          value={text("start_time")}
          onChange={({ currentTarget }) => set({ start_time: currentTarget.value })}
          error={errorOf("start_time")}
        />
        <TextInput
          size="xs"
          type="time"
          label="To"
          value={text("end_time")}
          onChange={({ currentTarget }) => set({ end_time: currentTarget.value })}
          error={errorOf("end_time")}
        />
        <TextInput
          size="xs"
          w={110}
          label="Language"
          placeholder="any"
          value={text("language")}
          onChange={({ currentTarget }) => set({ language: currentTarget.value })}
          error={errorOf("language")}
        />
        <Select
          size="xs"
          label="Time zone"
          placeholder="Agent's time zone"
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Clear the zone" }}
          limit={50}
          data={zones()}
          value={text("timezone") || null}
          onChange={(zone) => set({ timezone: zone ?? "" })}
          error={errorOf("timezone")}
        />
      </Group>
      <Checkbox
        size="xs"
        label="Invert: outside these hours"
        checked={text("invert") === "true"}
        onChange={({ currentTarget }) => set({ invert: currentTarget.checked ? "true" : "" })}
      />
    </fieldset>
  );
}
