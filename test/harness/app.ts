import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { insertToken, newToken } from "../../src/accounts/api-token.ts";
import { bootstrap, createOrganization } from "../../src/accounts/bootstrap.ts";
import type { Caller } from "../../src/api/caller.ts";
import { API_KEY_HEADER, type Api } from "../../src/api/server.ts";
import type { AppParts } from "../../src/app/parts.ts";
import { createApp } from "../../src/app.ts";
import { type MovedClock, movedClock } from "../../src/base/clock.ts";
import { createVault, type Vault } from "../../src/base/crypto.ts";
import { createLog } from "../../src/base/log.ts";
import type { RunningCalls } from "../../src/calls/telephone.ts";
import { SIMULATOR_HOST, SIMULATOR_PREFIX } from "../../src/carriers/simulator-account.ts";
import { readConfig } from "../../src/config.ts";
import { type Database, openDatabase } from "../../src/db/database.ts";
import { DEMO_HOST, DEMO_PREFIX } from "../../src/demo/demo-api.ts";
import type { Dialer } from "../../src/dialing/dialer.ts";
import type { Mail } from "../../src/dialogues/mail.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { ensureDefaultInsights } from "../../src/insights/default-insights.ts";
import type { JobHandler } from "../../src/jobs/define-job.ts";
import type { Engine } from "../../src/sessions/engine.ts";
import { MAIL_SIMULATOR_HOST, MAIL_SIMULATOR_PREFIX } from "../../src/simulator/mail-simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { ensureSystemTools } from "../../src/tools/system-tools.ts";
import { afterFile } from "./after-file.ts";
import { createTestDatabase } from "./database.ts";
import { createResponseCheck } from "./response-check.ts";

/** What came back over HTTP, the body parsed. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the test expects it to be
export type Answer<T = any> = { status: number; body: T; headers: Record<string, unknown> };

// biome-ignore lint/suspicious/noExplicitAny: as above
export type Send = <T = any>(
  method: string,
  url: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer<T>>;

/** The whole program on a database of its own, with a clock that stands still until moved. */
export type TestApp = AppParts & {
  api: Api;
  engine: Engine;
  /** What `startJobs` runs in the program; no test app runs jobs by itself. */
  jobs: JobHandler[];
  voiceCalls: RunningCalls;
  /** The carrier that reaches nobody, where the test asked for one. */
  simulator: Simulator | null;
  /** Ticks only when told to. */
  dialer: Dialer;
  mailing: Mail;
  database: Database;
  clock: MovedClock;
  /** What the program logged as errors: the causes of its 500s. */
  errors: string[];
  /** All that it logged from "info" on, errors too. */
  logged: string[];
  /** Opens a real port on loopback, any unless said, for sockets, browsers and the demo's own tools. Resolves with the address. */
  listen(port?: number): Promise<string>;
  /** The first administrator, and their token. */
  admin: Caller;
  token: string;
  /** As the administrator. */
  send: Send;
  /** As the bearer of another token; null for nobody. */
  sendAs(token: string | null): Send;
  /** A second organization with its own administrator, for tenancy tests. */
  createNeighbour(email?: string): Promise<{ caller: Caller; token: string; send: Send }>;
  /** A token, the administrator's unless said otherwise, that can only do this; null: all that its bearer can. */
  createToken(permissions: string[] | null, caller?: Caller): Promise<string>;
};

type Seed = (parts: { clock: MovedClock; vault: Vault }) => Parameters<typeof bootstrap>[2];
/** What every sub-organization has: the system tools and the default insights. */
const bareSeed: Seed =
  ({ clock }) =>
  async (tx, caller) => {
    await ensureSystemTools(tx, caller, clock.now());
    await ensureDefaultInsights(tx, caller, clock.now());
  };

/** Wednesday noon UTC. */
export const START = "2026-11-18T12:00:00.000Z";

const collect = (logged: string[], errors: string[]) =>
  new Writable({
    write(line, _encoding, done) {
      logged.push(String(line));
      if (JSON.parse(String(line)).level >= ERROR) errors.push(String(line));
      done();
    },
  });
/** As pino numbers it. */
const ERROR = 50;

