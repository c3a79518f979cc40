import { operationId } from "./operation-id.ts";
import { shareFields } from "./share-fields.ts";

/*
 * What several operations of openapi.json say stands once, among its components: refusals, the frame of a page of records,
 * parameters, and the fields that one schema has of another. Answers are not: of an answer that is referred to, a widely used
 * generator doesn't see that it is JSON. Pure. `expand-shared.ts` writes them back, for readers
 * that look at one operation.
 */

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI, read by its own rules
type Json = any;

const REFUSALS: Record<string, [name: string, description: string]> = {
  "400": ["Refused", "A rule refuses this; the detail says which."],
  "404": ["NotFound", "There is no such record in this organization."],
  "409": ["Conflict", "It was changed meanwhile, or exists already."],
  "412": ["Blocked", "The record's state does not allow this."],
  "422": ["InvalidInput", "Something in the input is wrong; each place is named."],
};
/** Stands for every status that is not named: each of them answers with one sentence. */
const ANY_REFUSAL: [name: string, description: string] = [
  "Error",
  "Any other refusal. 401: no valid token or sign-in. 403: the role or the token lacks the permission that the detail names. " +
    "404: there is no such record. 413: the body is too large. 429: too many calls; Retry-After says when to go on.",
];
const SIGN_IN = new Set(["401", "403"]);
const SUCCESS: Record<string, string> = { "200": "Done", "201": "Created", "202": "Accepted", "204": "Done" };

/** A parameter is shared from so many operations on. */
const OFTEN = 3;

export function shareCommon(document: Json): Json {
  const often = commonParameters(document);
  const responses: Json = {};
  let hasPages = false;
  const framed = (response: Json): Json => {
    const page = asPage(response);
    hasPages ||= page !== null;
    return page ?? response;
  };
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
              Object.entries<Json>(operation.responses ?? {}).map(([status, response]) => {
                if (SIGN_IN.has(status)) return ["default", refusal(ANY_REFUSAL, response, responses)];
                const named = REFUSALS[status];
                if (named) return [status, refusal(named, response, responses)];
                return [status, { ...framed(response), description: described(response, SUCCESS[status]) }];
              }),
            ),
          },
        ]),
      ),
    ]),
  );
  const parameters = Object.fromEntries([...often.values()].map((parameter) => [parameter.name, parameter]));
  const short = shortened({
    ...document,
    paths,
    components: { ...document.components, responses, parameters },
  });
  const schemas = { ...short.components.schemas, ...(hasPages ? { Page: PAGE } : {}) };
  return { ...short, components: { ...short.components, schemas: shareFields(schemas) } };
}

function refusal([name, description]: [string, string], response: Json, responses: Json): Json {
  responses[name] = { ...response, description };
  return reference("responses", name);
}

/** The frame of `listOf` (api/list.ts), which all lists have. */
const PAGE = {
  type: "object",
  properties: {
    page: { type: "integer" },
    page_size: { type: "integer" },
    total_pages: { type: ["integer", "null"] },
    total_count: { type: ["integer", "null"] },
  },
  required: ["page", "page_size"],
};

function asPage(response: Json): Json | null {
  const schema = response.content?.["application/json"]?.schema;
  const { items, ...frame } = schema?.properties ?? {};
  if (items === undefined || JSON.stringify(shortened(frame)) !== JSON.stringify(PAGE.properties))
    return null;
  const records = { type: "object", properties: { items }, required: ["items"] };
  const page = { allOf: [reference("schemas", "Page"), records] };
  return { ...response, content: { "application/json": { schema: page } } };
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
  // A component has one name: of two parameters with one, the more frequent is shared.
  const shared = new Map<string, [key: string, parameter: Json]>();
  for (const [key, { parameter, times }] of [...counted].toSorted(([, a], [, b]) => b.times - a.times))
    if (times >= OFTEN && !shared.has(parameter.name)) shared.set(parameter.name, [key, parameter]);
  return new Map(shared.values());
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

/** As it is kept in the repository: an operation and a schema a line, so that a change of one is a line that changed. */
export function documentText(document: object): string {
  const nested = (value: unknown, depth: number): string =>
    depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)
      ? JSON.stringify(value)
      : `{\n${Object.entries(value)
          .map(([key, inner]) => `${JSON.stringify(key)}:${nested(inner, depth - 1)}`)
          .join(",\n")}\n}`;
  return `${nested(document, 3)}\n`;
}
