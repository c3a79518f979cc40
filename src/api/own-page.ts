import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** The origin of PUBLIC_URL: our own pages come from it, whatever proxy is in front. */
    publicOrigin: string;
  }
}

export function knowOwnPages(server: FastifyInstance, publicUrl: string): void {
  server.decorate("publicOrigin", new URL(publicUrl).origin);
}

/**
 * Whether a page of ours sends this, or a program, which sends no Origin. A browser that says "same-origin" itself is
 * believed before Host, which proxies rewrite, or write without its port. No browser says so of every WebSocket: then it is
 * ours if it comes from PUBLIC_URL, or from the host that was asked for. Pages can set none of these headers.
 */
export function isOwnPage({ headers, host, server }: FastifyRequest): boolean {
  const { origin } = headers;
  if (origin === undefined || headers["sec-fetch-site"] === "same-origin") return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  return (
    page.origin === server.publicOrigin ||
    [host, headers.host, headers["x-forwarded-host"]].includes(page.host)
  );
}
