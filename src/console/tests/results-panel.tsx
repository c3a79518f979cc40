import { Accordion, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { TestResult, TestRunResponse } from "../api-types.ts";
import { Fetched, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { RESULT_WORDS } from "./run-words.ts";

const FOLLOW_MS = 1000;
/** As many as one page of a list holds; a run has three times as many at most. */
const LIMIT = 1000;

const useResults = (run: Pick<TestRunResponse, "id" | "status">) =>
  useQuery({
    queryKey: ["test results", run.id, run.status],
    queryFn: ({ signal }) => allResults(run.id, signal),
    refetchInterval: run.status === "running" ? FOLLOW_MS : false,
  });

async function allResults(run_id: number, signal: AbortSignal): Promise<TestResult[]> {
  const read = (page: number) =>
    call("GET /api/v1/test_runs/{run_id}/results", {
      path: { run_id },
      query: { limit: LIMIT, page },
      signal,
    });
  const { items, total_count } = await read(0);
  const pages = Math.ceil((total_count ?? 0) / LIMIT);
  const rest = await Promise.all(Array.from({ length: Math.max(0, pages - 1) }, (_, n) => read(n + 1)));
  return [items, ...rest.map((page) => page.items)].flat();
}

/** Test by test: passed or not, which expectations were not met, and the conversation to read. */
export function ResultsPanel({ run }: { run: TestRunResponse }) {
  const results = useResults(run);
  const [open, setOpen] = useState<string[]>([]);
  return (
    <Panel title="Tests" flush>
      <Fetched query={results} lines={8}>
        {(all) => (
          <Accordion multiple value={open} onChange={setOpen} chevronPosition="left">
            {[...Map.groupBy(all, ({ case_name }) => case_name)].map(([name, own]) => (
              <Accordion.Item key={name} value={name}>
                <Accordion.Control>
                  <Group justify="space-between" gap="xs" pe="md">
                    <bdi>{name}</bdi>
                    <Outcome results={own} />
                  </Group>
                </Accordion.Control>
                <Accordion.Panel>{open.includes(name) && <Repetitions results={own} />}</Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )}
      </Fetched>
    </Panel>
  );
}

function Outcome({ results }: { results: TestResult[] }) {
  const first = results.find(({ status }) => status !== "passed") ?? results[0];
  if (!first) return null;
  const { word, tone } = RESULT_WORDS[first.status];
  const passed = results.filter(({ status }) => status === "passed").length;
  return <Status tone={tone}>{results.length === 1 ? word : `${passed} of ${results.length} passed`}</Status>;
}

const Repetitions = ({ results }: { results: TestResult[] }) => (
  <Stack gap="md">
    {results.map((result) => (
      <div key={result.id}>
        <Group gap="xs" mb="xs">
          {results.length > 1 && <Text size="sm">Repetition {result.repetition}</Text>}
          <Status tone={RESULT_WORDS[result.status].tone}>{RESULT_WORDS[result.status].word}</Status>
          {result.session_id !== null && (
            <RouteLink to={`/sessions/${result.session_id}`}>Read the conversation</RouteLink>
          )}
        </Group>
        <Verdicts result={result} />
      </div>
    ))}
  </Stack>
);

/** Each expectation with what came instead. */
export const Verdicts = ({ result }: { result: TestResult }) => (
  <>
    {result.verdicts.length > 0 && (
      <Table aria-label="Expectations">
        <Table.Tbody>
          {result.verdicts.map(({ expectation, passed, why, informs, votes }) => (
            <Table.Tr key={expectation}>
              <Table.Td w={90}>
                <Status tone={passed ? "good" : informs ? "warn" : "bad"}>
                  {passed ? "met" : "not met"}
                </Status>
              </Table.Td>
              <Table.Td>
                <bdi>{expectation}</bdi>
                {informs && (
                  <Text size="sm" component="span" c="dimmed">
                    {" "}
                    informs only
                  </Text>
                )}
                {(!passed || votes !== undefined) && (
                  <Text size="sm" c="dimmed" dir="auto">
                    {why}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    )}
    {result.notes.map((note) => (
      <Text key={note} size="sm" c="dimmed" dir="auto">
        {note}
      </Text>
    ))}
  </>
);
