import { IconRobot } from "@tabler/icons-react";
import type { AgentResponse } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { FindingCount } from "../parts/findings.tsx";
import { Labels } from "../parts/labels.tsx";
import { RouteLink } from "../parts/parts.tsx";

const COLUMNS: Column<AgentResponse>[] = [
  nameColumn("/agents"),
  { field: "description", title: "Description", orderable: true },
  {
    field: "prompt_id",
    title: "Prompt",
    orderable: true,
    render: ({ prompt }) => prompt && <RouteLink to={`/prompts/${prompt.id}`}>{prompt.name}</RouteLink>,
  },
  {
    field: "channel_targets",
    title: "Addresses",
    render: ({ channel_targets }) =>
      (channel_targets ?? [])
        .slice(0, 3)
        .map(({ target_mode, target }) => `${target_mode} ${target}`)
        .join(", ") || "nothing yet",
  },
  { field: "labels", title: "Labels", orderable: true, render: ({ labels }) => <Labels labels={labels} /> },
  {
    field: "validation_issues",
    title: "Status",
    render: (agent) => <FindingCount issues={allFindings(agent)} />,
  },
  { field: "timezone", title: "Time zone", orderable: true, hidden: true },
  changedColumn("updated_at"),
  { field: "last_updated_by", title: "Updated by", orderable: true, hidden: true },
];

/** Includes findings of its prompt, greeting and languages, since they affect what people hear. */
const allFindings = ({ prompt, custom_message, language_group, validation_issues }: AgentResponse) =>
  [{ validation_issues }, prompt, custom_message, language_group].flatMap(
    (part) => part?.validation_issues ?? [],
  );

export default listPage({
  title: "Agents",
  about: "Build and test the agents that talk to your customers.",
  create: { permission: "agents_write", to: "/agents/new", label: "New agent" },
  operation: "GET /api/v1/agents/",
  columns: COLUMNS,
  search: { field: "name_description", label: "Name or description" },
  filters: [
    { field: "prompt_id", label: "Prompt", kind: "record", operation: "GET /api/v1/prompts/" },
    { field: "labels", label: "Label", kind: "text" },
  ],
  empty: {
    title: "No agents yet",
    icon: IconRobot,
    about:
      "An agent needs a prompt that says what it does and which tools it may use. Then give it an address: a chat page, a telephone number, a mailbox.",
  },
});
