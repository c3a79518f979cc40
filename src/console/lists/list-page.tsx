import { IconPlus } from "@tabler/icons-react";
import type { ComponentProps, ComponentType, ReactNode } from "react";
import { Empty, LinkButton, PageHead, RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { type Column, DataTable, type ListOperation, type RowOf } from "./data-table.tsx";

/** Lists whose records have a number each. */
type NumberedList = {
  [O in ListOperation]: RowOf<O> extends { id: number } ? O : never;
}[ListOperation];

type ListKind<O extends ListOperation> = Omit<
  ComponentProps<typeof DataTable<O>>,
  "rowKey" | "empty" | "label"
> & {
  title: string;
  about: string;
  /** What a screen reader calls the table, where it is not the title. */
  label?: string;
  /** The button that begins a new record, for those who may. */
  create: { permission: string; to: string; label: string };
  /** What the place is for, where there is nothing yet. */
  empty: { title: string; icon: ComponentType<{ size?: number }>; about: ReactNode };
};

/** The page of all records of one kind: the list, and a button that begins a new one. */
export function listPage<O extends NumberedList>(kind: ListKind<O>): ComponentType {
  const { title, about, label = title, create, empty, ...list } = kind;
  return function Page() {
    const may = useMay();
    const begin = may(create.permission) && (
      <LinkButton to={create.to} leftSection={<IconPlus size={15} />}>
        {create.label}
      </LinkButton>
    );
    return (
      <>
        <PageHead title={title} about={about} actions={begin} />
        <DataTable<O>
          {...(list as unknown as Omit<ComponentProps<typeof DataTable<O>>, "rowKey" | "empty" | "label">)}
          label={label}
          rowKey={(row) => (row as { id: number }).id}
          empty={
            <Empty title={empty.title} icon={<empty.icon size={28} />} action={begin}>
              {empty.about}
            </Empty>
          }
        />
      </>
    );
  };
}

/** The record's name, which leads to its page below `address`. */
export const nameColumn = <Row extends { id: number; name: string }>(address: string): Column<Row> => ({
  field: "name",
  title: "Name",
  orderable: true,
  render: ({ id, name }) => <RouteLink to={`${address}/${id}`}>{name}</RouteLink>,
});

export const descriptionColumn = <
  Row extends { description?: string | null | undefined },
>(): Column<Row> => ({
  field: "description",
  title: "Description",
  orderable: true,
  render: ({ description }) => <bdi>{description}</bdi>,
});

/** When a record was changed last, by the field that its API has for it. */
export const changedColumn = <Field extends string>(field: Field) => ({
  field,
  title: "Updated",
  orderable: true,
  render: (row: { [K in Field]?: string | null | undefined }) => {
    const at = row[field];
    return at && <Time at={at} kind="minute" />;
  },
});
