import { Text } from "@mantine/core";
import { RouteLink } from "../parts/parts.tsx";
import classes from "./charts.module.css";
import type { Bar } from "./figures.ts";

/** A bar chart made as a list with names and numbers, so that screen readers read the same. */
export function BarList(props: {
  bars: Bar[];
  label: string;
  /** The label of a bar without a name. */
  unnamed?: string;
  /** Where each bar leads; null: nowhere. */
  links?: (string | null)[];
}) {
  const { bars, label, unnamed = "(no name)", links = [] } = props;
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className={classes.bars} aria-label={label}>
      {bars.map(({ name, value, text = value.toLocaleString("en") }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rows may be called the same
        <li key={index}>
          <Text size="sm" component="bdi" className={classes.barName}>
            {links[index] ? <RouteLink to={links[index]}>{name || unnamed}</RouteLink> : name || unnamed}
          </Text>
          <span className={classes.track} aria-hidden>
            <span style={{ width: `${(value / most) * 100}%` }} />
          </span>
          <span className={classes.barValue}>{text}</span>
        </li>
      ))}
    </ul>
  );
}
