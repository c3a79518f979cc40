import {
  type JsonSchema,
  type LanguageModel,
  type ModelMessage,
  type ModelUsage,
  readAnswer,
} from "./model.ts";

/** A question to a model that judges: no tools, no chance, one JSON document. Throws `ModelError`. */
export async function askForJson(
  model: LanguageModel,
  asked: {
    messages: ModelMessage[];
    output_schema: { name: string; schema: JsonSchema };
    signal: AbortSignal;
  },
): Promise<{ text: string; usage: ModelUsage }> {
  const { text, usage } = await readAnswer(model, {
    ...asked,
    tools: [],
    tool_choice: "none",
    temperature: 0,
    seed: null,
  });
  return { text, usage };
}

/**
 * A model's answer as JSON; undefined where it is none. Models that were not held to a schema like to put a fence around it.
 * `reviver`: as of `JSON.parse`.
 */
export function jsonAnswer(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1];
  try {
    return JSON.parse(fenced ?? text, reviver);
  } catch {
    return undefined;
  }
}
