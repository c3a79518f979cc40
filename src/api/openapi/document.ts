import { readFileSync } from "node:fs";
import path from "node:path";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { createJsonSchemaTransform } from "fastify-type-provider-zod";
import { madeOnce } from "../made-once.ts";
import { pack, sendPacked } from "../packed.ts";
import { MAX_TEXT } from "../schema.ts";
import { withBodyExamples } from "./body-examples.ts";
import { documentPart } from "./document-part.ts";
import { withAnswers } from "./operation-schema.ts";
import { addReferencePage } from "./reference-page.ts";
import { shareCommon } from "./share-common.ts";
import { TAGS } from "./tags.ts";
import { tidyDocument } from "./tidy-document.ts";

/** As the tests send them: `./parley derive` writes the file from there. Read when the document is made, not at a start. */
const readExamples = (): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, "body-examples.json"), "utf8"));

/** The OpenAPI document of all operations that are added after it: whole, by tags, and as a page to read. */
export async function addDocument(
  server: FastifyInstance,
  { version, key_header }: { version: string; key_header: string },
): Promise<void> {
  // One for each server: it remembers the schemas that it saw first.
  const asJsonSchema = createJsonSchemaTransform({ zodToJsonConfig: { unrepresentable: "any" } });
  await server.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Parley",
        version,
        description:
          "Conversational agents: configuration, sessions, campaigns and insights. A JSON body can have 1 MB, and " +
          "4 MB where requests are added to a batch. It has 20,000 values (entries of lists and members of objects) and " +
          "5,000 different names of members at the most, and 100,000 values where requests are added. A larger one is " +
          "answered with 413. It nests 100 levels at the most, values of any JSON included. " +
          `A text without maxLength has ${MAX_TEXT.body.toLocaleString("en-US")} characters at the most in a body, ` +
          `${MAX_TEXT.query.toLocaleString("en-US")} in a query and ${MAX_TEXT.path.toLocaleString("en-US")} in a path. ` +
          "Answers may gain fields: ignore those you don't know.",
      },
      components: { securitySchemes: { ApiKey: { type: "apiKey", in: "header", name: key_header } } },
      security: [{ ApiKey: [] }],
      servers: [{ url: "/" }],
      tags: TAGS,
    },
    transform: (route) => asJsonSchema({ ...route, schema: withAnswers(route) }),
    transformObject: ((source: Parameters<typeof tidyDocument>[0]) =>
      withBodyExamples(shareCommon(tidyDocument(source)), readExamples())) as never,
  });
  addReferencePage(server);
  const whole = madeOnce(() => pack("application/json; charset=utf-8", JSON.stringify(server.swagger())));
  server.get<{ Querystring: { tags?: string | string[] } }>(
    "/openapi.json",
    { schema: { hide: true } },
    async (request, reply) => {
      const wanted = [request.query.tags ?? []].flat().flatMap((one) => one.split(","));
      return wanted.length > 0
        ? documentPart(server.swagger(), wanted)
        : sendPacked(request, reply, await whole());
    },
  );
}
