import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { bootstrap } from "../../src/accounts/bootstrap.ts";
import { systemClock } from "../../src/base/clock.ts";
import { type Connection, type Database, openDatabase } from "../../src/db/database.ts";
import type { TestApp } from "../harness/app.ts";
import { createRandom } from "../harness/fuzz/random.ts";
import { createSender } from "../harness/sender.ts";
import { compiledFolder } from "../harness/start-program.ts";
import { type CarrierWorld, startCarrier } from "./carrier-world.ts";
import type { ChaosSettings } from "./dialer-process.ts";
import { type ReceiverWorld, startReceiver } from "./receiver-world.ts";

const SOURCE = "+19032900844";
const RETRIES = 2;

/** A database with batches to reach, a carrier, and dialers in processes of their own. */
export type Stage = {
  connection: Connection;
  database: Database;
  carrier: CarrierWorld;
  /** Where webhooks are sent; null: nobody sends them. */
  receiver: ReceiverWorld | null;
  people: number;
  /** For dialers that are started after it. */
  startReceiver(): Promise<ReceiverWorld>;
  startDialer(more?: Partial<ChaosSettings>): Promise<RunningDialer>;
  /** Sets the clocks of all dialers, those to come too. */
  setClocks(off_ms: number): Promise<void>;
  /** How many have been reached or given up. */
  over(): Promise<number>;
  stop(): Promise<void>;
};

type RunningDialer = {
  owner: string;
  url: string;
  died: Promise<number>;
  kill(signal?: NodeJS.Signals): void;
};

export async function setStage(
  connection: Connection,
  { seed, batches, each }: { seed: number; batches: number; each: number },
): Promise<Stage> {
  const database = openDatabase(connection);
  const { db } = database;
  const first = await bootstrap(
    { db, clock: systemClock },
    { email: "chaos@example.com", token: null },
    async () => {},
  );
  if (!first) throw new Error("the database was not empty");
  const { agent_id } = await createSender({ db, clock: systemClock } as TestApp, first.caller, {
    target: SOURCE,
  });
  await fill(database, first.caller.sub_organization_id, agent_id, { batches, each });

  const running = new Map<string, RunningDialer & { child: ChildProcess }>();
  const carrier = await startCarrier(createRandom(seed).next, () =>
    [...running.values()].map(({ url }) => url),
  );
  let off_ms = 0;
  let started = 0;

  const stage: Stage = {
    connection,
    database,
    carrier,
    receiver: null,
    people: batches * each,
    async startReceiver() {
      stage.receiver = await startReceiver();
      return stage.receiver;
    },
    async startDialer(more = {}) {
      const owner = `dialer-${++started}`;
      const settings: ChaosSettings = {
        connection,
        carrier: carrier.url,
        owner,
        die_at: null,
        clock_off_ms: off_ms,
        receiver: stage.receiver?.url ?? null,
        ...more,
      };
      const child = spawn(process.execPath, [path.join(import.meta.dirname, "dialer-process.ts")], {
        env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder(), CHAOS: JSON.stringify(settings) },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const died = once(child, "exit").then(() => {
        running.delete(owner);
        return Date.now();
      });
      const [port] = await Promise.race([
        once(createInterface({ input: child.stdout }), "line"),
        died.then(() => Promise.reject(new Error("the dialer did not start"))),
      ]);
      const dialer = {
        owner,
        url: `http://127.0.0.1:${port}`,
        died,
        kill: (signal?: NodeJS.Signals) => void child.kill(signal ?? "SIGKILL"),
        child,
      };
      running.set(owner, dialer);
      return dialer;
    },
    async setClocks(to_ms) {
      off_ms = to_ms;
      for (const { url } of running.values()) {
        await fetch(`${url}/clock`, { method: "POST", body: JSON.stringify({ off_ms }) });
      }
    },
    async over() {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from requests where request_status not in ('PENDING', 'INITIATED', 'CONNECTED')`.execute(
        db,
      );
      return rows[0]?.n ?? 0;
    },
    async stop() {
      for (const { kill } of running.values()) kill();
      await Promise.all([...running.values()].map(({ died }) => died));
      await carrier.stop();
      await stage.receiver?.stop();
      await database.close();
    },
  };
  return stage;
}

/**
 * Batches at one attempt a second each, all of one campaign that tells its webhook of everything. Two batches each hold
 * the same telephones under references of their own, so that they want to call the same people in the same seconds.
 */
async function fill(
  { db }: Database,
  sub_organization_id: number,
  agent_id: number,
  { batches, each }: { batches: number; each: number },
): Promise<void> {
  await sql`
    with campaign as (
      insert into campaigns (sub_organization_id, campaign_name, campaign_variables, source, hourly_rate, retry_count,
        retry_interval, active_days, include_unknown_line_types, agent_id, created_at, updated_at, last_updated_by)
      values (${sub_organization_id}, 'Chaos', '{}', ${SOURCE}, 3600, ${RETRIES}, '1s',
        '{mon,tue,wed,thu,fri,sat,sun}', true, ${agent_id}, now(), now(), 'chaos')
      returning id
    ),
    webhook as (
      insert into campaign_webhooks (campaign_id, position, trigger_statuses, url, request_method, created_at, updated_at)
      select id, 0, '{QUEUED,IN-PROGRESS,HUMAN,COMPLETED,BUSY,NO-ANSWER,NO_OUTCOME}', 'https://hooks.example/', 'POST',
        now(), now()
      from campaign
    ),
    batch as (
      insert into batches (sub_organization_id, batch_id, campaign_id, auto_call_rate, status, created_at,
        last_updated_at, last_updated_by)
      select ${sub_organization_id}, 'batch-' || n, id, false, 'ACTIVE', now(), now(), 'chaos'
      from campaign, generate_series(1, ${batches}::integer) n
      returning key
    ),
    pacing as (insert into batch_pacing (batch_key, wake_at) select key, now() from batch)
    insert into requests (batch_key, reference_id, target, request_status, channel_manager_status, due_at, created_at,
      request_variables)
    select key, 'person-' || key || '-' || n, '+1512' || lpad(((key + 1) / 2 * 1000 + n)::text, 7, '0'), 'PENDING', 'PENDING',
      now(), now(), '{}'
    from batch, generate_series(1, ${each}::integer) n`.execute(db);
}

/** Polls until it is so; the time it took, or null when it never was. */
export async function until(isSo: () => Promise<boolean> | boolean, most_ms: number): Promise<number | null> {
  const began = Date.now();
  while (Date.now() - began < most_ms) {
    if (await Promise.resolve(isSo()).catch(() => false)) return Date.now() - began;
    await sleep(50);
  }
  return null;
}
