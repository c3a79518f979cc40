import { IconMessages } from "@tabler/icons-react";
import type { FoundSession } from "../api-types.ts";
import { dollars } from "../insights/insight-words.tsx";
import type { Column } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Labels } from "../parts/labels.tsx";
import { RouteLink, Status } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";
import { carrierId, channelWords } from "./channel-words.ts";
import { ExportFound, ExportSelected } from "./export-found.tsx";
import classes from "./found-words.module.css";
import { SessionTitle } from "./found-words.tsx";
import { LivePanel } from "./live/live-panel.tsx";
import { MakeTests } from "./make-test.tsx";
import { sessionAddress, WORDS } from "./session-search.ts";
import { SessionViews } from "./session-views.tsx";
import { endedBy, lengthOf, REASONS } from "./session-words.ts";

const COLUMNS: Column<FoundSession>[] = [
  {
    field: "timestamp",
    title: "Started",
    orderable: true,
    render: (row, params) => (
      <RouteLink to={sessionAddress(row.session_id ?? "", params)}>
        <Time at={row.timestamp} kind="minute" />
      </RouteLink>
    ),
  },
  {
    field: "title",
    title: "Session",
    render: (row, params) => <SessionTitle row={row} to={sessionAddress(row.session_id ?? "", params)} />,
  },
  { field: "session_id", title: "Session ID", orderable: true, hidden: true, align: "right" },
  {
    field: "agent_name",
    title: "Agent",
    orderable: true,
    render: (row) => (
      <div className={classes.agent}>
        <RouteLink to={`/agents/${row.agent_id}`}>{row.agent_name}</RouteLink>
      </div>
    ),
  },
  { field: "channel_manager_type", title: "Channel", orderable: true, render: (row) => channelWords(row) },
  {
    field: "failed_tools",
    title: "Failed tools",
    render: ({ failed_tools }) => <Labels labels={failed_tools} />,
  },
  { field: "tools", title: "Tools", hidden: true, render: ({ tools }) => <Labels labels={tools} /> },
  {
    field: "has_error",
    title: "Error",
    hidden: true,
    render: ({ has_error }) => has_error && <Status tone="bad">error</Status>,
  },
  { field: "label", title: "Rating", hidden: true },
  {
    field: "cost_usd",
    title: "Cost",
    orderable: true,
    hidden: true,
    align: "right",
    render: ({ cost_usd }) => (cost_usd == null ? null : dollars(cost_usd)),
  },
  { field: "source", title: "Person", orderable: true, hidden: true },
  { field: "target", title: "Our address", orderable: true, hidden: true },
  {
    field: "is_outbound",
    title: "Direction",
    orderable: true,
    hidden: "narrow",
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
/** What experiments count. */
const OUTCOMES = {
  success: "Success",
  no_success: "No success",
  errors: "Errors",
  transfers: "Transfers",
  opt_outs: "Opt-outs",
  complaints: "Complaints",
  slow: "Slow sessions",
};

const CHANNELS = { voice: "Call", chat: "Web chat", sms: "SMS", email: "E-mail", whatsapp: "WhatsApp" };
const RATINGS = { GOOD: "Good", OK: "OK", BAD: "Bad", "N/A": "Not applicable" };

const Actions = () => (
  <>
    <SessionViews />
    <ExportFound />
  </>
);

const SelectedSessions = ({ keys }: { keys: string[] }) => (
  <>
    <ExportSelected keys={keys} />
    <MakeTests keys={keys} />
  </>
);

export default listPage({
  title: "Sessions",
  about: "Follow running conversations, read past ones, and search what was said and what happened in them.",
  operation: "GET /api/v1/sessions/search",
  columns: COLUMNS,
  rowKey: (row) => row.session_id ?? row.timestamp,
  search: { field: WORDS, label: "Words said" },
  filters: [
    {
      field: "failed_tool",
      label: "Failed tool",
      kind: "name",
      operation: "GET /api/v1/tools/",
      any: { value: "*", label: "Any tool" },
    },
    { field: "channel", label: "Channel", kind: "choice", choices: CHANNELS },
    { field: "end_reason", label: "Ended by", kind: "choice", choices: REASONS },
    { field: "is_test", label: "Traffic", kind: "choice", choices: { true: "Test", false: "Live" } },
    {
      field: "is_outbound",
      label: "Direction",
      kind: "choice",
      choices: { false: "Inbound", true: "Outbound" },
    },
    { field: "is_running", label: "Status", kind: "choice", choices: { true: "Running", false: "Ended" } },
    { field: "source", label: "Person", kind: "text" },
    { field: "agent_name", label: "Agent", kind: "name", operation: "GET /api/v1/agents/", more: true },
    { field: "agent_version", label: "Agent version", kind: "text", more: true },
    { field: "prompt_name", label: "Prompt", kind: "text", more: true },
    { field: "prompt_version", label: "Prompt version", kind: "text", more: true },
    { field: "tool", label: "Tool used", kind: "name", operation: "GET /api/v1/tools/", more: true },
    {
      field: "has_error",
      label: "Errors",
      kind: "choice",
      choices: { true: "With errors", false: "Without errors" },
      more: true,
    },
    { field: "event", label: "Event type", kind: "text", more: true },
    { field: "event_category", label: "Event category", kind: "text", more: true },
    { field: "label", label: "Rating", kind: "choice", choices: RATINGS, more: true },
    { field: "insight", label: "Insight, as name=value", kind: "text", more: true },
    { field: "insight_from", label: "Insight at least, as name=number", kind: "text", more: true },
    { field: "insight_to", label: "Insight at most, as name=number", kind: "text", more: true },
    { field: "duration_from", label: "Seconds, at least", kind: "text", more: true },
    { field: "duration_to", label: "Seconds, at most", kind: "text", more: true },
    { field: "cost_from", label: "US dollars, at least", kind: "text", more: true },
    { field: "cost_to", label: "US dollars, at most", kind: "text", more: true },
    { field: "target", label: "Our address", kind: "text", more: true },
    { field: "session_id_list", label: "Session IDs", kind: "text", more: true },
    {
      field: "has_latency",
      label: "Latency",
      kind: "choice",
      byLink: true,
      choices: { true: "Measured", false: "Not measured" },
    },
    { field: "experiment_id", label: "Experiment", kind: "text", byLink: true },
    {
      field: "experiment_outcome",
      label: "Happened",
      kind: "choice",
      byLink: true,
      choices: OUTCOMES,
    },
  ],
  Actions,
  Above: LivePanel,
  days: true,
  periods: true,
  Selected: SelectedSessions,
  refresh_ms: REFRESH_MS,
  empty: {
    title: "No sessions yet",
    icon: IconMessages,
    action: <RouteLink to="/agents">Talk to an agent</RouteLink>,
    about:
      "A session starts when somebody writes to or calls an agent, or an agent contacts somebody. To see the conversations from an agent's Talk panel, set Traffic to Test.",
  },
});
