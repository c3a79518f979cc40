import { ActionIcon, Button, Group, NumberInput, Select, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { AgentVersion } from "../api-types.ts";
import { shortened } from "../parts/shortened.ts";
import { type ExperimentValues, sumOf } from "./experiment-values.ts";

export type ExperimentForm = UseFormReturnType<ExperimentValues>;

const MOST = 5;

/** The versions that share the traffic: the control, which people reach now, and those that are tried. */
export function VariantFields(props: { form: ExperimentForm; versions: readonly AgentVersion[] }) {
  const { form, versions } = props;
  const { variants } = form.getValues();
  const sum = sumOf(variants);
  const data = versions.map(({ version_number, note }) => ({
    value: String(version_number),
    label: note === "" ? `Version ${version_number}` : `Version ${version_number}: ${shortened(note, 60)}`,
  }));
  return (
    <Stack gap="xs" component="fieldset" style={{ border: 0, padding: 0, margin: 0 }}>
      <Text component="legend" size="sm" fw={500} p={0}>
        Versions
      </Text>
      {variants.map(({ version_number }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place, as faults name it
        <Group key={at} align="flex-start" wrap="nowrap" gap="xs">
          <Select
            label={at === 0 ? "Control" : "Tried version"}
            data={data}
            allowDeselect={false}
            flex={1}
            value={version_number === null ? null : String(version_number)}
            onChange={(number) => form.setFieldValue(`variants.${at}.version_number`, Number(number))}
            error={form.errors[`variants.${at}.version_number`]}
          />
          <NumberInput
            label="Weight"
            suffix=" %"
            min={0}
            max={100}
            allowDecimal={false}
            w={110}
            {...form.getInputProps(`variants.${at}.weight`)}
          />
          {at > 1 && (
            <ActionIcon
              variant="default"
              size={36}
              mt={25}
              aria-label={`Remove version ${at + 1} of the experiment`}
              onClick={() => form.removeListItem("variants", at)}
            >
              <IconTrash size={15} />
            </ActionIcon>
          )}
        </Group>
      ))}
      <Group justify="space-between">
        <Text size="sm" c={form.errors.variants ? "var(--mantine-color-error)" : "dimmed"} role="status">
          {form.errors.variants ?? `Weights add up to ${sum} %.`}
        </Text>
        {variants.length < Math.min(MOST, versions.length) && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => form.insertListItem("variants", { version_number: null, weight: 0 })}
          >
            Add version
          </Button>
        )}
      </Group>
    </Stack>
  );
}
