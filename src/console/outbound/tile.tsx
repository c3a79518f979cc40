import type { ReactNode } from "react";
import classes from "./outbound.module.css";

/** A number with what it counts; `sign` stands above it, `about` below. */
export const Tile = (props: { count: number; sign?: ReactNode; about?: ReactNode }) => (
  <div className={classes.tile}>
    {props.sign}
    <b>{props.count.toLocaleString("en")}</b>
    {props.about && <span>{props.about}</span>}
  </div>
);

export const Tiles = ({ children }: { children: ReactNode }) => (
  <div className={classes.tiles}>{children}</div>
);
