import { Alert, Button, Group, Select, Stack, Table, Text } from "@mantine/core";
import { IconArrowDownRight, IconArrowUpRight, IconScale } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { TestComparison, TestRunListed, TestRunResponse } from "../api-types.ts";
import { Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { formatTime, useZone } from "../time/zone.ts";
import { passedWords, testedWords } from "./run-words.ts";
import { TranscriptPair } from "./transcript-pair.tsx";

const OFFERED = 50;
const LOOKS = { better: "green", worse: "red", "can't tell": "gray" } as const;
const TITLES = { better: "Better", worse: "Worse", "can't tell": "No difference can be told" } as const;

/** Is this run better than an earlier one of the suite? Tests that changed open with both conversations. */
export function ComparisonPanel({ run }: { run: TestRunResponse }) {
  const zone = useZone();
  const [chosen, setChosen] = useState<number | null>(null);
  const others = useQuery({
    queryKey: ["GET /api/v1/test_runs/", "of suite", run.suite_id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/test_runs/", {
        query: {
          search_fields: ["suite_id"],
          search_field_values: [String(run.suite_id)],
          limit: OFFERED,
        },
        signal,
      }),
  });
  const offered = (others.data?.items ?? []).filter(({ id }) => id !== run.id);
  const before = chosen ?? offered.find(({ id }) => id < run.id)?.id ?? null;
  if (offered.length === 0 || run.status === "running") return null;
  const name = (other: TestRunListed) =>
    `Run ${other.id}: ${testedWords(other)}, ${passedWords(other)} passed, ${formatTime(other.created_at, zone)}`;
  return (
    <Panel title="Compared with">
      <Stack gap="md">
        <Select
          aria-label="Run to compare with"
          placeholder="Choose a run"
          data={offered.map((other) => ({ value: String(other.id), label: name(other) }))}
          value={before === null ? null : String(before)}
          onChange={(id) => setChosen(id === null ? null : Number(id))}
        />
        {before !== null && <Comparison run={run} before={before} />}
      </Stack>
    </Panel>
  );
}

/** Whether a run is better than an earlier one; tests that changed open with both conversations. */
export function Comparison({ run, before }: { run: Pick<TestRunListed, "id">; before: number }) {
  const comparison = useQuery({
    queryKey: ["test comparison", run.id, before],
    queryFn: ({ signal }) =>
      call("GET /api/v1/test_runs/{run_id}/comparison", {
        path: { run_id: run.id },
        query: { before },
        signal,
      }),
  });
  return (
    <Fetched query={comparison} lines={3}>
      {(found) => (
        <>
          <Alert color={LOOKS[found.verdict]} icon={<IconScale />} title={TITLES[found.verdict]}>
            {found.says}
          </Alert>
          <Changed run={run} before={before} comparison={found} />
        </>
      )}
    </Fetched>
  );
}

function Changed(props: { run: Pick<TestRunListed, "id">; before: number; comparison: TestComparison }) {
  const { run, before, comparison } = props;
  const [open, setOpen] = useState<string | null>(null);
  const rows = [
    ...comparison.worse.map((name) => ({ name, isWorse: true })),
    ...comparison.better.map((name) => ({ name, isWorse: false })),
  ];
  if (comparison.pairs === 0 && comparison.left_out.length > 0) return null;
  if (rows.length === 0)
    return (
      <Text size="sm">
        {comparison.pairs === 0
          ? "The two runs have no tests in common."
          : comparison.pairs === 1
            ? "The shared test ended the same way."
            : `All ${comparison.pairs} shared tests ended the same way.`}
      </Text>
    );
  return (
    <>
      <Table aria-label="Changed tests">
        <Table.Tbody>
          {rows.map(({ name, isWorse }) => (
            <Table.Tr key={name}>
              <Table.Td w={180}>
                <Group gap={4} wrap="nowrap">
                  {isWorse ? <IconArrowDownRight size={16} /> : <IconArrowUpRight size={16} />}
                  {isWorse ? "fails now" : "passes now"}
                </Group>
              </Table.Td>
              <Table.Td>
                <bdi>{name}</bdi>
              </Table.Td>
              <Table.Td ta="right">
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Both conversations of ${name}`}
                  onClick={() => setOpen(name)}
                >
                  Both conversations
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {open !== null && (
        <TranscriptPair name={open} before={before} after={run.id} onClose={() => setOpen(null)} />
      )}
    </>
  );
}
