import { Button, FileButton } from "@mantine/core";
import { IconFlask, IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { TestSuiteListed } from "../api-types.ts";
import { type Column, changedColumn, descriptionColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { useAction } from "../parts/action.ts";
import { LinkButton, RouteLink } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { passedWords } from "./run-words.ts";

const LIST = "GET /api/v1/test_suites/";

const COLUMNS: Column<TestSuiteListed>[] = [
  nameColumn("/tests"),
  descriptionColumn(),
  {
    field: "agent",
    title: "Agent",
    orderable: true,
    render: ({ agent, agent_id }) => <RouteLink to={`/agents/${agent_id}`}>{agent}</RouteLink>,
  },
  { field: "case_count", title: "Tests", align: "right" },
  {
    field: "last_run_id",
    title: "Last run",
    render: ({ last_run_id, last_run_passed, last_run_judged }) =>
      last_run_id === null ? (
        "never"
      ) : (
        <RouteLink to={`/tests/runs/${last_run_id}`}>
          {passedWords({ passed: last_run_passed ?? 0, judged: last_run_judged ?? 0 })} passed
        </RouteLink>
      ),
  },
  changedColumn("last_updated"),
  { field: "last_updated_by", title: "Updated by", orderable: true, hidden: true },
];

export default listPage({
  title: "Tests",
  about: "Conversations an agent must pass. Run them after every change.",
  create: { permission: "tests_write", to: "/tests/new", label: "New suite" },
  operation: LIST,
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  filters: [{ field: "agent", label: "Agent", kind: "text" }],
  empty: {
    title: "No test suites yet",
    icon: IconFlask,
    about: "Write what a person says and what you expect of the agent, or make a test from any session.",
  },
  Actions: () => (
    <>
      <LinkButton to="/tests/judges" variant="default">
        Judges
      </LinkButton>
      <LinkButton to="/tests/replays" variant="default">
        Replays
      </LinkButton>
      <ImportSuite />
    </>
  ),
});

function ImportSuite() {
  const may = useMay();
  const client = useQueryClient();
  const navigate = useNavigate();
  const importing = useAction({
    mutationFn: async (file: File) =>
      call("POST /api/v1/test_suites/import", { body: { text: await file.text() } }),
    async onSuccess({ id }) {
      await Promise.all([[LIST], ["test suite"]].map((queryKey) => client.invalidateQueries({ queryKey })));
      await navigate({ to: `/tests/${id}`, search: { view: "tests" } as never });
    },
    onError: showFailure,
  });
  if (!may("tests_write")) return null;
  return (
    <FileButton
      accept=".yaml,.yml,.json"
      onChange={(file) => {
        if (file) importing.mutate(file);
      }}
    >
      {(button) => (
        <Button
          {...button}
          variant="default"
          leftSection={<IconUpload size={15} />}
          loading={importing.isPending}
        >
          Import a file
        </Button>
      )}
    </FileButton>
  );
}
