import { Button, Group, NumberInput, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AgentResponse, AgentVersioning } from "../api-types.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Panel } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { useMay } from "../server/me.tsx";
import { GateList } from "./gate-list.tsx";
import { choose } from "./versioning.ts";

type Props = { agent: AgentResponse; versioning: AgentVersioning };

/** The suites that a draft has to pass before it is published. */
export function GatesPanel({ agent, versioning }: Props) {
  const mayPublish = useMay()("agents_publish");
  const [isAdding, setAdding] = useState(false);
  const { gates } = versioning;
  return (
    <Panel
      title="Tests before publishing"
      actions={
        mayPublish && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => setAdding(true)}
          >
            Add a suite
          </Button>
        )
      }
    >
      {gates.length === 0 ? (
        <Text size="sm" c="dimmed">
          Drafts are published without tests. Add a suite that each draft has to pass.
        </Text>
      ) : (
        <Stack gap="md">
          <GateList agent={agent} gates={gates} />
          {mayPublish && (
            <Group gap="xs">
              {gates.map(({ suite_id, suite }) => (
                <ConfirmButton
                  key={suite_id}
                  size="compact-sm"
                  verb={`Remove ${suite ?? "the deleted suite"}`}
                  question="Publish without these tests from now on?"
                  act={() =>
                    choose(versioning, { gates: gates.filter((gate) => gate.suite_id !== suite_id) })
                  }
                  invalidates={[["agent"]]}
                  done="Drafts need not pass this suite any more"
                >
                  Drafts are published whatever this suite says of them.
                </ConfirmButton>
              ))}
            </Group>
          )}
        </Stack>
      )}
      {isAdding && <AddGate versioning={versioning} onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function AddGate({ versioning, onClose }: Pick<Props, "versioning"> & { onClose(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: { suite_id: null as number | null, percent: 80 as number | string },
    send: ({ suite_id, percent }) =>
      choose(versioning, {
        gates: [...versioning.gates, { suite_id: suite_id ?? 0, at_least: Number(percent) / 100 }],
      }),
    async onSent() {
      onClose();
      await client.invalidateQueries({ queryKey: ["agent"] });
    },
  });
  return (
    <WindowForm title="Add a suite that must pass" verb="Add" sending={sending} onClose={onClose}>
      <RecordSelect
        operation="GET /api/v1/test_suites/"
        label="Suite"
        required
        value={form.getValues().suite_id}
        onChange={(id) => form.setFieldValue("suite_id", id)}
        error={form.errors.suite_id}
      />
      <NumberInput
        label="Pass rate it has to show"
        description="The lower end of the 95 % interval. 20 tests that all pass show 83.8 %, 40 show 91.2 %."
        suffix=" %"
        min={0}
        max={100}
        {...form.getInputProps("percent")}
      />
    </WindowForm>
  );
}
