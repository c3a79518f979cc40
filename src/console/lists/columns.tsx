import type { ReactNode } from "react";
import { Name } from "../parts/names.tsx";
import { RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

/** The fields that can be shown as they are. */
type TextField<Row> = {
  [K in keyof Row]-?: Row[K] extends string | number | null | undefined ? K : never;
}[keyof Row] &
  string;

export type Column<Row> = {
  title: string;
  orderable?: boolean;
  /** Not shown until somebody chooses it; "narrow": in a window in which not all columns have room. */
  hidden?: boolean | "narrow";
  align?: "right";
  /** Only for those who have one of these permissions. */
  permissions?: readonly string[];
} & (
  | {
      /** Names the column in the address; where it can be ordered by, the API's field. */
      field: string;
      /** `params`: the address of the list. */
      render(row: Row, params: Record<string, string>): ReactNode;
    }
  | { field: TextField<Row>; render?: undefined }
);

/** The columns that are there for this person. */
export function useColumns<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  const may = useMay();
  return columns.filter(({ permissions }) => permissions?.some(may) ?? true);
}

/** What a cell shows: what the column makes of the row, or else its field's text. */
export function cell<Row>(column: Column<Row>, row: Row, params: Record<string, string> = {}): ReactNode {
  const value = column.render
    ? column.render(row, params)
    : (row[column.field] as string | number | null | undefined);
  if (typeof value !== "string" && typeof value !== "number") return value;
  return <Name>{value}</Name>;
}

/** The record's name, which leads to its page below `address`. */
export const nameColumn = <Row extends { id: number; name: string }>(address: string): Column<Row> => ({
  field: "name",
  title: "Name",
  orderable: true,
  render: ({ id, name }) => <RouteLink to={`${address}/${id}`}>{name}</RouteLink>,
});

export const descriptionColumn = <Row extends { description?: string | null | undefined }>() =>
  ({
    field: "description",
    title: "Description",
    orderable: true,
    render: ({ description }: Row) => <bdi>{description}</bdi>,
  }) satisfies Column<Row>;

/** A time to the minute, by which the list can be ordered. */
export const timeColumn = <Field extends string>(field: Field, title: string) => ({
  field,
  title,
  orderable: true,
  render: (row: { [K in Field]?: string | null | undefined }) => <Time at={row[field]} kind="minute" />,
});

/** When a record was changed last, by the field that its API has for it. */
export const changedColumn = <Field extends string>(field: Field) => timeColumn(field, "Updated");
