import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { sql } from "kysely";
import { systemClock } from "../src/base/clock.ts";
import { createVault } from "../src/base/crypto.ts";
import { silentLog } from "../src/base/log.ts";
import { type StatusChange, tellWebhooks } from "../src/batches/status-change.ts";
import { createEgress } from "../src/egress/egress.ts";
import { createDeliverer } from "../src/webhooks/delivery-loop.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * Webhooks: how many signed deliveries a second one process sends to receivers that answer at once, and what one hung
 * receiver among 100 does to the others' p95, from the change of a status to the arrival. Run: node bench/webhooks.ts
 */
const DELIVERIES = Number(process.argv[2] ?? 20_000);
const HOOKS = 100;
/** A second, over all webhooks, for so long. */
const OFFERED = 200;
const OFFERED_FOR_s = 6;
/**
 * Pairs with and without a hung one, which of them first in turn, so that both see the same machine; of each figure the
 * median over the rounds counts, so that a round beside other work doesn't.
 */
const ROUNDS = 8;

const platform = await startPlatform();
const { db } = platform.database;
const vault = createVault("a key that only seals what this benchmark makes");
const receiver = new Worker(new URL("webhook-receiver.ts", import.meta.url));
const [port] = (await once(receiver, "message")) as [number];
const hostOf = (n: number) => `receiver-${n}.example`;
const egress = createEgress({
  allow: { hosts: [], networks: [] },
  routes: Array.from({ length: HOOKS }, (_, n) => ({
    host: hostOf(n),
    connect: { host: "127.0.0.1", port },
    pathPrefix: "/",
    scheme: "https" as const,
  })),
});
const readAges = async (): Promise<number[]> => {
  receiver.postMessage("read");
  return ((await once(receiver, "message")) as [number[]])[0];
};

