import { MultiSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

type Option = { value: string; label: string };

type Props = {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
  value: string[];
  onChange(value: string[]): void;
  /** Tells this choice from others in what is kept of earlier searches. */
  of: string;
  /** Looks on the server; an empty text finds the first ones. */
  find(text: string, signal: AbortSignal): Promise<Option[]>;
  /** How those that are chosen are called, where a value says it to nobody. */
  named?: ReadonlyMap<string, string>;
};

const TYPING_MS = 250;

/** Selects any number of records among as many as there may be, searched on the server. */
export function SeveralSelect({ of, find, named, value, ...rest }: Props) {
  const [text, setText] = useState("");
  const [searched] = useDebouncedValue(text.trim(), TYPING_MS);
  const list = useQuery({
    queryKey: ["several", of, searched],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => find(searched, signal),
  });
  const found = list.data ?? [];
  const chosen = value
    .filter((one) => !found.some((option) => option.value === one))
    .map((one) => ({ value: one, label: named?.get(one) ?? one }));
  return (
    <MultiSelect
      {...rest}
      searchable
      data={[...chosen, ...found]}
      // The server has looked already.
      filter={({ options }) => options}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={list.isFetching ? "Looking…" : (list.error?.message ?? "No results")}
    />
  );
}
