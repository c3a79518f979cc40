import { IconFileText, IconPlus } from "@tabler/icons-react";
import type { PromptResponse } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { FindingCount } from "../parts/findings.tsx";
import { Empty, LinkButton, PageHead, RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const COLUMNS: Column<PromptResponse>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/prompts/${id}`}>{name}</RouteLink>,
  },
  {
    field: "description",
    title: "Description",
    orderable: true,
    render: ({ description }) => <bdi>{description}</bdi>,
  },
  { field: "llm_config", title: "Model", render: ({ llm_config }) => llm_config.model },
  { field: "tools", title: "Tools", render: ({ tools }) => tools.join(", ") || "none" },
  {
    field: "agent_count",
    title: "Agents",
    align: "right",
    render: ({ agent_count }) => agent_count ?? 0,
  },
  {
    field: "version_number",
    title: "Version",
    align: "right",
    render: ({ version_number }) => version_number,
  },
  {
    field: "validation_issues",
    title: "State",
    render: ({ validation_issues }) => <FindingCount issues={validation_issues} />,
  },
  {
    field: "last_updated",
    title: "Changed",
    orderable: true,
    render: ({ last_updated }) => last_updated && <Time at={last_updated} kind="minute" />,
  },
];

export default function PromptsPage() {
  const may = useMay();
  const create = may("prompts_write") && (
    <LinkButton to="/prompts/new" leftSection={<IconPlus size={15} />}>
      New prompt
    </LinkButton>
  );
  return (
    <>
      <PageHead
        title="Prompts"
        about="Instructions, model and tools of an agent. Every save creates a version."
        actions={create}
      />
      <DataTable
        label="Prompts"
        operation="GET /api/v1/prompts/"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        search={{ field: "name_description", label: "Search name and description" }}
        filters={[
          { field: "tools", label: "Tool", kind: "text" },
          { field: "context", label: "Search instructions", kind: "text" },
        ]}
        empty={
          <Empty title="No prompts yet" icon={<IconFileText size={28} />} action={create}>
            A prompt tells the model who it is and what to do. Agents use its newest version, or keep to one.
          </Empty>
        }
      />
    </>
  );
}
