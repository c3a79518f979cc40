import { Button, Group, NumberInput, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AgentResponse, AgentVersioning } from "../api-types.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Panel } from "../parts/parts.tsx";
import { notChosen } from "../records/field-errors.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { useMay } from "../server/me.tsx";
import { GateList } from "./gate-list.tsx";
import { ReplayGateWindow } from "./replay-gate-window.tsx";
import { choose } from "./versioning.ts";

type Props = { agent: AgentResponse; versioning: AgentVersioning };

/** The suites and the replay that a draft has to pass before it is published. */
export function GatesPanel({ agent, versioning }: Props) {
  const mayPublish = useMay()("agents_publish");
  const [adding, setAdding] = useState<"suite" | "replay" | null>(null);
  const { gates, replay_gate } = versioning;
  return (
    <Panel
      title="Tests before publishing"
      actions={
        mayPublish && (
          <Group gap="xs">
            <AddButton label="Add suite" onClick={() => setAdding("suite")} />
            {replay_gate === null && <AddButton label="Add replay" onClick={() => setAdding("replay")} />}
          </Group>
        )
      }
    >
      {gates.length === 0 && replay_gate === null ? (
        <Text size="sm" c="dimmed">
          Drafts are published without tests. Add a suite that every draft must pass, or a replay of recorded
          sessions that must not get worse.
        </Text>
      ) : (
        <Stack gap="md">
          <GateList agent={agent} gates={gates} replay_gate={replay_gate} />
          {mayPublish && (
            <Group gap="xs">
              {gates.map(({ suite_id, suite }) => (
                <ConfirmButton
                  key={suite_id}
                  size="compact-sm"
                  verb={`Remove ${suite ?? "the deleted suite"}`}
                  question="Remove this suite?"
                  act={() =>
                    choose(versioning, { gates: gates.filter((gate) => gate.suite_id !== suite_id) })
                  }
                  invalidates={[["agent"]]}
                  done="Suite removed"
                >
                  Drafts can then be published even when this suite fails.
                </ConfirmButton>
              ))}
              {replay_gate && (
                <ConfirmButton
                  size="compact-sm"
                  verb="Remove the replay"
                  question="Remove the replay?"
                  act={() => choose(versioning, { replay_gate: null })}
                  invalidates={[["agent"]]}
                  done="Replay removed"
                >
                  Drafts can then be published without a replay.
                </ConfirmButton>
              )}
            </Group>
          )}
        </Stack>
      )}
      {adding === "suite" && <AddGate versioning={versioning} onClose={() => setAdding(null)} />}
      {adding === "replay" && <ReplayGateWindow versioning={versioning} onClose={() => setAdding(null)} />}
    </Panel>
  );
}

const AddButton = ({ label, onClick }: { label: string; onClick(): void }) => (
  <Button size="compact-sm" variant="default" leftSection={<IconPlus size={14} />} onClick={onClick}>
    {label}
  </Button>
);

function AddGate({ versioning, onClose }: Pick<Props, "versioning"> & { onClose(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: {
      suite_id: null as number | null,
      percent: 80 as number | string,
      most_answer_ms: "" as number | string,
      most_cost_usd: "" as number | string,
    },
    async send({ suite_id, percent, most_answer_ms, most_cost_usd }) {
      if (suite_id === null) throw notChosen("suite_id", "Choose a suite.");
      const gate = {
        suite_id,
        at_least: Number(percent) / 100,
        most_answer_ms: most_answer_ms === "" ? null : Number(most_answer_ms),
        most_cost_usd: most_cost_usd === "" ? null : Number(most_cost_usd),
      };
      // Whoever adds a suite again asks for something else of it.
      const others = versioning.gates.filter((each) => each.suite_id !== suite_id);
      return choose(versioning, { gates: [...others, gate] });
    },
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
        label="Required pass rate"
        description="The lower end of the 95 % interval. 20 tests that all pass show 83.8 %, 40 show 91.2 %."
        suffix=" %"
        min={0}
        max={100}
        {...form.getInputProps("percent")}
      />
      <NumberInput
        label="Longest answer"
        description="Limit for the 95th percentile of the latency of a turn, without tools. Empty: no limit."
        suffix=" ms"
        min={0}
        thousandSeparator=","
        {...form.getInputProps("most_answer_ms")}
      />
      <NumberInput
        label="Most a conversation may cost"
        description="Average cost of the agent's model. Empty: no limit."
        prefix="$"
        min={0}
        decimalScale={4}
        {...form.getInputProps("most_cost_usd")}
      />
    </WindowForm>
  );
}
