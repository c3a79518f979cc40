import { Stack } from "@mantine/core";
import type { ComponentType } from "react";
import { PageHead } from "../parts/parts.tsx";
import { DataTable, type ListOf, type ListOperation } from "./data-table.tsx";
import { type NewRecord, useNewRecord } from "./new-record.tsx";

type ListKind<O extends ListOperation> = ListOf<O> & {
  title: string;
  about: string;
  /** The page that it is reached from, where the menu has none for it. */
  back?: { to: string; label: string };
  /** What a screen reader calls the table, where it is not the title. */
  label?: string;
  /** The button that begins a new record, where people make them. */
  create?: NewRecord;
  /** Further buttons of the head, and what stands above the list. */
  Actions?: ComponentType;
  Above?: ComponentType;
};

/** The page of all records of one kind: the list, and a button that begins a new one. */
export function listPage<O extends ListOperation>(kind: ListKind<O>): ComponentType {
  const { title, about, back, label = title, create = null, empty, Actions, Above } = kind;
  return function Page() {
    const { button, window } = useNewRecord(create);
    return (
      <>
        <PageHead
          title={title}
          about={about}
          {...(back && { back })}
          actions={
            Actions ? (
              <>
                <Actions />
                {button}
              </>
            ) : (
              button
            )
          }
        />
        <Stack gap="md">
          {Above && <Above />}
          <Rows {...kind} label={label} empty={{ action: button, ...empty }} />
        </Stack>
        {window}
      </>
    );
  };
}

/** Which operation it lists is known where the kind is written down; here it is any of them. */
const Rows = DataTable as unknown as ComponentType<{ label: string; empty: object }>;
