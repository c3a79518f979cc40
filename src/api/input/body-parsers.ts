import type { FastifyInstance, FastifyRequest } from "fastify";
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
      return parseJsonBody(bodyText(body), most_values);
    },
  );
  server.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    async (_request: FastifyRequest, body: Buffer) => parseFormBody(bodyText(body)),
  );
}
