import { IconMessages } from "@tabler/icons-react";
import type { Session } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { RouteLink, Status } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";
import { carrierId, channelWords } from "./channel-words.ts";
import { endedBy, lengthOf } from "./session-words.ts";

const COLUMNS: Column<Session>[] = [
  {
    field: "timestamp",
    title: "Started",
    orderable: true,
    render: (row) => (
      <RouteLink to={`/sessions/${row.session_id}`}>
        <Time at={row.timestamp} />
      </RouteLink>
    ),
  },
  { field: "session_id", title: "Session ID", orderable: true, align: "right" },
  {
    field: "agent_name",
    title: "Agent",
    orderable: true,
    render: (row) => <RouteLink to={`/agents/${row.agent_id}`}>{row.agent_name}</RouteLink>,
  },
  { field: "channel_manager_type", title: "Channel", orderable: true, render: (row) => channelWords(row) },
  { field: "source", title: "Person", orderable: true },
  { field: "target", title: "Our address", orderable: true },
  {
    field: "is_outbound",
    title: "Direction",
    orderable: true,
    render: (row) => (row.is_outbound ? "outbound" : "inbound"),
  },
  {
    field: "duration",
    title: "Duration",
    orderable: true,
    align: "right",
    render: (row) => lengthOf(row) ?? <Status tone="busy">running</Status>,
  },
  {
    field: "ended_at",
    title: "Ended",
    orderable: true,
    hidden: true,
    render: (row) => <Time at={row.ended_at} />,
  },
  { field: "end_reason", title: "Ended by", orderable: true, hidden: true, render: (row) => endedBy(row) },
  { field: "prompt_name", title: "Prompt", orderable: true, hidden: true },
  { field: "prompt_version", title: "Version", hidden: true, align: "right" },
  { field: "conversation_id", title: "Conversation", orderable: true, hidden: true },
  {
    field: "channel_manager_sid",
    title: "Carrier ID",
    orderable: true,
    hidden: true,
    render: (row) => carrierId(row),
  },
  {
    field: "is_test",
    title: "Traffic",
    orderable: true,
    hidden: true,
    render: (row) => (row.is_test ? "test" : "live"),
  },
];

const REFRESH_MS = 5000;

export default listPage({
  title: "Sessions",
  about: "Follow running conversations and read past ones, with the debug trace of each turn.",
  operation: "GET /api/v1/sessions/",
  columns: COLUMNS,
  rowKey: (row) => row.session_id ?? row.timestamp,
  search: { field: "agent_name", label: "Agent name" },
  filters: [
    { field: "is_test", label: "Traffic", kind: "choice", choices: { true: "Test", false: "Live" } },
    {
      field: "is_outbound",
      label: "Direction",
      kind: "choice",
      choices: { false: "Inbound", true: "Outbound" },
    },
    { field: "is_running", label: "Status", kind: "choice", choices: { true: "Running", false: "Ended" } },
    { field: "source", label: "Person", kind: "text" },
    { field: "target", label: "Our address", kind: "text" },
  ],
  days: true,
  refresh_ms: REFRESH_MS,
  empty: {
    title: "No sessions yet",
    icon: IconMessages,
    action: <RouteLink to="/agents">Talk to an agent</RouteLink>,
    about:
      "A session starts when somebody writes to or calls an agent, or an agent contacts somebody. To see the conversations from an agent's Talk panel, set Traffic to Test.",
  },
});
