import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import WebSocket from "ws";
import { startProgram } from "../test/harness/start-program.ts";
import { machine, markdownTable, median, ms, print, quantile } from "./platform.ts";

/**
 * Whether the program's memory stays where it is while 500 people chat: the program as it is shipped, in a process of its
 * own, its demo agent and scripted model; each chat is a WebSocket, from an address of its own, on which somebody writes
 * every ten seconds; after ten messages it ends and another begins. Run: node bench/session-soak.ts [minutes]
 */
const MINUTES = Number(process.argv[2] ?? 10);
const CHATS = 500;
const PACE_MS = 10_000;
const MESSAGES = 10;
const SAMPLE_MS = 5_000;
/** Caches fill and code is compiled first; the slope is that of the rest. */
const WARM_UP = 1 / 3;
const QUESTIONS = [
  "When are you open?",
  "I need a cleaning",
  "next monday",
  "the first one",
  "What does it cost?",
];

const folder = mkdtempSync(path.join(tmpdir(), "parley-soak-"));
const program = await startProgram(folder, { TRUST_PROXY: "1" });
const { url } = program.greeting;
const until = performance.now() + MINUTES * 60_000;
const took: number[] = [];
const samples: { minute: number; rss_mib: number; turns: number }[] = [];
let failures = 0;
let sessions = 0;
let over = false;

const sampling = sample();
await Promise.all(Array.from({ length: CHATS }, (_, n) => person(n)));
over = true;
await sampling;

const [first] = samples;
const settled = samples.filter(({ minute }) => minute >= MINUTES * WARM_UP);
print(`${machine()}; ${CHATS} chats, each a message every ${PACE_MS / 1000} s, for ${MINUTES} minutes\n`);
print(
  markdownTable(
    ["minute", "RSS MiB", "turns"],
    thinned(samples).map(({ minute, rss_mib, turns }) => [minute.toFixed(1), Math.round(rss_mib), turns]),
  ),
);
print(`
${took.length} turns in ${sessions} sessions, ${failures} failures; a turn took ${ms(median(took))} ms at p50, ${ms(quantile(took, 0.95))} at p95.
RSS began at ${Math.round(first?.rss_mib ?? 0)} MiB and from minute ${(MINUTES * WARM_UP).toFixed(1)} on was between ${Math.round(Math.min(...settled.map((one) => one.rss_mib)))} and ${Math.round(Math.max(...settled.map((one) => one.rss_mib)))}; its slope there is ${slope(settled).toFixed(2)} MiB a minute.`);
await program.end("SIGTERM");
rmSync(folder, { recursive: true, force: true });

/** One after the other, as long as there is time. They begin evenly spread over the pace. */
async function person(n: number): Promise<void> {
  await sleep((n / CHATS) * PACE_MS);
  while (performance.now() < until) {
    try {
      await chat(n);
    } catch {
      failures++;
      await sleep(PACE_MS);
    }
  }
}

async function chat(n: number): Promise<void> {
  const headers = { "x-forwarded-for": `10.0.${n >> 8}.${n & 255}` };
  const opened = await fetch(`${url}/chat/v1/sessions`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ client_id: "demo-clinic" }),
  });
  if (!opened.ok) throw new Error(`opening a chat answered ${opened.status}`);
  const { session_id, token } = (await opened.json()) as { session_id: string; token: string };
  sessions++;
  const path = `/chat/v1/sessions/${session_id}`;
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}/socket?token=${token}`, { headers });
  await once(socket, "open");
  try {
    for (let id = 0; id < MESSAGES && performance.now() < until; id++) {
      const before = performance.now();
      await answered(socket, String(id), QUESTIONS[id % QUESTIONS.length] as string);
      const spent = performance.now() - before;
      took.push(spent);
      await sleep(Math.max(0, PACE_MS - spent));
    }
  } finally {
    socket.close();
  }
  await fetch(`${url}${path}/end?token=${token}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: "{}",
  });
}

function answered(socket: WebSocket, id: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const listen = (data: WebSocket.RawData) => {
      const event = JSON.parse(String(data)) as { type: string; id?: string; message?: string };
      if (event.type === "error") finish(new Error(event.message));
      else if (event.type === "answered" && event.id === id) finish();
    };
    const closed = () => finish(new Error("the socket was closed"));
    const finish = (error?: Error) => {
      socket.off("message", listen).off("close", closed);
      error ? reject(error) : resolve();
    };
    socket.on("message", listen).on("close", closed);
    socket.send(JSON.stringify({ text, id }));
  });
}

async function sample(): Promise<void> {
  const began = performance.now();
  while (!over) {
    const status = readFileSync(`/proc/${program.pid}/status`, "utf8");
    const rss_mib = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    samples.push({ minute: (performance.now() - began) / 60_000, rss_mib, turns: took.length });
    await sleep(SAMPLE_MS);
  }
}

/** Some twenty of them, the last among them. */
function thinned<T>(all: T[]): T[] {
  const every = Math.ceil(all.length / 20);
  return all.filter((_, index) => index % every === 0 || index === all.length - 1);
}

/** Of the straight line that fits best (least squares), in MiB a minute. */
function slope(points: { minute: number; rss_mib: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map(({ minute }) => minute));
  const y = mean(points.map(({ rss_mib }) => rss_mib));
  const over = points.reduce((sum, { minute, rss_mib }) => sum + (minute - x) * (rss_mib - y), 0);
  return over / points.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
}
