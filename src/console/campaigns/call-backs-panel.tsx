import { IconPhoneIncoming } from "@tabler/icons-react";
import type { CallBack } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { requestPath } from "../outbound/batch-words.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { RouteLink, Status, type Tone } from "../parts/parts.tsx";
import { personPath } from "../parts/person-path.ts";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";

const CALL_BACKS = "GET /api/v1/outbound/call-backs/";
const REFRESH_MS = 5_000;

const STATES: Record<CallBack["state"], { word: string; tone: Tone }> = {
  asked: { word: "on the call", tone: "busy" },
  waiting: { word: "waiting", tone: "info" },
  called: { word: "called", tone: "good" },
  canceled: { word: "canceled", tone: "quiet" },
};

/** Calls that people of the campaign asked for. */
export const CallBacksPanel = ({ campaign_id }: { campaign_id: number }) => (
  <DataTable
    label="Call-backs"
    operation={CALL_BACKS}
    columns={COLUMNS}
    fixed={{ campaign_id: String(campaign_id) }}
    filters={[
      {
        field: "state",
        label: "Status",
        kind: "choice",
        choices: Object.fromEntries(Object.entries(STATES).map(([state, { word }]) => [state, word])),
      },
    ]}
    refresh_ms={REFRESH_MS}
    empty={{
      title: "No call-backs yet",
      icon: IconPhoneIncoming,
      about: "Add the built-in tool call_back to the agent's prompt. People can then ask to be called later.",
    }}
  />
);

const COLUMNS: Column<CallBack>[] = [
  {
    field: "target",
    title: "Person",
    orderable: true,
    render: ({ target }) => (
      <RouteLink to={personPath(target)}>
        <bdi>{target}</bdi>
      </RouteLink>
    ),
  },
  timeColumn("due_at", "Call at"),
  { field: "timezone", title: "Asked in" },
  {
    field: "state",
    title: "Status",
    render: ({ state }) => <Status tone={STATES[state].tone}>{STATES[state].word}</Status>,
  },
  {
    field: "reference_id",
    title: "Reference",
    render: ({ batch_id, reference_id }) => (
      <RouteLink to={requestPath(batch_id, reference_id)}>
        <bdi>{reference_id}</bdi>
      </RouteLink>
    ),
  },
  {
    field: "session_id",
    title: "Conversation",
    render: ({ session_id }) =>
      session_id ? <RouteLink to={`/sessions/${session_id}`}>Session {session_id}</RouteLink> : "–",
  },
  {
    field: "cancel",
    title: "Action",
    permissions: ["outbound_write"],
    render: ({ id, target, state, due_at }) =>
      state === "waiting" && (
        <ConfirmButton
          size="compact-xs"
          verb="Cancel call"
          aria-label={`Cancel the call to ${target}`}
          question="Cancel this call?"
          act={() => call("DELETE /api/v1/outbound/call-backs/{id}", { path: { id } })}
          invalidates={[[CALL_BACKS]]}
          done={`${target} will not be called back`}
        >
          <bdi>{target}</bdi> asked for it and will not be called at <Time at={due_at} kind="minute" />.
        </ConfirmButton>
      ),
  },
];
