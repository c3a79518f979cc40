/** The input of one parameter of a tool's definition. */
export type Parameter = {
  name: string;
  required: boolean;
  kind: "text" | "number" | "boolean" | "choice" | "texts" | "json";
  /** The options of a choice. */
  choices: string[];
};

/**
 * Definitions tell their parameters in words: `"string"`, `"number?"`, `"openai | deepgram?"`, `"object of strings?"`. A
 * question mark at the end marks what may be left out; what is in no words we know is written as JSON.
 */
export function parametersOf(tool_parameters: unknown): Parameter[] {
  if (typeof tool_parameters !== "object" || tool_parameters === null) return [];
  return Object.entries(tool_parameters).map(([name, words]) => {
    const text = String(words);
    const required = !text.endsWith("?");
    const type = required ? text : text.slice(0, -1);
    return { name, required, ...kindOf(type) };
  });
}

function kindOf(type: string): Pick<Parameter, "kind" | "choices"> {
  if (type === "string") return { kind: "text", choices: [] };
  if (type === "number" || type === "integer") return { kind: "number", choices: [] };
  if (type === "boolean") return { kind: "boolean", choices: [] };
  if (type === "object of strings") return { kind: "texts", choices: [] };
  const parts = type.split("|").map((part) => part.trim());
  if (parts.length > 1 && parts.every((part) => /^\w+$/.test(part)))
    return { kind: "choice", choices: parts };
  return { kind: "json", choices: [] };
}

export const OUTPUT_TYPES = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "integer", label: "Whole number" },
  { value: "boolean", label: "Yes or no" },
  { value: "array", label: "List" },
];
/** One output that a model is asked for. */
export type Output = {
  name: string;
  type: string;
  return_values: string[];
  /** Further properties, such as a description: the form keeps them without showing them. */
  more: Record<string, unknown>;
};

/** Return values may be written as a list or, with commas, as one text. */
export function outputsOf(value: unknown): Output[] {
  if (!Array.isArray(value)) return [];
  return value.map((each: Record<string, unknown> | null) => {
    const { name, type, return_values, ...more } = each ?? {};
    return {
      name: String(name ?? ""),
      type: String(type ?? "string"),
      return_values: Array.isArray(return_values)
        ? return_values.map(String)
        : String(return_values ?? "")
            .split(",")
            .map((text) => text.trim())
            .filter((text) => text !== ""),
      more,
    };
  });
}

/** The outputs as the API takes them: without return values where any answer is allowed. */
export const sentOutputs = (outputs: Output[]) =>
  outputs.map(({ name, type, return_values, more }) => ({
    name,
    type,
    ...more,
    ...(return_values.length > 0 && type !== "boolean" && { return_values }),
  }));
