import { rm } from "node:fs/promises";
import { bootstrap } from "../accounts/bootstrap.ts";
import type { App, AppParts } from "../app/parts.ts";
import { createApp } from "../app.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { silentLog } from "../base/log.ts";
import { SIMULATOR_HOST, SIMULATOR_PREFIX } from "../carriers/simulator-account.ts";
import { readConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { DEMO_HOST, DEMO_PREFIX } from "../demo/demo-api.ts";
import { seedDemo } from "../demo/seed.ts";
import { createEgress } from "../egress/egress.ts";
import { MAIL_SIMULATOR_HOST, MAIL_SIMULATOR_PREFIX } from "../simulator/mail-simulator.ts";
import { tryPort } from "./free-port.ts";
import { openPlatform } from "./open-platform.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const HOST = "127.0.0.1";

type DemoProgram = {
  app: App;
  database: Database;
  vault: Vault;
  url: string;
  /** Of the demo's administrator. */
  token: string;
};

/**
 * A program with the demo, on a database and a port of its own. It takes nothing from the environment, and nobody is really
 * reached. Closing `open` stops it and deletes its data.
 */
export async function openDemoProgram(
  open: AsyncDisposableStack,
  {
    stop,
    clock = systemClock,
    ...outside
  }: { stop: AbortSignal; clock?: Clock } & Pick<AppParts, "simulation" | "voiceEngines">,
): Promise<DemoProgram> {
  const data_dir = await temporaryFolder("demo");
  open.defer(() => rm(data_dir, { recursive: true, force: true }));
  const port = await tryPort({ host: HOST, port: 0 });
  const { config, secrets } = readConfig({ DATA_DIR: data_dir, PORT: String(port) });
  const { database, vault, close } = await openPlatform(config, secrets, { log: silentLog, stop });
  open.defer(close);
  const { db, notices } = database;

  const connect = { host: HOST, port };
  const routes = [
    { host: DEMO_HOST, connect, pathPrefix: DEMO_PREFIX },
    { host: SIMULATOR_HOST, connect, pathPrefix: SIMULATOR_PREFIX },
    { host: MAIL_SIMULATOR_HOST, connect, pathPrefix: MAIL_SIMULATOR_PREFIX },
  ];
  const egress = createEgress({ allow: config.egress_allow, routes });
  open.defer(() => egress.close());
  const inside = { db, notices, clock, log: silentLog, vault, egress, config, llmProviders: {} };
  const app = await createApp({ ...inside, ...outside });
  open.defer(() => app.api.server.close());
  const owner = { email: "admin@localhost", token: null };
  const first = await bootstrap({ db, clock }, owner, seedDemo({ clock, vault }));
  if (!first) throw new Error("the demo's database was not empty");
  await app.api.server.listen({ host: HOST, port });
  return { app, database, vault, url: `http://${HOST}:${port}`, token: first.token };
}
