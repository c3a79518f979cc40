import { Group, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { SideBySide } from "../changes/side-by-side.tsx";
import { Empty, Fetched, PageHead, Panel } from "../parts/parts.tsx";
import { shortened } from "../parts/shortened.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { CompareTests } from "./compare-tests.tsx";
import { comparedStates } from "./compared-states.ts";
import { differencesOf, labelsOf, stateName } from "./version-words.ts";
import { versionsQuery } from "./versioning.ts";

/** Two versions of an agent beside each other: what differs, and what the tests say of each. */
export default function ComparePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const params = useSearch({ strict: false }) as { before?: string; after?: string };
  const navigate = useNavigate();
  const may = useMay();
  const agent_id = Number(id);
  const versions = useQuery(versionsQuery(agent_id));
  const numbers = (versions.data?.items ?? []).map(({ version_number }) => version_number);
  const live = versions.data?.items.find(({ is_live }) => is_live)?.version_number;
  const { before, after } = comparedStates(numbers, live, params);
  const choose = (next: { before?: string; after?: string }) =>
    void navigate({
      to: ".",
      search: { before: String(before), after: String(after), ...next } as never,
      replace: true,
    });
  return (
    <>
      <PageHead
        title="Compare versions"
        back={{ to: `/agents/${id}/versions`, label: "Versions" }}
        about="Compare two versions and their test results."
      />
      <Fetched query={versions} lines={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No version yet">Publish the first version on the agent's page.</Empty>
          ) : (
            <Stack gap="md">
              <Group gap="md">
                <Select
                  label="Before"
                  w={320}
                  data={items.map(({ version_number, note }) => option(version_number, note))}
                  allowDeselect={false}
                  value={String(before)}
                  onChange={(chosen) => choose({ before: chosen ?? "" })}
                />
                <Select
                  label="After"
                  w={320}
                  data={[
                    { value: "draft", label: "The draft" },
                    ...items.map(({ version_number, note }) => option(version_number, note)),
                  ]}
                  allowDeselect={false}
                  value={String(after)}
                  onChange={(chosen) => choose({ after: chosen ?? "" })}
                />
              </Group>
              {may("tests_read") && (
                <CompareTests agent_id={agent_id} before={before} after={after} key={`${before} ${after}`} />
              )}
              <Panel title="Changes">
                <Changes agent_id={agent_id} before={before} after={after} />
              </Panel>
            </Stack>
          )
        }
      </Fetched>
    </>
  );
}

const option = (version_number: number, note: string) => ({
  value: String(version_number),
  label: note === "" ? `Version ${version_number}` : `Version ${version_number}: ${shortened(note, 60)}`,
});

function Changes(props: { agent_id: number; before: number; after: number | "draft" }) {
  const { agent_id, before, after } = props;
  const changes = useQuery({
    queryKey: ["agent", String(agent_id), "changes", before, after],
    queryFn: ({ signal }) =>
      call("GET /api/v1/agents/{agent_id}/versions/{version_number}/changes", {
        path: { agent_id, version_number: before },
        query: after === "draft" ? {} : { with: after },
        signal,
      }),
  });
  return (
    <Fetched query={changes}>
      {(found) => {
        const entries = differencesOf(found);
        return (
          <SideBySide
            entries={entries}
            labels={labelsOf(entries)}
            before={stateName(before)}
            after={stateName(after)}
          />
        );
      }}
    </Fetched>
  );
}
