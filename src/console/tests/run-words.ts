import type { TestResult, TestRunListed } from "../api-types.ts";
import type { Tone } from "../parts/parts.tsx";

export const RUN_WORDS: Record<TestRunListed["status"], { word: string; tone: Tone }> = {
  running: { word: "running", tone: "busy" },
  finished: { word: "finished", tone: "quiet" },
  cancelled: { word: "cancelled", tone: "warn" },
};

export const RESULT_WORDS: Record<TestResult["status"], { word: string; tone: Tone }> = {
  pending: { word: "waits", tone: "busy" },
  passed: { word: "passed", tone: "good" },
  failed: { word: "failed", tone: "bad" },
  error: { word: "could not run", tone: "bad" },
  skipped: { word: "not run", tone: "quiet" },
};

/** "19 of 20". */
export const passedWords = ({ passed, judged }: { passed: number; judged: number }): string =>
  judged === 0 ? "–" : `${passed} of ${judged}`;

/** "Demo clinic, version 2". */
export const testedWords = ({ agent, version }: Pick<TestRunListed, "agent" | "version">): string =>
  version === null ? agent : `${agent}, version ${version}`;
