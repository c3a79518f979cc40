import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../server/api.ts";

/** The agent uses the latest version of its prompt unless one is chosen here. */
export function PromptVersionSelect(props: {
  prompt_id: number;
  value: number | null;
  onChange(version: number | null): void;
  error: ReactNode;
}) {
  const { prompt_id, value, onChange, error } = props;
  const history = useQuery({
    queryKey: ["prompt history", prompt_id],
    queryFn: ({ signal }) => call("GET /api/v1/prompts/{prompt_id}/history", { path: { prompt_id }, signal }),
    enabled: prompt_id > 0,
  });
  const numbers = (history.data ?? []).map((version) => String(version.version_number));
  const kept = value !== null && !numbers.includes(String(value)) ? [String(value)] : [];
  return (
    <Select
      label="Version"
      placeholder="Latest version"
      data={[...kept, ...numbers].map((number) => ({ value: number, label: `Version ${number}` }))}
      value={value === null ? null : String(value)}
      onChange={(number) => onChange(number === null ? null : Number(number))}
      clearable
      error={error}
    />
  );
}
