import { IconMessageDots, IconPlus } from "@tabler/icons-react";
import type { BridgePhrasesResponse } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, LinkButton, PageHead, RouteLink, Status } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const COLUMNS: Column<BridgePhrasesResponse>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/bridges/${id}`}>{name}</RouteLink>,
  },
  {
    field: "description",
    title: "Description",
    orderable: true,
    render: ({ description }) => <bdi>{description ?? "–"}</bdi>,
  },
  {
    field: "phrases",
    title: "Phrases",
    render: ({ config }) => <bdi>{config.phrases.messages.slice(0, 2).join(" · ") || "–"}</bdi>,
  },
  {
    field: "agents_info",
    title: "Used by",
    render: ({ agents_info, is_default }) => (
      <>
        {is_default && <Status tone="info">all without their own</Status>}{" "}
        <bdi>
          {(agents_info ?? []).map(({ name }) => name).join(", ") || (is_default ? "" : "nobody yet")}
        </bdi>
      </>
    ),
  },
  {
    field: "updated_at",
    title: "Changed",
    orderable: true,
    render: ({ updated_at }) => <Time at={updated_at} kind="minute" />,
  },
];

export default function BridgesPage() {
  const may = useMay();
  const create = may("bridge_phrases_write") && (
    <LinkButton to="/bridges/new" leftSection={<IconPlus size={15} />}>
      New phrases
    </LinkButton>
  );
  return (
    <>
      <PageHead
        title="Bridge phrases"
        about="Short phrases an agent says while a model or a tool is slow."
        actions={create}
      />
      <DataTable
        label="Bridge phrases"
        operation="GET /api/v1/bridge_phrases/"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        search={{ field: "name", label: "Search by name" }}
        empty={
          <Empty title="No phrases yet" icon={<IconMessageDots size={28} />} action={create}>
            “One moment, I am looking.” is said after 2.75 seconds of silence, others after twice, three and
            four times as long; in the caller's language, and another one for each tool where you like.
          </Empty>
        }
      />
    </>
  );
}
