import { IconMessage } from "@tabler/icons-react";
import type { CustomMessageResponse } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { FindingCount } from "../parts/findings.tsx";
import { shortened } from "../parts/shortened.ts";

const COLUMNS: Column<CustomMessageResponse>[] = [
  nameColumn("/messages"),
  {
    field: "type",
    title: "Kind",
    orderable: true,
    render: ({ type }) => (type === "greeting" ? "greeting" : "e-mail template"),
  },
  { field: "text", title: "Text", orderable: true, render: ({ text }) => <bdi>{shortened(text, 90)}</bdi> },
  { field: "rules", title: "Rules", align: "right", render: ({ rules }) => rules.length },
  { field: "label", title: "Label", orderable: true, hidden: true },
  { field: "agent_count", title: "Agents", align: "right", render: ({ agent_count }) => agent_count ?? 0 },
  {
    field: "validation_issues",
    title: "Status",
    render: ({ validation_issues }) => <FindingCount issues={validation_issues} />,
  },
  changedColumn("updated_at"),
];

export default listPage({
  title: "Custom messages",
  about: "Greetings by day and hour, and e-mail templates.",
  create: { permission: "custom_messages_write", to: "/messages/new", label: "New message" },
  operation: "GET /api/v1/custom_messages/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  filters: [
    {
      field: "type",
      label: "Kind",
      kind: "choice",
      choices: { greeting: "Greetings", email_template: "E-mail templates" },
    },
    { field: "text", label: "Search text", kind: "text" },
  ],
  empty: {
    title: "No messages yet",
    icon: IconMessage,
    about:
      "A greeting is the first thing an agent says. Rules replace its text on some days or at some hours.",
  },
});
