import { ActionIcon, Button, Checkbox, CloseButton, Popover, Select, Stack, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDebouncedValue } from "@mantine/hooks";
import { IconColumns3, IconFilter, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type CSSProperties, useState } from "react";
import { counted } from "../parts/counted.ts";
import { call } from "../server/api.ts";
import type { NamedList } from "../server/record-name.ts";
import classes from "./data-table.module.css";
import { RecordSelect } from "./record-select.tsx";

export type Filter = {
  field: string;
  label: string;
  /** Shown only while it is set: other pages link to the list with it. */
  byLink?: boolean;
  /** Shown once somebody asks for more filters, or when it is set. */
  more?: boolean;
} & (
  | { kind: "text" }
  | { kind: "choice"; choices: Choices }
  /** The name of a record of another kind, offered from its list. */
  | {
      kind: "name";
      operation: "GET /api/v1/tools/" | "GET /api/v1/agents/";
      any?: { value: string; label: string };
    }
  /** A record of another kind, chosen by its name; the API is asked for its number. */
  | { kind: "record"; operation: NamedList }
);

/** The label of each value, or a table with its `word`. */
type Choices = Readonly<Record<string, string | { word: string }>>;

const TYPING_MS = 300;

/** A debounced text: reported when typing pauses, and replaced when the address changes by a link or the back button. */
function useTyping(value: string, onChange: (value: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [told, setTold] = useState(value);
  const [seen, setSeen] = useState(value);
  const tell = useDebouncedCallback((typed: string) => {
    setTold(typed);
    onChange(typed);
  }, TYPING_MS);
  if (value !== seen) {
    setSeen(value);
    if (value !== told) {
      setText(value);
      tell.cancel();
    }
    setTold(value);
  }
  const type = (typed: string) => {
    setText(typed);
    tell(typed);
  };
  return [text, type];
}

/** Searches one field, debounced. */
export function SearchBox(props: { label: string; value: string; onChange(value: string): void }) {
  const [text, type] = useTyping(props.value, props.onChange);
  return (
    <TextInput
      className={classes.search}
      size="xs"
      aria-label={props.label}
      placeholder={props.label}
      leftSection={<IconSearch size={14} />}
      rightSection={text && <CloseButton size="xs" aria-label="Clear the search" onClick={() => type("")} />}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}

/** One filter of a list: a choice, or a text. */
export function FilterBox({
  filter,
  value,
  onChange,
}: {
  filter: Filter;
  value: string;
  onChange(value: string): void;
}) {
  const [text, type] = useTyping(value, onChange);
  if (filter.kind === "name") return <NameFilter {...{ filter, value, onChange }} />;
  const style = { "--label": `${filter.label.length * 0.5}rem` } as CSSProperties;
  if (filter.kind === "record")
    return (
      <RecordSelect
        className={classes.filter as string}
        style={style}
        size="xs"
        operation={filter.operation}
        aria-label={filter.label}
        placeholder={filter.label}
        value={/^\d{1,15}$/.test(value) ? Number(value) : null}
        onChange={(id) => onChange(id === null ? "" : String(id))}
        clearButtonProps={{ "aria-label": `Clear ${filter.label}` }}
      />
    );
  if (filter.kind === "choice") {
    return (
      <Select
        className={classes.filter}
        style={style}
        size="xs"
        aria-label={filter.label}
        placeholder={filter.label}
        data={Object.entries(filter.choices).map(([choice, label]) => ({
          value: choice,
          label: typeof label === "string" ? label : label.word,
        }))}
        value={value || null}
        onChange={(chosen) => onChange(chosen ?? "")}
        clearable
        clearButtonProps={{ "aria-label": `Clear ${filter.label}` }}
      />
    );
  }
  return (
    <TextInput
      className={classes.filter}
      style={style}
      size="xs"
      aria-label={filter.label}
      placeholder={filter.label}
      leftSection={<IconFilter size={14} />}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}

/** More than that are found by their names. */
const OFFERED = 100;

function NameFilter(props: {
  filter: Extract<Filter, { kind: "name" }>;
  value: string;
  onChange(value: string): void;
}) {
  const { filter, value, onChange } = props;
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  const chosen = filter.any?.value === value ? filter.any.label : value;
  const wanted = text === chosen ? "" : text.trim();
  const [searched] = useDebouncedValue(wanted, TYPING_MS);
  const names = useQuery({
    // Not "names": other pages keep whole records under that key.
    queryKey: [filter.operation, "names alone", searched],
    enabled: isOpen,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const search = searched ? { search_fields: ["name" as const], search_field_values: [searched] } : {};
      const query = { ...search, limit: OFFERED, order_by: "name" as const };
      const { items } = await call(filter.operation, { query, signal });
      return [...new Set((items as { name: string }[]).map(({ name }) => name))];
    },
  });
  const offered = (names.data ?? []).map((name) => ({ value: name, label: name }));
  const any = filter.any ? [filter.any] : [];
  const isKnown = [...any, ...offered].some((one) => one.value === value);
  return (
    <Select
      className={classes.filter}
      style={{ "--label": `${filter.label.length * 0.5}rem` } as CSSProperties}
      size="xs"
      aria-label={filter.label}
      placeholder={filter.label}
      data={[...any, ...(value === "" || isKnown ? [] : [{ value, label: value }]), ...offered]}
      value={value || null}
      onChange={(name) => onChange(name ?? "")}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage={names.isFetching || searched !== wanted ? "Looking…" : "Nothing by that name"}
      searchable
      clearable
      clearButtonProps={{ "aria-label": `Clear ${filter.label}` }}
    />
  );
}

const PERIODS = [
  { value: "1", label: "Today" },
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "90", label: "Last 90 days" },
];

/** A number of days up to today. */
export function PeriodFilter(props: { value: number | null; onChange(days: number | null): void }) {
  const value = props.value === null ? null : String(props.value);
  const isKnown = value === null || PERIODS.some((one) => one.value === value);
  return (
    <Select
      className={classes.filter}
      size="xs"
      aria-label="Period"
      placeholder="Period"
      data={isKnown ? PERIODS : [...PERIODS, { value, label: `Last ${counted(Number(value), "day")}` }]}
      value={value}
      onChange={(chosen) => props.onChange(chosen === null ? null : Number(chosen))}
      clearable
      clearButtonProps={{ "aria-label": "Clear Period" }}
    />
  );
}

/** Which columns are shown; at least one. */
export function ColumnChooser(props: {
  columns: readonly { field: string; title: string }[];
  shown: string[];
  onChange(fields: string[] | null): void;
}) {
  const { columns, shown, onChange } = props;
  const toggle = (field: string) => {
    const next = columns
      .map((column) => column.field)
      .filter((name) => (name === field ? !shown.includes(name) : shown.includes(name)));
    if (next.length > 0) onChange(next);
  };
  return (
    <Popover position="bottom-end" withArrow trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon aria-label="Choose columns" className={classes.columns} variant="default" size={30}>
          <IconColumns3 size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        {/* Scrolled inside: a page that scrolls takes the button out of sight, and the list with it. */}
        <Stack gap={8} mah="45vh" style={{ overflowY: "auto" }}>
          {columns.map(({ field, title }) => (
            <Checkbox
              key={field}
              size="xs"
              label={title}
              checked={shown.includes(field)}
              onChange={() => toggle(field)}
            />
          ))}
          <Button size="compact-xs" variant="subtle" onClick={() => onChange(null)}>
            Reset
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
