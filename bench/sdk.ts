import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient } from "../sdk/typescript/client.ts";
import { startProgram } from "../test/harness/start-program.ts";
import { machine, markdownTable, median, ms, print, quantile } from "./platform.ts";

/**
 * What a call of the SDK costs beside the same request by `fetch` alone: a record that is read and one that is written, to
 * the program in a process of its own, one after the other and in turn. Run: node bench/sdk.ts [calls]
 */
const CALLS = Number(process.argv[2] ?? 3000);
const WARM_UP = 500;

// Ended and removed however it ends, also where the program doesn't start.
await using open = new AsyncDisposableStack();
const folder = open.adopt(mkdtempSync(path.join(tmpdir(), "parley-bench-")), (own) =>
  rmSync(own, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }),
);
const program = open.adopt(await startProgram(folder), ({ end }) => end("SIGTERM"));
const { url, token = "" } = program.greeting;
const parley = createClient({ baseUrl: url, token });
const headers = { "Service-API-Key": token, "content-type": "application/json" };
const { items } = await parley.list_prompts({ query: { limit: 1 } });
const { id } = items[0] as { id: number };
const service = { name: "Measured", description: "Written anew with each call" };
const { id: service_id } = await parley.create_service({ body: service });
const body = { id: service_id, ...service };

const cases = {
  "get_prompt, a GET": {
    sdk: () => parley.get_prompt({ path: { prompt_id: id } }),
    fetch: () => read(fetch(`${url}/api/v1/prompts/${id}`, { headers })),
  },
  "update_service, a PUT": {
    sdk: () => parley.update_service({ body }),
    fetch: () =>
      read(fetch(`${url}/api/v1/services/`, { method: "PUT", headers, body: JSON.stringify(body) })),
  },
};

const rows: (string | number)[][] = [];
for (const [title, ways] of Object.entries(cases)) {
  const took = { sdk: [] as number[], fetch: [] as number[] };
  const cpu_ms = { sdk: 0, fetch: 0 };
  for (let n = -WARM_UP; n < CALLS; n++) {
    for (const way of n % 2 === 0 ? (["sdk", "fetch"] as const) : (["fetch", "sdk"] as const)) {
      const before = { at: performance.now(), cpu: process.cpuUsage() };
      await ways[way]();
      const { user, system } = process.cpuUsage(before.cpu);
      if (n < 0) continue;
      took[way].push(performance.now() - before.at);
      cpu_ms[way] += (user + system) / 1000;
    }
  }
  const more = took.sdk.map((each, n) => each - (took.fetch[n] as number));
  rows.push([
    title,
    ms(median(took.fetch)),
    ms(median(took.sdk)),
    (median(took.sdk) - median(took.fetch)).toFixed(3),
    median(more).toFixed(3),
    (quantile(took.sdk, 0.95) - quantile(took.fetch, 0.95)).toFixed(3),
    ((cpu_ms.sdk - cpu_ms.fetch) / CALLS).toFixed(3),
  ]);
}
print(machine());
print(
  markdownTable(
    [
      "call",
      "fetch p50 ms",
      "SDK p50 ms",
      "SDK adds at p50",
      "median of the pairs",
      "adds at p95",
      "adds, CPU ms",
    ],
    rows,
  ),
);

async function read(asked: Promise<Response>): Promise<unknown> {
  const response = await asked;
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
