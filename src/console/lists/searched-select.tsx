import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

type Props = Pick<
  SelectProps,
  "aria-label" | "className" | "clearButtonProps" | "label" | "size" | "style"
> & {
  description?: ReactNode;
  value: number | null;
  /** How the chosen one is called; null where nobody knows. */
  chosenName: string | null | undefined;
  onChange(id: number | null): void;
  error?: ReactNode;
  required?: boolean;
  disabled?: boolean;
  placeholder?: string;
  /** Why a form can't be sent with this choice: it would go without it. */
  "data-incomplete"?: string | undefined;
  /** Tells this choice from others in what is kept of earlier searches. */
  of: readonly unknown[];
  /** Looks on the server; an empty text finds the first ones. */
  find(text: string, signal: AbortSignal): Promise<{ id: number; name: string }[]>;
};

const TYPING_MS = 250;

/** Selects one of as many records as there may be, searched by name on the server. */
export function SearchedSelect({ of, find, value, chosenName, onChange, ...rest }: Props) {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const chosen = value === null ? null : { value: String(value), label: chosenName ?? `Number ${value}` };
  const wanted = text === chosen?.label ? "" : text.trim();
  const [searched] = useDebouncedValue(wanted, TYPING_MS);
  const list = useQuery({
    queryKey: [...of, searched],
    enabled: isOpen,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => find(searched, signal),
  });
  const found = (list.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  const isFound = found.some((option) => option.value === chosen?.value);
  return (
    <Select
      {...rest}
      searchable
      clearable={!rest.required}
      allowDeselect={!rest.required}
      data={[...(chosen && !isFound ? [chosen] : []), ...found]}
      // The server has looked already.
      filter={({ options }) => options}
      value={chosen?.value ?? null}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage={
        list.isFetching || searched !== wanted ? "Looking…" : (list.error?.message ?? "No results")
      }
    />
  );
}
