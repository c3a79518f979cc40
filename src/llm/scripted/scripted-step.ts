/** The result of a step workflow's submit tool: which step the conversation is in now, and what it wants. */
import { isRecord } from "./scripted-history.ts";
import { spoken } from "./scripted-template.ts";

export type StepResult = Record<string, unknown> & {
  status: "active" | "completed" | "error";
  step: unknown;
};

export const isStepResult = (result: unknown): result is StepResult =>
  isRecord(result) &&
  (result.status === "active" || result.status === "completed" || result.status === "error") &&
  ("step" in result || result.status === "completed") &&
  ("instructions" in result ||
    "goal" in result ||
    "inputs" in result ||
    "errors" in result ||
    "say" in result);

/** What the step knows already, so that it isn't asked for again. */
export const stepCollected = (result: StepResult): [string, unknown][] =>
  (isRecord(result.collected) ? Object.entries(result.collected) : []).filter(
    ([, value]) => value !== null && value !== "",
  );

export const stepErrors = (result: StepResult): { input: string; message: string }[] =>
  (Array.isArray(result.errors) ? result.errors : []).flatMap((error) =>
    isRecord(error) ? [{ input: spoken(error.input), message: spoken(error.message) }] : [],
  );

/** A text or a list of texts, of which steps have several. */
export const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (text): text is string => typeof text === "string" && text.trim() !== "",
  );
