import { Button, Group, List, Select, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconBan, IconRepeat } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { RequestRetry, RequestSuppression } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { ActionWindow } from "../parts/action-window.tsx";
import { counted } from "../parts/counted.ts";
import { Failure, Fetched } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

/** Picked people, or a filter that means them. */
export type ChosenPeople = Pick<RequestRetry, "request_ids" | "batch_id"> & Partial<RequestRetry>;

type Props = { campaign_id: number; chosen: ChosenPeople | null; onDone(): void };
const people = (count: number): string => counted(count, "person", "people");

/** What can be done with many people of a campaign at once. */
export function BulkActions(props: Props) {
  const may = useMay();
  const [open, setOpen] = useState<"retry" | "suppress" | null>(null);
  const { chosen } = props;
  if (!may("outbound_write")) return null;
  return (
    <>
      <Button
        size="xs"
        leftSection={<IconRepeat size={14} />}
        disabled={chosen === null}
        onClick={() => setOpen("retry")}
      >
        Retry
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconBan size={14} />}
        disabled={chosen === null}
        onClick={() => setOpen("suppress")}
      >
        Suppress
      </Button>
      {open === "retry" && chosen && <Retry {...props} chosen={chosen} onClose={() => setOpen(null)} />}
      {open === "suppress" && chosen && <Suppress {...props} chosen={chosen} onClose={() => setOpen(null)} />}
    </>
  );
}

type WindowProps = Props & { chosen: ChosenPeople; onClose(): void };

function useBulk<Answer>(act: () => Promise<Answer>, said: (answer: Answer) => string, props: WindowProps) {
  const client = useQueryClient();
  return useAction({
    mutationFn: act,
    async onSuccess(answer) {
      notifications.show({ message: said(answer), color: "green" });
      props.onClose();
      props.onDone();
      const changed = [["campaign"], ["batch"], ["GET /api/v1/suppressions/"]];
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}

function Retry(props: WindowProps) {
  const { campaign_id, chosen, onClose } = props;
  const path = { campaign_id };
  const preview = useQuery({
    queryKey: ["retry preview", campaign_id, chosen],
    gcTime: 0,
    queryFn: ({ signal }) =>
      call("POST /api/v1/outbound/campaigns/{campaign_id}/requests/retry/preview", {
        path,
        body: chosen,
        signal,
      }),
  });
  const retry = useBulk(
    () =>
      call("POST /api/v1/outbound/campaigns/{campaign_id}/requests/retry", {
        path,
        body: { ...chosen, as_of: preview.data?.at ?? null },
      }),
    ({ retried }) => `${people(retried)} will be contacted again`,
    props,
  );
  return (
    <ActionWindow opened isPending={retry.isPending} onClose={onClose} title="Contact these people again?">
      <Fetched query={preview} lines={3}>
        {({ retried, not_retried, next }) => (
          <Stack gap="sm">
            <Text size="sm">
              {retried === 0
                ? "Nobody can be contacted again."
                : `${people(retried)} will be contacted again.`}
            </Text>
            {not_retried.length > 0 && (
              <Stack gap={4}>
                <Text size="sm">Not contacted, because the request</Text>
                <List size="sm">
                  {not_retried.map(({ reason, text, count }) => (
                    <List.Item key={reason}>
                      {text}: {count.toLocaleString("en")}
                    </List.Item>
                  ))}
                </List>
              </Stack>
            )}
            <Text size="sm" c="dimmed">
              The campaign's hours, pace and caps apply. Each person gets one more attempt.
              {next !== null && " More people match than fit into one action. Repeat it for the rest."}
            </Text>
            {retry.error && <Failure error={retry.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose} disabled={retry.isPending}>
                Cancel
              </Button>
              <Button
                data-autofocus
                disabled={retried === 0}
                loading={retry.isPending}
                onClick={() => retry.mutate()}
              >
                Retry {retried.toLocaleString("en")}
              </Button>
            </Group>
          </Stack>
        )}
      </Fetched>
    </ActionWindow>
  );
}

const SCOPES = [
  { value: "all", label: "All channels" },
  { value: "voice", label: "Calls" },
  { value: "sms", label: "SMS" },
  { value: "whatsapp", label: "WhatsApp" },
  { value: "email", label: "E-mail" },
];

function Suppress(props: WindowProps) {
  const { campaign_id, chosen, onClose } = props;
  const [scope, setScope] = useState("all");
  const [comment, setComment] = useState("");
  const path = { campaign_id };
  const body: RequestSuppression = {
    ...chosen,
    scope: scope as NonNullable<RequestSuppression["scope"]>,
    comment: comment.trim() || null,
  };
  const preview = useQuery({
    queryKey: ["suppress preview", campaign_id, chosen, scope],
    gcTime: 0,
    queryFn: ({ signal }) =>
      call("POST /api/v1/outbound/campaigns/{campaign_id}/requests/suppress/preview", { path, body, signal }),
  });
  const act = useBulk(
    () => call("POST /api/v1/outbound/campaigns/{campaign_id}/requests/suppress", { path, body }),
    ({ suppressed }) => `${counted(suppressed, "address", "addresses")} suppressed`,
    props,
  );
  return (
    <ActionWindow
      opened
      isPending={act.isPending}
      isTyped={comment !== "" && !act.isPending}
      onClose={onClose}
      title="Suppress these people?"
    >
      <Stack gap="sm">
        <Select
          label="Channel"
          data={SCOPES}
          value={scope}
          allowDeselect={false}
          onChange={(value) => setScope(value ?? "all")}
        />
        <TextInput
          label="Comment"
          value={comment}
          maxLength={1000}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <Fetched query={preview} lines={2}>
          {({ addresses, suppressed, next }) => (
            <>
              <Text size="sm">
                {suppressed.toLocaleString("en")} of {addresses.toLocaleString("en")} addresses are added to
                the suppression list. No campaign contacts them any more.
                {next !== null && " More people match than fit into one action. Repeat it for the rest."}
              </Text>
              {act.error && <Failure error={act.error} />}
              <Group justify="flex-end" gap="xs">
                <Button variant="default" onClick={onClose} disabled={act.isPending}>
                  Cancel
                </Button>
                <Button
                  color="red"
                  disabled={suppressed === 0}
                  loading={act.isPending}
                  onClick={() => act.mutate()}
                >
                  Suppress {suppressed.toLocaleString("en")}
                </Button>
              </Group>
            </>
          )}
        </Fetched>
      </Stack>
    </ActionWindow>
  );
}
