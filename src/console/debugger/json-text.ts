/** A value as a person edits it: a text plainly, anything else as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === "string" && !readsAsJson(value) ? value : JSON.stringify(value ?? null);

/** What an edited text means; one that is no JSON is itself. */
export function readText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readsAsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
