import { Progress, Table, Text, Title } from "@mantine/core";
import type { ExperimentComparison } from "../api-types.ts";
import { Scroller, Status } from "../parts/parts.tsx";
import { GUARD_WORDS } from "./experiment-words.ts";
import classes from "./experiments.module.css";

/** How near each guardrail is to returning everybody. Evidence is a likelihood, so the bar shows its logarithm. */
export function GuardTable({ guards }: Pick<ExperimentComparison, "guards">) {
  if (guards.length === 0) return <Text size="sm">This experiment has no guardrails.</Text>;
  return (
    <div>
      <Title order={3} size="sm" mb={4}>
        Guardrails
      </Title>
      <Scroller label="Guardrails of the experiment" className={classes.scroll}>
        <Table aria-label="Guardrails">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Guardrail</Table.Th>
              <Table.Th>Version</Table.Th>
              <Table.Th>Evidence of harm</Table.Th>
              <Table.Th>Status</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {guards.map(({ guard, version_number, evidence, threshold, is_tripped }) => (
              <Table.Tr key={`${guard} ${version_number}`}>
                <Table.Td>{GUARD_WORDS[guard]}</Table.Td>
                <Table.Td>Version {version_number}</Table.Td>
                <Table.Td miw={180}>
                  <Progress
                    value={nearness(evidence, threshold)}
                    color={is_tripped ? "red" : "gray"}
                    aria-label={`${GUARD_WORDS[guard]}, version ${version_number}: evidence`}
                  />
                  <Text size="xs" c="dimmed">
                    {evidence < 10 ? evidence.toFixed(1) : Math.round(evidence).toLocaleString("en")} of{" "}
                    {threshold.toLocaleString("en")}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Status tone={is_tripped ? "bad" : "good"}>{is_tripped ? "tripped" : "OK"}</Status>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scroller>
    </div>
  );
}

/** Percent of the way from "says nothing" (1) to the threshold. */
const nearness = (evidence: number, threshold: number): number =>
  Math.min(100, Math.max(0, (100 * Math.log(Math.max(1, evidence))) / Math.log(threshold)));
