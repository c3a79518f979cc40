import { IconPlus, IconRobot } from "@tabler/icons-react";
import type { AgentResponse } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { FindingCount } from "../parts/findings.tsx";
import { Labels } from "../parts/labels.tsx";
import { Empty, LinkButton, PageHead, RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const COLUMNS: Column<AgentResponse>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/agents/${id}`}>{name}</RouteLink>,
  },
  { field: "description", title: "Description", orderable: true, render: ({ description }) => description },
  {
    field: "prompt_id",
    title: "Prompt",
    orderable: true,
    render: ({ prompt }) => prompt && <RouteLink to={`/prompts/${prompt.id}`}>{prompt.name}</RouteLink>,
  },
  {
    field: "channel_targets",
    title: "Reached by",
    render: ({ channel_targets }) =>
      (channel_targets ?? [])
        .slice(0, 3)
        .map(({ target_mode, target }) => `${target_mode} ${target}`)
        .join(", ") || "nothing yet",
  },
  {
    field: "labels",
    title: "Labels",
    orderable: true,
    render: ({ labels }) => <Labels labels={labels} />,
  },
  {
    field: "validation_issues",
    title: "State",
    render: ({ validation_issues }) => <FindingCount issues={validation_issues} />,
  },
  {
    field: "timezone",
    title: "Time zone",
    orderable: true,
    hidden: true,
    render: ({ timezone }) => timezone,
  },
  {
    field: "updated_at",
    title: "Changed",
    orderable: true,
    render: ({ updated_at }) => <Time at={updated_at} kind="minute" />,
  },
  {
    field: "last_updated_by",
    title: "By",
    orderable: true,
    hidden: true,
    render: ({ last_updated_by }) => last_updated_by,
  },
];

export default function AgentsPage() {
  const may = useMay();
  const create = may("agents_write") && (
    <LinkButton to="/agents/new" leftSection={<IconPlus size={15} />}>
      New agent
    </LinkButton>
  );
  return (
    <>
      <PageHead
        title="Agents"
        about="Build and test the agents that talk to your customers."
        actions={create}
      />
      <DataTable
        label="Agents"
        operation="GET /api/v1/agents/"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        search={{ field: "name_description", label: "Name or description" }}
        filters={[{ field: "labels", label: "Label", kind: "text" }]}
        empty={
          <Empty title="No agent yet" icon={<IconRobot size={28} />} action={create}>
            An agent needs a prompt that says what it does and which tools it may use. Then give it an
            address: a chat page, a telephone number, a mailbox.
          </Empty>
        }
      />
    </>
  );
}
