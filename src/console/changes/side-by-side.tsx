import { Group, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Scroller } from "../parts/parts.tsx";
import { type FieldLabels, fieldLabel } from "../server/field-labels.ts";
import { DifferenceList } from "./difference-list.tsx";
import type { Difference } from "./differences.ts";
import { Folding } from "./folding.tsx";
import { type LineChange, lineChanges, sideBySide } from "./line-changes.ts";
import classes from "./side-by-side.module.css";
import { useShown } from "./use-shown.ts";

/** Narrower than that two columns have no room for a sentence. */
const TWO_COLUMNS = "(min-width: 62em)";

/**
 * What differs between two states of a record, the earlier on the left, value by value and line by line. On a narrow screen
 * the lines stand below each other.
 */
export function SideBySide(props: {
  entries: Difference[];
  labels: FieldLabels;
  before: string;
  after: string;
}) {
  const { entries, labels, before, after } = props;
  const shown = useShown(entries, labels);
  const isWide = useMediaQuery(TWO_COLUMNS, true, { getInitialValueInEffect: false });
  if (entries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No differences.
      </Text>
    );
  }
  if (!isWide) {
    return (
      <Stack gap="sm">
        <Group gap="md">
          <Text size="sm">− {before}</Text>
          <Text size="sm">+ {after}</Text>
        </Group>
        <DifferenceList entries={entries} labels={labels} />
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      {shown.map((entry) => (
        <div key={entry.path}>
          <Text size="sm" fw={550} mb={4}>
            {fieldLabel(entry.path, labels)}
          </Text>
          <Scroller className={classes.frame} label={`${fieldLabel(entry.path, labels)}, side by side`}>
            <table className={classes.table}>
              <thead>
                <tr>
                  <th scope="col">{before}</th>
                  <th scope="col">{after}</th>
                </tr>
              </thead>
              <tbody>
                <Folding
                  lines={sideBySide(lineChanges(entry.before, entry.after))}
                  isSame={({ before }) => before?.kind === "same"}
                  line={(pair, at) => (
                    <tr key={at}>
                      <Line change={pair.before} />
                      <Line change={pair.after} />
                    </tr>
                  )}
                  fold={(button) => (
                    <tr>
                      <td colSpan={2}>{button}</td>
                    </tr>
                  )}
                />
              </tbody>
            </table>
          </Scroller>
        </div>
      ))}
    </Stack>
  );
}

const SIGNS = { added: "+ ", removed: "− ", same: "  " };

const Line = ({ change }: { change: LineChange | null }) => (
  <td dir="auto" data-kind={change?.kind}>
    {change && SIGNS[change.kind]}
    {change?.text}
  </td>
);
