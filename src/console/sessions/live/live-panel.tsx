import { Text } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { LiveSession } from "../../api-types.ts";
import type { Column } from "../../lists/columns.tsx";
import { RowsTable } from "../../lists/rows-table.tsx";
import { formatDuration } from "../../parts/duration.ts";
import { Failure, Panel, RouteLink, Scroller, Status } from "../../parts/parts.tsx";
import classes from "./live-panel.module.css";
import { useLiveSessions } from "./live-sessions.ts";
import { byActivity, liveChannel, liveState } from "./live-words.ts";

const TICK_MS = 1000;
/** The list below has the others. */
const MOST_SHOWN = 50;

/** The conversations that run at this moment, as they go: of the traffic that the list below shows. */
export function LivePanel() {
  const { f_is_test } = useSearch({ strict: false }) as { f_is_test?: string };
  const is_test = f_is_test === "true";
  const live = useLiveSessions({ is_test });
  const passed = useNow() - live.seen;
  if (live.refusal) return <Failure error={live.refusal} />;
  const shown = live.sessions.toSorted(byActivity).slice(0, MOST_SHOWN);
  const count = live.more ? "500+" : live.sessions.length;
  return (
    <Panel title={live.isFollowed ? `Live now (${count})` : "Live now"} flush={shown.length > 0}>
      {shown.length === 0 ? (
        <Text size="sm" c="dimmed">
          {!live.isFollowed
            ? "Connecting…"
            : is_test
              ? "No test conversations are running."
              : "No conversations are running."}
        </Text>
      ) : (
        <>
          <Scroller label="Live now" className={classes.rows}>
            <RowsTable columns={columns(live.at + passed)} rows={shown} rowKey={(row) => row.session_id} />
          </Scroller>
          {live.sessions.length > MOST_SHOWN && (
            <Text size="xs" c="dimmed" p="xs">
              The {MOST_SHOWN} with the latest activity are shown.
            </Text>
          )}
        </>
      )}
    </Panel>
  );
}

const columns = (now: number): Column<LiveSession>[] => [
  {
    field: "source",
    title: "Person",
    render: (row) => (
      <RouteLink to={`/sessions/${row.session_id}`}>
        <bdi>{row.source ?? `Session ${row.session_id}`}</bdi>
      </RouteLink>
    ),
  },
  { field: "agent_name", title: "Agent" },
  { field: "channel", title: "Channel", render: liveChannel },
  {
    field: "timestamp",
    title: "Duration",
    align: "right",
    render: (row) => formatDuration(Math.max(1000, now - Date.parse(row.timestamp))),
  },
  {
    field: "state",
    title: "Status",
    render: (row) => {
      const { tone, words } = liveState(row);
      return <Status tone={tone}>{words}</Status>;
    },
  },
  {
    field: "last_words",
    title: "Last words",
    render: ({ last_words }) =>
      last_words && (
        <Text size="sm" lineClamp={1} dir="auto">
          {last_words.written_by ?? (last_words.source === "user" ? "User" : "Agent")}: {last_words.text}
        </Text>
      ),
  },
];

/** This page's clock, once a second. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
