import { Text } from "@mantine/core";
import type { TestSummary } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import classes from "./pass-rate.module.css";

type Rate = TestSummary["cases"];

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** "19 of 20 tests passed", as a bar on which the 95 % interval lies. */
export function PassRate({ rate }: { rate: Rate }) {
  const { passed, total, low, high } = rate;
  if (low === null || high === null) return <Text size="sm">No results yet.</Text>;
  return (
    <div className={classes.rate}>
      <Text fw={600} component="div">
        {passed} of {counted(total, "test")} passed
      </Text>
      <div className={classes.track} aria-hidden>
        <span className={classes.passed} style={{ width: `${(100 * passed) / total}%` }} />
        <span
          className={classes.interval}
          style={{ insetInlineStart: `${100 * low}%`, width: `${100 * (high - low)}%` }}
        />
      </div>
      <Text size="xs" c="dimmed">
        With {counted(total, "test")}, the true pass rate is between {percent(low)} and {percent(high)} (95 %
        interval).
      </Text>
    </div>
  );
}
