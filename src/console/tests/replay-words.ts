import type { ReplayDivergence, ReplayMean, ReplayPair, ReplayRate } from "../api-types.ts";
import type { Tone } from "../parts/parts.tsx";

/** "the draft", "version 3". */
export const stateWords = (state: string): string =>
  state === "recorded" ? "each session's own version" : state === "draft" ? "the draft" : `version ${state}`;

const KINDS: Record<ReplayRate["kind"], string> = {
  outcome: "Reaches the recorded outcome",
  check: "Check:",
  tool: "Succeeds with",
  step: "Reaches step",
  ended_by_agent: "Ended by the agent",
  followed: "Follows the recording",
};
export const rateWords = ({ kind, name }: Pick<ReplayRate, "kind" | "name">): string =>
  name === null ? KINDS[kind] : `${KINDS[kind]} ${name}`;

const decimal = (value: number) => value.toFixed(1);
export const MEASURES: Record<ReplayMean["measure"], { word: string; shown(value: number): string }> = {
  turns: { word: "Turns", shown: decimal },
  calls: { word: "Tool calls", shown: decimal },
  cost_usd: { word: "Cost", shown: (value) => `${value < 0 ? "-" : ""}$${Math.abs(value).toFixed(4)}` },
  latency_ms: { word: "Latency", shown: (value) => `${value.toFixed(0)} ms` },
};

export const VERDICT_TONES: Record<ReplayRate["verdict"] | ReplayMean["verdict"], Tone> = {
  better: "good",
  worse: "bad",
  different: "warn",
  more: "warn",
  less: "warn",
  "can't tell": "quiet",
};

export const PAIR_WORDS: Record<ReplayPair["status"], { word: string; tone: Tone }> = {
  pending: { word: "waits", tone: "busy" },
  replayed: { word: "replayed", tone: "good" },
  error: { word: "could not run", tone: "bad" },
  skipped: { word: "not run", tone: "quiet" },
};

const WHY: Record<ReplayDivergence["why"], string> = {
  "other words": "the agent asked something else",
  "nothing fits": "the recording has no answer to what the agent said",
  "unanswered call": "a call that the recording has no answer for",
};
/** "Diverged in turn 2: the agent asked something else". */
export const divergenceWords = ({ turn, why, tool }: ReplayDivergence): string =>
  `Diverged in turn ${turn}: ${WHY[why]}${tool === null ? "" : ` (${tool})`}`;
