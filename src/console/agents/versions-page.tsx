import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Empty, Fetched, PageHead, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { GatesPanel } from "./gates-panel.tsx";
import { VersionRow } from "./version-row.tsx";
import { versioningQuery, versionsQuery } from "./versioning.ts";

/** The versions of an agent, the one that people reach among them, and the tests a draft has to pass. */
export default function VersionsPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const agent_id = Number(id);
  const agent = useQuery({
    queryKey: ["agent", id],
    queryFn: ({ signal }) => call("GET /api/v1/agents/{agent_id}", { path: { agent_id }, signal }),
  });
  const versioning = useQuery(versioningQuery(agent_id));
  const versions = useQuery(versionsQuery(agent_id));
  return (
    <>
      <PageHead
        title="Versions"
        back={{ to: `/agents/${id}`, label: agent.data?.name ?? "Agent" }}
        about="People reach the live version. A session goes on with the version it began with."
      />
      <Fetched query={versioning} lines={8}>
        {(state) => (
          <Stack gap="md">
            <Panel title="Published">
              <Fetched query={versions}>
                {({ items }) =>
                  items.length === 0 ? (
                    <Empty title="No version yet">
                      Every save reaches people at once. Publish the first version on the agent's page, and
                      what you save becomes a draft.
                    </Empty>
                  ) : (
                    <Stack gap="md">
                      {items.map((version) => (
                        <VersionRow key={version.version_number} version={version} versioning={state} />
                      ))}
                    </Stack>
                  )
                }
              </Fetched>
            </Panel>
            {agent.data && <GatesPanel agent={agent.data} versioning={state} />}
          </Stack>
        )}
      </Fetched>
    </>
  );
}
