import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ToolCheckRequest, ValidationIssue } from "../api-types.ts";
import { useSettled } from "../parts/use-settled.ts";
import { ApiError, call } from "../server/api.ts";
import { type PlacedIssue, placedIssues } from "../workflows/issue-places.ts";

const TYPING_ms = 400;

type Checked = { issues: ValidationIssue[]; placed: PlacedIssue[] };
const NOTHING: Checked = { issues: [], placed: [] };

/** Findings of the unsaved tool, as saving would report them: expressions, names of steps and tools, schemas. */
export function useCheckedFindings(tool: ToolCheckRequest, isWanted: boolean): Checked {
  const checked = useSettled(tool, TYPING_ms);
  const check = useQuery({
    queryKey: ["tool check", checked],
    queryFn: ({ signal }) => call("POST /api/v1/tools/check", { body: checked, signal }),
    enabled: isWanted && checked.service_id > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (!isWanted) return NOTHING;
  // Errors of the definition's shape are shown at their places; the form itself reports them on saving.
  if (check.error instanceof ApiError) return { issues: [], placed: shapeIssues(check.error) };
  const issues = check.data?.validation_issues ?? [];
  return { issues, placed: placedIssues(issues) };
}

const shapeIssues = ({ issues }: ApiError): PlacedIssue[] =>
  issues
    .filter(({ loc }) => loc[1] === "definition")
    .map(({ loc, msg, type }) => ({ id: type, severity: "error", message: msg, path: loc.slice(2) }));
