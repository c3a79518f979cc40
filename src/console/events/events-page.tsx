import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconActivity } from "@tabler/icons-react";
import type { Event } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Code, RouteLink } from "../parts/parts.tsx";
import { Sentence } from "../time/sentence.tsx";
import { Time } from "../time/time.tsx";

const COLUMNS: Column<Event>[] = [
  { field: "timestamp", title: "Time", orderable: true, render: ({ timestamp }) => <Time at={timestamp} /> },
  { field: "category", title: "Category", orderable: true },
  { field: "type", title: "Type", orderable: true, render: ({ type }) => <code>{type}</code> },
  {
    field: "description",
    title: "What happened",
    render: ({ description }) => <Sentence text={description} />,
  },
  {
    field: "session_id",
    title: "Session",
    orderable: true,
    render: ({ session_id }) =>
      session_id && <RouteLink to={`/sessions/${session_id}`}>{session_id}</RouteLink>,
  },
  { field: "user_id", title: "User", orderable: true, hidden: "narrow" },
  { field: "attributes", title: "Attributes", render: (event) => <Attributes event={event} /> },
  { field: "source", title: "Source", orderable: true, hidden: true },
  { field: "source_id", title: "Source ID", orderable: true, hidden: true },
  { field: "conversation_id", title: "Conversation", orderable: true, hidden: true },
];

function Attributes({ event }: { event: Event }) {
  const [opened, { toggle }] = useDisclosure(false);
  if (!event.attributes || Object.keys(event.attributes).length === 0) return null;
  return (
    <>
      <Button size="compact-xs" variant="subtle" onClick={toggle} aria-expanded={opened}>
        {opened ? "Hide" : "Show"}
      </Button>
      {opened && <Code value={event.attributes} label={`Attributes of ${event.type}`} />}
    </>
  );
}

const REFRESH_MS = 5000;

export default listPage({
  title: "Events",
  about: "Sessions, tool calls, campaigns and deliveries, newest first.",
  operation: "GET /api/v1/events/",
  columns: COLUMNS,
  rowKey: (event) =>
    `${event.timestamp} ${event.type} ${event.session_id} ${event.source_id} ${event.description}`,
  search: { field: "description", label: "What happened" },
  filters: [
    { field: "category", label: "Category", kind: "text" },
    { field: "type", label: "Type", kind: "text" },
    { field: "session_id", label: "Session", kind: "text" },
  ],
  days: true,
  refresh_ms: REFRESH_MS,
  empty: {
    title: "No events yet",
    icon: IconActivity,
    about: "Each session, tool call and change of a campaign leaves an event here.",
  },
});
