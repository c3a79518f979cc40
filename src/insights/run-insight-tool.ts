import { RE2JS } from "re2js";
import type { EgressOutcome } from "../base/egress.ts";
import { unreachable } from "../base/errors.ts";
import { type LanguageModel, ModelError, type ModelUsage, readAnswer } from "../llm/model.ts";
import type { Engine } from "../sessions/engine.ts";
import { buildAnalysis, repairMessages } from "./build-analysis.ts";
import { checkAnswer, type InsightValue, storable } from "./check-answer.ts";
import type { ToolArguments } from "./tool-arguments.ts";
import type { AnalysisSubject, Transcript } from "./transcript.ts";

/** What running a tool takes: the model, the one door outwards, and credentials of services. */
export type ToolRunner = Pick<Engine, "resolveModel" | "egress" | "auth">;

/** One tool on one session or recording. Nothing is stored, and no transaction may be open around it. */
export type ToolRun = {
  sub_organization_id: number;
  subject: AnalysisSubject;
  tool: ToolArguments;
  /** null: a recording whose words nobody has written down. */
  transcript: Transcript | null;
  /** What earlier tools found, by key. */
  insights: Record<string, unknown>;
  signal: AbortSignal;
};

export type ToolRunOutcome =
  /** `usage` of all calls to the model together; null where no model was asked. `scripted`: the offline model answered. */
  | { kind: "done"; values: InsightValue[]; usage: ModelUsage | null; scripted: boolean }
  /** `retryable`: the same run may succeed later. */
  | { kind: "failed"; message: string; retryable: boolean; usage: ModelUsage | null }
  /** Nothing here can do it. */
  | { kind: "unsupported"; message: string };

const HTTP_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_KEYS = 50;

export async function runInsightTool(runner: ToolRunner, run: ToolRun): Promise<ToolRunOutcome> {
  const { tool, transcript } = run;
  if (tool.type === "transcription") {
    return {
      kind: "unsupported",
      message: "No transcription service is connected here, so recordings can't be transcribed.",
    };
  }
  if (transcript === null) {
    return failed("The recording has no transcript yet. Put a transcribe tool before this one.", false);
  }
  switch (tool.type) {
    case "llm":
      return askModel(runner, run, tool, transcript);
    case "http":
      return callService(runner, run, tool, transcript);
    case "regex":
      return done(findPattern(tool, transcript));
    default:
      return unreachable(tool);
  }
}

const done = (values: InsightValue[]): ToolRunOutcome => ({
  kind: "done",
  values,
  usage: null,
  scripted: false,
});

const failed = (message: string, retryable: boolean, usage: ModelUsage | null = null): ToolRunOutcome => ({
  kind: "failed",
  message,
  retryable,
  usage,
});

type Of<T extends ToolArguments["type"]> = Extract<ToolArguments, { type: T }>;

/** Asked once, and once more with what was wrong. */
async function askModel(
  runner: ToolRunner,
  { sub_organization_id, insights, signal }: ToolRun,
  tool: Of<"llm">,
  transcript: Transcript,
): Promise<ToolRunOutcome> {
  const { temperature, seed } = tool.llm_config;
  const { messages, output_schema } = buildAnalysis(tool, transcript, insights);
  let usage: ModelUsage | null = null;
  try {
    const model = await runner.resolveModel(sub_organization_id, tool.llm_config);
    const ask = async (asked: typeof messages) => {
      const request = { tools: [], tool_choice: "none" as const, temperature, seed, output_schema, signal };
      const answer = await readAnswer(model, { messages: asked, ...request });
      usage = added(usage, answer.usage);
      return answer.text;
    };
    const first = await ask(messages);
    let checked = checkAnswer(tool.outputs, first);
    if (!checked.ok) {
      checked = checkAnswer(
        tool.outputs,
        await ask([...messages, ...repairMessages(first, checked.problem)]),
      );
    }
    if (checked.ok) return { kind: "done", values: checked.values, usage, scripted: model.scripted };
    return failed(`${called(model)} gave no usable answer, twice: ${checked.problem}.`, false, usage);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return failed(error.message, error.retryable || error.kind === "timeout", usage);
  }
}

const called = ({ model, scripted }: LanguageModel): string => (scripted ? "The offline model" : model);

