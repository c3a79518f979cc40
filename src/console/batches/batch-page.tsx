import { Alert, Button, Grid, Group, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconPlayerPause, IconPlayerPlay, IconUserPlus, IconUsersPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { BatchDetails, CommunicationBatch } from "../api-types.ts";
import { readCampaign } from "../campaign-form/campaign-form.tsx";
import { BATCH_WORDS } from "../outbound/batch-words.ts";
import { OutreachStopped } from "../outbound/outreach-stop.tsx";
import { type PeopleFilter, peoplePath } from "../outbound/people-link.ts";
import { OutcomeTiles, StatusTiles } from "../outbound/status-tiles.tsx";
import { useAction } from "../parts/action.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { counted } from "../parts/counted.ts";
import { Empty, Facts, Fetched, PageHead, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { useRecordForm } from "../records/record-form.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { AddPerson } from "./add-person.tsx";
import { BatchConfirmationNeeded } from "./batch-confirmation.tsx";
import { BatchSettings } from "./batches-panel.tsx";
import { RequestsPanel } from "./requests-panel.tsx";
import { TakePeople } from "./take-people.tsx";
import { UploadPanel } from "./upload-panel.tsx";

const FOLLOW_MS = 4000;
const FOLLOW_UPLOAD_MS = 700;
const LISTS = [["batch"], ["campaign"], ["GET /api/v1/outbound/batches"]] as const;

const read = (batch_id: string) => call("GET /api/v1/outbound/batches/{batch_id}", { path: { batch_id } });

/** By hand: a batch is followed, filled and held here, and its settings are a small part of that. */
export default function BatchPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const [isFilling, setFilling] = useState(false);
  const batch = useQuery({
    queryKey: ["batch", id],
    queryFn: () => read(id),
    refetchInterval: isFilling ? FOLLOW_UPLOAD_MS : FOLLOW_MS,
  });
  const found = batch.data;
  return (
    <>
      <PageHead
        title={id}
        back={{
          to: found ? `/campaigns/${found.campaign_id}?view=batches` : "/campaigns",
          label: found ? "Batches of the campaign" : "Campaigns",
        }}
        about={found && <About batch={found} />}
        actions={found && <Actions batch={found} />}
      />
      <OutreachStopped />
      <Fetched query={batch} lines={12}>
        {(shown) => <Body key={shown.batch_id} batch={shown} isFilling={isFilling} setFilling={setFilling} />}
      </Fetched>
    </>
  );
}

function About({ batch }: { batch: BatchDetails }) {
  const { tone, word } = BATCH_WORDS[batch.status];
  const campaign = useQuery({
    queryKey: ["campaign", batch.campaign_id],
    queryFn: () => readCampaign(batch.campaign_id),
  });
  return (
    <Group gap="xs">
      <Status tone={tone}>{word}</Status>
      <span>
        of{" "}
        <RouteLink to={`/campaigns/${batch.campaign_id}`}>
          <bdi>{campaign.data?.campaign_name ?? `campaign ${batch.campaign_id}`}</bdi>
        </RouteLink>
      </span>
    </Group>
  );
}

function Actions({ batch }: { batch: BatchDetails }) {
  const may = useMay();
  const navigate = useNavigate();
  const client = useQueryClient();
  const path = { batch_id: batch.batch_id };
  const hold = useAction({
    mutationFn: () => call("PUT /api/v1/outbound/batches/{batch_id}", { path, body: { paused: true } }),
    async onSuccess() {
      notifications.show({ message: "Paused 1 batch", color: "green" });
      await Promise.all(LISTS.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: showFailure,
  });
  const [adding, { open, close }] = useDisclosure(false);
  const [taking, take] = useDisclosure(false);
  if (batch.status === "CANCELED") return null;
  const waiting = batch.status_counts?.PENDING ?? 0;
  return (
    <>
      {may("outbound_write") && batch.status !== "EXPIRED" && (
        <Button variant="default" leftSection={<IconUserPlus size={15} />} onClick={open}>
          Add person
        </Button>
      )}
      {adding && <AddPerson batch_id={batch.batch_id} onClose={close} />}
      {may("outbound_write") && batch.status !== "EXPIRED" && (
        <Button variant="default" leftSection={<IconUsersPlus size={15} />} onClick={take.open}>
          From another batch
        </Button>
      )}
      {taking && <TakePeople batch_id={batch.batch_id} onClose={take.close} />}
      {may("outbound_write") && batch.paused && batch.status !== "EXPIRED" && (
        <ConfirmButton
          variant="filled"
          leftSection={<IconPlayerPlay size={15} />}
          verb="Start"
          question="Start 1 batch?"
          act={() => call("PUT /api/v1/outbound/batches/{batch_id}", { path, body: { paused: false } })}
          invalidates={LISTS}
          done="Started 1 batch"
        >
          {waiting === 0
            ? "Nobody in it is waiting to be contacted."
            : `${counted(waiting, "person is", "people are")} waiting to be contacted.`}
        </ConfirmButton>
      )}
      {may("outbound_write") && !batch.paused && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={15} />}
          loading={hold.isPending}
          onClick={() => hold.mutate()}
        >
          Pause
        </Button>
      )}
      {may("outbound_delete") && (
        <RemoveRecord
          noun="batch"
          name={batch.batch_id}
          remove={(reason) => {
            const form = new FormData();
            form.set("delete_reason", reason);
            return call("DELETE /api/v1/outbound/batches/{batch_id}", { path, form });
          }}
          invalidates={LISTS}
          onRemoved={() =>
            void navigate({
              to: `/campaigns/${batch.campaign_id}?view=batches`,
              ignoreBlocker: true,
              replace: true,
            })
          }
        >
          People still waiting are not contacted. Conversations in progress continue.
        </RemoveRecord>
      )}
    </>
  );
}

function Body(props: { batch: BatchDetails; isFilling: boolean; setFilling(filling: boolean): void }) {
  const { batch, isFilling, setFilling } = props;
  const may = useMay();
  const counts = batch.status_counts ?? {};
  const people = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const [offered] = useState(batch.upload_filename === null || batch.upload_filename === undefined);
  const link = (filter: PeopleFilter) =>
    peoplePath(batch.campaign_id, { batch_id: batch.batch_id, ...filter });
  const mayFill = may("outbound_write") && batch.status !== "CANCELED" && batch.status !== "EXPIRED";
  return (
    <Grid gap="md" align="flex-start">
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Stack gap="md">
          {!isFilling && <BatchConfirmationNeeded batch_id={batch.batch_id} />}
          {batch.error_message && !(offered && mayFill) && (
            <Alert color="red" title="The last file was rejected">
              <bdi>{batch.error_message}</bdi>
            </Alert>
          )}
          {batch.deleted_reason && (
            <Alert color="gray" title="Deleted">
              <bdi>{batch.deleted_reason}</bdi>
            </Alert>
          )}
          {people > 0 && !isFilling && (
            <Panel title={counted(people, "person", "people")}>
              <Stack gap="md">
                {batch.outcome_counts && <OutcomeTiles counts={batch.outcome_counts} link={link} />}
                <StatusTiles counts={counts} details={batch.detailed_status_counts} link={link} />
              </Stack>
            </Panel>
          )}
          {offered && mayFill && (
            <UploadPanel
              batch_id={batch.batch_id}
              rows_read={isFilling ? people : 0}
              last_error={batch.error_message ?? null}
              onBusy={setFilling}
            />
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Stack gap="md">
          <SettingsPanel batch={batch} />
          <Panel title="Details">
            <Facts
              items={[
                ["Source file", <bdi key="file">{batch.upload_filename ?? "no file"}</bdi>],
                ["Created", <Time key="made" at={batch.created_at} />],
                ["Updated", <Time key="changed" at={batch.last_updated_at} />],
                ["Updated by", batch.last_updated_by],
              ]}
            />
          </Panel>
        </Stack>
      </Grid.Col>
      <Grid.Col span={12}>
        <RequestsPanel batch_id={batch.batch_id} />
      </Grid.Col>
    </Grid>
  );
}

type Settings = { expires_on: string | null; call_rate: number | null; auto_call_rate: boolean };

function SettingsPanel({ batch }: { batch: BatchDetails }) {
  const may = useMay();
  const record = useRecordForm<CommunicationBatch, Settings>({
    noun: "Batch",
    labels: {
      expires_on: "Expires",
      call_rate: "Attempts per hour",
      auto_call_rate: "Spread over open hours until it expires",
    },
    record: batch,
    values: (found) => ({
      expires_on: found?.expires_on ?? null,
      call_rate: found?.call_rate ?? null,
      auto_call_rate: found?.auto_call_rate ?? false,
    }),
    save: (values) =>
      call("PUT /api/v1/outbound/batches/{batch_id}", {
        path: { batch_id: batch.batch_id },
        body: values,
      }),
    reread: () => read(batch.batch_id),
    invalidates: LISTS,
    onSaved: () => {},
  });
  const { form } = record;
  if (batch.status === "CANCELED") return <Empty title="This batch was deleted" />;
  return (
    <Panel title="Schedule">
      <RecordFormFrame form={record} readOnly={!may("outbound_write")}>
        <BatchSettings
          values={form.getValues()}
          set={(part) => form.setValues(part)}
          errorOf={(name) => form.errors[name]}
        />
      </RecordFormFrame>
    </Panel>
  );
}
