import { TextInput } from "@mantine/core";
import { IconInbox } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { WebhookInbox } from "../api-types.ts";
import { type Column, changedColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { RouteLink, Status } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { atSecret, InboxFields, type InboxValues } from "./inbox-fields.tsx";
import { authValues } from "./webhook-secret.ts";

const LIST = "GET /api/v1/outbound/webhook_inboxes";

const COLUMNS: Column<WebhookInbox>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ name }) => <RouteLink to={`/webhook-inboxes/${encodeURIComponent(name)}`}>{name}</RouteLink>,
  },
  { field: "url", title: "Address", render: ({ url }) => <code>{url}</code> },
  { field: "message_count", title: "Messages", align: "right" },
  {
    field: "fail_next",
    title: "Answers",
    render: ({ fail_next, fail_status }) =>
      fail_next > 0 ? (
        <Status tone="warn">{`the next ${fail_next} with ${fail_status}`}</Status>
      ) : (
        <Status tone="good">200</Status>
      ),
  },
  {
    field: "auth_value_keys",
    title: "Signatures",
    render: ({ auth_value_keys }) => (auth_value_keys?.length ? "checked" : "not checked"),
  },
  { ...changedColumn("updated_at"), hidden: true },
];

export default listPage({
  title: "Webhook inboxes",
  about: "Test endpoints: inspect webhooks before you build a receiver.",
  create: {
    permission: "outbound_write",
    label: "New inbox",
    window: (close) => <NewInbox onClose={close} />,
  },
  operation: LIST,
  columns: COLUMNS,
  rowKey: ({ name }) => name,
  search: { field: "name", label: "Search by name" },
  empty: {
    title: "No inboxes yet",
    icon: IconInbox,
    about:
      "Create one, give its address to a campaign's webhook, and send a test. The message appears with its headers and signature check.",
  },
});

type Values = InboxValues & { name: string };
const NEW: Values = { name: "", fail_next: 0, fail_status: 503, secret: { kind: "none" } };

function NewInbox({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { form, sending } = useWindowForm({
    initial: NEW,
    async send({ secret, ...rest }) {
      try {
        return await call("POST /api/v1/outbound/webhook_inboxes", {
          body: { ...rest, auth_values: authValues(secret) },
        });
      } catch (error) {
        throw atSecret(error);
      }
    },
    async onSent({ name }) {
      await client.invalidateQueries({ queryKey: [LIST] });
      void navigate({ to: `/webhook-inboxes/${encodeURIComponent(name)}` });
    },
  });
  const values = form.getValues();
  return (
    <WindowForm title="New inbox" verb="Create" sending={sending} onClose={onClose}>
      <TextInput
        label="Name"
        description="Lower-case letters, digits and hyphens."
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <InboxFields
        values={values}
        isStored={false}
        set={(part) => form.setValues(part)}
        errorOf={(name) => form.errors[name]}
      />
    </WindowForm>
  );
}
