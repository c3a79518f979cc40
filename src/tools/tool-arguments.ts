import { type Lookup, renderDeep, renderFormat } from "../expressions/template.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/**
 * The argument pipeline of one call, in its order: what the model gave, then static parameters, then defaults and
 * transforms. Pure; validation and sending come after.
 */
type PreparedArguments =
  | { ok: true; arguments: Arguments; notes: string[] }
  /** The call can't be made; the sentence is for the model and names the parameter. */
  | { ok: false; problem: string };

type Arguments = Record<string, unknown>;
/** Values an agent sets for this tool's static parameters; they win over the tool's own defaults. */
type DefaultValues = { field_name: string; default_value: unknown }[];

export function prepareArguments(
  definition: ToolDefinition,
  given: Arguments,
  agentDefaults: DefaultValues,
  lookup: Lookup,
): PreparedArguments {
  const notes: string[] = [];
  const values: Arguments = { ...given };

  for (const parameter of definition.static_parameters ?? []) {
    const ofAgent = agentDefaults.find((entry) => entry.field_name === parameter.name);
    const value = renderDeep(ofAgent ? ofAgent.default_value : parameter.default, lookup);
    if (isEmpty(value)) {
      if (parameter.required) {
        return {
          ok: false,
          problem: `The tool is not set up: its static parameter "${parameter.name}" has no value.`,
        };
      }
      // The model can't see static parameters, so a value of that name from it is invented.
      delete values[parameter.name];
    } else {
      // A single name where a list of data sources belongs would be accepted and have no effect.
      values[parameter.name] =
        parameter.type === "data_source_list" && !Array.isArray(value) ? [value] : value;
    }
  }

  for (const [name, entry] of Object.entries(asMap(definition.defaults))) {
    const transform = transformOf(entry);
    if (!transform) {
      // An empty list may be meant; nothing and an empty text are what models write for what they don't know.
      if (values[name] === undefined || values[name] === null || values[name] === "") values[name] = entry;
      continue;
    }
    applyTransform(name, transform, values, lookup, notes);
  }
  return { ok: true, arguments: values, notes };
}

type Transform = {
  action?: "default" | "override" | "remove";
  when?: { key: string; value: string } | null;
  value?: unknown;
  format?: string | null;
};

/** `{transform: {...}}` with nothing beside it; any other object is a plain default value. */
function transformOf(entry: unknown): Transform | null {
  if (entry === null || typeof entry !== "object" || Array.isArray(entry)) return null;
  const keys = Object.keys(entry);
  return keys.length === 1 && keys[0] === "transform" ? (entry as { transform: Transform }).transform : null;
}

function applyTransform(
  name: string,
  transform: Transform,
  values: Arguments,
  lookup: Lookup,
  notes: string[],
): void {
  const { when, action = "default" } = transform;
  if (when && String(values[when.key] ?? "") !== when.value) return;
  if (action === "remove") {
    delete values[name];
    return;
  }
  if (action === "default" && !isEmpty(values[name])) return;
  values[name] = transform.format
    ? renderFormat(transform.format, (key) => (Object.hasOwn(values, key) ? values[key] : lookup(key)), {
        onMissing: (key) => notes.push(`format of "${name}": {${key}} has no value and stays as written`),
      })
    : transform.value;
}

/**
 * Whether an argument is what its author wrote as its default, word for word. Any other, that of a static parameter too,
 * may hold what a model or a person wrote.
 */
export function isWrittenDefault({ defaults }: ToolDefinition, name: string, value: unknown): boolean {
  const written = asMap(defaults)[name];
  return written !== undefined && value === (transformOf(written)?.value ?? written);
}

/** Null, an empty text, list or map. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function asMap(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