/** A campaign of its own with a webhook for each URL, and people in it. */
async function prepare(urls: string[], people: number) {
  const at = new Date().toISOString();
  const mine = platform.caller.sub_organization_id;
  const campaign = await db
    .insertInto("campaigns")
    .values({
      sub_organization_id: mine,
      campaign_name: `Bench ${at} ${Math.random()}`,
      campaign_variables: "{}",
      hourly_rate: 1,
      retry_count: 0,
      active_days: ["mon"],
      include_unknown_line_types: true,
      created_at: at,
      updated_at: at,
      last_updated_by: "bench@example.com",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const secret = vault.seal(Buffer.alloc(48, 7).toString("base64"));
  const webhooks = await db
    .insertInto("campaign_webhooks")
    .values(
      urls.map((url, position) => ({
        campaign_id: campaign.id,
        position,
        trigger_statuses: ["COMPLETED"],
        url,
        request_method: "POST",
        sealed_hmac_secret: secret,
        created_at: at,
        updated_at: at,
      })),
    )
    .returning("id")
    .execute();
  const batch = await db
    .insertInto("batches")
    .values({
      sub_organization_id: mine,
      batch_id: `bench-${campaign.id}`,
      campaign_id: campaign.id,
      auto_call_rate: false,
      status: "ACTIVE",
      created_at: at,
      last_updated_at: at,
      last_updated_by: "bench@example.com",
    })
    .returning("key")
    .executeTakeFirstOrThrow();
  const { rows } = await sql<{ id: number }>`
    insert into requests (batch_key, reference_id, target, request_status, channel_manager_status, created_at,
      request_variables)
    select ${batch.key}::bigint, 'person-' || n, '+1512' || lpad(n::text, 7, '0'), 'PENDING', 'PENDING', now(),
      '{"first_name": "Ada", "appointment": "2026-11-20T09:00"}'
    from generate_series(1, ${people}::integer) as n returning id`.execute(db);
  const change = (n: number): StatusChange => ({
    sub_organization_id: mine,
    campaign_id: campaign.id,
    batch_key: batch.key,
    request_id: (rows[n] as { id: number }).id,
    attempt_count: 1,
    previous: "IN-PROGRESS",
    status: "COMPLETED",
    request_status: "COMPLETED",
    at: new Date(),
    provider_status: "completed",
  });
  return { webhooks, change };
}

const tell = (changes: StatusChange[]) => db.transaction().execute((tx) => tellWebhooks(tx, changes));
const deliverer = createDeliverer({ db, clock: systemClock, log: silentLog, vault, egress });
const countWaiting = async () =>
  (await db.selectFrom("webhook_outbox").select(sql<number>`count(*)`.as("n")).executeTakeFirstOrThrow()).n;

async function throughput(hooks: number) {
  const people = DELIVERIES / hooks;
  const urls = Array.from({ length: hooks }, (_, n) => `https://${hostOf(n)}/fast`);
  const { change } = await prepare(urls, people);
  const told = performance.now();
  for (let n = 0; n < people; n += 100) {
    await tell(Array.from({ length: Math.min(100, people - n) }, (_, m) => change(n + m)));
  }
  const told_s = (performance.now() - told) / 1000;
  const began = performance.now();
  deliverer.start();
  while ((await countWaiting()) > 0) await sleep(50);
  const sent_s = (performance.now() - began) / 1000;
  await deliverer.stop();
  const arrived = (await readAges()).length;
  if (arrived !== DELIVERIES) throw new Error(`${arrived} of ${DELIVERIES} arrived`);
  return [hooks, DELIVERIES, Math.round(DELIVERIES / told_s), Math.round(DELIVERIES / sent_s)];
}

/** A steady load on all webhooks; the ages on arrival of what the good ones got. */
async function steady(hung: boolean): Promise<number[]> {
  // A webhook a campaign, so that each change is told to one receiver.
  const campaigns: Awaited<ReturnType<typeof prepare>>[] = [];
  for (let n = 0; n < HOOKS; n++) {
    const url = `https://${hostOf(n)}/${hung && n === 0 ? "hung" : "fast"}`;
    campaigns.push(await prepare([url], (OFFERED * OFFERED_FOR_s) / HOOKS));
  }
  deliverer.start();
  const began = performance.now();
  const ticks = OFFERED_FOR_s * 20;
  for (let tick = 0; tick < ticks; tick++) {
    const perTick = OFFERED / 20;
    const changes = Array.from({ length: perTick }, (_, m) => {
      const n = tick * perTick + m;
      return (campaigns[n % HOOKS] as (typeof campaigns)[number]).change(Math.floor(n / HOOKS));
    });
    await tell(changes);
    await sleep(Math.max(0, began + (tick + 1) * 50 - performance.now()));
  }
  await sleep(2_000);
  await deliverer.stop();
  await db.deleteFrom("webhook_outbox").execute();
  const ages = await readAges();
  // The first second opens the connections.
  return ages.slice(OFFERED);
}

const rates = [await throughput(1), await throughput(10), await throughput(100)];
print(`${machine()}\n`);
print(markdownTable(["webhooks", "deliveries", "put into the outbox per s", "delivered per s"], rates));

const rounds: Record<"without" | "with", { p50: number; p95: number; arrived: number }>[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const seen = { without: [] as number[], with: [] as number[] };
  const inTurn = ["without", "with"] as const;
  for (const which of round % 2 === 0 ? inTurn : inTurn.toReversed())
    seen[which] = await steady(which === "with");
  const figures = (ages: number[]) => ({
    p50: quantile(ages, 0.5),
    p95: quantile(ages, 0.95),
    arrived: ages.length,
  });
  rounds.push({ without: figures(seen.without), with: figures(seen.with) });
}
const shares = rounds.map((round) => round.with.p95 / round.without.p95);
const rowOf = (which: "without" | "with") => [
  rounds.reduce((sum, round) => sum + round[which].arrived, 0),
  ms(median(rounds.map((round) => round[which].p50))),
  ms(median(rounds.map((round) => round[which].p95))),
];
print(
  `\n${OFFERED} changes/s over ${HOOKS} webhooks, ${ROUNDS} × ${OFFERED_FOR_s} s each, in turn; medians of the rounds\n`,
);
print(
  markdownTable(
    [
      "one of 100 receivers hung",
      "deliveries to the others",
      "p50 ms",
      "p95 ms",
      "p95 / without, of each round",
    ],
    [
      ["no", ...rowOf("without"), "1.00"],
      [
        "yes",
        ...rowOf("with"),
        `${median(shares).toFixed(2)} (${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)})`,
      ],
    ],
  ),
);
await receiver.terminate();
await egress.close();
await platform.stop();
