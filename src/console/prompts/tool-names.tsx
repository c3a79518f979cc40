import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../server/api.ts";

/** Tools by their names, among all that there are. */
export function ToolNames(props: { value: string[]; onChange(value: string[]): void; error: ReactNode }) {
  const tools = useQuery({
    queryKey: ["GET /api/v1/tools/", "all names"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/tools/", { query: { fields: ["name"], limit: 1000, order_by: "name" }, signal }),
  });
  const names = (tools.data?.items ?? []).map(({ name }) => name);
  return (
    <MultiSelect
      label="Tools"
      description="Tools the model may call."
      searchable
      limit={100}
      data={[...new Set([...names, ...props.value])]}
      value={props.value}
      onChange={props.onChange}
      error={props.error}
    />
  );
}
