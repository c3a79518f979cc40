import { Alert, Button, Checkbox, Group, Select, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconPlayerPause, IconPlayerPlay, IconSend } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { WebhookState } from "../api-types.ts";
import { STATUS_CHOICES, spoken } from "../outbound/channel-statuses.ts";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { Empty, Facts, Failure, Fetched, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { DELIVERIES, DeliveryLog } from "./delivery-log.tsx";

const LIST = "GET /api/v1/outbound/webhooks";
const MOST_WEBHOOKS = 100;
const REFRESH_MS = 5000;
const MANY_WAITING = 1000;

/** The state of each webhook of a campaign, and the log of its deliveries. */
export function WebhooksPanel({ campaign_id }: { campaign_id: number }) {
  const webhooks = useQuery({
    queryKey: [LIST, campaign_id],
    queryFn: ({ signal }) =>
      call(LIST, {
        query: {
          search_fields: ["campaign_id"],
          search_field_values: [String(campaign_id)],
          limit: MOST_WEBHOOKS,
        },
        signal,
      }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Stack gap="md">
      <Fetched query={webhooks}>
        {({ items }) =>
          items.length === 0 ? (
            <Panel>
              <Empty
                title="No webhooks yet"
                action={<RouteLink to={`/campaigns/${campaign_id}?view=settings`}>To the settings</RouteLink>}
              >
                Add one in the campaign's settings. To see messages before there is a receiver, make a{" "}
                <RouteLink to="/webhook-inboxes">webhook inbox</RouteLink> and use its address.
              </Empty>
            </Panel>
          ) : (
            items.map((webhook) => <WebhookView key={webhook.id} webhook={webhook} />)
          )
        }
      </Fetched>
      <DeliveryLog campaign_id={campaign_id} />
    </Stack>
  );
}

function WebhookView({ webhook }: { webhook: WebhookState }) {
  const may = useMay();
  const [asking, { open, close }] = useDisclosure(false);
  const [testing, test] = useDisclosure(false);
  const mayWrite = may("outbound_write");
  const refresh = useRefresh();
  const disable = useAction({
    mutationFn: () =>
      call("POST /api/v1/outbound/webhooks/{webhook_id}/disable", { path: { webhook_id: webhook.id } }),
    onSuccess: () => refresh("Nothing is sent until it is enabled again"),
  });
  return (
    <Panel
      title={
        <Group gap="xs">
          <span style={{ overflowWrap: "anywhere" }}>
            {webhook.request_method} <bdi>{webhook.url}</bdi>
          </span>
          <WebhookTone webhook={webhook} />
        </Group>
      }
      actions={
        mayWrite &&
        (webhook.disabled_at ? (
          <Button size="xs" leftSection={<IconPlayerPlay size={14} />} onClick={open}>
            Enable again
          </Button>
        ) : (
          <>
            <Button size="xs" variant="default" leftSection={<IconSend size={14} />} onClick={test.open}>
              Send a test
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlayerPause size={14} />}
              loading={disable.isPending}
              onClick={() => disable.mutate()}
            >
              Disable
            </Button>
          </>
        ))
      }
    >
      <Stack gap="md">
        {disable.error && <Failure error={disable.error} />}
        {webhook.disabled_at && (
          <Alert color="red" title="Disabled">
            {webhook.disabled_reason} Its deliveries are held.
          </Alert>
        )}
        <Facts
          items={[
            ["Number", webhook.id],
            ["Event", webhook.trigger_statuses.map(spoken).join(", ")],
            ["Signed", webhook.auth_value_keys?.includes("hmac_secret") ? "yes" : "no: it has no secret"],
            [
              "In the outbox",
              webhook.waiting >= MANY_WAITING
                ? `${MANY_WAITING.toLocaleString("en")} or more`
                : webhook.waiting.toLocaleString("en"),
            ],
            ...(webhook.overlap_until
              ? [
                  [
                    "The replaced secret signs until",
                    <Time key="until" at={webhook.overlap_until} kind="minute" />,
                  ] as [string, React.ReactNode],
                ]
              : []),
          ]}
        />
      </Stack>
      {asking && <EnableWindow webhook={webhook} onClose={close} />}
      {testing && <TestWindow webhook={webhook} onClose={test.close} />}
    </Panel>
  );
}

function WebhookTone({ webhook }: { webhook: WebhookState }) {
  if (webhook.disabled_at) return <Status tone="bad">disabled</Status>;
  if (webhook.failing_since)
    return (
      <Status tone="warn">{`failing, ${counted(webhook.failed_tries, "try", "tries")} in a row`}</Status>
    );
  return <Status tone="good">OK</Status>;
}

function useRefresh() {
  const client = useQueryClient();
  return async (message: string) => {
    notifications.show({ message, color: "green" });
    await Promise.all([[LIST], [DELIVERIES]].map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}

function EnableWindow({ webhook, onClose }: { webhook: WebhookState; onClose(): void }) {
  const refresh = useRefresh();
  const { form, sending } = useWindowForm({
    initial: { send_held: true },
    send: (body) =>
      call("POST /api/v1/outbound/webhooks/{webhook_id}/enable", { path: { webhook_id: webhook.id }, body }),
    async onSent() {
      onClose();
      await refresh("Webhook enabled");
    },
  });
  return (
    <WindowForm title="Enable this webhook again?" verb="Enable" sending={sending} onClose={onClose}>
      <Text size="sm">{webhook.disabled_reason}</Text>
      <Checkbox
        label="Send held deliveries"
        description="At most 10,000. Resend others from the log."
        {...form.getInputProps("send_held", { type: "checkbox" })}
      />
    </WindowForm>
  );
}

function TestWindow({ webhook, onClose }: { webhook: WebhookState; onClose(): void }) {
  const refresh = useRefresh();
  const { form, sending } = useWindowForm({
    initial: { status: webhook.trigger_statuses[0] ?? "COMPLETED" },
    send: (body) =>
      call("POST /api/v1/outbound/webhooks/{webhook_id}/test", { path: { webhook_id: webhook.id }, body }),
    async onSent() {
      onClose();
      await refresh("Test sent. The delivery log shows the result.");
    },
  });
  return (
    <WindowForm title="Send a test" verb="Send" sending={sending} onClose={onClose}>
      <Text size="sm">
        Sends the status you choose for a made-up person. The message is marked as a test, and signed, logged
        and retried like any other.
      </Text>
      <Select
        label="Status"
        data={STATUS_CHOICES}
        searchable
        allowDeselect={false}
        {...form.getInputProps("status")}
      />
    </WindowForm>
  );
}
