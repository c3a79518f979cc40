import { Alert, Autocomplete, MultiSelect, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { RequestStatus, RequestsCopySource } from "../api-types.ts";
import { REQUEST_STATUSES, requestWords } from "../outbound/batch-words.ts";
import { CHANNEL_STATUSES, spoken } from "../outbound/channel-statuses.ts";
import { counted } from "../parts/counted.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";

type Wanted = Required<{ [Name in keyof RequestsCopySource]: NonNullable<RequestsCopySource[Name]> }>;

const TYPING_MS = 300;
const OFFERED = 50;

/** Everybody whom the selection means: a call takes a piece. Stopped in between, it may be repeated. */
async function takeAll(batch_id: string, wanted: Wanted) {
  const total = { accepted: 0, duplicates: 0, invalid: 0, present: 0 };
  for (let after: number | null = 0; after !== null; ) {
    const piece: { next: number | null } & typeof total = await call(
      "POST /api/v1/outbound/batches/{batch_id}/requests/from",
      { path: { batch_id }, body: { ...wanted, after } },
    );
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += piece[name];
    after = piece.next;
  }
  return total;
}

/** Adds the people of another batch, once their number was shown. */
export function TakePeople({ batch_id, onClose }: { batch_id: string; onClose(): void }) {
  const client = useQueryClient();
  const initial: Wanted = { batch_id: "", request_statuses: [], channel_statuses: [] };
  const { form, stored, sending } = useWindowForm({
    initial,
    send: (wanted) => takeAll(batch_id, wanted),
    async onSent({ accepted }) {
      await Promise.all([["batch"], ["campaign"]].map((queryKey) => client.invalidateQueries({ queryKey })));
      if (accepted === 0) return;
      notifications.show({
        message: `${counted(accepted, "person was", "people were")} added`,
        color: "green",
      });
      onClose();
    },
  });
  const wanted = form.getValues();
  const [searched] = useDebouncedValue(wanted.batch_id, TYPING_MS);
  const batches = useQuery({
    queryKey: ["GET /api/v1/outbound/batches", "names", searched],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/batches", {
        query: {
          limit: OFFERED,
          ...(searched && { search_fields: ["batch_id"], search_field_values: [searched] }),
        },
        signal,
      }),
  });
  const preview = useQuery({
    queryKey: ["batch", batch_id, "people of", searched, wanted.request_statuses, wanted.channel_statuses],
    enabled: searched !== "",
    retry: false,
    queryFn: ({ signal }) =>
      call("POST /api/v1/outbound/batches/{batch_id}/requests/from/preview", {
        path: { batch_id },
        body: { ...wanted, batch_id: searched },
        signal,
      }),
  });
  return (
    <WindowForm title="Take people from another batch" verb="Add" sending={sending} onClose={onClose}>
      {stored && (
        <Alert color="yellow" role="status" title="Nobody was added">
          {`${counted(stored.present, "is", "are")} in this batch already, ${counted(stored.duplicates, "is a duplicate", "are duplicates")}, ${stored.invalid.toLocaleString("en")} invalid.`}
        </Alert>
      )}
      <Autocomplete
        label="Batch"
        required
        data-autofocus
        data={(batches.data?.items ?? []).map((found) => found.batch_id).filter((id) => id !== batch_id)}
        {...form.getInputProps("batch_id")}
      />
      <MultiSelect
        label="Status"
        description="Empty: everybody but duplicates and invalid numbers."
        data={REQUEST_STATUSES.map((value) => ({ value, label: requestWords(value).word }))}
        value={wanted.request_statuses}
        onChange={(values) => form.setFieldValue("request_statuses", values as RequestStatus[])}
      />
      <MultiSelect
        label="Result"
        description="Empty: any."
        searchable
        data={CHANNEL_STATUSES.map((value) => ({ value, label: spoken(value) }))}
        value={wanted.channel_statuses}
        onChange={(values) => form.setFieldValue("channel_statuses", values as Wanted["channel_statuses"])}
      />
      <Text size="sm" role="status">
        {preview.data
          ? `${counted(preview.data.people, "person", "people")}, ${preview.data.present.toLocaleString("en")} of them in this batch already.`
          : (preview.error?.message ?? "Choose a batch to see how many people it has.")}
      </Text>
    </WindowForm>
  );
}
