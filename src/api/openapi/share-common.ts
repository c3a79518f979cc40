import { operationId } from "./operation-id.ts";

/*
 * What every operation of openapi.json says again stands once, among its components: refusals, and the parameters that all
 * lists take. Pure. `expandShared` writes them back, for readers that look at one operation.
 */

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI, read by its own rules
type Json = any;

const REFUSALS: Record<string, [name: string, description: string]> = {
  "400": ["Refused", "A rule refuses this; the detail says which."],
  "401": ["NotAuthenticated", "No valid token or sign-in."],
  "403": ["Forbidden", "The role or the token lacks the permission that the detail names."],
  "404": ["NotFound", "There is no such record in this organization."],
  "409": ["Conflict", "It was changed meanwhile, or exists already."],
  "412": ["Blocked", "The record's state does not allow this."],
  "422": ["InvalidInput", "Something in the input is wrong; each place is named."],
};
const SUCCESS: Record<string, string> = { "200": "Done", "201": "Created", "202": "Accepted", "204": "Done" };

/** A parameter is shared from so many operations on. */
const OFTEN = 20;

export function shareCommon(document: Json): Json {
  const often = commonParameters(document);
  const responses: Json = {};
  const paths = Object.fromEntries(
    Object.entries<Json>(document.paths ?? {}).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries<Json>(methods).map(([method, operation]) => [
          method,
          {
            operationId: operationId(method, path, answersList(operation)),
            ...operation,
            ...(operation.parameters && {
              parameters: operation.parameters.map((parameter: Json) =>
                often.has(JSON.stringify(parameter)) ? reference("parameters", parameter.name) : parameter,
              ),
            }),
            responses: Object.fromEntries(
              Object.entries<Json>(operation.responses ?? {}).map(([status, response]) => [
                status,
                shared(status, response, responses),
              ]),
            ),
          },
        ]),
      ),
    ]),
  );
  const parameters = Object.fromEntries([...often.values()].map((parameter) => [parameter.name, parameter]));
  return shortened({
    ...document,
    paths,
    components: { ...document.components, responses, parameters },
  });
}

function shared(status: string, response: Json, responses: Json): Json {
  const [name, description] = REFUSALS[status] ?? [];
  if (name === undefined) return { ...response, description: described(response, SUCCESS[status]) };
  responses[name] = { ...response, description };
  return reference("responses", name);
}

const described = ({ description }: Json, otherwise = "Done"): string =>
  description === undefined || description === "Default Response" ? otherwise : description;

function commonParameters({ paths = {} }: Json): Map<string, Json> {
  const counted = new Map<string, { parameter: Json; times: number }>();
  for (const methods of Object.values<Json>(paths))
    for (const { parameters = [] } of Object.values<Json>(methods))
      for (const parameter of parameters) {
        const key = JSON.stringify(parameter);
        const times = (counted.get(key)?.times ?? 0) + 1;
        counted.set(key, { parameter, times });
      }
  return new Map(
    [...counted].filter(([, { times }]) => times >= OFTEN).map(([key, { parameter }]) => [key, parameter]),
  );
}

/** A page of records, or a plain list. */
function answersList(operation: Json): boolean {
  const schema = operation.responses?.["200"]?.content?.["application/json"]?.schema;
  return schema?.type === "array" || schema?.properties?.items !== undefined;
}

const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/**
 * The same in fewer words: that a whole number is one JavaScript can hold, and that names of members are texts, says
 * nothing of the API; a text or null is one type of two.
 */
function shortened(value: Json): Json {
  if (Array.isArray(value)) return value.map(shortened);
  if (value === null || typeof value !== "object") return value;
  const short = Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !saysNothing(key, inner))
      .map(([key, inner]) => [key, shortened(inner)]),
  );
  return orNull(short) ?? short;
}

const saysNothing = (key: string, value: Json): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (key === "propertyNames" && JSON.stringify(value) === '{"type":"string"}');

function orNull({ anyOf, ...more }: Json): Json {
  const [some, none] = anyOf ?? [];
  if (anyOf?.length !== 2 || JSON.stringify(none) !== '{"type":"null"}') return null;
  if (typeof some.type !== "string" || some.enum || some.const !== undefined) return null;
  if (Object.keys(some).some((key) => key in more)) return null;
  return { ...more, ...some, type: [some.type, "null"] };
}

/** Each operation with its own parameters and responses again. */
export function expandShared<Document extends object>(document: Document): Document {
  const { paths, components } = document as Json;
  const resolved = (entry: Json): Json => {
    const [, kind, name] = /^#\/components\/(parameters|responses)\/(\w+)$/.exec(entry?.$ref ?? "") ?? [];
    return kind && name ? components[kind][name] : entry;
  };
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries<Json>(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries<Json>(methods).map(([method, operation]) => [
            method,
            {
              ...operation,
              ...(operation.parameters && { parameters: operation.parameters.map(resolved) }),
              responses: Object.fromEntries(
                Object.entries(operation.responses).map(([status, response]) => [status, resolved(response)]),
              ),
            },
          ]),
        ),
      ]),
    ),
  };
}

/** As it is kept in the repository: an operation and a schema a line, so that a change of one is a line that changed. */
export function documentText(document: object): string {
  const lines = (entries: [string, unknown][], indent: string, print: (value: unknown) => string): string =>
    entries.map(([key, value]) => `${indent}${JSON.stringify(key)}: ${print(value)}`).join(",\n");
  const nested = (depth: number) => (value: unknown) =>
    depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)
      ? JSON.stringify(value)
      : `{\n${lines(Object.entries(value), "  ".repeat(4 - depth), nested(depth - 1))}\n${"  ".repeat(3 - depth)}}`;
  return `{\n${lines(Object.entries(document), "  ", nested(2))}\n}\n`;
}
