import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { bootstrap } from "../src/accounts/bootstrap.ts";
import { systemClock } from "../src/base/clock.ts";
import { createVault } from "../src/base/crypto.ts";
import { EVERY_COUNTRY } from "../src/base/destination.ts";
import { silentLog } from "../src/base/log.ts";
import type { OutreachSender } from "../src/channels/outreach.ts";
import { keyForTexts, openSealedTexts } from "../src/data-keys/data-keys.ts";
import { type Connection, openDatabase } from "../src/db/database.ts";
import { startEmbeddedPostgres } from "../src/db/embedded-postgres.ts";
import { migrate } from "../src/db/migrate.ts";
import { createAttempts } from "../src/dialing/attempts.ts";
import { claimDue } from "../src/dialing/claim.ts";
import { createDialer } from "../src/dialing/dialer.ts";
import { createSettleQueue } from "../src/dialing/settle-queue.ts";
import { resumeOutreach, stopOutreach } from "../src/dialing/stop.ts";
import { sealStored } from "../src/erasure/seal-stored.ts";
import type { TestApp } from "../test/harness/app.ts";
import { createNumbers } from "../test/harness/number-group.ts";
import { createSender } from "../test/harness/sender.ts";
import { machine, markdownTable, median, ms, print, quantile } from "./platform.ts";

/**
 * Attempts from due to settled: claimed, handed to a carrier that answers at once or after a second, told of as answered and as completed,
 * with their events, on the durable embedded database. Each batch starts one a second, the API's highest rate, so load
 * is a number of batches. Then the cost of one look at a batch with 100 and with 1,000,000 requests waiting.
 *
 *     node bench/dialer.ts [seconds] [rules|groups|stop|sealed|cadences]
 *
 * `stop`: only how long after all outreach was stopped the last attempt of two dialers started.
 *
 * `sealed`: only claims of 200 people, whose variables lie in clear or sealed, in turn.
 *
 * `cadences`: only calls that nobody answers, alone and with a text and a mail after them, in turn.
 *
 * `groups`: campaigns send from a group of twelve numbers with a cap and local presence.
 *
 * `rules`: the organization keeps each person's own clock, open at any hour, and two caps.
 */
const NO_LIMITS = { per_source: 1_000_000, per_organization: 1_000_000, kept_for_callers: 0 };
const SOURCE = "+19032900844";
const TEXTS = "+19032900845";
const MAIL = "desk@bench.example";
/** Call, a second later a text, a second later a mail. */
const CADENCE = {
  steps: [
    { mode: "sms", source: TEXTS, address: null, wait: "1s", after: null },
    { mode: "email", source: MAIL, address: null, wait: "1s", after: null },
  ],
};
/** Pairs of `cadences`. */
const CADENCE_PAIRS = 3;
/** Pairs of `sealed`. */
const CLAIMS = 25;

if (process.argv[2] === "--dialer") {
  await runDialer(
    JSON.parse(process.argv[3] as string),
    Number(process.argv[4]),
    process.argv[5] === "unanswered",
  );
} else {
  await measure(Number(process.argv[2] ?? 15));
}

/** In this process, until its input ends. */
async function runDialer(connection: Connection, answer_ms: number, is_unanswered: boolean): Promise<void> {
  const { db, close } = openDatabase(connection);
  const queue = createSettleQueue({ db, clock: systemClock });
  const attempts = createAttempts({ db, queue });
  const signal = (key: string, status: "IN-PROGRESS" | "COMPLETED" | "NO-ANSWER" | "DELIVERED") => {
    const word = {
      key,
      sid: key,
      status,
      word: status,
      error_code: null,
      is_transient: null,
      at: new Date(),
    };
    return attempts.signal([word]);
  };
  const sender: OutreachSender = {
    async send({ key, mode }) {
      if (answer_ms > 0) await sleep(answer_ms);
      // Told a moment later and each by itself, as callbacks come.
      setTimeout(() => {
        const told = is_unanswered
          ? signal(key, mode === "voice" ? "NO-ANSWER" : "DELIVERED")
          : signal(key, "IN-PROGRESS").then(() => signal(key, "COMPLETED"));
        told.catch(() => {});
      }, 20);
      return { sid: key, status: "QUEUED", session_id: null, conversation_id: null };
    },
    find: async () => null,
    async cancel() {},
  };
  const dialer = createDialer({
    db,
    clock: systemClock,
    log: silentLog,
    owner: `bench-${process.pid}`,
    senders: { voice: sender, sms: sender, whatsapp: sender, email: sender },
    carriers: { of: async () => null },
    limits: NO_LIMITS,
    destinations: EVERY_COUNTRY,
    queue,
  });
  dialer.start();
  print("ready");
  process.stdin.resume();
  await once(process.stdin, "end");
  await dialer.stop();
  await sleep(300);
  await queue.idle();
  await close();
  process.exit(0);
}

