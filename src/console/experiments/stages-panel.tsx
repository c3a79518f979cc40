import { Table } from "@mantine/core";
import type { Experiment } from "../api-types.ts";
import { Panel, Scroller } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";
import { splitWords } from "./experiment-words.ts";
import classes from "./experiments.module.css";

/** Which weights held since when, and who set them. */
export const StagesPanel = ({ experiment }: { experiment: Experiment }) => (
  <Panel title="Stages" flush>
    <Scroller label="Stages of the experiment" className={classes.scroll}>
      <Table aria-label="Stages">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Stage</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th>Split</Table.Th>
            <Table.Th>By</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {experiment.stages.map(({ started_at, weights, changed_by }, at) => (
            <Table.Tr key={started_at}>
              <Table.Td>{at + 1}</Table.Td>
              <Table.Td>
                <Time at={started_at} />
              </Table.Td>
              <Table.Td miw="11rem">{splitWords(weights)}</Table.Td>
              <Table.Td>
                <bdi>{changed_by}</bdi>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroller>
  </Panel>
);
