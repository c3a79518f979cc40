import { IconFlask } from "@tabler/icons-react";
import type { TestRunListed, TestSuiteResponse } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { RouteLink, Status } from "../parts/parts.tsx";
import { passedWords, RUN_WORDS, testedWords } from "./run-words.ts";

const REFRESH_MS = 5000;

const COLUMNS: Column<TestRunListed>[] = [
  {
    field: "id",
    title: "Run",
    orderable: true,
    render: ({ id }) => <RouteLink to={`/tests/runs/${id}`}>Run {id}</RouteLink>,
  },
  {
    field: "status",
    title: "Status",
    orderable: true,
    render: ({ status }) => <Status tone={RUN_WORDS[status].tone}>{RUN_WORDS[status].word}</Status>,
  },
  { field: "passed", title: "Passed", render: passedWords },
  {
    field: "agent",
    title: "Agent",
    orderable: true,
    render: (run) => <RouteLink to={`/agents/${run.agent_id}`}>{testedWords(run)}</RouteLink>,
  },
  { field: "repetitions", title: "Repetitions", align: "right" },
  timeColumn("created_at", "Begun"),
  { field: "created_by", title: "Started by", orderable: true },
];

/** The runs of a suite, newest first. */
export const RunsPanel = ({ suite }: { suite: TestSuiteResponse }) => (
  <DataTable
    label="Runs"
    operation="GET /api/v1/test_runs/"
    prefix="r_"
    columns={COLUMNS}
    fixed={{ suite_id: String(suite.id) }}
    refresh_ms={REFRESH_MS}
    empty={{
      title: "No runs yet",
      icon: IconFlask,
      about: "“Run tests” plays every conversation of the suite with the agent and shows which ones pass.",
    }}
  />
);
