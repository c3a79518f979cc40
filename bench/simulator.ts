import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { systemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log.ts";
import { serveSimulator } from "../src/simulator/mount.ts";
import { Scenario } from "../src/simulator/people.ts";
import { createSimulator } from "../src/simulator/simulator.ts";
import { machine, markdownTable, print } from "./platform.ts";

/**
 * How many simulated attempts the carrier simulator carries: each is placed over its REST API, rings, ends as the crowd of
 * its numbers does (half of them picks up, is told to hang up, and is told over), and is called back for, 600 times as
 * fast as life. The stub that is called back runs in the same process. Run: node bench/simulator.ts
 */
const SECONDS = 8;
const SPEED = 600;
const CONNECTIONS = 32;
const ACCOUNT = "AC00000000000000000000000000000001";

let callbacks = 0;
const stub = createServer((request, response) => {
  callbacks++;
  request.resume().on("end", () => response.end("<Response><Hangup/></Response>"));
});
await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
const here = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;

const simulator = createSimulator({
  clock: systemClock,
  log: silentLog,
  base: "http://simulator.example",
  scenario: Scenario.parse({}),
  speed: SPEED,
  tokenOf: () => "token",
  numberUrls: () => null,
  reach: (origin) => origin,
});
const served = await serveSimulator(simulator);
const pool = new Pool(served.url, { connections: CONNECTIONS });
const authorization = `Basic ${Buffer.from(`${ACCOUNT}:token`).toString("base64")}`;

const until = performance.now() + SECONDS * 1000;
let attempts = 0;
const worker = async () => {
  while (performance.now() < until) {
    const form = new URLSearchParams({
      From: "+15125550100",
      To: `+1512${String(attempts++ % 100_000).padStart(5, "0")}99`,
      Url: `${here}/answer`,
      StatusCallback: `${here}/status`,
      Timeout: "40",
    });
    const { body } = await pool.request({
      method: "POST",
      path: `/2010-04-01/Accounts/${ACCOUNT}/Calls.json`,
      headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
    });
    await body.dump();
  }
};
await Promise.all(Array.from({ length: CONNECTIONS }, worker));
const placed = attempts / SECONDS;
// The last people to be called let it ring for 40 seconds of their time.
await new Promise((resolve) => setTimeout(resolve, 1500));
await simulator.quiet();
print(`${machine()}; ${SPEED} times as fast as life\n`);
print(
  markdownTable(
    ["attempts", "attempts/s", "callbacks", "memory of it all"],
    [[attempts, Math.round(placed), callbacks, `${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`]],
  ),
);
await pool.close();
await served.close();
await simulator.close();
stub.closeAllConnections();
stub.close();
