import { IconBooks } from "@tabler/icons-react";
import type { DataSourceMetadataResponse } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Labels } from "../parts/labels.tsx";

const COLUMNS: Column<DataSourceMetadataResponse>[] = [
  nameColumn("/sources"),
  { field: "description", title: "Description", orderable: true },
  { field: "labels", title: "Labels", render: ({ labels }) => <Labels labels={labels} /> },
  { field: "chunk", title: "Searched", render: ({ chunk }) => (chunk ? "piece by piece" : "as a whole") },
  changedColumn("updated_at"),
];

export default listPage({
  title: "Data sources",
  about: "Texts, files and web sites that agents search with the tool data_source_search.",
  create: { permission: "data_sources_write", to: "/sources/new", label: "New data source" },
  operation: "GET /api/v1/data_sources/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  filters: [{ field: "labels", label: "Label", kind: "text" }],
  empty: {
    title: "No data sources yet",
    icon: IconBooks,
    about:
      "Write or upload what an agent needs to know, such as opening hours and prices, or have a web site read. Give it a label, and add the search tool to the prompt.",
  },
});
