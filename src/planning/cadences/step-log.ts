/** What the attempts of a request do not tell of its cadence: a step that was skipped, or what stopped the rest. */
export type StepLogEntry = {
  /** As in the request: 0 is the campaign's own. */
  step: number;
  kind: "skipped" | "stopped";
  at: string;
  text: string;
};

/** Why a step did not come, for the middle of a sentence: without the word that the sentence on its own begins with. */
export const reasonIn = (sentence: string): string =>
  sentence.replace(/^(?:Skipped|Stopped): /, "").replace(/\.$/, "");

/** Of one request: more than all steps of a cadence and what stopped it. */
const MOST_KEPT = 20;

export const withEntries = (
  log: readonly StepLogEntry[] | null,
  entries: readonly StepLogEntry[],
): StepLogEntry[] | null =>
  entries.length === 0 ? (log === null ? null : [...log]) : [...(log ?? []), ...entries].slice(-MOST_KEPT);
