import type { z } from "zod";
import { longTexts } from "../openapi/text-bounds.ts";
import { MAX_TEXT } from "../schema.ts";
import { inputErrors } from "./input-errors.ts";
import { parseInput } from "./parse-input.ts";
import { withoutBrackets } from "./query-brackets.ts";

const PARTS = { body: "body", querystring: "query", params: "path", headers: "query" } as const;

/** Checks a part of a request, as Fastify names it, and reads it by its schema. */
export function validator(schema: z.ZodType, httpPart: string | undefined) {
  const part = PARTS[(httpPart ?? "body") as keyof typeof PARTS];
  return (input: unknown) => {
    // An operation that takes an object answers a missing body as an object without its fields.
    const sent = input === undefined || (part === "body" && input === null) ? {} : input;
    const given = part === "query" ? withoutBrackets(sent as Record<string, unknown>) : sent;
    const tooLong = longTexts(given, MAX_TEXT[part]);
    if (tooLong.length > 0) return { error: inputErrors(part, tooLong, given) };
    const result = parseInput(schema, given);
    return result.ok ? { value: result.data } : { error: inputErrors(part, result.issues, given) };
  };
}
