import { IconBell } from "@tabler/icons-react";
import type { AlertRule } from "../api-types.ts";
import { METRIC_WORDS } from "../boards/metric-words.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Status } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";

const COLUMNS: Column<AlertRule>[] = [
  nameColumn("/alerts"),
  { field: "metric", title: "Metric", render: ({ metric }) => METRIC_WORDS[metric.name] },
  {
    field: "state",
    title: "Status",
    orderable: true,
    render: ({ is_active, state }) =>
      !is_active ? (
        <Status tone="quiet">off</Status>
      ) : state === "firing" ? (
        <Status tone="bad">firing</Status>
      ) : (
        <Status tone={state === "ok" ? "good" : "quiet"}>{state === "ok" ? "OK" : "not checked yet"}</Status>
      ),
  },
  {
    field: "state_since",
    title: "Since",
    render: ({ state_since }) => <Time at={state_since} kind="minute" />,
  },
  changedColumn("last_updated"),
];

export default listPage({
  title: "Alerts",
  about:
    "Rules on the metrics of sessions, checked every minute. They notify people by e-mail and programs by webhook.",
  operation: "GET /api/v1/alerts/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  create: { permission: "alerts_write", to: "/alerts/new", label: "New alert" },
  empty: {
    title: "No alerts yet",
    icon: IconBell,
    about: "For example: more than 5 % of the sessions of the last hour had an error.",
  },
});
