import { checkAnswer, type InsightValue } from "../insights/check-answer.ts";
import type { LlmArguments } from "../insights/tool-arguments.ts";
import {
  done,
  failed,
  LATER,
  NEVER,
  type Retry,
  SCRIPTED,
  type ToolRun,
  type ToolRunner,
  type ToolRunOutcome,
  type Used,
} from "../insights/tool-run.ts";
import type { Transcript } from "../insights/transcript.ts";
import {
  hasWords,
  MAX_PARTS,
  partCharacters,
  transcriptLines,
  transcriptParts,
} from "../insights/transcript-text.ts";
import { findLlm } from "../llm/catalogue.ts";
import { type LanguageModel, ModelError, type ModelUsage, readAnswer } from "../llm/model.ts";
import { usedCost } from "../llm/used-cost.ts";
import { type Analysis, buildAnalysis, buildSummary, repairMessages } from "./build-analysis.ts";

type LlmRun = ToolRun<{ type: "llm" } & LlmArguments>;

/** Asks a model about a transcript; about a long one part by part, and then about the answers (`transcript-text.ts`). */
export async function runLlmTool(
  runner: ToolRunner,
  run: LlmRun,
  transcript: Transcript,
): Promise<ToolRunOutcome> {
  if (!hasWords(transcript)) return failed("Nothing was said, so there is nothing to analyse.");
  const { tool, insights } = run;
  const { provider, model: wanted } = tool.llm_config;
  const window = findLlm(runner.catalogue, provider, wanted)?.context_window ?? null;
  const parts = transcriptParts(transcriptLines(transcript), partCharacters(window));
  if (parts.length > MAX_PARTS) {
    return failed(
      `The transcript is too long: it would take ${parts.length} parts, and ${MAX_PARTS} is the most.`,
    );
  }
  const asking = new Asking(runner, run, await runner.resolveModel(run.sub_organization_id, tool.llm_config));
  try {
    const answers: Answered[] = [];
    for (const [index, text] of parts.entries()) {
      const part = { number: index + 1, of: parts.length };
      const answer = await asking.ask(buildAnalysis(tool, text, insights, part));
      if (!answer.ok) return failed(answer.problem, NEVER, asking.used(parts.length));
      answers.push(answer);
    }
    const last =
      answers.length === 1
        ? (answers[0] as Answered)
        : await asking.ask(
            buildSummary(
              tool,
              answers.map(({ values }) => asObject(values)),
              insights,
            ),
          );
    const used = asking.used(parts.length);
    return last.ok ? done(last.values, used) : failed(last.problem, NEVER, used);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return failed(error.message, retryOf(error), asking.used(parts.length));
  }
}

type Answered = { ok: true; values: InsightValue[] };
type Answer = Answered | { ok: false; problem: string };

const asObject = (values: InsightValue[]) =>
  Object.fromEntries(values.map(({ key, value }) => [key, value] as const));

function retryOf(error: ModelError): Retry {
  if (error.kind === "used-up") return { when: "after", wait_ms: error.retry_after_ms ?? 0 };
  if (error.kind === "rate-limited") return { when: "allowed", retry_after_ms: error.retry_after_ms };
  return error.retryable || error.kind === "timeout" ? LATER : NEVER;
}

/** The requests of one run to its model, and their total usage. */
class Asking {
  readonly #runner: ToolRunner;
  readonly #run: LlmRun;
  readonly #model: LanguageModel;
  #usage: ModelUsage | null = null;

  constructor(runner: ToolRunner, run: LlmRun, model: LanguageModel) {
    this.#runner = runner;
    this.#run = run;
    this.#model = model;
  }

  /** One request, and one repair request that says what was wrong. */
  async ask({ messages, output_schema }: Analysis): Promise<Answer> {
    const { outputs } = this.#run.tool;
    const first = await this.#read(messages, output_schema);
    let checked = checkAnswer(outputs, first);
    if (!checked.ok) {
      const again = [...messages, ...repairMessages(first, checked.problem)];
      checked = checkAnswer(outputs, await this.#read(again, output_schema));
    }
    if (checked.ok) return checked;
    const called = this.#model.scripted ? "The offline model" : this.#model.model;
    return { ok: false, problem: `${called} gave no usable answer, twice: ${checked.problem}.` };
  }

  used(parts: number): Used {
    const { provider, model, scripted } = this.#model;
    const price = scripted ? null : (findLlm(this.#runner.catalogue, provider, model)?.price ?? null);
    return {
      model: scripted ? SCRIPTED : model,
      usage: this.#usage,
      cost_usd: price && this.#usage ? usedCost(this.#usage, price) : null,
      parts,
    };
  }

  async #read(messages: Analysis["messages"], output_schema: Analysis["output_schema"]): Promise<string> {
    const { temperature, seed } = this.#run.tool.llm_config;
    const asked = { messages, tools: [], tool_choice: "none" as const, temperature, seed, output_schema };
    const answer = await readAnswer(this.#model, { ...asked, signal: this.#run.signal });
    this.#usage = added(this.#usage, answer.usage);
    return answer.text;
  }
}

const added = (a: ModelUsage | null, b: ModelUsage): ModelUsage => ({
  input_tokens: sum(a?.input_tokens, b.input_tokens),
  output_tokens: sum(a?.output_tokens, b.output_tokens),
  cached_input_tokens: sum(a?.cached_input_tokens, b.cached_input_tokens),
});

const sum = (a: number | null | undefined, b: number | null): number | null =>
  a == null ? b : b === null ? a : a + b;
