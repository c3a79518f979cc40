import { ActionIcon, Button, Checkbox, CloseButton, Popover, Select, Stack, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconColumns3, IconFilter, IconSearch } from "@tabler/icons-react";
import { type CSSProperties, useState } from "react";
import classes from "./data-table.module.css";

export type Filter =
  | { field: string; label: string; kind: "text" }
  | { field: string; label: string; kind: "choice"; choices: Choices };

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
  const style = { "--label": `${filter.label.length * 0.5}rem` } as CSSProperties;
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
    <Popover position="bottom-end" withArrow>
      <Popover.Target>
        <ActionIcon aria-label="Choose columns" className={classes.columns} variant="default" size={30}>
          <IconColumns3 size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={6}>
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
