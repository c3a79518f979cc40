import { IconLanguage, IconPlus } from "@tabler/icons-react";
import type { LanguageGroupResponse } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, LinkButton, PageHead, RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const COLUMNS: Column<LanguageGroupResponse>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/languages/${id}`}>{name}</RouteLink>,
  },
  {
    field: "description",
    title: "Description",
    orderable: true,
    render: ({ description }) => <bdi>{description}</bdi>,
  },
  {
    field: "language_configs",
    title: "Languages",
    render: ({ language_configs }) =>
      language_configs
        .map((config) => `${config.dtmf_code} ${config.language_code} (${config.voice_display_name})`)
        .join(", "),
  },
  {
    field: "agents_info",
    title: "Agents",
    render: ({ agents_info }) => agents_info?.map(({ name }) => name).join(", ") || "none",
  },
  {
    field: "updated_at",
    title: "Changed",
    orderable: true,
    render: ({ updated_at }) => <Time at={updated_at} kind="minute" />,
  },
];

export default function LanguagesPage() {
  const may = useMay();
  const create = may("language_groups_write") && (
    <LinkButton to="/languages/new" leftSection={<IconPlus size={15} />}>
      New group
    </LinkButton>
  );
  return (
    <>
      <PageHead
        title="Languages and voices"
        about="Languages an agent speaks, with voice and menu key."
        actions={create}
      />
      <DataTable
        label="Language groups"
        operation="GET /api/v1/voice_groups/"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        search={{ field: "name", label: "Search by name" }}
        empty={
          <Empty title="No languages yet" icon={<IconLanguage size={28} />} action={create}>
            An agent with a group of languages greets in the first, and offers the others where its greeting
            says {"{{ language.mode }}"}.
          </Empty>
        }
      />
    </>
  );
}
