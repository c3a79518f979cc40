import type { InsightWorkflowInput, InsightWorkflowOutput } from "../api-types.ts";
import { type FieldLabels, worded } from "../server/field-labels.ts";
import { SOURCE_NAMES } from "./insight-words.tsx";

/** The form's values of a workflow. */
export type WorkflowValues = Omit<InsightWorkflowInput, "conditions" | "start_datetime" | "end_datetime"> & {
  start_datetime: string | null;
  end_datetime: string | null;
  conditions: {
    min_duration: number | null;
    max_duration: number | null;
    sample_rate: number | null;
    agent_list: string[];
    prompt_list: string[];
    folder_list: number[];
    sheet_info: Record<string, string>;
  };
};

export const WORKFLOW_LABELS: FieldLabels = {
  source: worded("Data", SOURCE_NAMES),
  insight_tool_ids: "Tools",
  start_datetime: "From",
  end_datetime: "Until",
  "conditions.min_duration": "Minimum duration (s)",
  "conditions.max_duration": "Maximum duration (s)",
  "conditions.sample_rate": "Sample rate (%)",
  "conditions.agent_list": "Agents",
  "conditions.folder_list": "Folders",
  "conditions.prompt_list": "Prompts",
  "conditions.sheet_info": "Sheet",
};

/** The number in a field; a lone "-" or "." is not a number yet. */
export const numberOrNull = (value: number | string): number | null =>
  value === "" || Number.isNaN(Number(value)) ? null : Number(value);

export function valuesOf(workflow: InsightWorkflowOutput | null): WorkflowValues {
  const conditions = workflow?.conditions;
  return {
    name: workflow?.name ?? "",
    source: (workflow?.source ?? "agent") as WorkflowValues["source"],
    description: workflow?.description ?? "",
    insight_tool_ids: workflow?.insight_tool_ids ?? [],
    start_datetime: workflow?.start_datetime ?? null,
    end_datetime: workflow?.end_datetime ?? null,
    conditions: {
      min_duration: conditions?.min_duration ?? null,
      max_duration: conditions?.max_duration ?? null,
      sample_rate: conditions?.sample_rate ?? null,
      agent_list: (conditions?.agent_list ?? []).map(String),
      prompt_list: conditions?.prompt_list ?? [],
      folder_list: conditions?.folder_list ?? [],
      sheet_info: conditions?.sheet_info ?? {},
    },
  };
}

/** The request body. Empty lists are sent as null, which means all. The API wants agents either all as numbers or all as names. */
export function sent({ conditions, ...values }: WorkflowValues): InsightWorkflowInput {
  const { agent_list, prompt_list, folder_list, sheet_info } = conditions;
  const isNumbers =
    agent_list.every((each) => /^(?:0|[1-9]\d{0,14})$/.test(each)) && values.source !== "upload";
  return {
    ...values,
    conditions: {
      ...conditions,
      agent_list: agent_list.length === 0 ? null : isNumbers ? agent_list.map(Number) : agent_list,
      prompt_list: prompt_list.length > 0 ? prompt_list : null,
      folder_list: folder_list.length > 0 ? folder_list : null,
      sheet_info: Object.keys(sheet_info).length > 0 ? sheet_info : null,
    },
  };
}
