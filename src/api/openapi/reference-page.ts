import Fastify, { type FastifyInstance } from "fastify";
import { madeOnce } from "../made-once.ts";
import { pack, sendPacked } from "../packed.ts";

/** The page asks nobody outside, and sells nothing: no fonts, no measuring, no assistant, no bar and client of its maker. */
const REFERENCE = {
  pageTitle: "Parley API reference",
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
} as const;

/** 4.4 MB as it is, 1.3 compressed. */
const SCRIPT = "/docs/js/scalar.js";

/**
 * The API reference at /docs. Its package is a quarter of all that the program could read, so whoever asks for the page
 * first has it read, and not every start. A server takes no more routes once it listens: the page has one of its own, which is
 * only handed requests.
 */
export function addReferencePage(server: FastifyInstance): void {
  const page = madeOnce(createPage);
  const script = madeOnce(async () => {
    const { headers, body } = await (await page()).inject({ method: "GET", url: SCRIPT });
    return pack(String(headers["content-type"]), body);
  });
  const hidden = { schema: { hide: true } };
  server.get(SCRIPT, hidden, async (request, reply) => sendPacked(request, reply, await script()));
  server.get("/docs", hidden, async (request, reply) => {
    const answer = await (await page()).inject({ method: "GET", url: request.url });
    const { location, "content-type": type } = answer.headers;
    if (location) reply.header("location", location);
    return reply
      .code(answer.statusCode)
      .header("content-type", type ?? "text/plain")
      .send(answer.rawPayload);
  });
}

async function createPage(): Promise<FastifyInstance> {
  const { default: reference } = await import("@scalar/fastify-api-reference");
  const page = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  await page.register(reference, { routePrefix: "/docs", configuration: REFERENCE });
  return page;
}
