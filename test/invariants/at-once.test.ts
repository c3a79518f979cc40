import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../harness/app.ts";
import { createExampleApp, type Maker, request } from "../harness/examples/example.ts";
import { EXAMPLES } from "../harness/examples/examples.ts";
import type { Operation } from "../harness/operations.ts";

let app: TestApp;
let maker: Maker;
let operations: Operation[];
beforeAll(async () => {
  ({ app, operations, maker } = await createExampleApp());
  operations = operations.filter(({ method, path }) => method !== "GET" && path.startsWith("/api/v1/"));
});

/** Enough that one of them waits for another in nearly every run. */
const AT_ONCE = 4;

test("the same change sent several times at once is made one after the other: each is audited with what the one before left", async () => {
  const wrong: string[] = [];
  for (const operation of operations) {
    const { statuses, written } = await atOnce(operation);
    const failed = statuses.filter((status) => status >= 500 && status !== UNSUPPORTED);
    for (const fault of [...failed.map(String), ...faultsOf(written)])
      wrong.push(`${operation.key}: ${fault}`);
  }
  expect(wrong).toEqual([]);
});
/** There is no carrier and no mail server here. */
const UNSUPPORTED = 501;

async function atOnce(operation: Operation) {
  const example = await EXAMPLES[operation.key]?.(maker);
  if (!example) throw new Error(`${operation.key} has no example`);
  const { method, url, body, headers } = request(operation, example);
  const send = app.sendAs(await app.createToken(null, example.caller));
  const { count } = await app.db
    .selectFrom("audit_entries")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(method, url, body, headers)));
  const written = await app.db
    .selectFrom("audit_entries")
    .select(["action", "resource", "resource_id", "before", "after"])
    .orderBy("id")
    .offset(Number(count))
    .execute();
  return { statuses: answers.map(({ status }) => status), written };
}

type Entry = Awaited<ReturnType<typeof atOnce>>["written"][number];

/** Where an entry does not begin as the one before it on the same record ended. */
function faultsOf(written: Entry[]): string[] {
  const records = Map.groupBy(written, ({ resource, resource_id }) => `${resource}/${resource_id}`);
  return [...records].flatMap(([record, entries]) =>
    entries.slice(1).flatMap((entry, n) => {
      const left = entries[n]?.after as Record<string, unknown> | null;
      if (left === null) return entry.action === "delete" ? [`${record} was deleted twice`] : [];
      const differing = Object.entries(entry.before ?? {}).filter(
        ([field, value]) => field in left && JSON.stringify(left[field]) !== JSON.stringify(value),
      );
      return differing.map(([field]) => `${record} was left with another ${field} than was found next`);
    }),
  );
}
