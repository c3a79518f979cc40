import type { Caller } from "../../../src/api/caller.ts";
import { silentLog } from "../../../src/base/log.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { ensureSystemTools } from "../../../src/tools/system-tools.ts";
import { createTestApp, type Send, type TestApp } from "../app.ts";
import { type Form, multipart, urlEncoded } from "../form.ts";
import { type Operation, operationsOf } from "../operations.ts";

/** One call that is in order: what stands in its path, its query and its body. */
export type Example = {
  at?: (string | number)[];
  query?: Record<string, string>;
  body?: unknown;
  form?: Form;
  /** Who calls, where it must not be the maker: somebody who is about to be deleted. */
  caller?: Caller;
};

/** Makes, through the API, the records that the call needs, then says the call. Each call of it makes new ones. */
type MakeExample = (maker: Maker) => Example | Promise<Example>;

/** By the operation's key: `PUT /api/v1/outbound/campaigns/{}`. */
export type Examples = Record<string, MakeExample>;

// biome-ignore lint/suspicious/noExplicitAny: a record of any kind
export type Made = any;

export type Maker = {
  app: TestApp;
  caller: Caller;
  send: Send;
  /** A number that no other record of this test has. */
  next(): number;
  /** Creates a record. */
  post(path: string, body: object): Promise<Made>;
  /** Any operation by its key; throws unless it succeeds. */
  call(key: string, example: Example): Promise<Made>;
};

/** A test's app with all that examples need: the queue of jobs too, and a maker for the administrator. */
export async function createExampleApp(
  options: Parameters<typeof createTestApp>[2] = {},
): Promise<{ app: TestApp; operations: Operation[]; maker: Maker }> {
  const app = await createTestApp({}, undefined, options);
  await migrateJobs(app.database.pool, silentLog);
  const operations = await operationsOf(app.api.server);
  return { app, operations, maker: await createMaker(app, { caller: app.admin, send: app.send }) };
}

/** A maker for another organization, which has the system tools as each one has. */
export async function createNeighbourMaker(app: TestApp): Promise<Maker> {
  const neighbour = await app.createNeighbour();
  await app.db.transaction().execute((tx) => ensureSystemTools(tx, neighbour.caller, app.clock.now()));
  return createMaker(app, neighbour);
}

let made = 0;

async function createMaker(app: TestApp, { caller, send }: { caller: Caller; send: Send }): Promise<Maker> {
  const operations = new Map((await operationsOf(app.api.server)).map((each) => [each.key, each]));
  const succeed = async (method: string, url: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await send(method, url, body, headers);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  return {
    app,
    caller,
    send,
    next: () => ++made,
    post: (path, body) => succeed("POST", `/api/v1${path}`, body),
    call(key, example) {
      const operation = operations.get(key);
      if (!operation) throw new Error(`There is no operation ${key}`);
      const { method, url, body, headers } = request(operation, example);
      return succeed(method, url, body, headers);
    },
  };
}

/** The example as it goes over the wire. */
export function request(operation: Operation, example: Example) {
  const values = [...(example.at ?? [])];
  const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(String(values.shift())));
  const query = new URLSearchParams(example.query).toString();
  const { body, headers } = payload(operation, example);
  return { method: operation.method, url: query ? `${path}?${query}` : path, body, headers };
}

function payload(
  { consumes }: Operation,
  { body, form }: Example,
): { body: unknown; headers: Record<string, string> } {
  if (!form) return { body, headers: {} };
  if (consumes === "application/x-www-form-urlencoded") return urlEncoded(form as Record<string, string>);
  return multipart(form);
}

/** The records that a call names: in its path, its query, and where a collection is written to, in its body. */
export const idsOf = ({ at = [], query = {}, body }: Example): (string | number)[] => [
  ...at,
  ...Object.entries(query).flatMap(([name, value]) => (name.endsWith("_id") ? [value] : [])),
  ...(hasId(body) ? [body.id] : []),
];

export const hasId = (body: unknown): body is { id: string | number } =>
  typeof body === "object" && body !== null && "id" in body && !Array.isArray(body);

/** The five operations of a plain record, whose update names it in the body. */
export function plainRecord(path: string, input: (maker: Maker) => Promise<object> | object): Examples {
  const create = async (maker: Maker) => maker.post(`${path}/`, await input(maker));
  const full = `/api/v1${path}/`;
  return {
    [`GET ${full}`]: () => ({}),
    [`POST ${full}`]: async (maker) => ({ body: await input(maker) }),
    [`PUT ${full}`]: async (maker) => {
      const { id } = await create(maker);
      return { body: { id, ...(await input(maker)) } };
    },
    [`GET ${full}{}`]: async (maker) => ({ at: [(await create(maker)).id] }),
    [`DELETE ${full}{}`]: async (maker) => ({ at: [(await create(maker)).id], query: { reason: "test" } }),
  };
}
