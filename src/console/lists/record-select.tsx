import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { call, type Given } from "../server/api.ts";
import { type NamedList, recordName } from "../server/record-name.ts";

type Props = {
  /** The list that the records come from; they have an id and a name. */
  operation: NamedList;
  label: string;
  description?: ReactNode;
  value: number | null;
  /** How the chosen record is called, where the page knows it. */
  chosenName?: string | null | undefined;
  onChange(id: number | null): void;
  error?: ReactNode;
  required?: boolean;
  disabled?: boolean;
  placeholder?: string;
};

const TYPING_MS = 250;
const OFFERED = 50;

/** Selects one record of another kind, searched by name on the server. */
export function RecordSelect(props: Props) {
  const { operation, value, onChange, chosenName, ...rest } = props;
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  // The list has only the first ones, or what is searched for.
  const own = useQuery({
    ...recordName(operation, value ?? 0),
    enabled: value !== null && !chosenName,
  });
  const name = chosenName ?? own.data;
  const [searched] = useDebouncedValue(text === name ? "" : text.trim(), TYPING_MS);
  const list = useQuery({
    queryKey: [operation, "names", searched],
    enabled: isOpen,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const search = searched ? { search_fields: ["name"], search_field_values: [searched] } : {};
      const given = { query: { ...search, limit: OFFERED, order_by: "name" }, signal };
      return call(operation, given as unknown as Given<typeof operation>) as Promise<{
        items: { id: number; name: string }[];
      }>;
    },
  });
  const found = (list.data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  const known = value === null || found.some((option) => option.value === String(value));
  const unnamed = own.isLoading ? "Loading…" : `Number ${value}`;
  const chosen = known ? [] : [{ value: String(value), label: name ?? unnamed }];
  return (
    <Select
      {...rest}
      searchable
      clearable={!props.required}
      allowDeselect={!props.required}
      data={[...chosen, ...found]}
      // The server has looked already.
      filter={({ options }) => options}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage={list.isFetching ? "Looking…" : (list.error?.message ?? "No results")}
    />
  );
}
