import { IconWebhook } from "@tabler/icons-react";
import type { WebhookSubscription } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Status } from "../parts/parts.tsx";
import { EVENT_WORDS } from "./event-words.ts";

const COLUMNS: Column<WebhookSubscription>[] = [
  nameColumn("/webhooks"),
  { field: "url", title: "URL", render: ({ url }) => <bdi>{url}</bdi> },
  {
    field: "events",
    title: "Events",
    render: ({ events }) => events.map((event) => EVENT_WORDS[event]).join(", "),
  },
  {
    field: "disabled_at",
    title: "Status",
    render: ({ disabled_at, failing_since }) =>
      disabled_at ? (
        <Status tone="bad">disabled</Status>
      ) : (
        <Status tone={failing_since ? "warn" : "good"}>{failing_since ? "failing" : "OK"}</Status>
      ),
  },
  changedColumn("last_updated"),
];

export default listPage({
  title: "Webhooks",
  about: "Endpoints notified when a session ends, an insight is found or an alert fires.",
  operation: "GET /api/v1/webhooks/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  create: { permission: "webhooks_write", to: "/webhooks/new", label: "New webhook" },
  empty: {
    title: "No webhooks yet",
    icon: IconWebhook,
    about: "Webhooks of a campaign are set on the campaign's page; these are for the whole organization.",
  },
});
