import type { FastifyInstance, FastifyRequest } from "fastify";
import { Fault } from "../../base/errors.ts";
import { bodyText, parseJsonBody } from "./body.ts";
import { parseFormBody } from "./form.ts";
import { createLargeBodies } from "./large-bodies.ts";

/** Bodies of operations: JSON and forms without a file, as UTF-8. */
export function addBodyParsers(server: FastifyInstance): void {
  server.removeContentTypeParser(["application/json", "text/plain"]);
  const turnOf = createLargeBodies();
  server.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => {
      await turnOf(body.length);
      const { most_values } = request.routeOptions.config as { most_values?: number };
      return parseJsonBody(plainText(request, body), most_values);
    },
  );
  server.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => parseFormBody(plainText(request, body)),
  );
}

/** A compressed body could unpack to any size, so none is read. */
function plainText(request: FastifyRequest, body: Buffer): string {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity")
    throw new Fault("wrong-media-type", "Send the body uncompressed, without Content-Encoding.");
  return bodyText(body);
}
