import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Pool } from "undici";
import { startProgram } from "../test/harness/start-program.ts";
import { environmentFor, makeReceptionist, openChat, poster, startChild, talk } from "./over-http/turns.ts";
import { machine, markdownTable, median, ms, print } from "./platform.ts";
import { cpuOf } from "./processor-time.ts";

/**
 * What it costs a chat turn that spans are sent to a collector: programs as they are shipped, asked for the same turns one
 * after the other, over HTTP, with one tool call each. Two send none: by how much they differ, any two do. Run: node bench/spans.ts [seconds] [rounds] [people]
 */
const SECONDS = Number(process.argv[2] ?? 4);
const ROUNDS = Number(process.argv[3] ?? 12);
const PEOPLE = Number(process.argv[4] ?? 20);

// Ended and removed however it ends, also where a program doesn't start.
await using open = new AsyncDisposableStack();
const folder = open.adopt(mkdtempSync(path.join(tmpdir(), "parley-spans-")), (own) =>
  rmSync(own, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }),
);
const services = open.adopt(await startChild("services.ts", []), (own) => void own.process.kill());
let received_bytes = 0;
const collector = createServer((request, response) => {
  request
    .on("data", (part: Buffer) => {
      received_bytes += part.length;
    })
    .on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
}).listen(0, "127.0.0.1");
open.defer(() => void collector.close());
await once(collector, "listening");
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

async function startTalking(name: string, env: Record<string, string>) {
  const own = path.join(folder, name);
  mkdirSync(own);
  const program = open.adopt(
    await startProgram(own, { ...environmentFor(services.address), ...env }),
    ({ end }) => end("SIGTERM"),
  );
  const { url, token = "" } = program.greeting;
  await makeReceptionist(url, token, services.address);
  const pool = open.adopt(new Pool(url, { connections: PEOPLE, pipelining: 1 }), (own) => own.close());
  const post = poster(pool);
  const talkFor = async (seconds: number) => {
    const until = performance.now() + seconds * 1000;
    const everybody = Array.from({ length: PEOPLE }, () => talk((n) => openChat(post, n), until));
    return (await Promise.all(everybody)).flat();
  };
  return {
    name,
    pid: program.pid,
    talkFor,
    per_second: [] as number[],
    took: [] as number[],
    cpu_ms: [] as number[],
  };
}

const programs = [
  await startTalking("without spans", {}),
  await startTalking("without spans, a second program", {}),
  await startTalking("spans are sent", { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
];
for (const { talkFor } of programs) await talkFor(3);
for (let round = 0; round < ROUNDS; round++)
  for (const program of round % 2 === 0 ? programs : programs.toReversed()) {
    const cpu = cpuOf([program.pid]);
    const began = performance.now();
    const took = await program.talkFor(SECONDS);
    program.per_second.push((took.length / (performance.now() - began)) * 1000);
    program.cpu_ms.push((cpuOf([program.pid]) - cpu) / took.length);
    program.took.push(...took);
  }

const without = programs[0] as (typeof programs)[0];
const sending = programs[2] as typeof without;
const of = programs.map((program) => [
  program.name,
  Math.round(median(program.per_second)),
  median(program.per_second.map((each, round) => each / (without.per_second[round] as number))).toFixed(3),
  ms(median(program.took)),
  ms(median(program.cpu_ms)),
]);
print(`${machine()}; ${PEOPLE} people, ${ROUNDS} rounds of ${SECONDS} s each, a turn with one tool call\n`);
print(markdownTable(["", "turns/s", "of those without, by round", "p50 ms", "CPU ms a turn: program"], of));
print(`\nThe collector got ${Math.round(received_bytes / sending.took.length)} bytes a turn.`);
