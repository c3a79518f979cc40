import { ActionIcon, Group, MultiSelect, Select, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import classes from "./insights.module.css";

const OFFERED = 200;
const TYPING_ms = 250;
const TOOLS = "GET /api/v1/insights/tool-configurations";
const FOLDERS = "GET /api/v1/insights/folders/";

/** Selects records, searched by name on the server; `names` keeps every name that was ever offered. */
function useNames(operation: typeof TOOLS | typeof FOLDERS, enabled = true) {
  const [text, setText] = useState("");
  const [searched] = useDebouncedValue(text.trim(), TYPING_ms);
  const list = useQuery({
    queryKey: [operation, "names", searched],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const search = searched ? { search_fields: ["name" as const], search_field_values: [searched] } : {};
      return call(operation, { query: { ...search, limit: OFFERED, order_by: "name" }, signal });
    },
  });
  const names = useRef(new Map<number, string>()).current;
  const offered = list.data?.items ?? [];
  for (const { id, name } of offered) names.set(id, name);
  return { offered, names, setText, isLooking: list.isFetching || searched !== text.trim() };
}

/** Tools run in this order, and may read what those before them found. */
export function ToolOrder(props: {
  ids: number[];
  names: Map<number, string>;
  onChange(ids: number[]): void;
  error: ReactNode;
  readOnly: boolean;
}) {
  const { ids, names, onChange, error, readOnly } = props;
  const may = useMay();
  const tools = useNames(TOOLS, may("insights_read"));
  const known = new Map([...names, ...tools.names]);
  const move = (from: number, to: number) =>
    onChange(ids.toSpliced(from, 1).toSpliced(to, 0, ids[from] as number));
  return (
    <div>
      <Text size="sm" fw={500}>
        Tools, in the order they run
      </Text>
      <ol className={classes.ordered}>
        {ids.map((id, index) => {
          const name = known.get(id) ?? `Tool ${id}`;
          return (
            <li key={id}>
              <span className={classes.place}>{index + 1}.</span>
              <bdi>{name}</bdi>
              {!readOnly && (
                <Group gap={2} wrap="nowrap">
                  <ActionIcon
                    aria-label={`Move ${name} up`}
                    disabled={index === 0}
                    onClick={() => move(index, index - 1)}
                  >
                    <IconArrowUp size={15} />
                  </ActionIcon>
                  <ActionIcon
                    aria-label={`Move ${name} down`}
                    disabled={index === ids.length - 1}
                    onClick={() => move(index, index + 1)}
                  >
                    <IconArrowDown size={15} />
                  </ActionIcon>
                  <ActionIcon aria-label={`Remove ${name}`} onClick={() => onChange(ids.toSpliced(index, 1))}>
                    <IconX size={15} />
                  </ActionIcon>
                </Group>
              )}
            </li>
          );
        })}
      </ol>
      {!readOnly && (
        <Select
          mt={6}
          aria-label="Tool to add"
          placeholder="Add tool"
          searchable
          data={tools.offered
            .filter(({ id }) => !ids.includes(id))
            .map(({ id, name }) => ({ value: String(id), label: name }))}
          value={null}
          onChange={(id) => id !== null && onChange([...ids, Number(id)])}
          onSearchChange={tools.setText}
          error={error}
          nothingFoundMessage={tools.isLooking ? "Looking…" : "No tool by that name"}
        />
      )}
    </div>
  );
}

export function FolderSelect(props: { value: number[]; onChange(ids: number[]): void; error: ReactNode }) {
  const folders = useNames(FOLDERS);
  const found = folders.offered.map(({ id, name }) => ({ value: String(id), label: name }));
  const others = props.value.filter((id) => !folders.offered.some((folder) => folder.id === id));
  return (
    <MultiSelect
      label="Folders"
      description="Recordings in these folders are analyzed."
      searchable
      data={[
        ...found,
        ...others.map((id) => ({ value: String(id), label: folders.names.get(id) ?? `Folder ${id}` })),
      ]}
      value={props.value.map(String)}
      onChange={(ids) => props.onChange(ids.map(Number))}
      onSearchChange={folders.setText}
      nothingFoundMessage={folders.isLooking ? "Looking…" : "No folder by that name"}
      error={props.error}
    />
  );
}
