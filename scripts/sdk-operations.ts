import { type Body, type Field, type OpenApi, type Operation, object, typeOf } from "./schema-types.ts";

/**
 * What the TypeScript SDK knows of the public API, written from openapi.json: every schema under its name, and every
 * operation under its operationId with what it takes, what it answers and where it is.
 */
const HEAD = `// Written by \`./parley derive\` from openapi.json; don't edit.\n`;

export function sdkOperations(document: OpenApi): string {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`,
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const types = operations.map(
    ({ operation }) =>
      `  ${operation.operationId}: { input: ${inputOf(operation)}; answer: ${answerOf(operation)} };\n`,
  );
  const places = operations.map(
    ({ operation, method, path }) =>
      `  ${operation.operationId}: [${JSON.stringify(method.toUpperCase())}, ${JSON.stringify(path)}],\n`,
  );
  return [
    HEAD,
    ...schemas,
    `export type Operations = {\n${types.join("")}};\n`,
    `export const PLACES: Record<keyof Operations, readonly [method: string, path: string]> = {\n${places.join("")}};\n`,
  ].join("\n");
}

/** A part of the input may be left out when nothing in it is required. */
function inputOf({ parameters = [], requestBody }: Operation): string {
  const places = (["path", "query"] as const).flatMap((place): Field[] => {
    const here = parameters.filter((parameter) => parameter.in === place);
    if (here.length === 0) return [];
    const fields = here.map(
      ({ name, schema = {}, required }): Field => [
        name,
        typeOf(schema),
        place !== "path" && required !== true,
      ],
    );
    return [[place, object(fields), fields.every(([, , optional]) => optional)]];
  });
  if (requestBody) places.push(["body", bodyOf(requestBody), requestBody.required !== true]);
  return object(places);
}

function bodyOf({ content = {} }: Body): string {
  const [type, { schema = {} } = {}] = Object.entries(content)[0] ?? [];
  if (type === "multipart/form-data") return "FormData";
  return type === "application/x-www-form-urlencoded" ? "URLSearchParams" : typeOf(schema);
}

function answerOf({ responses = {} }: Operation): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const types = Object.entries(success?.content ?? {}).map(([type, { schema = {} }]) => {
    if (type === "application/json") return typeOf(schema);
    return type.startsWith("text/") ? "string" : "Uint8Array";
  });
  return [...new Set(types)].join(" | ") || "null";
}
