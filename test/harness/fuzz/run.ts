import { setTimeout as after } from "node:timers/promises";
import type { TestApp } from "../app.ts";
import { createNeighbourMaker, type Example, idsOf, type Maker } from "../examples/example.ts";
import { EXAMPLES } from "../examples/examples.ts";
import { type Operation, type Schema, serverDocument } from "../operations.ts";
import { changedTables, snapshot } from "../snapshot.ts";
import { createRandom } from "./random.ts";
import { fuzzed, type Wire } from "./request.ts";
import { resolved } from "./values.ts";

type FuzzReport = {
  requests: number;
  /** Examples that could not be made any more, each used once more as it was. */
  unmade: number;
  seconds: number;
  statuses: Record<number, number>;
  slowest_ms: number;
  slowest: string;
  /** What must never happen, and the request that made it happen. */
  faults: string[];
  /** Tables in which records of the neighbour changed. */
  leaked: string[];
};

/** Longer than any answer takes, on a machine with ten times as much to do as it can. */
const HANG_MS = 15_000;
/** So often is a call built upon before its records are made anew. */
const USES = 10;

/** By these whoever operates the installation takes what is a neighbour's away, on purpose. */
const REASSIGNING = [
  "PUT /api/v1/number_owners/{}",
  "DELETE /api/v1/number_owners/{}",
  "PUT /api/v1/mail_domains/claims/{}",
  "DELETE /api/v1/mail_domains/claims/{}",
];

type Base = { example: Example; token: string; uses: number };

/** Sends that many calls, each a little wrong, to operations in turn, beside a neighbour whose records must stay as they are. */
export async function fuzz(
  { app, operations: all, maker }: { app: TestApp; operations: Operation[]; maker: Maker },
  { requests, seed }: { requests: number; seed: number },
): Promise<FuzzReport> {
  const random = createRandom(seed);
  const operations = all.filter(({ key }) => !REASSIGNING.includes(key));
  const neighbour = await createNeighbourMaker(app);
  const theirs = await recordsOf(neighbour, operations);
  const before = await snapshot(app.db, neighbour.caller);
  const { schemas } = serverDocument(app.api.server).components;
  const bodies = new Map<string, Schema | undefined>();
  const bases = new Map<string, Base>();
  const ids: (string | number)[] = [...theirs];
  const report: FuzzReport = {
    requests,
    unmade: 0,
    seconds: 0,
    statuses: {},
    slowest_ms: 0,
    slowest: "",
    faults: [],
    leaked: [],
  };
  const begun = performance.now();

  for (let index = 0; index < requests; index++) {
    const operation = operations[index % operations.length] as Operation;
    const base = await baseOf(operation);
    if (!bodies.has(operation.key)) bodies.set(operation.key, resolved(operation.body, schemas));
    const wire = fuzzed(random, { operation, example: base.example, body: bodies.get(operation.key), ids });
    await send(wire, base.token, `seed ${seed}, request ${index}, ${operation.key}`);
    // By a number it guesses, the run may revoke its own token.
    if (operation.key === "DELETE /api/v1/api_tokens/{}")
      await app.db.updateTable("api_tokens").set({ revoked_at: null }).execute();
    // Whoever operates the installation verifies anybody's ranges, on purpose.
    if (operation.key === "PUT /api/v1/organizations/sip_ip_ranges/{}/verified")
      await app.db
        .updateTable("sip_ip_ranges")
        .set((eb) => ({ verified: false, updated_at: eb.ref("created_at") }))
        .where("organization_id", "=", neighbour.caller.organization_id)
        .execute();
  }
  report.seconds = (performance.now() - begun) / 1000;
  report.leaked = changedTables(before, await snapshot(app.db, neighbour.caller));
  return report;

  async function baseOf(operation: Operation): Promise<Base> {
    const known = bases.get(operation.key);
    if (known && known.uses++ < USES) return known;
    const example = await made(operation);
    if (!example) return known ?? { example: {}, token: app.token, uses: 0 };
    const token = example.caller ? await app.createToken(null, example.caller) : app.token;
    const base = { example, token, uses: 0 };
    bases.set(operation.key, base);
    if (ids.length > theirs.length + 500) ids.splice(theirs.length, 100);
    ids.push(...idsOf(example));
    return base;
  }

  /** Undefined when earlier calls left nothing to make it from: they may have changed anything. */
  async function made({ key }: Operation): Promise<Example | undefined> {
    try {
      return await EXAMPLES[key]?.(maker);
    } catch {
      report.unmade++;
      return undefined;
    }
  }

  async function send(wire: Wire, token: string, name: string): Promise<void> {
    const sent = performance.now();
    const fault = (what: string) =>
      report.faults.push(
        `${name}: ${what}\n  ${wire.method} ${wire.url.slice(0, 500)}\n  ${JSON.stringify(wire.headers)} ${shown(wire.body)}`,
      );
    try {
      const answer = app.sendAs(token)(wire.method, wire.url, wire.body, wire.headers);
      const hung = new AbortController();
      const first = await Promise.race([
        answer,
        after(HANG_MS, null, { signal: hung.signal }).catch(() => null),
      ]);
      hung.abort();
      if (!first) return void fault(`no answer within ${HANG_MS / 1000} s`);
      report.statuses[first.status] = (report.statuses[first.status] ?? 0) + 1;
      // 501 is said of what this installation has not: a carrier, a speech provider, a mail server.
      if (first.status >= 500 && first.status !== 501) fault(`${first.status} ${app.errors.at(-1) ?? ""}`);
    } catch (error) {
      fault((error as Error).message);
    }
    const took = performance.now() - sent;
    if (took > report.slowest_ms)
      Object.assign(report, { slowest_ms: Math.round(took), slowest: `${name} ${wire.url.slice(0, 300)}` });
  }
}

/** One record of each kind, and what they are called. */
async function recordsOf(maker: Maker, operations: Operation[]): Promise<(string | number)[]> {
  const ids: (string | number)[] = [];
  for (const { key } of operations) {
    // Some are only for those who operate the installation.
    const example = await Promise.resolve(EXAMPLES[key]?.(maker)).catch(() => undefined);
    if (example && !example.caller) ids.push(...idsOf(example));
  }
  return ids;
}

const shown = (body: unknown): string => {
  const text = Buffer.isBuffer(body)
    ? body.toString("latin1")
    : typeof body === "string"
      ? body
      : JSON.stringify(body);
  return (text ?? "").slice(0, 1500);
};
