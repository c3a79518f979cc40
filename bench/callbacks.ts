import { sql } from "kysely";
import { Pool } from "undici";
import { createVault } from "../src/base/crypto.ts";
import { simulatedAccount } from "../src/carriers/simulator-account.ts";
import { signature } from "../src/simulator/callbacks.ts";
import { machine, markdownTable, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * Signed status callbacks of texts as a carrier sends them after a campaign: 1,000 a second over keep-alive connections,
 * each acknowledged only when it is durably stored. Every text must stand as its last word says afterwards; then as many
 * as fit. Run: node bench/callbacks.ts
 */
const TEXTS = 20_000;
const SECONDS = 10;
const RATE = 1000;
const CONNECTIONS = 50;

const platform = await startPlatform();
const { db } = platform.database;
const url = await platform.api.server.listen({ host: "127.0.0.1", port: 0 });
const channel_id = await createTexts();
const { auth_token = "" } = simulatedAccount(
  createVault("a key that only seals what this benchmark makes"),
  channel_id,
);
const pool = new Pool(url, { connections: CONNECTIONS });
const PUBLIC_URL = "http://127.0.0.1:8080";

/** Two words for each text, the second half of them before the first, as carriers do now and then. */
const words = (n: number) => (n % 2 === 0 ? ["sent", "delivered"] : ["delivered", "sent"]);
let refused = 0;

const paced = await run(RATE);
const wrong = await unsettled(paced.count);
const full = await run(null);
print(`${machine()}; ${CONNECTIONS} connections, each callback signed, checked and stored before its 204\n`);
print(
  markdownTable(
    ["callbacks", "per second", "p50 ms", "p95 ms", "p99 ms", "not acknowledged", "texts that stand wrong"],
    [
      [paced.count, Math.round(paced.per_second), ...paced.quantiles, refused, wrong],
      [full.count, Math.round(full.per_second), ...full.quantiles, refused, "-"],
    ],
  ),
);
await pool.close();
await platform.stop();

async function run(rate: number | null) {
  const took: number[] = [];
  const until = performance.now() + SECONDS * 1000;
  const begun = performance.now();
  let next = 0;
  const worker = async () => {
    for (;;) {
      const n = next++;
      if (n >= TEXTS * 2 || performance.now() > until) return;
      const due = rate === null ? 0 : begun + (n / rate) * 1000;
      const wait = due - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const sent = Math.max(due, performance.now());
      await send(n);
      took.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const seconds = (performance.now() - begun) / 1000;
  return {
    count: took.length,
    per_second: took.length / seconds,
    quantiles: [0.5, 0.95, 0.99].map((q) => ms(quantile(took, q))),
  };
}

async function send(n: number): Promise<void> {
  const text = Math.floor(n / 2);
  const path = `/carriers/twilio/${channel_id}/messages/bench-${text}/status`;
  const form = {
    AccountSid: "AC0",
    MessageSid: `SM${text}`,
    MessageStatus: words(text)[n % 2] ?? "sent",
    From: "+15125550100",
    To: "+15125550101",
    ApiVersion: "2010-04-01",
  };
  const { statusCode, body } = await pool.request({
    method: "POST",
    path,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": signature(auth_token, PUBLIC_URL + path, form),
    },
    body: new URLSearchParams(form).toString(),
  });
  await body.dump();
  if (statusCode !== 204) refused++;
}

async function unsettled(callbacks: number): Promise<number> {
  const told = Math.floor(callbacks / 2);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from text_messages
    where channel_id = ${channel_id} and substr(key, 7)::int < ${told} and status <> 'DELIVERED'`.execute(db);
  return rows[0]?.n ?? Number.NaN;
}

async function createTexts(): Promise<number> {
  const { sub_organization_id, organization_id, email } = platform.caller;
  const { id } = await db
    .insertInto("channels")
    .values({
      organization_id,
      name: "Bench",
      channel_service: "twilio",
      supported_modes: "sms",
      config: sql`'{}'`,
      updated_at: new Date().toISOString(),
      last_updated_by: email,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await sql`
    insert into text_messages (sub_organization_id, channel_id, channel_target_id, direction, medium, purpose, key,
      target, source, text, media, status, created_at, updated_at)
    select ${sub_organization_id}, ${id}, 0, 'out', 'sms', 'answer', 'bench-' || n, '+15125550100', '+15125550101',
      'Hello', '[]', 'QUEUED', now(), now()
    from generate_series(0, ${TEXTS - 1}) n`.execute(db);
  return id;
}
