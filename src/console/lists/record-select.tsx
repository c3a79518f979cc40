import { useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { call, type Given } from "../server/api.ts";
import { type NamedList, recordName } from "../server/record-name.ts";
import { SearchedSelect } from "./searched-select.tsx";

type Props = Omit<ComponentProps<typeof SearchedSelect>, "of" | "find" | "chosenName"> & {
  /** The list that the records come from; they have an id and a name. */
  operation: NamedList;
  /** How the chosen record is called, where the page knows it. */
  chosenName?: string | null | undefined;
  /** The name of a record that can't be chosen. */
  without?: string;
};

const OFFERED = 50;

/** Selects one record of another kind. */
export function RecordSelect({ operation, chosenName, without, ...rest }: Props) {
  // The list has only the first ones, or what is searched for.
  const own = useQuery({
    ...recordName(operation, rest.value ?? 0),
    enabled: rest.value !== null && !chosenName,
  });
  const find = async (text: string, signal: AbortSignal) => {
    const search = text ? { search_fields: ["name"], search_field_values: [text] } : {};
    const given = { query: { ...search, limit: OFFERED, order_by: "name" }, signal };
    const list = await call(operation, given as unknown as Given<typeof operation>);
    return (list as { items: { id: number; name: string }[] }).items.filter(({ name }) => name !== without);
  };
  return (
    <SearchedSelect
      {...rest}
      chosenName={chosenName ?? (own.isLoading ? "Loading…" : own.data)}
      of={[operation, "names"]}
      find={find}
    />
  );
}
