import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconRepeat, IconWebhook } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { WebhookDelivery, WebhookReplay } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { STATUS_CHOICES, spoken } from "../outbound/channel-statuses.ts";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { RouteLink, Status } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { NearTime } from "../time/near-time.tsx";
import { Time } from "../time/time.tsx";
import { DELIVERY_WORDS, DUE, isDue } from "./delivery-words.ts";

export const DELIVERIES = "GET /api/v1/outbound/webhook_deliveries";
const REFRESH_MS = 4000;

/** Sends deliveries again and reports how many were queued. */
export function useReplay(onDone?: () => void) {
  const client = useQueryClient();
  return useAction({
    mutationFn: (body: WebhookReplay) => call("POST /api/v1/outbound/webhook_deliveries/replay", { body }),
    async onSuccess({ replayed, more }) {
      const what = `${counted(replayed, "delivery", "deliveries")} will be sent again`;
      notifications.show({ message: more ? `${what}; there are more of them` : what, color: "green" });
      onDone?.();
      await Promise.all(
        [[DELIVERIES], ["delivery"], ["GET /api/v1/outbound/webhooks"]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      );
    },
    onError: showFailure,
  });
}

/** The deliveries to a campaign's webhooks and their results. */
export function DeliveryLog({ campaign_id }: { campaign_id: number }) {
  const may = useMay();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const replay = useReplay(() => setPicked(new Set()));
  const mayReplay = may("outbound_write");
  const pick = (id: string, isPicked: boolean) =>
    setPicked(new Set(isPicked ? [...picked, id] : [...picked].filter((each) => each !== id)));
  return (
    <Stack gap="sm">
      {mayReplay && (
        <Group justify="flex-end" gap="xs">
          {picked.size > 0 && (
            <Button
              size="xs"
              leftSection={<IconRepeat size={14} />}
              loading={replay.isPending}
              onClick={() => replay.mutate({ ids: [...picked] })}
            >
              Send {picked.size} again
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRepeat size={14} />}
            loading={replay.isPending}
            onClick={() => replay.mutate({ campaign_id })}
          >
            Resend all failed and held
          </Button>
        </Group>
      )}
      <DataTable
        label="Deliveries"
        operation={DELIVERIES}
        prefix="d_"
        columns={[...(mayReplay ? [pickColumn(picked, pick)] : []), ...COLUMNS]}
        fixed={{ campaign_id: String(campaign_id) }}
        search={{ field: "reference_id", label: "Exact reference" }}
        filters={[
          { field: "state", label: "Status", kind: "choice", choices: DELIVERY_WORDS },
          {
            field: "channel_manager_status",
            label: "Event",
            kind: "choice",
            choices: Object.fromEntries(
              STATUS_CHOICES.flatMap(({ items }) => items).map((status) => [status, status]),
            ),
          },
          { field: "webhook_id", label: "Webhook", kind: "text" },
        ]}
        days
        refresh_ms={REFRESH_MS}
        empty={{
          title: "No deliveries yet",
          icon: IconWebhook,
          about:
            "Each delivery appears here with its request, response and error. A test delivery appears at once.",
        }}
      />
    </Stack>
  );
}

const pickColumn = (
  picked: ReadonlySet<string>,
  pick: (id: string, isPicked: boolean) => void,
): Column<WebhookDelivery> => ({
  field: "pick",
  title: "Select",
  render: ({ id }) => (
    <Checkbox
      size="xs"
      aria-label={`Select ${id}`}
      checked={picked.has(id)}
      onChange={({ currentTarget }) => pick(id, currentTarget.checked)}
    />
  ),
});

const COLUMNS: Column<WebhookDelivery>[] = [
  {
    field: "created_at",
    title: "Time",
    orderable: true,
    render: ({ id, created_at }) => (
      <RouteLink to={`/webhook-deliveries/${encodeURIComponent(id)}`}>
        <Time at={created_at} />
      </RouteLink>
    ),
  },
  {
    field: "channel_manager_status",
    title: "Event",
    orderable: true,
    render: ({ channel_manager_status, is_test }) => (
      <Group gap={6}>
        <span title={channel_manager_status}>{spoken(channel_manager_status)}</span>
        {is_test && <Status tone="info">test</Status>}
      </Group>
    ),
  },
  {
    field: "reference_id",
    title: "About",
    orderable: true,
    render: ({ reference_id, is_test }) => <bdi>{reference_id ?? (is_test ? "a made-up person" : "–")}</bdi>,
  },
  { field: "webhook_id", title: "Webhook", orderable: true },
  {
    field: "state",
    title: "Status",
    orderable: true,
    render: ({ state, reason, next_try_at }) => (
      <Stack gap={2} align="flex-start">
        <Status tone={DELIVERY_WORDS[state].tone}>{DELIVERY_WORDS[state].word}</Status>
        {state !== "DELIVERED" && reason && (
          <Text size="xs">
            <bdi>{reason}</bdi>
          </Text>
        )}
        {next_try_at && (
          <Text size="xs" c="dimmed">
            {isDue(next_try_at) ? (
              DUE
            ) : (
              <>
                next retry <NearTime at={next_try_at} now={new Date()} />
              </>
            )}
          </Text>
        )}
      </Stack>
    ),
  },
  { field: "tries", title: "Attempts", align: "right" },
];
