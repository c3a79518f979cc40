import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { Agent } from "undici";
import { createVault } from "../src/base/crypto.ts";
import { simulatedAccount } from "../src/carriers/simulator-account.ts";
import type { LanguageModel } from "../src/llm/model.ts";
import { signature } from "../src/simulator/callbacks.ts";
import { openRelay, type RelayLine } from "../src/simulator/relay-line.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * What the platform adds to an answer on the phone: from the carrier's "the person has finished" on the WebSocket of a
 * call to our first words on it, with a model that answers at once. 100 calls at a time, opened by the carrier's own
 * signed requests; on each somebody speaks every three seconds, with partial results, hears the answer, and now and then
 * interrupts it. Durable commits. Run: node bench/calls.ts [calls]
 */
const CALLS = Number(process.argv[2] ?? 100);
const PACE_MS = 3000;
/** Calls come in over this long; what is said is measured once all are there. */
const ARRIVAL_MS = 10_000;
const SECONDS = 20;
const NUMBER = "+15125550100";
/** The carrier's word that all was played. */
const PLAYED = { type: "info", name: "agentSpeaking", value: "off" };
/** What the program believes its own address to be; signatures are made over it. */
const PUBLIC_URL = "http://127.0.0.1:8080";

const platform = await startPlatform();
const { db } = platform.database;
const url = await platform.api.server.listen({ host: "127.0.0.1", port: 0 });

const instant: LanguageModel = {
  provider: "openai",
  model: "instant",
  scripted: true,
  async *stream() {
    for (const word of ["We ", "are ", "open ", "from ", "nine ", "to ", "five. ", "Come ", "by!"]) {
      yield { type: "text", delta: word };
    }
    const usage = { input_tokens: 100, output_tokens: 10, cached_input_tokens: null };
    yield { type: "done", finish: "stop", usage, warnings: [] };
  },
};
platform.engine.resolveModel = async () => instant;

const channel_id = await createNumber();
const { auth_token = "" } = simulatedAccount(
  createVault("a key that only seals what this benchmark makes"),
  channel_id,
);
const agent = new Agent({ connections: CALLS + 10 });
const opened: number[] = [];
const answered: number[] = [];
const interrupted: number[] = [];
let silent = 0;
const began = performance.now();

await Promise.all(Array.from({ length: CALLS }, (_, n) => talk(n)));
print(
  `${machine()}; ${CALLS} calls at once, an utterance every ${PACE_MS / 1000} s on each for ${SECONDS} s\n`,
);
const row = (name: string, took: number[]) => [
  name,
  ms(median(took)),
  ms(quantile(took, 0.95)),
  ms(quantile(took, 0.99)),
  took.length,
];
print(
  markdownTable(
    ["from … to our first words", "p50 ms", "p95 ms", "p99 ms", "measured"],
    [
      row("the line opens", opened),
      row("the person has finished", answered),
      row("the person has finished, after an interruption", interrupted),
    ],
  ),
);
print(
  `\nUtterances without an answer: ${silent}. Memory after it: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`,
);
await agent.close();
await platform.stop();

/** One caller: rings, says something every few seconds, hangs up. Each starts at a moment of their own. */
async function talk(n: number): Promise<void> {
  await sleep((n / CALLS) * ARRIVAL_MS);
  const sid = `CA${String(n).padStart(32, "0")}`;
  const parameters = await ring(sid, `+1415555${String(1000 + n)}`);
  let heard: ((at: number) => void) | null = null;
  const line = await open(sid, (message) => {
    if (message.type !== "text" || message.token === "") return;
    heard?.(performance.now());
    heard = null;
  });
  const firstWords = async (begin: () => void): Promise<number | null> => {
    const asked = performance.now();
    const at = new Promise<number>((resolve) => {
      heard = resolve;
    });
    begin();
    const result = await Promise.race([at, sleep(PACE_MS, null)]);
    return result === null ? null : result - asked;
  };
  const note = (took: number | null, into: number[]) => void (took === null ? silent++ : into.push(took));

  note(
    await firstWords(() =>
      line.send({ type: "setup", sessionId: `VX${n}`, callSid: sid, customParameters: parameters }),
    ),
    opened,
  );
  line.send(PLAYED);
  const until = began + ARRIVAL_MS + SECONDS * 1000;
  for (let turn = 1; performance.now() < until; turn++) {
    line.send({ type: "prompt", voicePrompt: "When are", lang: "en-US", last: false });
    await sleep(200);
    const interrupts = turn % 5 === 0;
    const took = await firstWords(() =>
      line.send({ type: "prompt", voicePrompt: "When are you open?", lang: "en-US", last: true }),
    );
    const counts = performance.now() > began + ARRIVAL_MS;
    if (counts) note(took, turn % 5 === 1 && turn > 1 ? interrupted : answered);
    await sleep(300);
    line.send(interrupts ? { type: "interrupt", utteranceUntilInterrupt: "We are open" } : PLAYED);
    await sleep(Math.max(0, PACE_MS - 500 - (took ?? PACE_MS)));
  }
  line.close();
}

async function ring(sid: string, from: string): Promise<{ call_id: string; token: string }> {
  const path = `/carriers/twilio/${channel_id}/voice`;
  const form = {
    AccountSid: "AC0",
    CallSid: sid,
    From: from,
    To: NUMBER,
    CallStatus: "ringing",
    Direction: "inbound",
  };
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": signature(auth_token, PUBLIC_URL + path, form),
    },
    body: new URLSearchParams(form),
  });
  const xml = await response.text();
  const parameter = (name: string) => xml.match(new RegExp(`name="${name}" value="([^"]+)"`))?.[1] ?? "";
  return { call_id: parameter("call_id"), token: parameter("token") };
}

function open(sid: string, hear: (message: Record<string, unknown>) => void): Promise<RelayLine> {
  const { promise, resolve } = Promise.withResolvers<RelayLine>();
  const line = openRelay({
    url: `${PUBLIC_URL.replace("http", "ws")}/carriers/twilio/${channel_id}/calls/${sid}/relay`,
    reach: () => url,
    auth_token,
    agent,
    handlers: { opened: () => resolve(line), heard: hear, closed: () => {} },
  });
  return promise;
}

async function createNumber(): Promise<number> {
  const { sub_organization_id, organization_id, email } = platform.caller;
  const now = new Date().toISOString();
  const { id } = await db
    .insertInto("channels")
    .values({
      organization_id,
      name: "Bench",
      channel_service: "twilio",
      supported_modes: "voice",
      config: sql`'{}'`,
      updated_at: now,
      last_updated_by: email,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await sql`
    insert into channel_targets (sub_organization_id, channel_id, agent_id, target, target_mode, updated_at,
      last_updated_by)
    select ${sub_organization_id}, ${id}, min(id), ${NUMBER}, 'voice', ${now}, ${email} from agents
    where sub_organization_id = ${sub_organization_id}`.execute(db);
  return id;
}
