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

export const Tiles = ({ children }: { children: ReactNode }) => (
  <div className={classes.tiles}>{children}</div>
);
