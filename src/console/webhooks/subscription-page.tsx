import { Alert, Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { WebhookEventDelivery, WebhookSubscription } from "../api-types.ts";
import { DataTable } from "../lists/data-table.tsx";
import { useAction } from "../parts/action.ts";
import { Failure, Panel, Status } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { DELIVERY_WORDS } from "./delivery-words.ts";
import { EVENT_WORDS } from "./event-words.ts";
import { SecretField } from "./secret-field.tsx";
import { authValues, type SecretChange } from "./webhook-secret.ts";

const DELIVERIES = "GET /api/v1/webhooks/deliveries";

const freshSecret = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));

export default recordPage({
  operations: {
    list: "GET /api/v1/webhooks/",
    read: "GET /api/v1/webhooks/{webhook_id}",
    create: "POST /api/v1/webhooks/",
    update: "PUT /api/v1/webhooks/",
    remove: "DELETE /api/v1/webhooks/{webhook_id}",
  },
  permission: "webhooks",
  noun: "Webhook",
  queryKey: "webhook subscription",
  list: { to: "/webhooks", label: "Webhooks" },
  newTitle: "New webhook",
  title: "Webhook",
  labels: { url: "URL", events: worded("Events", EVENT_WORDS) },
  values: (webhook) => ({
    name: webhook?.name ?? "",
    url: webhook?.url ?? "",
    events: webhook?.events ?? ["session.ended" as const],
    secret: (webhook?.auth_value_keys ? { kind: "keep" } : { kind: "none" }) as SecretChange,
  }),
  body: ({ secret, ...values }) => ({ ...values, auth_values: authValues(secret) }),
  Form({ form, record, readOnly, frame }) {
    const { events, secret } = form.getValues();
    return (
      <Stack gap="md">
        {record && <State webhook={record} />}
        <Panel>
          <RecordFormFrame {...frame}>
            <TextInput label="Name" required {...form.getInputProps("name")} />
            <TextInput label="URL" required placeholder="https://" {...form.getInputProps("url")} />
            <Checkbox.Group
              label="Events"
              value={events}
              onChange={(chosen) => form.setFieldValue("events", chosen as typeof events)}
              error={form.errors.events}
            >
              <Stack gap={4}>
                {Object.entries(EVENT_WORDS).map(([value, label]) => (
                  <Checkbox key={value} value={value} label={label} />
                ))}
              </Stack>
            </Checkbox.Group>
            {!readOnly && (
              <SecretField
                label="Signature"
                change={secret}
                isStored={Boolean(record?.auth_value_keys)}
                fresh={freshSecret}
                aboutNew="Copy it to the receiver now: it is never shown again."
                aboutNone="The receiver can't tell whether a message is from here."
                onChange={(change) => form.setFieldValue("secret", change)}
                error={form.errors["auth_values.hmac_secret"]}
              />
            )}
          </RecordFormFrame>
        </Panel>
        {record && <Log webhook={record} />}
      </Stack>
    );
  },
});

/** Whether it is disabled, and the actions on it. */
function State({ webhook }: { webhook: WebhookSubscription }) {
  const may = useMay();
  const client = useQueryClient();
  const path = { webhook_id: webhook.id };
  const acting = useAction<unknown, "enable" | "disable" | "test">({
    mutationFn: (action) =>
      action === "enable"
        ? call("POST /api/v1/webhooks/{webhook_id}/enable", { path, body: { send_held: true } })
        : action === "disable"
          ? call("POST /api/v1/webhooks/{webhook_id}/disable", { path })
          : call("POST /api/v1/webhooks/{webhook_id}/test", {
              path,
              body: { event: webhook.events[0] ?? "alert" },
            }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["webhook subscription"] });
      void client.invalidateQueries({ queryKey: [DELIVERIES] });
    },
  });
  return (
    <Stack gap="xs">
      {webhook.disabled_at && (
        <Alert color="red" title="Disabled">
          {webhook.disabled_reason} Its deliveries are held.
        </Alert>
      )}
      {may("webhooks_write") && (
        <Group gap="xs">
          {webhook.disabled_at ? (
            <Button size="xs" onClick={() => acting.mutate("enable")} loading={acting.isPending}>
              Enable and send held
            </Button>
          ) : (
            <>
              <Button
                size="xs"
                variant="default"
                onClick={() => acting.mutate("test")}
                loading={acting.isPending}
              >
                Send test event
              </Button>
              <Button size="xs" variant="default" onClick={() => acting.mutate("disable")}>
                Disable
              </Button>
            </>
          )}
        </Group>
      )}
      {acting.error && <Failure error={acting.error} />}
    </Stack>
  );
}

function Log({ webhook }: { webhook: WebhookSubscription }) {
  return (
    <Panel title="Deliveries" flush>
      <DataTable
        label="Deliveries"
        operation={DELIVERIES}
        fixed={{ webhook_id: String(webhook.id) }}
        refresh_ms={5_000}
        columns={[
          {
            field: "created_at",
            title: "Created",
            render: ({ created_at }) => <Time at={created_at} kind="minute" />,
          },
          {
            field: "event",
            title: "Event",
            render: ({ event, is_test }) => (is_test ? `${event} (test)` : event),
          },
          {
            field: "state",
            title: "Status",
            render: ({ state }) => (
              <Status tone={DELIVERY_WORDS[state].tone}>{DELIVERY_WORDS[state].word}</Status>
            ),
          },
          { field: "tries", title: "Attempts" },
          { field: "reason", title: "Reason" },
          { field: "resend", title: "", render: (delivery) => <Resend delivery={delivery} /> },
        ]}
        empty={{ title: "No deliveries yet", about: "What is sent is listed here for 30 days." }}
      />
    </Panel>
  );
}

function Resend({ delivery: { id } }: { delivery: WebhookEventDelivery }) {
  const may = useMay();
  const client = useQueryClient();
  const resending = useAction({
    mutationFn: () =>
      call("POST /api/v1/webhooks/deliveries/{delivery_id}/resend", { path: { delivery_id: id } }),
    onSettled: () => client.invalidateQueries({ queryKey: [DELIVERIES] }),
  });
  if (!may("webhooks_write")) return null;
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`Resend ${id}`}
      loading={resending.isPending}
      onClick={() => resending.mutate()}
    >
      {resending.error ? "Refused" : "Resend"}
    </Button>
  );
}
