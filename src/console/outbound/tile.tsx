import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { RouteLink } from "../parts/parts.tsx";
import classes from "./outbound.module.css";

/** A number with what it counts; `sign` stands above it, `about` below. With `to` the number leads to what it counts. */
export const Tile = (props: {
  count: number;
  sign?: ReactNode;
  about?: ReactNode;
  to?: string | undefined;
}) => (
  <div className={classes.tile}>
    {props.sign}
    <b>
      {props.to ? (
        <RouteLink to={props.to}>{props.count.toLocaleString("en")}</RouteLink>
      ) : (
        props.count.toLocaleString("en")
      )}
    </b>
    {props.about && <span>{props.about}</span>}
  </div>
);

/** Tiles that belong together; `title` stands above them where several such rows follow each other. */
export const Tiles = ({ title, children }: { title?: string; children: ReactNode }) => {
  const tiles = <div className={classes.tiles}>{children}</div>;
  if (title === undefined) return tiles;
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600} mb={6}>
        {title}
      </Text>
      {tiles}
    </section>
  );
};
