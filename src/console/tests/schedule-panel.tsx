import {
  Button,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TestSchedule, TestSuiteResponse } from "../api-types.ts";
import { Facts, Fetched, Panel, Status } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { zones } from "../time/zone.ts";

const DAYS = { mon: "Mon", tue: "Tue", wed: "Wed", thu: "Thu", fri: "Fri", sat: "Sat", sun: "Sun" } as const;
const STATES = { draft: "the draft, as it is saved then", live: "what people reach" } as const;

const read = ({ id }: TestSuiteResponse, signal?: AbortSignal) =>
  call("GET /api/v1/test_suites/{suite_id}/schedule", { path: { suite_id: id }, ...(signal && { signal }) });

/** When the suite runs by itself, and who is told of its runs. */
export function SchedulePanel({ suite }: { suite: TestSuiteResponse }) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const schedule = useQuery({
    queryKey: ["test suite", String(suite.id), "schedule"],
    queryFn: ({ signal }) => read(suite, signal),
  });
  return (
    <Panel
      title="Schedule"
      actions={
        schedule.data &&
        may("tests_write") &&
        may("tests_run") && (
          <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
            Change the schedule
          </Button>
        )
      }
    >
      <Fetched query={schedule}>
        {(found) => (
          <>
            <Shown schedule={found} />
            {isOpen && <ScheduleWindow suite={suite} schedule={found} onClose={() => setOpen(false)} />}
          </>
        )}
      </Fetched>
    </Panel>
  );
}

function Shown({ schedule }: { schedule: TestSchedule }) {
  const { is_active, time, timezone, days, against, next_at, webhook, note, noted_at } = schedule;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Status tone={is_active ? "good" : "quiet"}>{is_active ? "on" : "off"}</Status>
        {next_at !== null && (
          <Text size="sm">
            Next run: <Time at={next_at} />
          </Text>
        )}
      </Group>
      {note !== null && (
        <Text size="sm" role="status">
          Last time it was not run: {note} {noted_at !== null && <Time at={noted_at} />}
        </Text>
      )}
      <Facts
        items={[
          ["Time", `${time}, ${timezone}`],
          ["Days", days.map((day) => DAYS[day]).join(", ") || "none"],
          ["Tested", STATES[against]],
          [
            "Webhook",
            webhook ? `${webhook.url}${webhook.auth_value_keys ? ", signed" : ", not signed"}` : "none",
          ],
        ]}
      />
    </Stack>
  );
}

const LABELS = {
  is_active: "Run by itself",
  timezone: "Time zone",
  days: worded("Days", DAYS),
  against: worded("State", STATES),
  cost_cap_usd: "Cost cap",
};

const valuesOf = (schedule: TestSchedule) => ({
  is_active: schedule.is_active,
  time: schedule.time,
  timezone: schedule.timezone,
  days: schedule.days as string[],
  against: schedule.against,
  repetitions: schedule.repetitions as number | string,
  seed: schedule.seed as number | string,
  cost_cap_usd: (schedule.cost_cap_usd ?? "") as number | string,
  webhook: schedule.webhook?.url ?? "",
  hmac_secret: "",
  isUnsigned: false,
});

function ScheduleWindow(props: { suite: TestSuiteResponse; schedule: TestSchedule; onClose(): void }) {
  const { suite, schedule, onClose } = props;
  const client = useQueryClient();
  const isSigned = schedule.webhook?.auth_value_keys != null;
  const { form, sending } = useWindowForm({
    initial: valuesOf(schedule),
    changed: { reread: () => read(suite), values: valuesOf, labels: LABELS },
    send({ webhook, hmac_secret, isUnsigned, repetitions, seed, cost_cap_usd, days, ...rest }) {
      const auth_values = isUnsigned
        ? {}
        : hmac_secret
          ? { hmac_secret }
          : isSigned
            ? { hmac_secret: null }
            : {};
      return call("PUT /api/v1/test_suites/{suite_id}/schedule", {
        path: { suite_id: suite.id },
        body: {
          ...rest,
          days: days as TestSchedule["days"],
          repetitions: Number(repetitions),
          seed: Number(seed),
          cost_cap_usd: cost_cap_usd === "" ? null : Number(cost_cap_usd),
          webhook: webhook === "" ? null : { url: webhook, auth_values },
        },
      });
    },
    async onSent() {
      onClose();
      await client.invalidateQueries({ queryKey: ["test suite", String(suite.id), "schedule"] });
    },
  });
  const { webhook } = form.getValues();
  return (
    <WindowForm title={`When ${suite.name} runs`} verb="Save" sending={sending} onClose={onClose}>
      <Switch
        label="Run by itself"
        description="Runs missed while Parley is down are skipped and listed here."
        {...form.getInputProps("is_active", { type: "checkbox" })}
      />
      <SimpleGrid cols={2}>
        <TextInput label="Time" placeholder="02:00" {...form.getInputProps("time")} />
        <Select
          label="Time zone"
          searchable
          allowDeselect={false}
          data={zones()}
          {...form.getInputProps("timezone")}
        />
      </SimpleGrid>
      <MultiSelect
        label="Days"
        data={Object.entries(DAYS).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps("days")}
      />
      <Select
        label="State"
        allowDeselect={false}
        data={Object.entries(STATES).map(([value, label]) => ({ value, label: `Test ${label}` }))}
        {...form.getInputProps("against")}
      />
      <SimpleGrid cols={3}>
        <NumberInput
          label="Repetitions"
          min={1}
          max={100}
          allowDecimal={false}
          {...form.getInputProps("repetitions")}
        />
        <NumberInput label="Seed" min={0} allowDecimal={false} {...form.getInputProps("seed")} />
        <NumberInput
          label="Cost cap"
          prefix="$"
          min={0}
          decimalScale={2}
          {...form.getInputProps("cost_cap_usd")}
        />
      </SimpleGrid>
      <TextInput
        label="Webhook"
        description="Receives a message when a run finishes. Empty: none."
        placeholder="https://example.com/tests"
        {...form.getInputProps("webhook")}
      />
      {webhook !== "" && (
        <>
          <TextInput
            label="Signing secret"
            description={`Base64 of 32 to 512 bytes. ${isSigned ? "Empty: keep the stored one." : "Empty: it is not signed."}`}
            {...form.getInputProps("hmac_secret")}
          />
          {isSigned && (
            <Checkbox
              label="Remove the stored secret"
              {...form.getInputProps("isUnsigned", { type: "checkbox" })}
            />
          )}
        </>
      )}
    </WindowForm>
  );
}
