import { Button, NumberInput, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { RecordSelect } from "../lists/record-select.tsx";
import { notChosen } from "../records/field-errors.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

/** Begins a replay, and opens its page. */
export function ReplayButton() {
  const may = useMay();
  const [opened, { open, close }] = useDisclosure(false);
  if (!may("tests_run")) return null;
  return (
    <>
      <Button leftSection={<IconPlayerPlay size={15} />} onClick={open}>
        Replay sessions
      </Button>
      {opened && <ReplayWindow onClose={close} />}
    </>
  );
}

const STRATA = {
  end_reason: "Outcome",
  channel: "Channel",
  day: "Day",
  version: "Version",
  none: "None",
} as const;

/** What no session matches is said at the only part of the filter that the window has. */
const FIELDS = new Set("agent_id sessions filter filter.days candidate baseline cost_cap_usd".split(" "));

/** A version is sent as its number. */
const stateOf = (chosen: string): string | number => (/^\d+$/.test(chosen) ? Number(chosen) : chosen);

function ReplayWindow({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { form, sending } = useWindowForm({
    initial: {
      agent_id: null as number | null,
      sessions: 100 as number | string,
      filter: { days: 30 as number | string },
      stratify_by: "end_reason" as keyof typeof STRATA,
      candidate: "draft",
      baseline: "",
      cost_cap_usd: "" as number | string,
    },
    hasField: (path) => FIELDS.has(path),
    async send({ agent_id, sessions, filter, stratify_by, candidate, baseline, cost_cap_usd }) {
      if (agent_id === null) throw notChosen("agent_id", "Choose an agent.");
      return call("POST /api/v1/agents/{agent_id}/replays", {
        path: { agent_id },
        body: {
          sessions: Number(sessions),
          filter: { days: Number(filter.days) },
          stratify_by,
          candidate: stateOf(candidate) as "draft" | "live" | number,
          baseline: baseline === "" ? null : (stateOf(baseline) as "recorded" | "live" | number),
          cost_cap_usd: cost_cap_usd === "" ? null : Number(cost_cap_usd),
        },
      });
    },
    async onSent({ id }) {
      onClose();
      await client.invalidateQueries({ queryKey: ["GET /api/v1/replays/"] });
      await navigate({ to: `/tests/replays/${id}` });
    },
  });
  const { agent_id, stratify_by, candidate, baseline } = form.getValues();
  const versions = useQuery({
    queryKey: ["agent", String(agent_id), "versions"],
    enabled: agent_id !== null,
    queryFn: ({ signal }) =>
      call("GET /api/v1/agents/{agent_id}/versions", {
        path: { agent_id: agent_id as number },
        query: { limit: 100 },
        signal,
      }),
  });
  const published = (versions.data?.items ?? []).map(({ version_number }) => ({
    value: String(version_number),
    label: `Version ${version_number}`,
  }));
  return (
    <WindowForm title="Replay sessions" verb="Replay" sending={sending} onClose={onClose}>
      <RecordSelect
        operation="GET /api/v1/agents/"
        label="Agent"
        required
        value={agent_id}
        chosenName={null}
        onChange={(id) => form.setValues({ agent_id: id, candidate: "draft", baseline: "" })}
        error={form.errors.agent_id}
      />
      <NumberInput
        label="Sessions"
        description="Each is replayed twice: with the candidate and with the baseline."
        min={1}
        max={1000}
        allowDecimal={false}
        {...form.getInputProps("sessions")}
      />
      <NumberInput
        label="Of the last days"
        min={1}
        max={3650}
        allowDecimal={false}
        {...form.getInputProps("filter.days")}
        error={form.errors["filter.days"] ?? form.errors.filter}
      />
      <Select
        label="Stratify by"
        description="Sessions are drawn from each group in proportion to its size."
        data={Object.entries(STRATA).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        value={stratify_by}
        onChange={(value) => form.setFieldValue("stratify_by", value as keyof typeof STRATA)}
      />
      <Select
        label="Candidate"
        data={[
          { value: "draft", label: "Draft as saved" },
          { value: "live", label: "Live version" },
          ...published,
        ]}
        allowDeselect={false}
        value={candidate}
        onChange={(value) => form.setFieldValue("candidate", value ?? "draft")}
        error={form.errors.candidate}
      />
      <Select
        label="Baseline"
        data={[
          { value: "", label: "Live version, if published" },
          { value: "recorded", label: "Each session's own version" },
          ...published,
        ]}
        allowDeselect={false}
        value={baseline}
        onChange={(value) => form.setFieldValue("baseline", value ?? "")}
        error={form.errors.baseline}
      />
      <NumberInput
        label="Cost cap"
        description="No conversation starts after the replay has cost this much. Empty: no cap."
        prefix="$"
        min={0}
        decimalScale={2}
        {...form.getInputProps("cost_cap_usd")}
      />
    </WindowForm>
  );
}
