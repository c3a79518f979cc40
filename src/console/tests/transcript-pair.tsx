import { SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { TestResult } from "../api-types.ts";
import { PageWindow } from "../parts/page-window.tsx";
import { Fetched } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Verdicts } from "./results-panel.tsx";
import { SessionTurns } from "./session-turns.tsx";

/** The conversations of one test in two runs, beside each other. */
export function TranscriptPair(props: { name: string; before: number; after: number; onClose(): void }) {
  const { name, before, after, onClose } = props;
  return (
    <PageWindow opened onClose={onClose} size="90%" title={<bdi>{name}</bdi>}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {[before, after].map((run_id) => (
          <Side key={run_id} run_id={run_id} name={name} />
        ))}
      </SimpleGrid>
    </PageWindow>
  );
}

function Side({ run_id, name }: { run_id: number; name: string }) {
  const results = useQuery({
    queryKey: ["test results", run_id, "of", name],
    queryFn: ({ signal }) =>
      call("GET /api/v1/test_runs/{run_id}/results", {
        path: { run_id },
        query: { search_fields: ["case_name"], search_field_values: [name], limit: 100 },
        signal,
      }),
  });
  return (
    <section aria-label={`Run ${run_id}`}>
      <Text fw={600} mb="xs">
        Run {run_id}
      </Text>
      <Fetched query={results}>
        {({ items }) => {
          const own = items.filter((result) => result.case_name === name);
          const shown = own.find(({ status }) => status !== "passed") ?? own[0];
          return shown ? (
            <Conversation result={shown} among={`Run ${run_id}`} />
          ) : (
            <Text size="sm">Not part of this run.</Text>
          );
        }}
      </Fetched>
    </section>
  );
}

const Conversation = ({ result, among }: { result: TestResult; among: string }) => (
  <Stack gap="md">
    <Verdicts result={result} />
    <SessionTurns session_id={result.session_id} among={among} absent="Not run." />
  </Stack>
);
