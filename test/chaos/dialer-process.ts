import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { createVault } from "../../src/base/crypto.ts";
import { EVERY_COUNTRY } from "../../src/base/destination.ts";
import { silentLog } from "../../src/base/log.ts";
import { CarrierFault } from "../../src/channels/carrier.ts";
import type { ChannelStatus } from "../../src/channels/channel-status.ts";
import {
  type Outreach,
  type OutreachSender,
  requireGo,
  type SentOutreach,
} from "../../src/channels/outreach.ts";
import { openDatabase } from "../../src/db/database.ts";
import { askTime, databaseClock } from "../../src/db/database-clock.ts";
import { createAttempts } from "../../src/dialing/attempts.ts";
import { createDialer } from "../../src/dialing/dialer.ts";
import { createSettleQueue } from "../../src/dialing/settle-queue.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { createDeliverer } from "../../src/webhooks/delivery-loop.ts";

/**
 * A dialer in a process of its own, to be killed: settings come as JSON in CHAOS. It prints the port on which it hears
 * what the carrier tells (POST /signal) and how far its clock is off (POST /clock).
 */
export type ChaosSettings = {
  connection: object;
  carrier: string;
  owner: string;
  /** Kills itself, as by kill -9, when it comes to this point for the nth time. */
  die_at: { point: string; nth: number } | null;
  clock_off_ms: number;
  /** Whether it puts its clock right by the database's, as a program with a `DATABASE_URL` does. */
  asks_time?: boolean;
  /** Where the webhook leads; null: nothing is sent. */
  receiver: string | null;
};

const settings = JSON.parse(process.env.CHAOS ?? "{}") as ChaosSettings;
let off_ms = settings.clock_off_ms;
const machine: Clock = { ...systemClock, now: () => new Date(Date.now() + off_ms) };
const { db, pool } = openDatabase(settings.connection);
const clock = settings.asks_time
  ? await databaseClock({ ask: () => askTime(pool), log: silentLog, machine })
  : machine;
const queue = createSettleQueue({ db, clock });
const attempts = createAttempts({ db, queue });

async function ask(path: string, { key, target }: Outreach): Promise<Response> {
  const body = JSON.stringify({ key, target });
  try {
    return await fetch(`${settings.carrier}${path}`, {
      method: "POST",
      body,
      signal: AbortSignal.timeout(2_000),
    });
  } catch (cause) {
    throw new CarrierFault("no answer", "unknown", { cause });
  }
}

async function reached(answer: Response, key: string): Promise<SentOutreach> {
  const { status } = (await answer.json()) as { status: ChannelStatus };
  return { sid: `sid-${key}`, status, session_id: null, conversation_id: null };
}

const sender: OutreachSender = {
  send: async (outreach, mayGo) => {
    await requireGo(mayGo);
    return reached(await ask("/send", outreach), outreach.key);
  },
  async find(outreach) {
    const answer = await ask("/find", outreach);
    return answer.status === 404 ? null : reached(answer, outreach.key);
  },
  async cancel() {},
};

let passes = 0;
const dialer = createDialer({
  db,
  clock,
  log: silentLog,
  owner: settings.owner,
  senders: { voice: sender, sms: sender, whatsapp: sender, email: sender },
  carriers: { of: async () => null },
  limits: { per_source: 1_000, per_organization: 10_000, kept_for_callers: 0 },
  destinations: EVERY_COUNTRY,
  queue,
  faultPoint: (name) => {
    if (name === settings.die_at?.point && ++passes === settings.die_at.nth)
      process.kill(process.pid, "SIGKILL");
  },
});

const deliverer = settings.receiver === null ? null : delivererTo(new URL(settings.receiver));

/** What hangs is given up after 2 s, so that a run needs no minutes for it. */
function delivererTo({ hostname: host, port }: URL) {
  const connect = { host, port: Number(port) };
  const allow = { hosts: [], networks: [] };
  const egress = createEgress({
    allow,
    routes: [{ host: "hooks.example", connect, pathPrefix: "/", scheme: "https" }],
  });
  const vault = createVault("a secret of nobody, long enough for a vault");
  return createDeliverer({ db, clock, log: silentLog, vault, egress, timeout_ms: 2_000 });
}

const server = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  try {
    const body = JSON.parse(text);
    if (request.url === "/clock") off_ms = body.off_ms;
    else {
      const { key, status, at } = body;
      const word = {
        key,
        sid: `sid-${key}`,
        status,
        word: status.toLowerCase(),
        error_code: null,
        is_transient: null,
      };
      await attempts.signal([{ ...word, at: new Date(settings.asks_time ? at : at + off_ms) }]);
    }
    response.end("ok");
  } catch {
    response.writeHead(503).end();
  }
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
dialer.start();
deliverer?.start();
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
process.on("SIGTERM", async () => {
  await Promise.all([dialer.stop(), deliverer?.stop()]);
  process.exit(0);
});
