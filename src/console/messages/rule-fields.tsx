import { ActionIcon, Chip, Group, Paper, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { CustomMessageRule, DayOfWeek } from "../api-types.ts";
import { DayField } from "../time/day-field.tsx";
import { DAYS } from "./message-fields.ts";

type Props = {
  number: number;
  rule: CustomMessageRule;
  readOnly: boolean;
  errorOf(field: keyof CustomMessageRule): ReactNode;
  onChange(rule: CustomMessageRule): void;
  onRemove(): void;
};

/** A rule: when it applies, and the text used then. */
export function RuleFields({ number, rule, readOnly, errorOf, onChange, onRemove }: Props) {
  return (
    <Paper p="sm">
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Text fw={550} size="sm">
            Rule {number}
          </Text>
          {!readOnly && (
            <ActionIcon aria-label={`Remove rule ${number}`} onClick={onRemove}>
              <IconTrash size={15} />
            </ActionIcon>
          )}
        </Group>
        <TextInput
          label="Rule name"
          value={rule.description}
          onChange={({ currentTarget }) => onChange({ ...rule, description: currentTarget.value })}
          error={errorOf("description")}
        />
        <Group gap="md" align="flex-end">
          <DayField
            label="On the date"
            value={rule.date}
            onChange={(date) => onChange({ ...rule, date, days_of_week: null })}
            error={errorOf("date")}
          />
          <TextInput
            type="time"
            label="From"
            value={rule.time_range_start ?? ""}
            onChange={({ currentTarget }) =>
              onChange({ ...rule, time_range_start: currentTarget.value || null })
            }
            error={errorOf("time_range_start")}
          />
          <TextInput
            type="time"
            label="To"
            value={rule.time_range_end ?? ""}
            onChange={({ currentTarget }) =>
              onChange({ ...rule, time_range_end: currentTarget.value || null })
            }
            error={errorOf("time_range_end")}
          />
        </Group>
        {rule.date === null && (
          <Chip.Group
            multiple
            value={rule.days_of_week ?? []}
            onChange={(days) =>
              onChange({ ...rule, days_of_week: days.length > 0 ? (days as DayOfWeek[]) : null })
            }
          >
            <Group gap={6} role="group" aria-label={`Days of rule ${number}; none chosen means every day`}>
              {DAYS.map(([day, label]) => (
                <Chip key={day} value={day} size="xs" disabled={readOnly}>
                  {label}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        )}
        <Switch
          label="Invert: apply outside these hours"
          checked={rule.invert}
          onChange={({ currentTarget }) => onChange({ ...rule, invert: currentTarget.checked })}
        />
        <Textarea
          label="Text"
          autosize
          minRows={2}
          {...(rule.text.trim() === "" && {
            description:
              "Without a text, nothing is said in place of the message's text while this rule applies.",
          })}
          value={rule.text}
          onChange={({ currentTarget }) => onChange({ ...rule, text: currentTarget.value })}
          error={errorOf("text")}
        />
      </Stack>
    </Paper>
  );
}
