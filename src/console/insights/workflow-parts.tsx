import { ActionIcon, Group, MultiSelect, Select, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../ground/api.ts";
import { useMay } from "../ground/me.tsx";
import classes from "./insights.module.css";

const OFFERED = 200;

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
  const tools = useQuery({
    queryKey: ["GET /api/v1/insights/tool-configurations", "names"],
    enabled: may("insights_read"),
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/tool-configurations", {
        query: { limit: OFFERED, order_by: "name" },
        signal,
      }),
  });
  const known = new Map([...names, ...(tools.data?.items ?? []).map(({ id, name }) => [id, name] as const)]);
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
                  <ActionIcon
                    aria-label={`Leave ${name} out`}
                    onClick={() => onChange(ids.toSpliced(index, 1))}
                  >
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
          placeholder="Add a tool"
          searchable
          data={[...known]
            .filter(([id]) => !ids.includes(id))
            .map(([id, name]) => ({ value: String(id), label: name }))}
          value={null}
          onChange={(id) => id !== null && onChange([...ids, Number(id)])}
          error={error}
          nothingFoundMessage="No tool by that name"
        />
      )}
    </div>
  );
}

export function FolderSelect(props: { value: number[]; onChange(ids: number[]): void; error: ReactNode }) {
  const folders = useQuery({
    queryKey: ["GET /api/v1/insights/folders/", "names"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/folders/", { query: { limit: OFFERED, order_by: "name" }, signal }),
  });
  const found = (folders.data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  const unknown = props.value.filter((id) => !found.some(({ value }) => value === String(id)));
  return (
    <MultiSelect
      label="Folders"
      description="Where recordings are taken from."
      searchable
      data={[...found, ...unknown.map((id) => ({ value: String(id), label: `Folder ${id}` }))]}
      value={props.value.map(String)}
      onChange={(ids) => props.onChange(ids.map(Number))}
      error={props.error}
    />
  );
}
