import type { z } from "zod";
import { type InputIssue, InvalidInput } from "../../base/errors.ts";
import { longTexts } from "../openapi/text-bounds.ts";
import { MAX_TEXT } from "../schema.ts";
import { inputErrors } from "./input-errors.ts";
import { MOST_TOLD, parseInput } from "./parse-input.ts";
import { withoutBrackets } from "./query-brackets.ts";

const PARTS = { body: "body", querystring: "query", params: "path", headers: "query" } as const;

/** What the rules of an operation find in a part whose shape is wrong. */
type AlsoWrong = (given: unknown) => InputIssue[];

/** Checks a part of a request, as Fastify names it, and reads it by its schema. */
export function validator(schema: z.ZodType, httpPart: string | undefined, alsoWrong: AlsoWrong = () => []) {
  const part = PARTS[(httpPart ?? "body") as keyof typeof PARTS];
  return (input: unknown) => {
    // An operation that takes an object answers a missing body as an object without its fields.
    const sent = input === undefined || (part === "body" && input === null) ? {} : input;
    const given = part === "query" ? withoutBrackets(sent as Record<string, unknown>) : sent;
    const tooLong = longTexts(given, MAX_TEXT[part]);
    if (tooLong.length > 0) return { error: inputErrors(part, tooLong, given) };
    const result = parseInput(schema, given);
    if (result.ok) return { value: result.data };
    return { error: withRules(inputErrors(part, result.issues, given), alsoWrong(given)) };
  };
}

/** One error for each place: where the shape is wrong already, its rules add nothing. */
function withRules(shape: InvalidInput, rules: InputIssue[]): InvalidInput {
  const places = new Set(shape.issues.map(({ loc }) => JSON.stringify(loc)));
  const more = rules.filter(({ loc }) => !places.has(JSON.stringify(loc)));
  return more.length === 0 ? shape : new InvalidInput([...shape.issues, ...more].slice(0, MOST_TOLD));
}
