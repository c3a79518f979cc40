import { IconBooks, IconPlus } from "@tabler/icons-react";
import type { DataSourceMetadataResponse } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Labels } from "../parts/labels.tsx";
import { Empty, LinkButton, PageHead, RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const COLUMNS: Column<DataSourceMetadataResponse>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/sources/${id}`}>{name}</RouteLink>,
  },
  {
    field: "description",
    title: "Description",
    orderable: true,
    render: ({ description }) => <bdi>{description}</bdi>,
  },
  {
    field: "labels",
    title: "Labels",
    render: ({ labels }) => <Labels labels={labels} />,
  },
  { field: "chunk", title: "Searched", render: ({ chunk }) => (chunk ? "piece by piece" : "as a whole") },
  {
    field: "updated_at",
    title: "Changed",
    orderable: true,
    render: ({ updated_at }) => <Time at={updated_at} kind="minute" />,
  },
];

export default function SourcesPage() {
  const may = useMay();
  const create = may("data_sources_write") && (
    <LinkButton to="/sources/new" leftSection={<IconPlus size={15} />}>
      New data source
    </LinkButton>
  );
  return (
    <>
      <PageHead
        title="Data sources"
        about="Texts that agents search with the tool data_source_search."
        actions={create}
      />
      <DataTable
        label="Data sources"
        operation="GET /api/v1/data_sources/"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        search={{ field: "name", label: "Search by name" }}
        filters={[{ field: "labels", label: "Label", kind: "text" }]}
        empty={
          <Empty title="No data sources yet" icon={<IconBooks size={28} />} action={create}>
            Opening hours, prices, what to bring: put in a text what an agent has to know, give it a label,
            and name it in the prompt's search tool.
          </Empty>
        }
      />
    </>
  );
}
