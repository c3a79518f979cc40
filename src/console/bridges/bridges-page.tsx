import { IconMessageDots } from "@tabler/icons-react";
import type { BridgePhrasesResponse } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Names } from "../parts/names.tsx";
import { Status } from "../parts/parts.tsx";

const COLUMNS: Column<BridgePhrasesResponse>[] = [
  nameColumn("/bridges"),
  {
    field: "description",
    title: "Description",
    orderable: true,
    render: ({ description }) => <bdi>{description ?? "–"}</bdi>,
  },
  {
    field: "phrases",
    title: "Phrases",
    render: ({ config }) => <Names of={config.phrases.messages.slice(0, 2)} between=" · " />,
  },
  {
    field: "agents_info",
    title: "Used by",
    render: ({ agents_info, is_default }) => (
      <>
        {is_default && <Status tone="info">all other agents</Status>}{" "}
        <Names
          of={(agents_info ?? []).map(({ name }) => name)}
          none={is_default ? null : "No agent"}
          most={5}
        />
      </>
    ),
  },
  changedColumn("updated_at"),
];

export default listPage({
  title: "Bridge phrases",
  about: "Short phrases an agent says while a model or a tool is slow.",
  create: { permission: "bridge_phrases_write", to: "/bridges/new", label: "New phrases" },
  operation: "GET /api/v1/bridge_phrases/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  empty: {
    title: "No bridge phrases yet",
    icon: IconMessageDots,
    about:
      "The first phrase plays after 2.75 seconds of silence, the next after two, three and four times as long. Phrases can differ by language and by tool.",
  },
});
