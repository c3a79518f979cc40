import { bootstrap, type FirstAccount } from "../accounts/bootstrap.ts";
import { createApp, VERSION } from "../app.ts";
import { systemClock } from "../base/clock.ts";
import { createEgress } from "../base/egress.ts";
import { Fault } from "../base/errors.ts";
import { createLog } from "../base/log.ts";
import type { Config, Secrets } from "../config.ts";
import { DEMO_HOST, DEMO_PREFIX } from "../demo/demo-api.ts";
import { DEMO_TARGET, seedDemo } from "../demo/seed.ts";
import { startJobs } from "../jobs/runner.ts";
import { openPlatform } from "./open-platform.ts";

/** How long a stop waits for turns that run before it cuts them off. */
const STOP_MS = 10_000;

/** Runs the platform until a signal. Resolves with the exit code. */
export async function start(config: Config, secrets: Secrets): Promise<number> {
  const began = performance.now();
  const log = createLog({ level: config.log_level });
  const clock = systemClock;
  const platform = await openPlatform(config, secrets, log);
  const { database, vault } = platform;
  const demoRoute = {
    host: DEMO_HOST,
    connect: { host: loopbackOf(config.host), port: config.port },
    pathPrefix: DEMO_PREFIX,
  };
  const egress = createEgress({ allow: config.egress_allow, routes: [demoRoute] });

  const first = await bootstrap(
    { db: database.db, clock },
    { email: config.bootstrap_admin_email, token: secrets.bootstrap_api_token },
    seedDemo(clock),
  );
  const { api, jobs: handlers } = await createApp({
    db: database.db,
    clock,
    log,
    vault,
    egress,
    config,
    llmProviders: environmentProviders(config, secrets),
  });
  const port = await listen(api.server, config);
  demoRoute.connect.port = port;
  const jobs = await startJobs({ pool: database.pool, clock, log, handlers });

  const publicUrl = config.port === 0 ? `http://${loopbackOf(config.host)}:${port}` : config.public_url;
  process.stdout.write(greeting(publicUrl, (performance.now() - began) / 1000, first));

  const why = await Promise.race([signalled(), platform.embedded?.failed ?? new Promise<never>(() => {})]);
  const force = setTimeout(() => process.exit(1), STOP_MS + 5000).unref();
  await api.server.close();
  await jobs.stop();
  await egress.close();
  await platform.close();
  clearTimeout(force);
  if (why instanceof Error) throw why;
  return 0;
}

async function listen(
  server: Awaited<ReturnType<typeof createApp>>["api"]["server"],
  { host, port }: Config,
) {
  try {
    await server.listen({ host, port });
    return (server.server.address() as { port: number }).port;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new Fault(
        "unavailable",
        `Port ${port} is taken by another program. Stop it, or set PORT to a free one.`,
      );
    }
    if (code === "EACCES")
      throw new Fault(
        "unavailable",
        `Port ${port} may not be opened by this user. Set PORT to 1024 or more.`,
      );
    if (code === "EADDRNOTAVAIL")
      throw new Fault("unavailable", `HOST ${host} is no address of this machine.`);
    throw error;
  }
}

const signalled = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => resolve(signal));
    }
  });

/** Where this program reaches itself. */
const loopbackOf = (host: string): string =>
  host === "0.0.0.0" || host === "::" || host === "localhost" ? "127.0.0.1" : host;

export function environmentProviders(config: Config, secrets: Secrets) {
  return Object.fromEntries(
    Object.entries(secrets.llm_api_keys).map(([name, api_key]) => {
      const base_url = config.llm_base_urls[name as keyof typeof config.llm_base_urls];
      return [name, { api_key, ...(base_url && { base_url }) }];
    }),
  );
}

function greeting(url: string, seconds: number, first: FirstAccount | null): string {
  const lines = [
    `Parley ${VERSION} is ready in ${seconds.toFixed(1)} s: ${url}`,
    "",
    `  Talk to the demo clinic   ${url}/chat/${DEMO_TARGET}`,
    `  The same in a terminal    ./parley chat "Demo clinic"`,
    `  API reference             ${url}/docs`,
    "",
  ];
  if (first) {
    lines.push("First start; this is shown once:", "");
    if (first.token_generated) lines.push(`  API token                 ${first.token}`);
    lines.push(
      `  Administrator             ${first.caller.email}`,
      `  One-time sign-in link     ${url}/sign-in?code=${first.sign_in_code}`,
      "",
    );
  }
  lines.push("Stop with Ctrl-C.", "");
  return `${lines.join("\n")}\n`;
}
