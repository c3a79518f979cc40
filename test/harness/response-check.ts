import type { IncomingMessage } from "node:http";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifyInstance } from "fastify";
import { closed } from "../../src/api/openapi/open-answers.ts";
import { serverDocument } from "./operations.ts";

type Response = { raw: { req: unknown }; statusCode: number; headers: Record<string, unknown> };

/** Throws when an answer is not what the program's own OpenAPI document says of its operation. */
type ResponseCheck = (response: Response, body: unknown) => void;

/**
 * Production prints answers as they are, because parsing them costs 62 % of a list's throughput; so it is here, in
 * every test that sends anything, that each answer is held against its schema, and has no field that the schema lacks.
 */
export function createResponseCheck(server: FastifyInstance): ResponseCheck {
  const routes = new WeakMap<object, string>();
  server.addHook("onRequest", async (request) => {
    if (request.routeOptions.url) routes.set(request.raw, request.routeOptions.url);
  });

  return ({ raw, statusCode, headers }, body) => {
    const { method } = raw.req as IncomingMessage;
    const route = routes.get(raw.req as object);
    if (route === undefined || !String(headers["content-type"]).includes("application/json")) return;
    const operation = `${pointer(route.replace(/:(\w+)/g, "{$1}"))}/${String(method).toLowerCase()}`;
    const documented = schemaOf(
      server,
      `${operation}/responses/${statusCode}/content/application~1json/schema`,
    );
    const schema = documented ?? (statusCode >= 400 && route.startsWith("/api/") ? isError : undefined);
    if (!schema || schema(body)) return;
    const faults = (schema.errors ?? [])
      .slice(0, 8)
      .map((error) => `${error.instancePath || "/"} ${error.message} ${JSON.stringify(error.params)}`);
    const shown = JSON.stringify(body).slice(0, 1000);
    throw new Error(
      `${method} ${route} answered ${statusCode} otherwise than documented:\n${faults.join("\n")}\n${shown}`,
    );
  };
}

const DOCUMENT = "openapi";

// One for all apps of a process: whatever its settings, each serves the same document (test/invariants/drift.test.ts).
let ajv: Ajv2020 | undefined;
const compiled = new Map<string, ValidateFunction | undefined>();

function schemaOf(server: FastifyInstance, place: string): ValidateFunction | undefined {
  if (compiled.has(place)) return compiled.get(place);
  ajv ??= ajvOf(closed(serverDocument(server)));
  const schema = ajv.getSchema(`${DOCUMENT}#/paths/${place}`);
  compiled.set(place, schema);
  return schema;
}

function ajvOf(document: object): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  return ajv.addSchema(document, DOCUMENT);
}

/** As in a JSON pointer inside a URI's fragment. */
const pointer = (text: string): string =>
  encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));

/** What every refusal looks like, also those that the document doesn't list (404, 400, 409, 412, …). */
const isError = new Ajv2020().compile({
  type: "object",
  required: ["detail"],
  additionalProperties: false,
  properties: { detail: { type: "string", minLength: 1 } },
});
