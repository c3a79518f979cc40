import { bootstrap } from "../accounts/bootstrap.ts";
import { createApp } from "../app.ts";
import { systemClock } from "../base/clock.ts";
import { createEgress } from "../base/egress.ts";
import { createLog } from "../base/log.ts";
import { type Config, reachable, type Secrets } from "../config.ts";
import type { Database, Db } from "../db/database.ts";
import { DEMO_HOST, DEMO_PREFIX } from "../demo/demo-api.ts";
import { DEMO_TARGET, seedDemo } from "../demo/seed.ts";
import { startJobs } from "../jobs/runner.ts";
import { portFault, tryPort } from "./free-port.ts";
import { firstAccountText, readyText } from "./greeting.ts";
import { openPlatform } from "./open-platform.ts";
import { stopServing } from "./stop.ts";
import { aborted, stopSignal } from "./stop-signal.ts";

/** Runs the platform until a signal. Resolves with the exit code. */
export async function start(given: Config, secrets: Secrets): Promise<number> {
  const stop = stopSignal();
  try {
    await run(await settlePort(given), secrets, stop);
  } catch (error) {
    // What was interrupted fails in its own way; that it was asked to is all there is to know.
    if (!stop.aborted) throw error;
  }
  return 0;
}

async function settlePort(config: Config): Promise<Config> {
  const port = await tryPort(config);
  return { ...config, port, public_url: config.public_url.replace(/:0$/, `:${port}`) };
}

/** Whatever is open is closed again in the opposite order, also when a later step fails or a signal comes. */
async function run(config: Config, secrets: Secrets, stop: AbortSignal): Promise<void> {
  const log = createLog({ level: config.log_level });
  const clock = systemClock;
  await using open = new AsyncDisposableStack();
  const platform = await openPlatform(config, secrets, { log, stop });
  open.defer(platform.close);
  const { db, pool } = platform.database;
  if (platform.embedded) await freeWhatWasHeld(platform.database);

  const host = reachable(config.host);
  const demoRoute = { host: DEMO_HOST, connect: { host, port: config.port }, pathPrefix: DEMO_PREFIX };
  const egress = createEgress({ allow: config.egress_allow, routes: [demoRoute] });
  open.defer(() => egress.close());
  const llmProviders = environmentProviders(config, secrets);
  const app = await createApp({ db, clock, log, vault: platform.vault, egress, config, llmProviders });
  open.defer(() => app.api.server.close());

  await bootstrap(
    { db, clock },
    { email: config.bootstrap_admin_email, token: secrets.bootstrap_api_token },
    seedDemo(clock),
    (first) => process.stdout.write(firstAccountText(config.public_url, first)),
  );
  stop.throwIfAborted();
  await app.api.server.listen({ host: config.host, port: config.port }).catch(async (error) => {
    throw await portFault(error, config);
  });
  const jobs = await startJobs({ pool, clock, log, handlers: app.jobs });
  open.defer(() =>
    stopServing(app, jobs, log).catch((error) => log.error({ err: error }, "no orderly stop")),
  );
  stop.throwIfAborted();

  const seconds = performance.now() / 1000;
  process.stdout.write(readyText(config.public_url, { seconds, demo: await hasDemo(db) }));
  const lost = await Promise.race([aborted(stop), platform.embedded?.failed ?? new Promise<never>(() => {})]);
  if (lost) throw lost;
}

/**
 * Nobody but us works on an embedded database, so what a program that was killed still holds (the turn of a session, a
 * job) is free now and need not run out first.
 */
async function freeWhatWasHeld({ db, pool }: Database): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ lease_owner: null, lease_expires_at: null })
    .where("lease_owner", "is not", null)
    .where("ended_at", "is", null)
    .execute();
  await pool.query("delete from job_runners");
}

function environmentProviders(config: Config, secrets: Secrets) {
  return Object.fromEntries(
    Object.entries(secrets.llm_api_keys).map(([name, api_key]) => {
      const base_url = config.llm_base_urls[name as keyof typeof config.llm_base_urls];
      return [name, { api_key, ...(base_url && { base_url }) }];
    }),
  );
}

async function hasDemo(db: Db): Promise<boolean> {
  const target = await db
    .selectFrom("channel_targets as t")
    .innerJoin("agents as a", "a.id", "t.agent_id")
    .select("t.id")
    .where("t.target", "=", DEMO_TARGET)
    .where("t.target_mode", "=", "chat")
    .where("a.deleted_at", "is", null)
    .executeTakeFirst();
  return target !== undefined;
}
