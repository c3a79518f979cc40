import { Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ListFoot } from "../lists/list-foot.tsx";
import {
  type ListState,
  readListState,
  type SearchParams,
  SIZES,
  writeListState,
} from "../lists/list-state.ts";
import { Empty, Fetched, LinkButton, PageHead, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { GatesPanel } from "./gates-panel.tsx";
import { VersionRow } from "./version-row.tsx";
import { versioningQuery, versionsQuery } from "./versioning.ts";

const RECENT = 5;

/** The versions of an agent, the one that people reach among them, and the tests a draft has to pass. */
export default function VersionsPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const agent_id = Number(id);
  const may = useMay();
  const agent = useQuery({
    queryKey: ["agent", id],
    queryFn: ({ signal }) => call("GET /api/v1/agents/{agent_id}", { path: { agent_id }, signal }),
  });
  const versioning = useQuery(versioningQuery(agent_id));
  const params = useSearch({ strict: false }) as SearchParams;
  const navigate = useNavigate();
  const list = readListState(params);
  const versions = useQuery({
    ...versionsQuery(agent_id, { page: list.page - 1, limit: list.size }),
    placeholderData: keepPreviousData,
  });
  const change = (part: Partial<ListState>) =>
    void navigate({ to: ".", search: writeListState(params, { ...list, page: 1, ...part }) as never });
  return (
    <>
      <PageHead
        title="Versions"
        back={{ to: `/agents/${id}`, label: agent.data?.name ?? "Agent" }}
        about="New sessions use the live version. A running session keeps the version it started with."
      />
      <Fetched query={versioning} lines={8}>
        {(state) => (
          <Stack gap="md">
            <Panel
              title="Published"
              actions={
                (versions.data?.total_count ?? 0) > 0 && (
                  <>
                    <LinkButton to={`/agents/${id}/versions/compare`} size="compact-sm" variant="default">
                      Compare versions
                    </LinkButton>
                    {may("experiments_read") && (
                      <LinkButton to={`/agents/${id}/experiments`} size="compact-sm" variant="default">
                        Experiments
                      </LinkButton>
                    )}
                  </>
                )
              }
            >
              <Fetched query={versions}>
                {({ items, total_count }) =>
                  total_count === 0 ? (
                    <Empty title="No versions yet">
                      Every save is live at once. Publish the first version on the agent's page; later changes
                      become a draft.
                    </Empty>
                  ) : (
                    <Stack gap="md">
                      {state.published_version === null && (
                        <Text size="sm">
                          <b>No version is live.</b> Every save is live at once. To keep changes a draft until
                          you publish them, make a version live.
                        </Text>
                      )}
                      {items.map((version, index) => (
                        <VersionRow
                          key={version.version_number}
                          version={version}
                          versioning={state}
                          isRecent={index < RECENT}
                        />
                      ))}
                      {(total_count ?? 0) > Math.min(...SIZES) && (
                        <ListFoot state={list} page={versions.data} onChange={change} />
                      )}
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
