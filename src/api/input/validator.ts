import type { z } from "zod";
import { longTexts } from "../openapi/text-bounds.ts";
import { MAX_TEXT } from "../schema.ts";
import { inputErrors } from "./input-errors.ts";
import { parseInput } from "./parse-input.ts";

const PARTS = { body: "body", querystring: "query", params: "path", headers: "query" } as const;

/** What Fastify asks of each part of a request: its value as the schema reads it, or what is wrong with it. */
export function validator(schema: z.ZodType, httpPart: string | undefined) {
  const part = PARTS[(httpPart ?? "body") as keyof typeof PARTS];
  return (input: unknown) => {
    // An operation that takes an object answers a missing body as an object without its fields.
    const given = input === undefined || (part === "body" && input === null) ? {} : input;
    const tooLong = longTexts(given, MAX_TEXT[part]);
    if (tooLong.length > 0) return { error: inputErrors(part, tooLong, given) };
    const result = parseInput(schema, given);
    return result.ok ? { value: result.data } : { error: inputErrors(part, result.issues, given) };
  };
}
