import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ToolCheckRequest } from "../api-types.ts";
import { Findings } from "../parts/findings.tsx";
import { call } from "../server/api.ts";

const TYPING_ms = 400;

/** What saving the tool as it is being written would find: expressions, names of steps and tools, schemas. */
export function CheckedFindings({ tool }: { tool: ToolCheckRequest }) {
  const [checked] = useDebouncedValue(tool, TYPING_ms);
  const check = useQuery({
    queryKey: ["tool check", checked],
    queryFn: ({ signal }) => call("POST /api/v1/tools/check", { body: checked, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  // A shape that is wrong already is told at its field when it is saved.
  return <Findings issues={check.error ? null : check.data?.validation_issues} />;
}
