import { Table, Text } from "@mantine/core";
import type { ReplayMean, ReplayRate, ReplaySummary } from "../api-types.ts";
import { Panel, Scroller, Status } from "../parts/parts.tsx";
import classes from "./replay.module.css";
import { MEASURES, rateWords, VERDICT_TONES } from "./replay-words.ts";

const points = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** What is compared, a line each: the three lanes, their difference with its interval, and what can be told. */
export function ReplayTable({ summary }: { summary: ReplaySummary }) {
  if (summary.results.replayed === 0) return null;
  return (
    <Panel title="Comparison" flush>
      <Scroller label="Comparison of the lanes" className={classes.scroll}>
        <Table aria-label="Comparison">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Compared</Table.Th>
              <Table.Th ta="right">Recorded</Table.Th>
              <Table.Th ta="right">Baseline</Table.Th>
              <Table.Th ta="right">Candidate</Table.Th>
              <Table.Th ta="right">Difference (95 % interval)</Table.Th>
              <Table.Th>Verdict</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {summary.rates.map((rate) => (
              <RateRow key={rateWords(rate)} rate={rate} />
            ))}
            {summary.means.map((mean) => (
              <MeanRow key={mean.measure} mean={mean} />
            ))}
          </Table.Tbody>
        </Table>
      </Scroller>
    </Panel>
  );
}

const RateRow = ({ rate }: { rate: ReplayRate }) => (
  <Table.Tr>
    <Table.Td>
      <bdi>{rateWords(rate)}</bdi>
      {rate.lost_unanswered > 0 && (
        <Text size="xs" c="dimmed">
          {rate.lost_unanswered} of the {rate.lost} lost had a call without a recorded answer.
        </Text>
      )}
    </Table.Td>
    {[rate.observed, rate.baseline, rate.candidate].map((count, lane) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lanes have fixed places
      <Table.Td key={lane} ta="right">
        {count} of {rate.pairs}
      </Table.Td>
    ))}
    <Interval {...rate} shown={points} />
    <Table.Td>
      <Status tone={VERDICT_TONES[rate.verdict]}>{rate.verdict}</Status>
      {rate.verdict === "can't tell" && rate.pairs_needed !== null && (
        <Text size="xs" c="dimmed">
          {Math.max(rate.pairs_needed, rate.pairs + 1)} sessions would be needed.
        </Text>
      )}
    </Table.Td>
  </Table.Tr>
);

function MeanRow({ mean }: { mean: ReplayMean }) {
  const { word, shown } = MEASURES[mean.measure];
  return (
    <Table.Tr>
      <Table.Td>{word}</Table.Td>
      {[mean.observed, mean.baseline, mean.candidate].map((value, lane) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lanes have fixed places
        <Table.Td key={lane} ta="right">
          {value === null ? "–" : shown(value)}
        </Table.Td>
      ))}
      <Interval {...mean} shown={shown} />
      <Table.Td>
        <Status tone={VERDICT_TONES[mean.verdict]}>{mean.verdict}</Status>
      </Table.Td>
    </Table.Tr>
  );
}

type IntervalProps = Pick<ReplayRate, "difference" | "low" | "high"> & { shown(value: number): string };

const Interval = ({ difference, low, high, shown }: IntervalProps) => (
  <Table.Td ta="right">
    {difference === null
      ? "–"
      : low === null || high === null
        ? shown(difference)
        : `${shown(difference)} (${shown(low)} to ${shown(high)})`}
  </Table.Td>
);
