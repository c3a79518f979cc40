import { Text } from "@mantine/core";
import classes from "./charts.module.css";
import type { Bar } from "./figures.ts";

/** A few values as bars with their names and numbers written out: a plot that is a list, for every reader alike. */
export function BarList(props: {
  bars: Bar[];
  label: string;
  /** What stands for a bar without a name. */
  unnamed?: string;
}) {
  const { bars, label, unnamed = "(no name)" } = props;
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className={classes.bars} aria-label={label}>
      {bars.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rows may be called the same
        <li key={index}>
          <Text size="sm" component="bdi" className={classes.barName}>
            {name || unnamed}
          </Text>
          <span className={classes.track} aria-hidden>
            <span style={{ width: `${(value / most) * 100}%` }} />
          </span>
          <span className={classes.barValue}>{value.toLocaleString("en")}</span>
        </li>
      ))}
    </ul>
  );
}
