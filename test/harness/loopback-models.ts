import type { Provider } from "../../src/llm/catalogue.ts";
import { MODEL_POLICY, type ModelPolicy, modelFor } from "../../src/llm/model-for.ts";
import type { Engine } from "../../src/sessions/engine.ts";
import { afterFile } from "./after-file.ts";
import type { TestApp } from "./app.ts";
import { type LlmServer, startLlmServer } from "./llm-server.ts";

const MODELS: Record<Provider, string> = {
  openai: "gpt-4.1",
  azure_openai: "gpt-4o",
  anthropic: "claude-haiku-4-5",
  google: "gemini-2.5-flash",
};

export type LoopbackModels = {
  server: LlmServer;
  /** The engine of the app with a model of the provider, which the loopback server answers for. */
  engine(provider: Provider, more?: { policy?: Partial<ModelPolicy>; context_window?: number }): Engine;
};

/** A model of each provider, answered on loopback until the test file ends. */
export async function createLoopbackModels(app: TestApp): Promise<LoopbackModels> {
  const server = await startLlmServer();
  afterFile(() => server.close());
  return {
    server,
    engine: (provider, { policy, context_window } = {}) => {
      const choice = { provider, model: MODELS[provider] };
      const options = { policy: { ...MODEL_POLICY, ...policy } };
      const model = modelFor(choice, server.settings, app.clock, options);
      const chosen = context_window === undefined ? model : { ...model, context_window };
      return { ...app.engine, resolveModel: async () => chosen };
    },
  };
}