const added = (a: ModelUsage | null, b: ModelUsage): ModelUsage => ({
  input_tokens: sum(a?.input_tokens, b.input_tokens),
  output_tokens: sum(a?.output_tokens, b.output_tokens),
  cached_input_tokens: sum(a?.cached_input_tokens, b.cached_input_tokens),
});

const sum = (a: number | null | undefined, b: number | null): number | null =>
  a == null ? b : b === null ? a : a + b;

async function callService(
  { egress, auth }: ToolRunner,
  { subject, signal }: ToolRun,
  tool: Of<"http">,
  transcript: Transcript,
): Promise<ToolRunOutcome> {
  const proof = tool.service_id == null ? null : await auth.headersFor(tool.service_id);
  if (proof?.ok === false) return failed(proof.problem, false);
  const outcome = await egress.send({
    url: tool.url,
    method: tool.method ?? "POST",
    headers: {
      accept: "application/json",
      ...lowerCase(tool.headers ?? {}),
      ...lowerCase(proof?.headers ?? {}),
      "content-type": "application/json",
    },
    body: JSON.stringify(serviceBody(subject, transcript)),
    timeout_ms: HTTP_TIMEOUT_MS,
    max_response_bytes: MAX_RESPONSE_BYTES,
    signal,
  });
  return readService(outcome);
}

const lowerCase = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The transcript as `transcribe` spells one, and beside it what the agent called. */
const serviceBody = (subject: AnalysisSubject, transcript: Transcript) => ({
  session_id: null,
  upload_file_id: null,
  ...subject,
  transcript: transcript.flatMap((entry) =>
    entry.kind === "said" ? [{ role: entry.role, content: entry.text, start_time: entry.start_time }] : [],
  ),
  tool_calls: transcript.flatMap((entry) => {
    if (entry.kind === "said") return [];
    const { kind: _, ...call } = entry;
    return [call];
  }),
});

function readService(outcome: EgressOutcome): ToolRunOutcome {
  switch (outcome.kind) {
    case "response":
      break;
    case "redirect":
      return failed(
        `The service answered with a redirect (${outcome.status}), which is not followed.`,
        false,
      );
    case "refused":
      return failed(`The call was refused: ${outcome.reason}`, false);
    case "timeout":
      return failed(`The service did not answer within ${outcome.after_ms / 1000} s.`, true);
    case "failed":
      return failed(`The service could not be reached: ${outcome.reason}`, true);
    default:
      return unreachable(outcome);
  }
  const { status, truncated, body } = outcome;
  if (status < 200 || status > 299) {
    return failed(`The service answered ${status}.`, status >= 500 || status === 429);
  }
  if (truncated) return failed("The service's answer is larger than 1 MiB and was not read.", false);
  const values = valuesIn(body.toString("utf8"));
  return values
    ? done(values)
    : failed("The service's answer is not a JSON object of at most 50 keys.", false);
}

/** Every key with a value; null says that there is none. */
function valuesIn(text: string): InsightValue[] | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text, (_key, value) => (typeof value === "string" ? storable(value) : value));
  } catch {
    return null;
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return null;
  const given = Object.entries(answer).filter(([, value]) => value !== null);
  if (given.length > MAX_KEYS) return null;
  return given.map(([key, value]) => ({ key: storable(key), type: typeOf(value), value }));
}

function typeOf(value: unknown): InsightValue["type"] {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return typeof value === "boolean" ? "boolean" : typeof value === "string" ? "string" : "object";
}

/** RE2 takes time in proportion to the text, whatever the pattern. */
function findPattern({ pattern, field }: Of<"regex">, transcript: Transcript): InsightValue[] {
  const said = transcript.flatMap((entry) =>
    entry.kind === "said" && (field == null || field === "transcript" || entry.role === field)
      ? [entry.text]
      : [],
  );
  const matcher = RE2JS.compile(pattern).matcher(said.join("\n"));
  const matched = matcher.find();
  const value = matched ? ((matcher.groupCount() > 0 ? matcher.group(1) : matcher.group()) ?? "") : "";
  return [
    { key: "matched", type: "boolean", value: matched },
    { key: "value", type: "string", value },
  ];
}
