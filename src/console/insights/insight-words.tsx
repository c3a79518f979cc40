import type {
  InsightExecution,
  InsightToolDefinition,
  InsightWorkflowEstimate,
  InsightWorkflowInput,
  InsightWorkflowOutput,
} from "../api-types.ts";
import { Status, type Tone } from "../parts/parts.tsx";

export const SOURCES: Record<InsightWorkflowInput["source"], { name: string; about: string }> = {
  agent: { name: "sessions", about: "The part of a session that an agent held." },
  transfer: { name: "transferred calls", about: "The part of a call after it was transferred." },
  upload: { name: "recordings", about: "Recordings uploaded into folders." },
  manual: { name: "by hand only", about: "Only sessions and recordings you queue." },
  sheet: { name: "a sheet", about: "Kept for programs that use the API: it can't be activated." },
};

export const SOURCE_NAMES = Object.entries(SOURCES).map(([value, { name }]) => ({ value, label: name }));

/** Nothing here reads a sheet. */
export const OFFERED_SOURCES = SOURCE_NAMES.filter(({ value }) => value !== "sheet");

export const sourceName = (source: string): string =>
  Object.hasOwn(SOURCES, source) ? SOURCES[source as keyof typeof SOURCES].name : source;

/** Days of a workflow are compared with when a session began, and with when a recording was uploaded. */
export const began = (source: string): string => (source === "upload" ? "was uploaded" : "began");

const TOOL_KINDS: Record<string, string> = {
  llm: "Model",
  transcription: "Transcription",
  http: "HTTP request",
  regex: "Regular expression",
};
export const kindName = (definition: InsightToolDefinition | null | undefined): string =>
  definition ? (TOOL_KINDS[definition.type] ?? definition.name) : "–";

/** The kinds to choose from; two of one kind are told apart by their names. */
export const kindChoices = (definitions: readonly InsightToolDefinition[]) =>
  definitions.map((definition) => {
    const alike = definitions.filter(({ type }) => type === definition.type);
    const name = kindName(definition);
    return {
      value: String(definition.id),
      label: alike[0] === definition ? name : `${name} (${definition.name})`,
    };
  });

const EXECUTIONS: Record<InsightExecution["status"], { tone: Tone; word: string }> = {
  PENDING: { tone: "quiet", word: "waiting" },
  PROCESSING: { tone: "busy", word: "running" },
  COMPLETED: { tone: "good", word: "done" },
  FAILED: { tone: "bad", word: "failed" },
};
export const ExecutionStatus = ({ status }: Pick<InsightExecution, "status">) => (
  <Status tone={EXECUTIONS[status].tone}>{EXECUTIONS[status].word}</Status>
);

export const CAUSES: Record<InsightExecution["cause"], string> = {
  session: "session ended",
  upload: "recording uploaded",
  manual: "manual",
  backfill: "backfill",
};

/** 1,200; a dash where the number is unknown. */
export const tokens = (count: number | null): string =>
  count === null ? "–" : Math.round(count).toLocaleString("en");

/** null where the estimate took too long: its numbers are 0 then and mean nothing. */
export const knownEstimate = (workflow: InsightWorkflowOutput): InsightWorkflowEstimate | null =>
  workflow.estimate_problem === undefined ? workflow.estimate : null;

/** "120 for $0.41"; an estimate of $0 means that the cost is unknown, a dash that there is no estimate. */
export function expectedDay(workflow: InsightWorkflowOutput): string {
  const estimate = knownEstimate(workflow);
  if (estimate === null) return "–";
  const { estimated_daily_cost: cost } = estimate;
  return cost > 0 ? `${dailyCount(estimate)} for ${dollars(cost)}` : dailyCount(estimate);
}

/** Of one in several days the count is rounded to none, and its length and cost are not. */
export const dailyCount = (estimate: InsightWorkflowEstimate): string =>
  estimate.estimated_daily_count === 0 &&
  estimate.estimated_daily_cost + estimate.estimated_daily_duration > 0
    ? "under 1"
    : estimate.estimated_daily_count.toLocaleString("en");

/** $0.0041, $12.30; zero cost has a word of its own, and an unknown cost is a dash. */
export function dollars(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return "–";
  if (amount === 0) return "$0";
  const digits = amount >= 1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(amount)));
  return `$${amount.toLocaleString("en", { minimumFractionDigits: Math.min(2, digits), maximumFractionDigits: digits })}`;
}
