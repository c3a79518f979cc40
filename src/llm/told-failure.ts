import { tryParseJson } from "../base/parse-json.ts";

/**
 * The failure that an event or an answer tells of, as the library reads it: OpenRouter sends it beside choices, vLLM as the
 * document itself, Ollama as a text, and what stands before a server under `detail`. Null: the library finds it, or none is.
 */
export function failureAlone(text: string): string | null {
  const told = tryParseJson(text);
  if (typeof told !== "object" || told === null) return null;
  const { error, choices, message, detail } = told as Record<string, unknown>;
  if (typeof error === "string") return JSON.stringify({ error: { message: error } });
  if (error != null) return JSON.stringify({ error });
  if (choices !== undefined) return null;
  if (typeof message === "string") return JSON.stringify({ error: told });
  return typeof detail === "string" ? JSON.stringify({ error: { message: detail } }) : null;
}
