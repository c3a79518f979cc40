import { createServer, type Server } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import type { Audience, InternalPages } from "../config/network.ts";

const PAGES: [page: "metrics" | "docs", path: RegExp][] = [
  ["metrics", /^\/metrics\/?$/],
  ["docs", /^\/(docs(\/.*)?|openapi\.json\/?)$/],
];

/** Answers 404, as a page that is not there, to whom a page is not for. */
export function guardInternalPages(server: FastifyInstance, pages: InternalPages): void {
  const inside = new WeakSet<object>();
  server.addHook("onRequest", async (request, reply) => {
    const page = pageOf(request.url);
    if (page === undefined || isAllowed(request, pages[page])) return;
    return reply.code(404).send({ detail: "Not Found" });
  });

  const isAllowed = (request: FastifyRequest, audience: Audience): boolean => {
    if (audience === "off") return false;
    if (pages.listen !== null) return inside.has(request.raw);
    return audience === "everyone" || isFromInside(request);
  };

  let listener: Server | null = null;
  server.addHook("onListen", async () => {
    if (pages.listen === null) return;
    const { host, port } = pages.listen;
    listener = createServer((request, response) => {
      inside.add(request);
      if (pageOf(request.url ?? "") === undefined) response.writeHead(404).end();
      else server.routing(request, response);
    });
    await new Promise<void>((resolve, reject) => {
      listener?.once("error", reject).listen(port, host, resolve);
    });
    server.log.info({ host, port: (listener.address() as { port: number }).port }, "metrics and docs listen");
  });
  server.addHook("onClose", async () => {
    listener?.closeAllConnections();
    listener?.close();
  });
}

const pageOf = (url: string): "metrics" | "docs" | undefined => {
  let path = url.split(/[?#]/)[0] ?? "";
  try {
    path = decodeURIComponent(path);
  } catch {
    // What can't be decoded is no route either.
  }
  return PAGES.find(([, pattern]) => pattern.test(path))?.[0];
};

const INSIDE: string[] = ["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"];

/**
 * From this machine or a private network, and not handed on by a proxy: whatever comes from outside through one has its
 * address.
 */
function isFromInside(request: FastifyRequest): boolean {
  const { headers, ip } = request;
  const handedOn = ["x-forwarded-for", "forwarded", "via", "x-real-ip"].some(
    (name) => headers[name] !== undefined,
  );
  return !handedOn && ipaddr.isValid(ip) && INSIDE.includes(ipaddr.process(ip).range());
}
