import type { OpenApi } from "./schema-types.ts";

/**
 * The console's types of the public API: every schema under its name, and every operation as
 * `"GET /api/v1/agents/{agent_id}"` with what it takes and answers. The console is a client like any other, so it is typed
 * as the SDK is, by what is published; of the SDK it has the types only (docs/decisions/0205).
 */
const HEAD = `// Written by \`./parley derive\` from openapi.json; don't edit.

import type { Operations as OperationsById } from "../../sdk/typescript/operations.ts";

export type * from "../../sdk/typescript/operations.ts";

type Of<Id extends keyof OperationsById> = {
  path: Part<OperationsById[Id]["input"], "path", Record<never, never>>;
  query: Part<OperationsById[Id]["input"], "query", Record<never, never>>;
  body: Part<OperationsById[Id]["input"], "body", undefined>;
  answer: Read<OperationsById[Id]["answer"]>;
};

/** A part of an operation's input; \`None\` where it has no such part. */
type Part<Input, Name extends string, None> = Name extends keyof Input ? Exclude<Input[Name], undefined> : None;

/** Of an answer that comes as text or bytes, too, the console reads the JSON. */
type Read<Answer> = [Exclude<Answer, string | Uint8Array>] extends [never] ? Answer : Exclude<Answer, string | Uint8Array>;

export type Operations = {
`;

export function consoleTypes(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) =>
        `  ${JSON.stringify(`${method.toUpperCase()} ${path}`)}: Of<${JSON.stringify(operationId)}>;\n`,
    ),
  );
  return `${HEAD}${operations.join("")}};\n`;
}
