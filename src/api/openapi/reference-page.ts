import Fastify, { type FastifyInstance } from "fastify";
import { madeOnce } from "../made-once.ts";

/** The page asks nobody outside, and sells nothing: no fonts, no measuring, no assistant, no bar of its maker. */
const REFERENCE = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
} as const;

/**
 * The API reference at /docs. Its package is a quarter of all that the program could read, so whoever asks for the page
 * first has it read, and not every start. A server takes no more routes once it listens: the page has one of its own, which is
 * only handed requests.
 */
export function addReferencePage(server: FastifyInstance): void {
  const page = madeOnce(createPage);
  for (const url of ["/docs", "/docs/js/scalar.js"]) {
    server.get(url, { schema: { hide: true } }, async (request, reply) => {
      const answer = await (await page()).inject({ method: "GET", url: request.url });
      const { location, "content-type": type } = answer.headers;
      if (location) reply.header("location", location);
      return reply
        .code(answer.statusCode)
        .header("content-type", type ?? "text/plain")
        .send(answer.rawPayload);
    });
  }
}

async function createPage(): Promise<FastifyInstance> {
  const { default: reference } = await import("@scalar/fastify-api-reference");
  const page = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  await page.register(reference, { routePrefix: "/docs", configuration: REFERENCE });
  return page;
}
