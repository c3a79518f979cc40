import { IconAlertCircle } from "@tabler/icons-react";
import type { IncidentResponse } from "../api-types.ts";
import { type Column, changedColumn, timeColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { RouteLink, Status } from "../parts/parts.tsx";
import { COURSES, courseOf, IMPACTS, impactTone } from "./incident-words.ts";

const REFRESH_MS = 15_000;

const COLUMNS: Column<IncidentResponse>[] = [
  {
    field: "description",
    title: "Description",
    orderable: true,
    render: ({ id, description }) => (
      <RouteLink to={`/incidents/${id}`}>
        <bdi>{description || `Incident ${id}`}</bdi>
      </RouteLink>
    ),
  },
  { field: "course", title: "Status", render: (incident) => <Course incident={incident} /> },
  {
    field: "impact_category",
    title: "Impact",
    orderable: true,
    render: ({ impact_category }) => (
      <Status tone={impactTone(impact_category)}>
        <bdi>{impact_category}</bdi>
      </Status>
    ),
  },
  timeColumn("start_datetime", "From"),
  timeColumn("resolution_datetime", "Until"),
  {
    field: "sessions_impacted",
    title: "Sessions",
    orderable: true,
    align: "right",
    render: ({ sessions_impacted }) => sessions_impacted.toLocaleString("en"),
  },
  { ...changedColumn("updated_at"), hidden: true },
  { field: "last_updated_by", title: "Updated by", hidden: true },
];

/** Whether the incident is announced, ongoing or over, by this device's clock. */
export function Course({ incident }: { incident: IncidentResponse }) {
  const { tone, word } = COURSES[courseOf(incident, Date.now())];
  return <Status tone={tone}>{word}</Status>;
}

export default listPage({
  title: "Incidents",
  about: "Status notices for everyone using this installation.",
  create: { permission: "sa_incidents_write", to: "/incidents/new", label: "New incident" },
  operation: "GET /api/v1/incidents/",
  columns: COLUMNS,
  usualOrder: { field: "start_datetime", direction: "desc" },
  search: { field: "description", label: "Description" },
  filters: [
    {
      field: "impact_category",
      label: "Impact",
      kind: "choice",
      choices: Object.fromEntries(IMPACTS.map((impact) => [impact, impact])),
    },
    { field: "markdown", label: "Search details", kind: "text" },
  ],
  refresh_ms: REFRESH_MS,
  empty: {
    title: "No incidents",
    icon: IconAlertCircle,
    about: "Incidents appear here and, until they are resolved, on everyone's home page.",
  },
});
