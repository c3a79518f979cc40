import { InvalidInput, invalid } from "../base/errors.ts";

/** Deeper than any document of this API; a deeper body is a mistake or an attack on the recursion of parsers. */
const MAX_DEPTH = 100;

/** Parses a JSON body; an empty one is `undefined`, a broken one a 422 that names the position. */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === "") return undefined;
  refuseDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const position = Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? 0);
    throw invalid(["body", position], "JSON decode error", "json_invalid");
  }
  // Only an escape can bring in what PostgreSQL can't store; most bodies have none and are not walked.
  if (text.includes("\\u") || text.includes("__proto__")) refuseUnstorable(value, ["body"]);
  return value;
}

function refuseDepth(text: string): void {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === 92) i++;
      else if (code === 34) quoted = false;
    } else if (code === 34) quoted = true;
    else if (code === 123 || code === 91) {
      if (++depth > MAX_DEPTH) {
        throw invalid(["body", i], `JSON is nested deeper than ${MAX_DEPTH} levels`, "json_invalid");
      }
    } else if (code === 125 || code === 93) depth--;
  }
}

/** NUL and half surrogate pairs are valid JSON but no valid text in PostgreSQL; `__proto__` is nobody's field. */
function refuseUnstorable(value: unknown, loc: (string | number)[]): void {
  if (typeof value === "string") refuseUnstorableText(value, loc);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) refuseUnstorable(item, [...loc, index]);
  else if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      if (key === "__proto__")
        throw invalid([...loc, key], "Extra inputs are not permitted", "extra_forbidden");
      refuseUnstorableText(key, loc);
      refuseUnstorable(inner, [...loc, key]);
    }
  }
}

export function refuseUnstorableText(text: string, loc: (string | number)[]): void {
  if (!text.includes("\0") && text.isWellFormed()) return;
  throw new InvalidInput([
    { loc, msg: "String should not contain NUL or unpaired surrogate characters", type: "string_unicode" },
  ]);
}
