import type { AgentChange, AgentFinding } from "../api-types.ts";
import { type Difference, differences } from "../changes/differences.ts";
import type { FieldLabels } from "../server/field-labels.ts";

/** "instructions, greeting and tool book", of the parts that differ. */
export function partNames(changes: readonly Pick<AgentChange, "part">[]): string {
  return new Intl.ListFormat("en", { type: "conjunction" }).format(changes.map(({ part }) => part));
}

/** "Version 3", "The draft". */
export const stateName = (state: number | "draft"): string =>
  state === "draft" ? "The draft" : `Version ${state}`;

/** "Instructions", "Tool book", "Tool survey, step 2": where to look for a finding. */
export function findingPlace({ part, path }: Pick<AgentFinding, "part" | "path">): string {
  if (part === "instructions") return "Instructions";
  const [, task, step] = /^\$\.context\.task(?:\[(\d+)\])?(?:\.steps\[(\d+)\])?/.exec(path) ?? [];
  const counted = (what: string, index: string | undefined) =>
    index === undefined ? [] : [`${what} ${Number(index) + 1}`];
  return [`Tool ${part}`, ...counted("task", task), ...counted("step", step)].join(", ");
}

/** What differs within each part, for the views that show differences. */
export const differencesOf = (changes: readonly AgentChange[]): Difference[] =>
  changes.flatMap(({ part, before, after }) => differences(asLines(before), asLines(after), part));

/** A list of names is read best a line each, so that one that moved is seen to. */
const asLines = (value: unknown): unknown =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string") ? value.join("\n") : value;

/** A part's name may hold a dot (a tool's never does) and stands as it is. */
export const PART_LABELS: FieldLabels = {
  instructions: "Instructions",
  model: "Model",
  settings: "Settings",
  greeting: "Greeting",
  languages: "Languages",
  tools: "Tools offered",
};
