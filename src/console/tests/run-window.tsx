import { Button, NumberInput, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { TestSuiteResponse } from "../api-types.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { counted } from "../parts/counted.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

type Suite = Pick<TestSuiteResponse, "id" | "name" | "agent" | "agent_id" | "case_count">;

/** Begins a run, and opens its page. */
export function RunButton({ suite }: { suite: Suite }) {
  const may = useMay();
  const [opened, { open, close }] = useDisclosure(false);
  if (!may("tests_run")) return null;
  return (
    <>
      <Button
        leftSection={<IconPlayerPlay size={15} />}
        disabled={suite.case_count === 0}
        title={suite.case_count === 0 ? "The suite has no tests yet" : undefined}
        onClick={open}
      >
        Run tests
      </Button>
      {opened && <RunWindow suite={suite} onClose={close} />}
    </>
  );
}

function RunWindow({ suite, onClose }: { suite: Suite; onClose(): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { form, sending } = useWindowForm({
    initial: {
      agent_id: suite.agent_id as number | null,
      version: null as number | null,
      repetitions: 1 as number | string,
      cost_cap_usd: "" as number | string,
    },
    async send({ agent_id, version, repetitions, cost_cap_usd }) {
      const { name } = await call("GET /api/v1/agents/{agent_id}", {
        path: { agent_id: agent_id ?? suite.agent_id },
      });
      return call("POST /api/v1/test_suites/{suite_id}/runs", {
        path: { suite_id: suite.id },
        body: {
          agent: name,
          version,
          repetitions: Number(repetitions),
          cost_cap_usd: cost_cap_usd === "" ? null : Number(cost_cap_usd),
        },
      });
    },
    async onSent(run) {
      onClose();
      await client.invalidateQueries({ queryKey: ["GET /api/v1/test_runs/"] });
      await navigate({ to: `/tests/runs/${run.id}` });
    },
  });
  const { agent_id, version, repetitions } = form.getValues();
  const chosen_id = agent_id ?? suite.agent_id;
  const { data: versions } = useQuery({
    queryKey: ["agent", String(chosen_id), "versions"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/agents/{agent_id}/versions", {
        path: { agent_id: chosen_id },
        query: { limit: 100 },
        signal,
      }),
  });
  const published = versions?.items ?? [];
  const conversations = suite.case_count * (Number(repetitions) || 0);
  return (
    <WindowForm title={`Run ${suite.name}`} verb="Run" sending={sending} onClose={onClose}>
      <RecordSelect
        operation="GET /api/v1/agents/"
        label="Agent"
        description="Choose a copy to compare it with the original."
        required
        value={agent_id}
        chosenName={agent_id === suite.agent_id ? suite.agent : null}
        onChange={(id) => form.setValues({ agent_id: id, version: null })}
        error={form.errors.agent}
      />
      {published.length > 0 && (
        <Select
          label="State"
          data={[
            { value: "", label: "Draft as saved" },
            ...published.map(({ version_number, is_live }) => ({
              value: String(version_number),
              label: is_live ? `Version ${version_number} (live)` : `Version ${version_number}`,
            })),
          ]}
          allowDeselect={false}
          value={version === null ? "" : String(version)}
          onChange={(value) => form.setFieldValue("version", value ? Number(value) : null)}
        />
      )}
      <NumberInput
        label="Repetitions"
        description={`Runs of each test: ${counted(conversations, "conversation")}. Models answer differently each time.`}
        min={1}
        max={100}
        allowDecimal={false}
        {...form.getInputProps("repetitions")}
      />
      <NumberInput
        label="Cost cap"
        description="No conversation starts after the run has cost this much. Empty: no cap."
        prefix="$"
        min={0}
        decimalScale={2}
        {...form.getInputProps("cost_cap_usd")}
      />
    </WindowForm>
  );
}
