import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Erasure, ErasurePreview } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { RowsTable } from "../lists/rows-table.tsx";
import { Empty, Fetched, Panel, Scroller, Status } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";

const KEY = ["erasures"];
const FOLLOW_MS = 3000;

const TONES = { PENDING: "busy", WAITING: "warn", RUNNING: "busy", COMPLETED: "good" } as const;

/** Erasures of people with their proofs, and the window that begins one. */
export function ErasuresPanel() {
  const [opened, window] = useDisclosure(false);
  const erasures = useQuery({
    queryKey: KEY,
    queryFn: () => call("GET /api/v1/erasures/", { query: { limit: 10 } }),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status !== "COMPLETED") ? FOLLOW_MS : false,
  });
  return (
    <Panel
      title="Erasures"
      actions={
        <Button size="compact-sm" variant="default" onClick={window.open}>
          Erase a person
        </Button>
      }
    >
      <Fetched query={erasures}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No erasures yet" />
          ) : (
            <Scroller label="Erasures">
              <RowsTable columns={COLUMNS} rows={items} rowKey={({ id }) => id} />
            </Scroller>
          )
        }
      </Fetched>
      {opened && <ErasePerson onClose={window.close} />}
    </Panel>
  );
}

const countWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${kind.replaceAll("_", " ")} ${count}`)
    .join(", ") || "nothing";

const COLUMNS: Column<Erasure>[] = [
  { field: "id", title: "Erasure" },
  {
    field: "status",
    title: "Status",
    render: ({ status, waits_for }) => (
      <>
        <Status tone={TONES[status]}>{status.toLowerCase()}</Status>
        {waits_for && (
          <Text size="xs" c="dimmed">
            {waits_for}
          </Text>
        )}
      </>
    ),
  },
  { field: "counts", title: "Deleted", render: ({ counts }) => countWords(counts) },
  {
    field: "requested_at",
    title: "Requested",
    render: ({ requested_at, requested_by }) => (
      <>
        <Time at={requested_at} /> by <bdi>{requested_by}</bdi>
      </>
    ),
  },
];

/** Counts first; the button that erases is there once they were seen. */
export function ErasePerson({ onClose, address: first = "" }: { onClose(): void; address?: string }) {
  const client = useQueryClient();
  const [preview, setPreview] = useState<(ErasurePreview & { address: string }) | null>(null);
  const { form, sending } = useWindowForm({
    initial: { address: first },
    async send({ address }) {
      if (preview?.address === address) {
        await call("POST /api/v1/erasures/", { body: { address } });
        return { isErased: true };
      }
      setPreview({ ...(await call("POST /api/v1/erasures/preview", { body: { address } })), address });
      return { isErased: false };
    },
    async onSent({ isErased }) {
      if (!isErased) return;
      onClose();
      await client.invalidateQueries({ queryKey: KEY });
    },
  });
  const isSeen = preview?.address === form.getValues().address;
  return (
    <WindowForm
      title="Erase a person"
      verb={isSeen ? "Erase for good" : "Count"}
      sending={sending}
      onClose={onClose}
    >
      <TextInput
        label="Number or address"
        description="A telephone number with its country code, an e-mail address, or a chat visitor's id."
        required
        data-autofocus
        {...form.getInputProps("address")}
      />
      {isSeen && preview && (
        <Stack gap={4}>
          <Text size="sm">
            {Object.keys(preview.counts).length === 0
              ? "Nothing is stored under this number or address. Check that it is complete."
              : `To be deleted: ${countWords(preview.counts)}.`}
          </Text>
          {preview.waits_for && <Text size="sm">{preview.waits_for}</Text>}
          <Group>
            <Text size="sm" c="dimmed">
              This can't be undone. Opt-outs stay, because they protect the person.
            </Text>
          </Group>
        </Stack>
      )}
    </WindowForm>
  );
}
