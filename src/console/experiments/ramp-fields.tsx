import { ActionIcon, Button, Group, NumberInput, Stack, Text } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ExperimentForm } from "./variant-fields.tsx";

const MOST = 10;

/** The steps after the first one, whose share is the weight of the tried version. */
export function RampFields({ form }: { form: ExperimentForm }) {
  const { ramp, variants } = form.getValues();
  const first = variants[1]?.weight ?? 0;
  return (
    <Stack gap="xs" component="fieldset" style={{ border: 0, padding: 0, margin: 0 }}>
      <Text component="legend" size="sm" fw={500} p={0}>
        Ramp
      </Text>
      <Text size="xs" c="dimmed">
        {ramp.length < 2
          ? "Weights stay until you change them."
          : `Begins with ${first} % of the people at the tried version. Empty hours: the step waits for you.`}
      </Text>
      {ramp.map((_, at) =>
        at === 0 ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place, as faults name it
          <Group key={at} align="flex-start" wrap="nowrap" gap="xs">
            <NumberInput
              label={`Step ${at + 1}`}
              suffix=" %"
              min={1}
              max={100}
              allowDecimal={false}
              flex={1}
              {...form.getInputProps(`ramp.${at}.percent`)}
            />
            <NumberInput
              label="After"
              suffix=" h"
              min={0.1}
              decimalScale={1}
              flex={1}
              {...form.getInputProps(`ramp.${at}.hours`)}
              error={form.errors[`ramp.${at}.after_minutes`]}
            />
            <ActionIcon
              variant="default"
              size={36}
              mt={25}
              aria-label={`Remove step ${at + 1}`}
              onClick={() => form.removeListItem("ramp", at)}
            >
              <IconTrash size={15} />
            </ActionIcon>
          </Group>
        ),
      )}
      <Group justify="space-between">
        <Text size="sm" c="var(--mantine-color-error)">
          {form.errors.ramp ?? form.errors["ramp.0.percent"]}
        </Text>
        {ramp.length < MOST && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() =>
              form.setFieldValue("ramp", [
                ...(ramp.length === 0 ? [{ percent: first, hours: "" }] : ramp),
                { percent: 100, hours: 24 },
              ])
            }
          >
            Add step
          </Button>
        )}
      </Group>
    </Stack>
  );
}
