import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { API_KEY_HEADER } from "../src/api/server.ts";
import { machine, markdownTable, median, print, startPlatform } from "./platform.ts";

/**
 * A file of requests through POST …/upload_batch, against `copy … from stdin csv` of the same file into a table of
 * texts without any index: what PostgreSQL does when it has nothing to decide; and the upload again in an organization that
 * seals. The three take turns. The sender is a
 * process of its own, on the same processors.
 *
 *     node bench/csv-upload.ts [rows] [rounds]
 */
const [rows, rounds] = [Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 7)];

const SENDER = path.join(import.meta.dirname, "send-file.ts");
const folder = mkdtempSync(path.join(tmpdir(), "parley-csv-"));
const file = path.join(folder, "people.csv");
writeCsv(rows);
const megabytes = statSync(file).size / 1e6;

const platform = await startPlatform();
const { api, database, token } = platform;
const url = await api.server.listen({ host: "127.0.0.1", port: 0 });
const campaign_id = await createCampaign();

const uploads: number[] = [];
const sealedUploads: number[] = [];
const copies: number[] = [];
const growths: number[] = [];
let most = 0;
for (let round = 0; round < rounds; round++) {
  copies.push(await plainCopy());
  const memory = watchMemory();
  uploads.push(await upload(`bench-${round}`));
  await sealing(true);
  sealedUploads.push(await upload(`sealed-${round}`));
  await sealing(false);
  growths.push(memory.stop());
  most = Math.max(most, process.memoryUsage.rss() / 1e6);
}
const counted = await timed(() => get(`${url}/api/v1/outbound/batches/bench-0`));
const results = await readResults("bench-0");
await platform.stop();
rmSync(folder, { recursive: true });

const perSecond = (ms: number) => Math.round(rows / (ms / 1000)).toLocaleString("en");
const row = (name: string, times: number[]) => [
  name,
  Math.round(median(times)),
  perSecond(median(times)),
  perSecond(Math.min(...times)),
];
print(`${rows.toLocaleString("en")} rows, ${megabytes.toFixed(1)} MB, ${rounds} rounds; ${machine()}\n`);
print(
  markdownTable(
    ["", "median ms", "rows/s", "rows/s at best"],
    [
      row("upload over HTTP", uploads),
      row("the same, sealed", sealedUploads),
      row("plain COPY, no index", copies),
    ],
  ),
);
print(
  `\nSealed / not: ${median(sealedUploads.map((ms, at) => ms / (uploads[at] as number))).toFixed(3)} × the time (median of pairs).`,
);
print(`\nUpload / COPY: ${(median(uploads) / median(copies)).toFixed(1)} × the time.`);
print(
  `Memory of the process over its uploads, in MB: first ${growths[0]?.toFixed(0)}, most ${Math.max(...growths).toFixed(0)}, last ${growths.at(-1)?.toFixed(0)}; ${most.toFixed(0)} resident.`,
);
print(`GET of a batch of that size, with its counts: ${counted.toFixed(0)} ms.`);
print(
  `GET of all its results, without a limit: ${results.megabytes.toFixed(0)} MB in ${results.seconds.toFixed(1)} s, memory +${results.growth.toFixed(0)} MB.`,
);

/** By pieces, so that the memory that is measured is the program's and not this file's. */
function writeCsv(count: number): void {
  let text = "reference_id,target,first_name,last_name,appointment_date,clinic,notes\r\n";
  for (let i = 0; i < count; i++) {
    const digits = String(2_000_000_000 + ((i * 7_919) % 7_999_999_999)).slice(0, 10);
    const target =
      i % 3 === 0 ? `+1${digits}` : `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`;
    text += `ref-${i},${target},Ann${i},"O'Neil, ${i}",2026-12-0${(i % 9) + 1},North Clinic,Bring your card\r\n`;
    if (text.length < 1_000_000) continue;
    appendFileSync(file, text);
    text = "";
  }
  appendFileSync(file, text);
}

async function createCampaign(): Promise<number> {
  const { caller } = platform;
  const { id } = await database.db
    .insertInto("campaigns")
    .values({
      sub_organization_id: caller.sub_organization_id,
      campaign_name: "Bench",
      campaign_variables: "{}",
      source: "+19032900844",
      hourly_rate: 60,
      retry_count: 0,
      active_days: [],
      include_unknown_line_types: true,
      created_at: new Date().toISOString(),
      updated_at: new Date().toISOString(),
      last_updated_by: caller.email,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

async function sealing(seal_texts: boolean): Promise<void> {
  const headers = { [API_KEY_HEADER]: token, "content-type": "application/json" };
  const body = JSON.stringify({ seal_texts });
  const answer = await fetch(`${url}/api/v1/organizations/privacy`, { method: "PUT", headers, body });
  if (answer.status !== 200) throw new Error(await answer.text());
}

async function upload(batch_id: string): Promise<number> {
  const headers = { [API_KEY_HEADER]: token, "content-type": "application/json" };
  const body = JSON.stringify({ batch_id, campaign_id });
  const created = await fetch(`${url}/api/v1/outbound/batches`, { method: "POST", headers, body });
  if (created.status !== 200) throw new Error(await created.text());
  const address = `${url}/api/v1/outbound/batches/${batch_id}/upload_batch`;
  const sender = spawn(process.execPath, [SENDER, address, token, file]);
  sender.stderr.pipe(process.stderr);
  let text = "";
  sender.stdout.on("data", (chunk) => {
    text += chunk;
  });
  await once(sender, "close");
  const answer = JSON.parse(text);
  if (answer.status !== 200 || answer.body.accepted !== rows) throw new Error(text);
  return answer.ms;
}

/** Read by a process of its own, so that the memory that is measured is the program's. */
async function readResults(
  batch_id: string,
): Promise<{ megabytes: number; seconds: number; growth: number }> {
  const memory = watchMemory();
  const began = performance.now();
  const reader = spawn(process.execPath, [
    "--input-type=module",
    "--eval",
    `const answer = await fetch(process.argv[1], { headers: { "${API_KEY_HEADER}": process.argv[2] } });
    let bytes = 0;
    for await (const chunk of answer.body) bytes += chunk.length;
    console.log(answer.status, bytes);`,
    `${url}/api/v1/outbound/batches/${batch_id}/results`,
    token,
  ]);
  reader.stderr.pipe(process.stderr);
  let text = "";
  reader.stdout.on("data", (chunk) => {
    text += chunk;
  });
  await once(reader, "close");
  const [status, bytes] = text.split(" ").map(Number);
  if (status !== 200 || bytes === undefined) throw new Error(`results answered ${text}`);
  return { megabytes: bytes / 1e6, seconds: (performance.now() - began) / 1000, growth: memory.stop() };
}

/** Most resident memory over what it was at first, in MB. */
function watchMemory(): { stop(): number } {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return (most - before) / 1e6;
    },
  };
}

async function plainCopy(): Promise<number> {
  const client = await database.pool.connect();
  try {
    await client.query("drop table if exists plain");
    await client.query(
      "create table plain (reference_id text, target text, first_name text, last_name text, appointment_date text, clinic text, notes text)",
    );
    return await timed(() =>
      pipeline(
        createReadStream(file),
        (client as pg.Client).query(copyFrom("copy plain from stdin csv header")),
      ),
    );
  } finally {
    client.release();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function get(address: string): Promise<void> {
  const response = await fetch(address, { headers: { [API_KEY_HEADER]: token } });
  await response.text();
}
