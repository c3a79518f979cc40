import { access, constants } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { isDiskFull } from "../base/errors.ts";
import { type Db, isDatabaseError } from "../db/database.ts";
import { tooLittleRoom } from "../db/disk-room.ts";
import { knownVersions, unreadableAfter } from "../db/migrate.ts";
import { loggedPath } from "./logged-path.ts";
import { measureMainLoop } from "./main-loop.ts";
import type { Api } from "./server.ts";

/** However often and by however many it is asked, the database is written to once in this time. */
const LOOK_MS = 500;
/** A database that stands still answers nothing for as long as it does, and who asks wants to know now. */
const PATIENCE_MS = 2_000;
const NO_ANSWER = "The database does not answer.";
const DISK_FULL = "The disk of the data directory is full.";

/** Why nothing new could be stored; null where it can. */
async function obstacleToWriting(db: Db, dataDir: string, known: number[]): Promise<string | null> {
  try {
    // A newer program may have begun beside this one, which would go on and fail.
    const { rows } = await sql<{ version: number; name: string }>`
      select version, name from schema_migrations where breaking and version <> all(${known}::integer[])
      order by version limit 1`.execute(db);
    if (rows[0]) return unreadableAfter(rows[0]);
    await sql`
      insert into write_probes (id, written_at) values (1, now())
      on conflict (id) do update set written_at = excluded.written_at`.execute(db);
  } catch (error) {
    if (isDiskFull(error)) return "The database's disk is full.";
    // Without room, the embedded database does not start either.
    if ((await tooLittleRoom(dataDir)) !== null) return DISK_FULL;
    return isDatabaseError(error) ? "The database answers, but nothing can be written to it." : NO_ANSWER;
  }
  if ((await tooLittleRoom(dataDir)) !== null) return DISK_FULL;
  // A disk that failed is mounted again for reading only, and the place of one that is not mounted is root's.
  const shut = await access(dataDir, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => code);
  return shut && shut !== "ENOENT" ? `Nothing can be written to the data directory (${shut}).` : null;
}

/** Whoever asks again within `ms` of the last answer, or while it is being found, gets that one. */
function atMostEvery<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | null = null;
  return () => {
    if (last && performance.now() - last.at < ms) return last.answer;
    const asked = { at: Number.POSITIVE_INFINITY, answer: ask() };
    last = asked;
    const done = () => {
      asked.at = performance.now();
    };
    asked.answer.then(done, done);
    return asked.answer;
  };
}

/**
 * What Node.js says about its process. Collecting it starts an observer of garbage collection and a watch of the main loop,
 * which never end and keep their registry alive, so a process has one, however many apps it has had.
 */
let ofProcess: Registry | null = null;
function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  return ofProcess;
}

/** A number that a room tells for monitoring, read when it is asked for. A counter only grows while the process runs. */
type HealthFigure = { type: "gauge" | "counter"; name: string; help: string; read(): number };

/** Asked every few seconds: an hour of a quiet installation would be a thousand lines that say nothing. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** For load balancers and monitoring; none of these needs a token, and none tells of any tenant. */
export function healthRoutes(
  api: Api,
  {
    db,
    version,
    dataDir,
    figures,
  }: { db: Db; version: string; dataDir: string; figures: readonly HealthFigure[] },
): void {
  const { server } = api;
  const known = knownVersions();
  const look = atMostEvery(LOOK_MS, () => obstacleToWriting(db, dataDir, known));
  const registry = new Registry();
  const ofNode = processMetrics();
  for (const { type, name, help, read } of figures) {
    const about = { name, help, registers: [registry] };
    if (type === "gauge")
      new Gauge({
        ...about,
        collect() {
          this.set(read());
        },
      });
    else
      new Counter({
        ...about,
        collect() {
          this.reset();
          this.inc(read());
        },
      });
  }
  const stopMeasuring = measureMainLoop(registry);
  server.addHook("onClose", async () => stopMeasuring());
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
    const isProbe = PROBES.has(routeOptions.url ?? "") && reply.statusCode < 400;
    request.log[isProbe ? "debug" : "info"](
      { method, url: loggedPath(request.url), status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      "request",
    );
  });

  // Of these no "onResponse" comes: a proxy whose patience is over says 504 to its caller, and nothing to us.
  server.addHook("onRequest", async (request, reply) => {
    reply.raw.once("close", () => {
      if (reply.raw.headersSent || request.ws) return;
      const { method, url } = request;
      const ms = Math.round(reply.elapsedTime);
      request.log.info(
        { method, url: loggedPath(url), ms },
        "request, left by its sender before it was answered",
      );
    });
  });

  const hidden = { schema: { hide: true } };
  server.get("/healthz", hidden, () => ({ status: "ok", version }));
  server.get("/readyz", hidden, async (_request, reply) => {
    const obstacle = await Promise.race([look(), sleep(PATIENCE_MS, NO_ANSWER, { ref: false })]);
    return obstacle === null ? { status: "ready" } : reply.code(503).send({ detail: obstacle });
  });
  server.get("/metrics", hidden, async (_request, reply) => {
    reply.type(registry.contentType);
    return Registry.merge([ofNode, registry]).metrics();
  });
}
