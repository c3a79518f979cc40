import type { FastifyInstance } from "fastify";
import { expandShared } from "../../src/api/openapi/expand-shared.ts";

export type Parameter = { name: string; in: "path" | "query" | "header"; required?: boolean; schema: Schema };
/** JSON Schema, as the OpenAPI document has it. */
// biome-ignore lint/suspicious/noExplicitAny: any schema
export type Schema = Record<string, any>;

/** An operation as the program itself documents it. */
export type Operation = {
  /** `PUT /api/v1/outbound/campaigns/{}`: no two operations differ only in what a parameter is called. */
  key: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  /** Media type of the body. */
  consumes: string | undefined;
  /** Needs no sign-in. */
  public: boolean;
};

type Document = {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
};
type DocumentedOperation = {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  security?: unknown[];
};

const documents = new WeakMap<FastifyInstance, Document>();

/** The OpenAPI document that this server serves; the server must be ready. */
export function serverDocument(server: FastifyInstance): Document {
  const known = documents.get(server);
  if (known) return known;
  const document = expandShared(server.swagger()) as unknown as Document;
  documents.set(server, document);
  return document;
}

export async function operationsOf(server: FastifyInstance): Promise<Operation[]> {
  await server.ready();
  return Object.entries(serverDocument(server).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, documented]) => {
      const [consumes, content] = Object.entries(documented.requestBody?.content ?? {})[0] ?? [];
      return {
        key: keyOf(`${method} ${path}`),
        method: method.toUpperCase(),
        path,
        parameters: documented.parameters ?? [],
        body: content?.schema,
        consumes,
        public: documented.security?.length === 0,
      };
    }),
  );
}

/** The key of `PUT /api/v1/outbound/campaigns/{id}`. */
export function keyOf(line: string): string {
  const [method = "", path = ""] = line.split(" ");
  return `${method.toUpperCase()} ${path.replace(/\{\w*\}/g, "{}")}`;
}
