import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { bootstrap } from "../src/accounts/bootstrap.ts";
import { systemClock } from "../src/base/clock.ts";
import { EVERY_COUNTRY } from "../src/base/destination.ts";
import { silentLog } from "../src/base/log.ts";
import { openDatabase } from "../src/db/database.ts";
import { startEmbeddedPostgres } from "../src/db/embedded-postgres.ts";
import { migrate } from "../src/db/migrate.ts";
import { claimDue } from "../src/dialing/claim.ts";
import type { TestApp } from "../test/harness/app.ts";
import { createSender } from "../test/harness/sender.ts";
import { machine, markdownTable, median, ms, print, quantile } from "./platform.ts";

/**
 * What the checks of a claim cost over many records: 200 campaigns claim one attempt each, from 1,000,000 people who all
 * gave their consent, beside lists of 10,000,000 numbers not to call. The same claim is made in turn without a check, with
 * each check, and with all of them, on one database.
 *
 *     node bench/claim-checks.ts [people=1000000] [listed=10000000] [rounds=40]
 */
const [people = 1_000_000, listed = 10_000_000, rounds = 40] = process.argv.slice(2).map(Number);
const BATCHES = 200;
const SOURCE = "+19032900844";
const LIMITS = { per_source: 1_000_000, per_organization: 1_000_000, kept_for_callers: 0 };
/** Of those, so many are told apart by their kind, as an organization has them. */
const LISTS = ["internal", "national", "litigators"];
const EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const folder = mkdtempSync(path.join(tmpdir(), "parley-bench-"));
const dataDir = path.join(folder, "postgres");
const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog });
await migrate(postgres.connection);
const { db, close } = openDatabase({ ...postgres.connection, host: dataDir });
const first = await bootstrap(
  { db, clock: systemClock },
  { email: "bench@example.com", token: null },
  async () => {},
);
if (!first) throw new Error("the benchmark's database was not empty");
const { sub_organization_id, organization_id } = first.caller;
const { agent_id } = await createSender({ db, clock: systemClock } as TestApp, first.caller, {
  target: SOURCE,
});

/** Person n. The numbers on the lists are of an area that nobody here has. */
const NUMBER = sql.raw("'+1512' || lpad((n * 7 % 10000000)::text, 7, '0')");
await sql`
  insert into consents (sub_organization_id, address, purpose, channel, given_through, valid_from, created_at, created_by)
  select ${sub_organization_id}, ${NUMBER}, 'marketing', 'call', 'form', now() - interval '1 year', now(), 'bench'
  from generate_series(1, ${people}::integer) n on conflict do nothing`.execute(db);
for (const [at, kind] of LISTS.entries())
  await sql`
    with list as (
      insert into do_not_call_lists (sub_organization_id, name, kind, purposes, channels, consent_overrides, numbers, last_updated, last_updated_by)
      values (${sub_organization_id}, ${kind}, ${kind}, '{marketing,informational}', '{call,text}', false,
        ${Math.floor(listed / LISTS.length)}, now(), 'bench')
      returning id
    )
    insert into do_not_call_numbers (list_id, address)
    select id, '+1713' || lpad((n + ${at * 3_400_000}::integer)::text, 8, '0')
    from list, generate_series(1, ${Math.floor(listed / LISTS.length)}::integer) n`.execute(db);
await sql`
  with campaign as (
    insert into campaigns (sub_organization_id, campaign_name, campaign_variables, source, hourly_rate, retry_count,
      active_days, include_unknown_line_types, agent_id, created_at, updated_at, last_updated_by)
    select ${sub_organization_id}, 'Bench ' || n, '{}', ${SOURCE}, 3600, 0, ${EVERY_DAY}::text[], true, ${agent_id}, now(), now(), 'bench'
    from generate_series(1, ${BATCHES}::integer) n
    returning id
  ),
  batch as (
    insert into batches (sub_organization_id, batch_id, campaign_id, auto_call_rate, status, created_at, last_updated_at, last_updated_by)
    select ${sub_organization_id}, gen_random_uuid()::text, id, false, 'ACTIVE', now(), now(), 'bench' from campaign
    returning key
  ),
  numbered as (select key, row_number() over () - 1 as at from batch),
  pacing as (insert into batch_pacing (batch_key, wake_at) select key, now() from batch)
  insert into requests (batch_key, reference_id, target, request_status, channel_manager_status, due_at, created_at, request_variables)
  select key, key || '-' || n, ${NUMBER}, 'PENDING', 'PENDING', now(), now(), '{}'
  from generate_series(1, ${people}::integer) n join numbered on at = n % ${BATCHES}::integer`.execute(db);
await sql`vacuum analyze`.execute(db);

type Checks = { marketing?: boolean; lists?: boolean; rules?: boolean };
const CASES: [name: string, Checks][] = [
  ["none", {}],
  [`consent, among ${people.toLocaleString("en-US")}`, { marketing: true }],
  [`do-not-call lists, ${listed.toLocaleString("en-US")} numbers`, { lists: true }],
  ["the person's clock, hours, two caps", { rules: true }],
  ["all", { marketing: true, lists: true, rules: true }],
];

const RULES = {
  person_clock: true,
  contact_hours: ["*", "US", "US-TX"].map((jurisdiction) => ({
    jurisdiction,
    channel: "call",
    days: EVERY_DAY,
    from: "00:00",
    to: "24:00",
    source: null,
    checked_on: null,
  })),
  caps: [
    { channel: "call", attempts: 1, days: 1 },
    { channel: "any", attempts: 3, days: 7 },
  ],
  days_after_conversation: 2,
};

async function set({ marketing, lists, rules }: Checks): Promise<void> {
  await sql`update campaigns set reach_rules = ${marketing ? '{"purpose": "marketing"}' : null}::json`.execute(
    db,
  );
  await sql`update do_not_call_lists set deleted_at = ${lists ? null : new Date().toISOString()}::timestamptz`.execute(
    db,
  );
  await sql`
    update organizations set outreach_rules = ${rules ? JSON.stringify(RULES) : null}::json
    where id = ${organization_id}`.execute(db);
}

const parts = {
  db,
  clock: systemClock,
  log: silentLog,
  owner: "bench",
  limits: LIMITS,
  destinations: EVERY_COUNTRY,
};
const times = CASES.map((): number[] => []);
for (let round = -3; round < rounds; round++)
  for (const turn of CASES.keys()) {
    // Each case follows each other one as often: what a claim leaves behind is the next one's to read.
    const which = (turn + round + CASES.length) % CASES.length;
    const [name, checks] = CASES[which] as (typeof CASES)[number];
    await set(checks);
    await sql`update batch_pacing set wake_at = now() - interval '1 second', last_at = null`.execute(db);
    const began = performance.now();
    const { attempts } = await claimDue(parts, BATCHES);
    const took = performance.now() - began;
    if (attempts.length !== BATCHES) throw new Error(`${name}: ${attempts.length} were claimed`);
    if (round >= 0) times[which]?.push(took);
  }
const none = median(times[0] as number[]);
print(`A claim of ${BATCHES}, ${rounds} each in turn; ${machine()}\n`);
print(
  markdownTable(
    ["checked", "p50 ms", "p95 ms", "over none"],
    CASES.map(([name], which) => {
      const each = times[which] as number[];
      return [name, ms(median(each)), ms(quantile(each, 0.95)), (median(each) / none).toFixed(2)];
    }),
  ),
);
await close();
await postgres.stop();
rmSync(folder, { recursive: true });
