import type { KeyAccess } from "../accounts/provider-keys.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import type { ModelUsage } from "../llm/model.ts";
import type { Engine } from "../sessions/engine.ts";
import type { RecordingStore } from "../sessions/recordings/recording-store.ts";
import type { InsightValue } from "./check-answer.ts";
import type { ToolArguments, Transcriber } from "./tool-arguments.ts";
import type { AnalysisSubject, RecordingFile, Transcript } from "./transcript.ts";

/** What running a tool takes: the model, the one door outwards, credentials, prices, and where recordings lie. */
export type ToolRunner = Pick<Engine, "resolveModel" | "allowance" | "egress" | "auth"> & {
  catalogue: readonly LlmEntry[];
  recordings: Pick<RecordingStore, "open">;
  /** How a sub-organization reaches a service that transcribes; null: there is no key for it. */
  transcriptionAccess(sub_organization_id: number, provider: Transcriber): Promise<KeyAccess | null>;
};

/** One tool on one session or recording. Nothing is stored, and no transaction may be open around it. */
export type ToolRun<Tool extends ToolArguments = ToolArguments> = {
  sub_organization_id: number;
  subject: AnalysisSubject;
  tool: Tool;
  /** null: a recording that was not transcribed. */
  transcript: Transcript | null;
  /** What is analysed when that is a recording. */
  file: RecordingFile | null;
  /** What earlier tools found, by key. */
  insights: Record<string, unknown>;
  signal: AbortSignal;
};

export type ToolRunOutcome =
  | { kind: "done"; values: InsightValue[]; used: Used }
  | { kind: "failed"; message: string; retry: Retry; used: Used }
  /** This installation can't run the tool. */
  | { kind: "unsupported"; message: string };

/** Whether the same run may succeed: never, later, or as soon as a service lets us again. */
export type Retry =
  | { when: "never" }
  | { when: "later" }
  | { when: "allowed"; retry_after_ms: number | null }
  /** An allowance of ours is used up until then; however often, that is no failure. */
  | { when: "after"; wait_ms: number };
export const NEVER: Retry = { when: "never" };
export const LATER: Retry = { when: "later" };

/** Usage of a run, of a failed one too. `model`: the one that answered; null: none was asked. */
export type Used = {
  model: string | null;
  /** Of all calls together. */
  usage: ModelUsage | null;
  /** List price; null where nothing was paid or the price is not known. */
  cost_usd: number | null;
  /** Into how many parts the transcript was cut. */
  parts: number;
};

export const NOTHING_USED: Used = { model: null, usage: null, cost_usd: null, parts: 1 };

export const done = (values: InsightValue[], used = NOTHING_USED): ToolRunOutcome => ({
  kind: "done",
  values,
  used,
});

export const failed = (message: string, retry: Retry = NEVER, used = NOTHING_USED): ToolRunOutcome => ({
  kind: "failed",
  message,
  retry,
  used,
});

/** Of those that answer for the offline model, whose words are no analysis. */
export const SCRIPTED = "scripted";
export const isScripted = ({ model }: Used): boolean => model === SCRIPTED;
