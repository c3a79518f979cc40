import type { ReactNode } from "react";
import { SeveralSelect } from "../lists/several-select.tsx";
import { call } from "../server/api.ts";

const OFFERED = 50;

/** Tools by their names, among all that there are. */
export function ToolNames(props: { value: string[]; onChange(value: string[]): void; error: ReactNode }) {
  return (
    <SeveralSelect
      {...props}
      of="tools"
      label="Tools"
      description="Tools the model may call."
      find={findTools}
    />
  );
}

/** Tools whose name has the text in it, by name. */
export async function findTools(text: string, signal: AbortSignal) {
  const search = text ? { search_fields: ["name" as const], search_field_values: [text] } : {};
  const { items } = await call("GET /api/v1/tools/", {
    query: { ...search, fields: ["name"], limit: OFFERED, order_by: "name" },
    signal,
  });
  return [...new Set(items.map(({ name }) => name))].map((name) => ({ value: name, label: name }));
}
