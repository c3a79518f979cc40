import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconScale } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { versioningQuery, versionsQuery } from "../agents/versioning.ts";
import type { Experiment } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { Names } from "../parts/names.tsx";
import { PageHead, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { ExperimentWindow } from "./experiment-window.tsx";
import { limitsOf, STATUS_WORDS, splitWords, weightsNow } from "./experiment-words.ts";

const COLUMNS: Column<Experiment>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, agent_id, name }) => (
      <RouteLink to={`/agents/${agent_id}/experiments/${id}`}>
        <bdi>{name}</bdi>
      </RouteLink>
    ),
  },
  {
    field: "status",
    title: "Status",
    orderable: true,
    render: ({ status }) => <Status tone={STATUS_WORDS[status].tone}>{STATUS_WORDS[status].word}</Status>,
  },
  { field: "weights", title: "Split", render: (experiment) => splitWords(weightsNow(experiment)) },
  {
    field: "limit",
    title: "Limited to",
    render: (experiment) => <Names of={limitsOf(experiment)} />,
  },
  timeColumn("started_at", "Started"),
  timeColumn("ended_at", "Ended"),
  { field: "ended_because", title: "Reason", hidden: true },
];

/** The experiments of an agent, and the button that plans one. */
export default function ExperimentsPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const agent_id = Number(id);
  const agent = useQuery({
    queryKey: ["agent", id],
    queryFn: ({ signal }) => call("GET /api/v1/agents/{agent_id}", { path: { agent_id }, signal }),
  });
  const button = <NewExperimentButton agent_id={agent_id} />;
  return (
    <>
      <PageHead
        title="Experiments"
        back={{ to: `/agents/${id}`, label: agent.data?.name ?? "Agent" }}
        about="Send a part of the live traffic to another published version, and compare."
        actions={button}
      />
      <DataTable
        label="Experiments"
        operation="GET /api/v1/experiments/"
        columns={COLUMNS}
        fixed={{ agent_id: id }}
        filters={[{ field: "status", label: "Status", kind: "choice", choices: STATUS_WORDS }]}
        empty={{
          title: "No experiments yet",
          icon: IconScale,
          about:
            "Publish a second version with “Make live” off. Then an experiment sends 5 % of the people to it.",
        }}
      />
    </>
  );
}

/** Disabled, with the reason, until there are two versions. */
function NewExperimentButton({ agent_id }: { agent_id: number }) {
  const may = useMay();
  const [opened, { open, close }] = useDisclosure(false);
  const versioning = useQuery({ ...versioningQuery(agent_id), enabled: may("experiments_write") });
  const versions = useQuery({ ...versionsQuery(agent_id), enabled: may("experiments_write") });
  if (!may("experiments_write")) return null;
  const published = versions.data?.items ?? [];
  const missing =
    versioning.data?.published_version == null
      ? "No version is live yet. Make one live first."
      : published.length < 2
        ? "The agent has one version. Publish another one first."
        : undefined;
  return (
    <>
      <Button
        leftSection={<IconPlus size={15} />}
        disabled={missing !== undefined}
        title={missing}
        onClick={open}
      >
        New experiment
      </Button>
      {opened && <ExperimentWindow agent_id={agent_id} versions={published} onClose={close} />}
    </>
  );
}