async function measure(seconds: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-bench-"));
  const dataDir = path.join(folder, "postgres");
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog });
  await migrate(postgres.connection);
  const connection = { ...postgres.connection, host: dataDir };
  const { db, close } = openDatabase(connection);
  const first = await bootstrap(
    { db, clock: systemClock },
    { email: "bench@example.com", token: null },
    async () => {},
  );
  if (!first) throw new Error("the benchmark's database was not empty");
  const { agent_id } = await createSender({ db, clock: systemClock } as TestApp, first.caller, {
    target: SOURCE,
  });

  const has_rules = process.argv.includes("rules");
  if (has_rules) await keepRules();
  const group_id = process.argv.includes("groups") ? await makeGroup() : null;
  print(
    `${seconds} s each${has_rules ? ", with rules" : ""}${group_id === null ? "" : ", from a number group"}; ${machine()}\n`,
  );
  if (process.argv.includes("stop")) {
    for (let i = 0; i < 5; i++) print(await stop());
    await close();
    await postgres.stop();
    rmSync(folder, { recursive: true });
    return;
  }
  if (process.argv.includes("sealed")) {
    print(await sealedClaims());
    await close();
    await postgres.stop();
    rmSync(folder, { recursive: true });
    return;
  }
  if (process.argv.includes("cadences")) {
    for (const [target, mode] of [
      [TEXTS, "sms"],
      [MAIL, "email"],
    ] as const)
      await createSender({ db, clock: systemClock } as TestApp, first.caller, { target, mode });
    const rows = [];
    // Without, with, with, without: whatever else the machine does meets both alike.
    for (let run = 0; run < CADENCE_PAIRS * 2; run++) rows.push(await cadences((run + (run >> 1)) % 2 === 1));
    print(
      markdownTable(
        ["steps", "started a second", "calls", "texts", "mails", "late p50 ms", "late p95 ms", "late p99 ms"],
        rows,
      ),
    );
    await close();
    await postgres.stop();
    rmSync(folder, { recursive: true });
    return;
  }
  const rows = [];
  for (const [processes, batches, answer_ms] of [
    [1, 1_000, 0],
    // What is late is not caught up, so a thousand a second takes more batches than that.
    [1, 1_100, 0],
    [1, 3_000, 0],
    [2, 3_000, 0],
    // One process hands over 400 at once, so 400 a second to such a carrier.
    [1, 700, 1_000],
    [2, 700, 1_000],
  ] as const) {
    rows.push(await load(processes, batches, answer_ms));
  }
  print(
    markdownTable(
      [
        "dialers",
        "wanted a second",
        "carrier answers after, s",
        "settled a second",
        "late p50 ms",
        "late p95 ms",
        "late p99 ms",
      ],
      rows,
    ),
  );
  const [few, many] = await looks();
  print(
    `\nOne look at a due batch, with its claim, median of ${few.length}: ${ms(median(few))} ms with 100 requests waiting, ${ms(median(many))} ms with 1,000,000: ${(median(many) / median(few)).toFixed(2)} times.`,
  );
  await close();
  await postgres.stop();
  rmSync(folder, { recursive: true });

  async function load(processes: number, batches: number, answer_ms: number) {
    await clear();
    await fill(batches, seconds + 10);
    const dialers = await startDialers(processes, answer_ms);
    // The first second finds every batch due at once.
    await sleep(3_000);
    const from = new Date();
    await sleep(seconds * 1000);
    const until = new Date();
    for (const child of dialers) child.stdin.end();
    await Promise.all(dialers.map((child) => once(child, "exit")));
    const [settled] = await query<{ n: number }>(
      sql`select count(*) as n from attempts where ended_at >= ${from.toISOString()} and ended_at < ${until.toISOString()}`,
    );
    const each = await lateness(from, until);
    const perSecond = Math.round((settled?.n ?? 0) / seconds).toLocaleString("en");
    return [
      processes,
      batches.toLocaleString("en"),
      answer_ms / 1000,
      perSecond,
      ...[0.5, 0.95, 0.99].map((q) => ms(quantile(each, q))),
    ];
  }

  /** What lay between two starts of a batch beyond its second. */
  async function lateness(from: Date, until: Date): Promise<number[]> {
    const late = await query<{ late: number }>(sql`
      select extract(epoch from gap) * 1000 - 1000 as late from (
        select started_at, started_at - lag(started_at) over (partition by batch_key order by started_at) as gap
        from attempts
      ) as gaps
      where gap is not null and started_at >= ${from.toISOString()} and started_at < ${until.toISOString()}`);
    return late.map((row) => row.late);
  }

  /** One dialer, 1,100 batches: more than it starts. Nobody answers, so each call is followed by the steps there are. */
  async function cadences(has_steps: boolean) {
    await clear();
    await fill(1_100, seconds + 10);
    await sql`
      update requests set request_variables = json_build_object('email', 'p' || id || '@people.example')`.execute(
      db,
    );
    if (has_steps) await sql`update campaigns set cadence = ${JSON.stringify(CADENCE)}::json`.execute(db);
    await sql`vacuum analyze`.execute(db);
    const dialers = await startDialers(1, 0, "unanswered");
    await sleep(5_000);
    const from = new Date();
    await sleep(seconds * 1000);
    const until = new Date();
    for (const child of dialers) child.stdin.end();
    await Promise.all(dialers.map((child) => once(child, "exit")));
    const [started] = await query<{ all: number; voice: number; sms: number; email: number }>(sql`
      select count(*) as all, count(*) filter (where mode = 'voice') as voice, count(*) filter (where mode = 'sms') as sms,
        count(*) filter (where mode = 'email') as email
      from attempts where started_at >= ${from.toISOString()} and started_at < ${until.toISOString()}`);
    if (!started) throw new Error("nothing was counted");
    const { all, voice, sms, email } = started;
    const perSecond = (n: number) => Math.round(n / seconds).toLocaleString("en");
    const late = await lateness(from, until);
    return [
      has_steps ? "call, text, mail" : "call",
      ...[all, voice, sms, email].map(perSecond),
      ...[0.5, 0.95, 0.99].map((q) => ms(quantile(late, q))),
    ];
  }

  /** Two batches beside each other, looked at in turn, so that whatever else the machine does meets both alike. */
  async function looks(): Promise<[few: number[], many: number[]]> {
    await clear();
    await fill(1, 1_000_000);
    await fill(1, 100);
    const batches = await query<{ key: number }>(sql`select key from batches order by key desc`);
    const rules = { limits: NO_LIMITS, destinations: EVERY_COUNTRY };
    const parts = { db, clock: systemClock, log: silentLog, owner: "bench", ...rules };
    const times: [number[], number[]] = [[], []];
    for (let i = 0; i < 90; i++) {
      for (const [which, { key }] of batches.entries()) {
        await sql`update batch_pacing set wake_at = null`.execute(db);
        await sql`
          update batch_pacing set wake_at = now() - interval '1 second', last_at = null where batch_key = ${key}`.execute(
          db,
        );
        const began = performance.now();
        const { attempts } = await claimDue(parts, 10);
        times[which as 0 | 1].push(performance.now() - began);
        if (attempts.length !== 1) throw new Error("nobody was claimed");
      }
    }
    return [times[0].slice(10), times[1].slice(10)];
  }

  /** 200 batches each; all that is due is claimed, so whose turn it isn't sleeps meanwhile. */
  async function sealedClaims(): Promise<string> {
    const sub_organization_id = first?.caller.sub_organization_id as number;
    const vault = createVault(randomBytes(32).toString("base64url"));
    await sql`update organizations set seals_texts = true`.execute(db);
    await keyForTexts({ db, clock: systemClock, vault }, sub_organization_id);
    openSealedTexts({ db, vault });
    await clear();
    const filled = async () => {
      await fill(200, CLAIMS + 2);
      await sql`update requests set request_variables = json_build_object('first_name', 'Ann' || id, 'last_name', 'O''Neil, ' || id,
        'appointment_date', '2026-12-01', 'clinic', 'North Clinic', 'notes', 'Bring your card')
        where request_variables::text = '{}'`.execute(db);
      return (await query<{ key: number }>(sql`select max(key) as key from batches`))[0]?.key ?? 0;
    };
    const sealed_until = await filled();
    await sealStored({ db, vault });
    await filled();
    await sql`vacuum analyze`.execute(db);
    const parts = {
      db,
      clock: systemClock,
      log: silentLog,
      owner: "bench",
      limits: NO_LIMITS,
      destinations: EVERY_COUNTRY,
    };
    const times: [clear: number[], sealed: number[]] = [[], []];
    for (let i = 0; i < CLAIMS * 2; i++) {
      // Clear, sealed, sealed, clear: whatever the machine does meets both alike.
      const is_sealed = (i + (i >> 1)) % 2 === 1;
      await sql`update batch_pacing set wake_at = null`.execute(db);
      await sql`update batch_pacing set wake_at = now() - interval '1 second', last_at = null
        where (batch_key <= ${sealed_until}) = ${is_sealed}`.execute(db);
      const began = performance.now();
      const { attempts } = await claimDue(parts, 200);
      times[Number(is_sealed) as 0 | 1].push(performance.now() - began);
      if (attempts.length !== 200) throw new Error(`${attempts.length} were claimed`);
      if (attempts.some(({ outreach }) => outreach.variables["vars.clinic"] !== "North Clinic"))
        throw new Error("variables were not opened");
    }
    const [clear_ms, sealed_ms] = times.map((all) => all.slice(5)) as typeof times;
    const ratio = median(sealed_ms.map((took, at) => took / (clear_ms[at] as number)));
    return `A claim of 200, median of ${clear_ms.length}: ${ms(median(clear_ms))} ms in clear, ${ms(median(sealed_ms))} ms sealed; ${ratio.toFixed(3)} times (median of pairs).`;
  }

  /** From the moment in which somebody asks for the stop. */
  async function stop(): Promise<string> {
    await clear();
    await fill(1_100, seconds + 10);
    const dialers = await startDialers(2, 0);
    await sleep(seconds * 1000);
    const organization_id = first?.caller.organization_id as number;
    const change = { organization_id, by: "bench@example.com", at: new Date() };
    const began = performance.now();
    await db.transaction().execute((tx) => stopOutreach(tx, change));
    const took_ms = performance.now() - began;
    await sleep(3_000);
    for (const child of dialers) child.stdin.end();
    await Promise.all(dialers.map((child) => once(child, "exit")));
    const [found] = await query<{ before: number; last: number }>(sql`
      select count(*) filter (where started_at between ${change.at.toISOString()}::timestamptz - interval '1 second'
          and ${change.at.toISOString()}::timestamptz) as before,
        extract(epoch from max(started_at) - ${change.at.toISOString()}::timestamptz) * 1000 as last
      from attempts`);
    await db.transaction().execute((tx) => resumeOutreach(tx, { ...change, at: new Date() }));
    return `stop answered after ${ms(took_ms)} ms, last start ${ms(found?.last ?? 0)} ms after it was asked for; ${found?.before} starts in the second before`;
  }

  async function startDialers(processes: number, answer_ms: number, ...more: string[]) {
    const dialers = [];
    for (let i = 0; i < processes; i++) {
      const child = spawn(
        process.execPath,
        [import.meta.filename, "--dialer", JSON.stringify(connection), String(answer_ms), ...more],
        { stdio: ["pipe", "pipe", "inherit"] },
      );
      await once(createInterface({ input: child.stdout }), "line");
      dialers.push(child);
    }
    return dialers;
  }

  async function keepRules(): Promise<void> {
    const contact_hours = ["*", "US", "US-TX"].map((jurisdiction) => ({
      jurisdiction,
      channel: "call",
      days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
      from: "00:00",
      to: "24:00",
      source: null,
      checked_on: null,
    }));
    const caps = [
      { channel: "call", attempts: 1, days: 1 },
      { channel: "any", attempts: 3, days: 7 },
    ];
    const rules = { person_clock: true, contact_hours, caps, days_after_conversation: 2 };
    await sql`update organizations set outreach_rules = ${JSON.stringify(rules)}::json`.execute(db);
  }

  async function makeGroup(): Promise<number> {
    const numbers = Array.from(
      { length: 12 },
      (_, index) => `+1${[512, 214, 713][index % 3]}55501${10 + index}`,
    );
    const app = { db, clock: systemClock } as TestApp;
    const ids = await createNumbers(app, numbers, first?.caller);
    const [group] = await query<{ id: number }>(sql`
      insert into number_groups (sub_organization_id, name, mode, timezone, daily_cap, local_presence, updated_at, last_updated_by)
      values (${first?.caller.sub_organization_id}, 'Bench', 'voice', 'America/Chicago', 1000000, true, now(), 'bench')
      returning id`);
    const id = group?.id as number;
    await sql`insert into number_group_numbers (channel_target_id, group_id)
      select n, ${id} from unnest(${ids}::bigint[]) n`.execute(db);
    return id;
  }

  async function query<T>(text: ReturnType<typeof sql<unknown>>): Promise<T[]> {
    return (await text.execute(db)).rows as T[];
  }

  async function clear(): Promise<void> {
    await sql`truncate attempts, requests, request_counts, batch_pacing, campaign_days, events`.execute(db);
    await sql`delete from batches`.execute(db);
    await sql`delete from campaigns`.execute(db);
  }

  async function fill(batches: number, each: number): Promise<void> {
    await sql`
      with campaign as (
        insert into campaigns (sub_organization_id, campaign_name, campaign_variables, source, number_group_id, hourly_rate, retry_count,
          active_days, include_unknown_line_types, agent_id, created_at, updated_at, last_updated_by)
        values (${first?.caller.sub_organization_id}, 'Bench ' || gen_random_uuid(), '{}', ${SOURCE}, ${group_id}, 3600, 0,
          '{mon,tue,wed,thu,fri,sat,sun}', true, ${agent_id}, now(), now(), 'bench')
        returning id
      ),
      batch as (
        insert into batches (sub_organization_id, batch_id, campaign_id, auto_call_rate, status, created_at,
          last_updated_at, last_updated_by)
        select ${first?.caller.sub_organization_id}, gen_random_uuid()::text, id, false, 'ACTIVE', now(), now(), 'bench'
        from campaign, generate_series(1, ${batches}::integer) n
        returning key
      ),
      pacing as (
        insert into batch_pacing (batch_key, wake_at) select key, now() + random() * interval '1 second' from batch
      )
      insert into requests (batch_key, reference_id, target, request_status, channel_manager_status, due_at, created_at,
        request_variables)
      select key, key || '-' || n, '+1512' || lpad(((key * 7919 + n * 31) % 10000000)::text, 7, '0'), 'PENDING', 'PENDING', now(), now(), '{}'
      from batch, generate_series(1, ${each}::integer) n
      on conflict do nothing`.execute(db);
    await sql`vacuum analyze`.execute(db);
  }
}