/** Wherever it is created, it is gone when the file's tests are done. */
export async function createTestApp(
  env: Record<string, string> = {},
  seed: Seed = bareSeed,
  outside: Partial<
    Pick<
      AppParts,
      | "sendMail"
      | "carriers"
      | "simulation"
      | "mailServer"
      | "mailLookUp"
      | "mailReading"
      | "speechProviders"
      | "speakOffline"
      | "voiceEngines"
      | "openTestLine"
      | "llmProviders"
      | "consoleBuild"
      | "telemetry"
      | "recordingsBucket"
    >
  > = {},
): Promise<TestApp> {
  const made: Partial<TestApp> = {};
  // The last of all: modules of files that have run stay in the process, and would keep their apps in it.
  afterFile(() => {
    for (const part of Object.keys(made)) delete made[part as keyof TestApp];
  });
  const { config: connection, drop } = await createTestDatabase();
  afterFile(drop);
  const clock = movedClock(START);
  const vault = createVault("a secret key for tests, long enough");
  const data_dir = mkdtempSync(path.join(tmpdir(), "parley-test-data-"));
  afterFile(() => rmSync(data_dir, { recursive: true, force: true }));
  const { config } = readConfig({ EGRESS_ALLOW: "127.0.0.1", DATA_DIR: data_dir, ...env });
  const database = openDatabase(connection, config.connections);
  afterFile(database.close);
  const { db, notices } = database;
  const demoRoute = { host: DEMO_HOST, connect: { host: "127.0.0.1", port: 0 }, pathPrefix: DEMO_PREFIX };
  const simulatorRoute = { host: SIMULATOR_HOST, connect: demoRoute.connect, pathPrefix: SIMULATOR_PREFIX };
  const mailRoute = {
    host: MAIL_SIMULATOR_HOST,
    connect: demoRoute.connect,
    pathPrefix: MAIL_SIMULATOR_PREFIX,
  };
  const egress = createEgress({ allow: config.egress_allow, routes: [demoRoute, simulatorRoute, mailRoute] });
  const errors: string[] = [];
  const logged: string[] = [];
  const log = createLog({ level: "info", destination: collect(logged, errors) });
  // Only a test of the simulated carrier has one; to others a channel's carrier is not there.
  const carriers = outside.simulation ? {} : { carriers: { of: async () => null } };
  const parts = { db, notices, clock, log, vault, egress, config, llmProviders: {}, ...carriers, ...outside };
  const { api, engine, jobs, voiceCalls, dialer, simulator, mailing } = await createApp(parts);
  const checkResponse = createResponseCheck(api.server);
  const first = await bootstrap(
    { db, clock },
    { email: "admin@example.com", token: null },
    seed({ clock, vault }),
  );
  if (!first) throw new Error("the test database was not empty");

  afterFile(() => {
    api.server.server.closeAllConnections();
    return api.server.close();
  });
  afterFile(egress.close);

  const sendAs =
    (token: string | null): Send =>
    async (method, url, body, headers = {}) => {
      const response = await api.server.inject({
        method: method as "GET",
        url,
        headers: {
          ...(token !== null && { [API_KEY_HEADER]: token }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && {
          payload: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
        }),
      });
      const text = response.body;
      const json = String(response.headers["content-type"]).includes("json");
      const parsed = json && text ? JSON.parse(text) : text;
      checkResponse(response, parsed);
      return { status: response.statusCode, body: parsed, headers: response.headers };
    };

  const tokenFor = async (caller: Caller, permissions: string[] | null) => {
    const token = newToken();
    const now = clock.now();
    const row = {
      sub_organization_id: caller.sub_organization_id,
      user_id: caller.user_id,
      name: token.slice(-6),
      permissions,
      created_by: caller.email,
      created_at: now,
      expires_at: new Date(now.getTime() + 365 * 86_400_000),
    };
    await db.transaction().execute((tx) => insertToken(tx, row, token));
    return token;
  };

  const app: TestApp = {
    ...parts,
    api,
    engine,
    voiceCalls,
    errors,
    logged,
    jobs,
    simulator,
    dialer,
    mailing,
    async listen(port = 0) {
      const url = await api.server.listen({ host: "127.0.0.1", port });
      demoRoute.connect.port = Number(new URL(url).port);
      return url;
    },
    database,
    clock,
    admin: first.caller,
    token: first.token,
    send: sendAs(first.token),
    sendAs,
    createToken: (permissions, caller = first.caller) => tokenFor(caller, permissions),
    async createNeighbour(email = "neighbour@example.org") {
      const caller = await db
        .transaction()
        .execute((tx) => createOrganization(tx, clock, { display_name: "Neighbour", email }));
      const token = await tokenFor(caller, null);
      return { caller, token, send: sendAs(token) };
    },
  };
  return Object.assign(made, app);
}
