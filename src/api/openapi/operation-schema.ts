import type { createJsonSchemaTransform } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Operation } from "../operation.ts";
import { ErrorDetail, HTTPValidationError } from "../schema.ts";

/** What openapi.json says of an operation, but its answers; Fastify checks what is sent by it. */
export function openApiSchema<P, Q, B, R>(operation: Operation<P, Q, B, R>) {
  const { summary, description, tag, params, query, body, form, deprecated, hidden } = operation;
  return {
    summary,
    tags: [tag],
    ...(description && { description }),
    ...(params ? { params } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body } : {}),
    ...(form && { consumes: [form.type] }),
    ...(deprecated && { deprecated }),
    ...(hidden && { hide: true }),
    ...(operation.permission === "public" ? { security: [] } : {}),
  };
}

/** By status. Only the document asks for them: given to Fastify with each route, they would take some 7 KB of memory each. */
type AnswerSchemas = Record<number, unknown>;

type Documented = Parameters<ReturnType<typeof createJsonSchemaTransform>>[0];

/** The schema of a route with the answers that its configuration tells (`answerSchemas`). */
export function withAnswers({ schema, route }: Documented) {
  const { answers } = (route.config ?? {}) as { answers?: () => AnswerSchemas | undefined };
  const response = answers?.();
  return response ? { ...schema, response } : schema;
}

/** Undefined: the operation says nothing of its answer. */
export function answerSchemas<P, Q, B, R>(operation: Operation<P, Q, B, R>): AnswerSchemas | undefined {
  const status = operation.status ?? 200;
  const response = status === 204 ? z.null().describe("Done; no body") : operation.response;
  if (!response) return undefined;
  const refusals = operation.refusals ?? [];
  return {
    [status]: produced(response as z.ZodType, operation.produces),
    ...Object.fromEntries(refusals.map((refusal) => [refusal, ErrorDetail])),
    ...(operation.permission !== "public" && { 401: ErrorDetail, 403: ErrorDetail }),
    422: HTTPValidationError,
  };
}

const produced = (response: z.ZodType, types: string | string[] | undefined) =>
  types === undefined
    ? response
    : {
        content: Object.fromEntries(
          [types].flat().map((type) => [type, { schema: type === "text/csv" ? z.string() : response }]),
        ),
      };
