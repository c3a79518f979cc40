import { IconMessage, IconPlus } from "@tabler/icons-react";
import type { CustomMessageResponse } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, LinkButton, PageHead, RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const COLUMNS: Column<CustomMessageResponse>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/messages/${id}`}>{name}</RouteLink>,
  },
  {
    field: "type",
    title: "Kind",
    orderable: true,
    render: ({ type }) => (type === "greeting" ? "greeting" : "e-mail template"),
  },
  { field: "text", title: "Text", orderable: true, render: ({ text }) => <bdi>{shortened(text)}</bdi> },
  {
    field: "rules",
    title: "Rules",
    align: "right",
    render: ({ rules }) => rules.length,
  },
  { field: "label", title: "Label", orderable: true, hidden: true, render: ({ label }) => label },
  { field: "agent_count", title: "Agents", align: "right", render: ({ agent_count }) => agent_count ?? 0 },
  {
    field: "updated_at",
    title: "Changed",
    orderable: true,
    render: ({ updated_at }) => <Time at={updated_at} kind="minute" />,
  },
];

const shortened = (text: string): string => (text.length > 90 ? `${text.slice(0, 89)}…` : text);

export default function MessagesPage() {
  const may = useMay();
  const create = may("custom_messages_write") && (
    <LinkButton to="/messages/new" leftSection={<IconPlus size={15} />}>
      New message
    </LinkButton>
  );
  return (
    <>
      <PageHead
        title="Custom messages"
        about="Greetings by day and hour, and e-mail templates."
        actions={create}
      />
      <DataTable
        label="Custom messages"
        operation="GET /api/v1/custom_messages/"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        search={{ field: "name", label: "Search by name" }}
        filters={[
          {
            field: "type",
            label: "Kind",
            kind: "choice",
            choices: [
              { value: "greeting", label: "Greetings" },
              { value: "email_template", label: "E-mail templates" },
            ],
          },
          { field: "text", label: "Search text", kind: "text" },
        ]}
        empty={
          <Empty title="No messages yet" icon={<IconMessage size={28} />} action={create}>
            A greeting is what an agent says before the person does. Rules give it another text on some days
            or at some hours.
          </Empty>
        }
      />
    </>
  );
}
