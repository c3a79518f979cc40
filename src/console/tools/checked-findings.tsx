import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ToolCheckRequest } from "../api-types.ts";
import { Findings } from "../parts/findings.tsx";
import { call } from "../server/api.ts";

const TYPING_ms = 400;

/** Findings of the unsaved tool, as saving would report them: expressions, names of steps and tools, schemas. */
export function CheckedFindings({ tool }: { tool: ToolCheckRequest }) {
  const [checked] = useDebouncedValue(tool, TYPING_ms);
  const check = useQuery({
    queryKey: ["tool check", checked],
    queryFn: ({ signal }) => call("POST /api/v1/tools/check", { body: checked, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  // Errors of the definition's shape are reported at their fields on saving.
  return <Findings issues={check.error ? null : check.data?.validation_issues} />;
}
