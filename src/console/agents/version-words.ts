import type { AgentChange, AgentFinding } from "../api-types.ts";
import { type Difference, differences } from "../changes/differences.ts";
import { groupFields } from "../languages/group-fields.ts";
import { messageFields } from "../messages/message-fields.ts";
import { MODEL_LABELS } from "../prompts/prompt-values.ts";
import { type FieldLabels, fieldLabel } from "../server/field-labels.ts";
import { TOOL_LABELS } from "../tools/tool-labels.ts";
import { AGENT_LABELS } from "./agent-values.ts";

/** "instructions, greeting and tool book", of the parts that differ. */
export function partNames(changes: readonly Pick<AgentChange, "part">[]): string {
  return new Intl.ListFormat("en", { type: "conjunction" }).format(changes.map(({ part }) => part));
}

/** "Version 3", "The draft". */
export const stateName = (state: number | "draft"): string =>
  state === "draft" ? "The draft" : `Version ${state}`;

/** "Instructions", "Settings", "Tool book", "Tool survey, step 2": where to look for a finding. */
export function findingPlace({ part, path }: Pick<AgentFinding, "part" | "path">): string {
  if (part === "instructions" || part === "settings" || part === "languages")
    return PARTS[part]?.title ?? part;
  const [, task, step] = /^\$\.context\.task(?:\[(\d+)\])?(?:\.steps\[(\d+)\])?/.exec(path) ?? [];
  const counted = (what: string, index: string | undefined) =>
    index === undefined ? [] : [`${what} ${Number(index) + 1}`];
  return [`Tool ${part}`, ...counted("task", task), ...counted("step", step)].join(", ");
}

/** What differs within each part, for the views that show differences. */
export const differencesOf = (changes: readonly AgentChange[]): Difference[] =>
  changes.flatMap(({ part, before, after }) => differences(before, after, part));

/** What differs by the words of the agent's forms; the name of a tool stands as the model reads it. */
export const labelsOf = (entries: readonly Difference[]): FieldLabels =>
  Object.fromEntries(entries.map(({ path }) => [path, labelOf(path)]));

function labelOf(path: string): string {
  // Names of parts hold no dot, a tool's among them.
  const [part = "", ...below] = path.split(".");
  const { title, labels } = PARTS[part] ?? { title: part.replace(/^tool /, "Tool "), labels: TOOL_LABELS };
  if (below.length === 0) return title;
  const field = fieldLabel(below.join("."), labels);
  return OWN.includes(part) ? field : `${title}, ${field}`;
}

/** What an agent is made of, by the names of its forms and of their fields. */
const PARTS: Readonly<Record<string, { title: string; labels?: FieldLabels }>> = {
  instructions: { title: "Instructions" },
  model: { title: "Model", labels: MODEL_LABELS },
  settings: { title: "Settings", labels: AGENT_LABELS },
  greeting: { title: "Greeting", labels: messageFields.labels },
  languages: { title: "Languages", labels: groupFields.labels },
  tools: { title: "Tools offered" },
  "session end tool": { title: "End-of-session tool", labels: TOOL_LABELS },
};

/** Parts whose fields are told apart by their names alone. */
const OWN = ["model", "settings", "languages"];
