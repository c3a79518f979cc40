import { Checkbox, Group, NumberInput, Stack, TextInput } from "@mantine/core";
import { IconStack2 } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { CommunicationBatch, CommunicationBatchCreate } from "../api-types.ts";
import { numberOrNull } from "../campaign-form/opening-fields.tsx";
import { type Column, changedColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { useNewRecord } from "../lists/new-record.tsx";
import { BATCH_WORDS, batchPath } from "../outbound/batch-words.ts";
import { RouteLink, Status } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";
import { WhenField } from "../time/when-field.tsx";

const LIST = "GET /api/v1/outbound/batches";
const REFRESH_MS = 5000;

const COLUMNS: Column<CommunicationBatch>[] = [
  {
    field: "batch_id",
    title: "Batch",
    orderable: true,
    render: ({ batch_id }) => (
      <RouteLink to={batchPath(batch_id)}>
        <bdi>{batch_id}</bdi>
      </RouteLink>
    ),
  },
  {
    field: "status",
    title: "Status",
    orderable: true,
    render: ({ status }) => <Status tone={BATCH_WORDS[status].tone}>{BATCH_WORDS[status].word}</Status>,
  },
  {
    field: "upload_filename",
    title: "Source file",
    render: ({ upload_filename }) => <bdi>{upload_filename ?? "–"}</bdi>,
  },
  { field: "call_rate", title: "Attempts per hour", align: "right", render: (batch) => rateWords(batch) },
  {
    field: "expires_on",
    title: "Expires",
    orderable: true,
    render: ({ expires_on }) => (expires_on ? <Time at={expires_on} kind="minute" /> : "never"),
  },
  {
    field: "created_at",
    title: "Created",
    render: ({ created_at }) => <Time at={created_at} kind="minute" />,
  },
  { ...changedColumn("last_updated_at"), hidden: true },
];

function rateWords(batch: { auto_call_rate: boolean; call_rate?: number | null | undefined }): string {
  if (batch.auto_call_rate) return "spread until it expires";
  return batch.call_rate?.toLocaleString("en") ?? "as the campaign";
}

/** The batches of a campaign. */
export function BatchesPanel({ campaign_id }: { campaign_id: number }) {
  const { button, window } = useNewRecord({
    permission: "outbound_write",
    label: "New batch",
    window: (close) => <NewBatch campaign_id={campaign_id} onClose={close} />,
  });
  return (
    <Stack gap="sm">
      <Group justify="flex-end">{button}</Group>
      <DataTable
        label="Batches"
        operation={LIST}
        prefix="b_"
        columns={COLUMNS}
        rowKey={({ batch_id }) => batch_id}
        fixed={{ campaign_id: String(campaign_id) }}
        search={{ field: "batch_id", label: "Search by name" }}
        filters={[{ field: "status", label: "Status", kind: "choice", choices: BATCH_WORDS }]}
        refresh_ms={REFRESH_MS}
        empty={{
          title: "No batches yet",
          icon: IconStack2,
          action: button,
          about:
            "A batch is a list of people to reach. Create one, then fill it from a CSV file: one row per person, with the columns reference_id and target.",
        }}
      />
      {window}
    </Stack>
  );
}

type Values = Required<Omit<CommunicationBatchCreate, "campaign_id">>;

function NewBatch({ campaign_id, onClose }: { campaign_id: number; onClose(): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { form, sending } = useWindowForm<Values, CommunicationBatch>({
    initial: {
      batch_id: nameOfNow(),
      expires_on: null,
      paused: true,
      call_rate: null,
      auto_call_rate: false,
    },
    send: (chosen) => call("POST /api/v1/outbound/batches", { body: { ...chosen, campaign_id } }),
    async onSent({ batch_id }) {
      await client.invalidateQueries({ queryKey: [LIST] });
      void navigate({ to: batchPath(batch_id) });
    },
  });
  const values = form.getValues();
  return (
    <WindowForm title="New batch" size="lg" verb="Create" sending={sending} onClose={onClose}>
      <TextInput
        label="Name"
        description="Your own ID. It can't be changed later."
        required
        data-autofocus
        {...form.getInputProps("batch_id")}
      />
      <BatchSettings
        values={values}
        set={(part) => form.setValues(part)}
        errorOf={(name) => form.errors[name]}
      />
      <Checkbox
        label="Start paused"
        description="Check the list before anyone is contacted."
        checked={values.paused === true}
        onChange={({ currentTarget }) => form.setFieldValue("paused", currentTarget.checked)}
      />
    </WindowForm>
  );
}

type Settings = Pick<Values, "expires_on" | "call_rate" | "auto_call_rate">;

/** The batch's schedule: end and pace. */
export function BatchSettings(props: {
  values: Settings;
  set(part: Partial<Settings>): void;
  errorOf(name: keyof Settings): React.ReactNode;
}) {
  const { values, set, errorOf } = props;
  return (
    <>
      <WhenField
        label="Expires"
        description="No one is contacted after this. Empty: never."
        value={values.expires_on}
        onChange={(expires_on) => set({ expires_on })}
        error={errorOf("expires_on")}
      />
      <NumberInput
        label="Attempts per hour"
        description="Empty: the campaign's rate."
        min={1}
        max={3600}
        disabled={values.auto_call_rate}
        value={values.call_rate ?? ""}
        onChange={(rate) => set({ call_rate: numberOrNull(rate) })}
        error={errorOf("call_rate")}
      />
      <Checkbox
        label="Spread over open hours until it expires"
        checked={values.auto_call_rate}
        onChange={({ currentTarget }) => set({ auto_call_rate: currentTarget.checked })}
        error={errorOf("auto_call_rate")}
      />
    </>
  );
}

/** "20261120.1430". */
const nameOfNow = (): string => {
  const now = new Date();
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}.${two(now.getHours())}${two(now.getMinutes())}`;
};
