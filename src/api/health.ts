import { sql } from "kysely";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Db } from "../db/database.ts";
import type { Api } from "./server.ts";

/** For load balancers and monitoring; none of these needs a token, and none tells of any tenant. */
export function healthRoutes(api: Api, { db, version }: { db: Db; version: string }): void {
  const { server } = api;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "parley_http_request_duration_seconds",
    help: "Time to answer an HTTP request, by route and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  server.addHook("onResponse", async (request, reply) => {
    const { method, routeOptions } = request;
    duration.observe(
      { method, route: routeOptions.url ?? "unknown", status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    );
    request.log.info(
      { method, url: request.url.split("?")[0], status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      "request",
    );
  });

  const hidden = { schema: { hide: true } };
  server.get("/healthz", hidden, () => ({ status: "ok", version }));
  server.get("/readyz", hidden, async (_request, reply) => {
    try {
      await sql`select 1`.execute(db);
      return { status: "ready" };
    } catch {
      return reply.code(503).send({ detail: "The database does not answer." });
    }
  });
  server.get("/metrics", hidden, async (_request, reply) => {
    reply.type(registry.contentType);
    return registry.metrics();
  });
}
