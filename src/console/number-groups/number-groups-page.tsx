import { IconPhoneCall } from "@tabler/icons-react";
import type { NumberGroup } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Names } from "../parts/names.tsx";
import { Status } from "../parts/parts.tsx";
import { GROUP_MODES } from "./group-modes.ts";

const COLUMNS: Column<NumberGroup>[] = [
  nameColumn("/number-groups"),
  { field: "mode", title: "Used for", orderable: true, render: ({ mode }) => GROUP_MODES[mode] },
  {
    field: "numbers",
    title: "Numbers",
    orderable: true,
    render: ({ numbers, resting }) => (
      <>
        {numbers.toLocaleString("en")} {resting > 0 && <Status tone="warn">{resting} resting</Status>}
      </>
    ),
  },
  {
    field: "daily_cap",
    title: "Daily cap",
    render: ({ daily_cap }) => daily_cap?.toLocaleString("en") ?? "–",
  },
  {
    field: "campaigns",
    title: "Campaigns",
    render: ({ campaigns }) => <Names of={campaigns} />,
  },
  changedColumn("updated_at"),
];

export default listPage({
  title: "Number groups",
  about: "Phone numbers that campaigns send from as a pool.",
  create: { permission: "outbound_write", to: "/number-groups/new", label: "New number group" },
  operation: "GET /api/v1/outbound/number-groups/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  empty: {
    title: "No number groups yet",
    icon: IconPhoneCall,
    about:
      "A group shows each person a number of their area, keeps every number below a daily cap, and rests numbers that people stop answering.",
  },
});
