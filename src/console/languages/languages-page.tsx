import { IconLanguage } from "@tabler/icons-react";
import type { LanguageGroupResponse } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Names } from "../parts/names.tsx";

const COLUMNS: Column<LanguageGroupResponse>[] = [
  nameColumn("/languages"),
  { field: "description", title: "Description", orderable: true },
  {
    field: "language_configs",
    title: "Languages",
    render: ({ language_configs }) => (
      <Names
        of={language_configs.map(
          (config) => `${config.dtmf_code} ${config.language_code} (${config.voice_display_name})`,
        )}
      />
    ),
  },
  {
    field: "agents_info",
    title: "Agents",
    render: ({ agents_info }) => (
      <Names of={agents_info?.map(({ name }) => name) ?? []} none="none" most={5} />
    ),
  },
  changedColumn("updated_at"),
];

export default listPage({
  title: "Languages and voices",
  about: "Languages an agent speaks, with voice and menu key.",
  label: "Language groups",
  create: { permission: "language_groups_write", to: "/languages/new", label: "New group" },
  operation: "GET /api/v1/voice_groups/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  empty: {
    title: "No languages yet",
    icon: IconLanguage,
    about: (
      <>
        An agent with a group of languages greets in the first, and offers the others where its greeting says{" "}
        {"{{ language.mode }}"}.
      </>
    ),
  },
});
