import type { LanguageModel, ModelRequest, ToolCall } from "../../src/llm/model.ts";
import type { Engine } from "../../src/sessions/engine.ts";

/** What a model says and calls when it is asked the nth time. */
export type Plan =
  | { text?: string; calls?: [name: string, given: Record<string, unknown>][] }
  | (() => never);

/**
 * An engine whose model does what a test wants, also what no script of the scripted model can: call tools that are not
 * offered, call twice, or die. Every request is kept. Past its plans it says "Done."
 */
export function plannedEngine(engine: Engine, plans: Plan[]): { engine: Engine; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: LanguageModel = {
    provider: "openai",
    model: "planned",
    scripted: false,
    async *stream(request) {
      const n = requests.push(request) - 1;
      const plan = plans[n] ?? { text: "Done." };
      if (typeof plan === "function") return plan();
      if (plan.text) yield { type: "text", delta: plan.text };
      for (const [index, [name, given]] of (plan.calls ?? []).entries()) {
        const call: ToolCall = { id: `planned_${n}_${index}`, name, arguments: given };
        yield { type: "call", call };
      }
      const usage = { input_tokens: null, output_tokens: null, cached_input_tokens: null };
      yield { type: "done", finish: "stop", usage, warnings: [] };
    },
  };
  return { engine: { ...engine, resolveModel: async () => model }, requests };
}

/** The tools of a request in order of their names, but for the one that every prompt has. */
export const offeredIn = (request: ModelRequest | undefined): string[] =>
  (request?.tools ?? [])
    .map((tool) => tool.name)
    .filter((name) => name !== "hangup")
    .toSorted();
