import { mapSchemas } from "./open-answers.ts";
import { withAllFields } from "./share-fields.ts";
import { documentTextBounds } from "./text-bounds.ts";

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI, read by its own rules
type Json = any;

const NOT_SIGNED_IN = ["401", "403"];

/**
 * A document as `share-common.ts` wrote it, for readers that look at one operation or one schema: each with its own
 * parameters, responses, fields and bounds again. Pure.
 */
export function expandShared<Document extends object>(document: Document): Document {
  const { paths, components } = document as Json;
  const { schemas } = components;
  const whole = (value: Json) => mapSchemas(value, (schema) => withAllFields(schema, schemas));
  const resolved = (entry: Json): Json => {
    const [, kind, name] = /^#\/components\/(parameters|responses)\/(\w+)$/.exec(entry?.$ref ?? "") ?? [];
    return kind && name ? components[kind][name] : entry;
  };
  const expanded = {
    ...document,
    components: {
      ...components,
      schemas: Object.fromEntries(
        Object.entries<Json>(schemas).map(([name, schema]) => [name, whole(schema)]),
      ),
    },
    paths: Object.fromEntries(
      Object.entries<Json>(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries<Json>(methods).map(([method, operation]) => [
            method,
            {
              ...operation,
              ...(operation.parameters && { parameters: operation.parameters.map(resolved) }),
              ...(operation.responses && {
                responses: Object.fromEntries(
                  responsesOf(operation).map(([status, response]) => [status, whole(resolved(response))]),
                ),
              }),
            },
          ]),
        ),
      ]),
    ),
  };
  // A copy, since the bounds are written into it.
  const copy = JSON.parse(JSON.stringify(expanded));
  documentTextBounds(copy);
  return copy;
}

/** Whoever signs in can be refused for that. */
function responsesOf({ responses, security }: Json): [string, Json][] {
  const { default: refused, ...named } = responses;
  const signsIn = refused !== undefined && security?.length !== 0;
  return Object.entries({
    ...named,
    ...(signsIn && Object.fromEntries(NOT_SIGNED_IN.map((status) => [status, refused]))),
  });
}
