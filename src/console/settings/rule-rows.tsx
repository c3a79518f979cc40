import { ActionIcon, Button, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";

/** Rows of one kind within a form, each a fieldset, with a button for another. */
export function Rows(props: {
  title: string;
  about: string;
  error: ReactNode;
  add: string;
  onAdd(): void;
  children: ReactNode;
}) {
  const { title, about, error, add, onAdd, children } = props;
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <div>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <Text size="xs" c="dimmed">
          {about}
        </Text>
      </div>
      {children}
      {error && (
        <Text size="xs" c="red">
          {error}
        </Text>
      )}
      <div>
        <Button size="compact-sm" variant="subtle" leftSection={<IconPlus size={14} />} onClick={onAdd}>
          {add}
        </Button>
      </div>
    </Stack>
  );
}

export type RowProps<Row> = {
  number: number;
  row: Row;
  onChange(row: Row): void;
  onRemove(): void;
  errorOf(field: string): ReactNode;
};

export const RemoveRow = ({ name, onRemove }: { name: string; onRemove(): void }) => (
  <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${name}`} onClick={onRemove}>
    <IconTrash size={15} />
  </ActionIcon>
);

type RuleField = { name: string; value: string; onChange(value: string): void; error: ReactNode };

/** "*", a country or a state. */
export const JurisdictionField = ({ name, value, onChange, error }: RuleField) => (
  <TextInput
    aria-label={`Jurisdiction of ${name}`}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value.toUpperCase())}
    error={error}
  />
);

type OptionalField = Omit<RuleField, "value" | "onChange"> & {
  value: string | null | undefined;
  onChange(value: string | null): void;
  className?: string | undefined;
};

/** The law or policy behind a row. */
export const SourceField = ({ name, value, onChange, error, className }: OptionalField) => (
  <TextInput
    {...(className !== undefined && { className })}
    aria-label={`Source of ${name}`}
    placeholder="Law or policy"
    value={value ?? ""}
    onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
    error={error}
  />
);

export const ReadOnField = ({ name, value, onChange, error }: OptionalField) => (
  <TextInput
    aria-label={`Date on which the source of ${name} was read`}
    placeholder="2026-11-23"
    value={value ?? ""}
    onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
    error={error}
  />
);
