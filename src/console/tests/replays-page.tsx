import { IconHistory } from "@tabler/icons-react";
import type { ReplayListed } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { RouteLink, Status } from "../parts/parts.tsx";
import { ReplayButton } from "./replay-window.tsx";
import { stateWords } from "./replay-words.ts";
import { RUN_WORDS } from "./run-words.ts";

const COLUMNS: Column<ReplayListed>[] = [
  {
    field: "id",
    title: "Replay",
    orderable: true,
    render: ({ id }) => <RouteLink to={`/tests/replays/${id}`}>Replay {id}</RouteLink>,
  },
  {
    field: "status",
    title: "Status",
    orderable: true,
    render: ({ status }) => <Status tone={RUN_WORDS[status].tone}>{RUN_WORDS[status].word}</Status>,
  },
  {
    field: "agent",
    title: "Agent",
    orderable: true,
    render: ({ agent, agent_id }) => <RouteLink to={`/agents/${agent_id}`}>{agent}</RouteLink>,
  },
  { field: "candidate", title: "Candidate", render: ({ candidate }) => stateWords(candidate) },
  { field: "baseline", title: "Baseline", render: ({ baseline }) => stateWords(baseline) },
  { field: "total", title: "Sessions", align: "right" },
  timeColumn("created_at", "Begun"),
  { field: "created_by", title: "Started by", orderable: true },
];

export default listPage({
  title: "Replays",
  back: { to: "/tests", label: "Tests" },
  about: "Replay recorded sessions with the draft and the live version, and compare the results.",
  operation: "GET /api/v1/replays/",
  columns: COLUMNS,
  search: { field: "agent", label: "Agent" },
  empty: {
    title: "No replays yet",
    icon: IconHistory,
    about: "Change an agent, then replay its recent sessions with the draft. No service is called.",
  },
  Actions: ReplayButton,
});
