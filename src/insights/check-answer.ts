import { unreachable } from "../base/errors.ts";
import { jsonAnswer } from "../llm/json-answer.ts";
import type { OutputSpec } from "./tool-arguments.ts";

/** One key of a result, with the type it has by its definition. `is_choice`: one of the words that the tool names. */
export type InsightValue = {
  key: string;
  type: OutputSpec["type"] | "object";
  value: unknown;
  is_choice?: boolean;
};

type CheckedAnswer = { ok: true; values: InsightValue[] } | { ok: false; problem: string };

/** Whether a model's words are the JSON object that was asked for; pure. `problem` goes back to the model. */
export function checkAnswer(outputs: OutputSpec[], text: string): CheckedAnswer {
  const answer = jsonAnswer(text, (_key, value) => (typeof value === "string" ? storable(value) : value));
  if (answer === undefined) return { ok: false, problem: "it is not valid JSON" };
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    return { ok: false, problem: "it is not a JSON object" };
  }
  const fields = answer as Record<string, unknown>;
  const problems = outputs.flatMap((output) =>
    Object.hasOwn(fields, output.name)
      ? (valueProblem(output, fields[output.name]) ?? [])
      : `${output.name} is missing`,
  );
  if (problems.length > 0) return { ok: false, problem: problems.join("; ") };
  return {
    ok: true,
    values: outputs.map(({ name, type, return_values }) => ({
      key: name,
      type,
      value: fields[name],
      ...(return_values !== null && { is_choice: true }),
    })),
  };
}

/** PostgreSQL takes neither NUL nor half of a pair. */
export const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed();

const IN_WORDS: Record<OutputSpec["type"], string> = {
  boolean: "true or false",
  string: "a string",
  integer: "an integer",
  number: "a number",
  array: "an array of strings",
};

function valueProblem({ name, type, return_values }: OutputSpec, value: unknown): string | null {
  if (!hasType(type, value)) return `${name} has to be ${IN_WORDS[type]}`;
  if (return_values === null) return null;
  const given = Array.isArray(value) ? value : [value];
  const wrong = given.find((one) => !return_values.includes(one));
  return wrong === undefined
    ? null
    : `${name} has to be one of ${return_values.map((one) => JSON.stringify(one)).join(", ")}, not ${JSON.stringify(wrong)}`;
}

function hasType(type: OutputSpec["type"], value: unknown): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return Number.isFinite(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "array":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    default:
      return unreachable(type);
  }
}
