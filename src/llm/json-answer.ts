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
