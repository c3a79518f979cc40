import { createContext, useContext } from "react";
import type { Step, ToolDefinition } from "../api-types.ts";
import { issuesBelow, type PlacedIssue } from "../workflows/issue-places.ts";
import type { KnownName } from "../workflows/names.ts";

/** A tool that an action may call. */
export type CallableTool = { name: string; service_id: number; definition: ToolDefinition };

/** What the fields of a step need to know of what is around it. */
export type StepSurroundings = {
  /** The findings of the step, with their places in it. */
  issues: readonly PlacedIssue[];
  names: readonly KnownName[];
  tools: readonly CallableTool[];
  readOnly: boolean;
};

/** Stores what becomes of a step as it is now. `key` names the field that is typed in, so that typing on is one edit. */
export type ChangeStep = (edit: (now: Step) => Step, key?: string) => void;

export const StepContext = createContext<StepSurroundings>({
  issues: [],
  names: [],
  tools: [],
  readOnly: false,
});

export const useSurroundings = (): StepSurroundings => useContext(StepContext);

/** What the checker found at a field, for its error line. */
export function useFault(...place: (string | number)[]): string | null {
  const { issues } = useSurroundings();
  const messages = issuesBelow(issues, place).map(({ message }) => message);
  return messages.length === 0 ? null : [...new Set(messages)].join(" ");
}
