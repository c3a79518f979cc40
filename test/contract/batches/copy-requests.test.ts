import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, createOutbound, request } from "../../harness/batch.ts";

let app: TestApp;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
beforeAll(async () => {
  app = await createTestApp();
  outbound = await createOutbound(app);
});

const batchOf = async (...people: ReturnType<typeof request>[]): Promise<string> => {
  const { batch_id } = await outbound.createBatch();
  if (people.length > 0) await outbound.add(batch_id, people);
  return batch_id as string;
};
let next = 0;
const people = (count: number) =>
  Array.from({ length: count }, () => request(`copy-${++next}`, `+1512555${String(1000 + next)}`));
const copy = async (into: string, from: string, more: object = {}) =>
  app.send("POST", `${BATCHES}/${into}/requests/from`, { batch_id: from, ...more });
const rowsOf = async (batch_id: string) =>
  (
    await sql<{
      reference_id: string;
      target: string;
      request_status: string;
      attempt_count: number;
      v: unknown;
    }>`
      select r.reference_id, r.target, r.request_status, r.attempt_count, r.request_variables as v
      from requests r join batches b on b.key = r.batch_key where b.batch_id = ${batch_id} order by r.id`.execute(
      app.db,
    )
  ).rows;
const setStatus = (batch_id: string, reference_id: string, status: string, channel = status) =>
  sql`update requests r set request_status = ${status}, channel_manager_status = ${channel}, due_at = null
    from batches b where b.key = r.batch_key and b.batch_id = ${batch_id} and r.reference_id = ${reference_id}`.execute(
    app.db,
  );

test("people of another batch are added with reference, target and variables, as new as those of a file", async () => {
  const [ann, bob] = people(2);
  const from = await batchOf({ ...ann!, request_variables: { name: "Ann" } }, bob!);
  await setStatus(from, bob!.reference_id, "FAILED", "BUSY");
  const into = await batchOf();
  const counted = await app.send("POST", `${BATCHES}/${into}/requests/from/preview`, { batch_id: from });
  expect(counted.body).toEqual({ people: 2, present: 0 });
  const { status, body } = await copy(into, from);
  expect([status, body]).toEqual([
    200,
    { batch_id: into, accepted: 2, duplicates: 0, invalid: 0, present: 0, next: null },
  ]);
  expect(await rowsOf(into)).toMatchObject([
    { reference_id: ann!.reference_id, target: ann!.target, request_status: "PENDING", v: { name: "Ann" } },
    { reference_id: bob!.reference_id, target: bob!.target, request_status: "PENDING", attempt_count: 0 },
  ]);
});

test("asked twice it adds nobody twice, and who is there already stays as they are", async () => {
  const [ann, bob] = people(2);
  const from = await batchOf(ann!, bob!);
  const into = await batchOf(ann!);
  await setStatus(into, ann!.reference_id, "COMPLETED");
  expect((await copy(into, from)).body).toMatchObject({ accepted: 1, present: 1 });
  const before = await rowsOf(into);
  expect((await copy(into, from)).body).toMatchObject({ accepted: 0, duplicates: 0, present: 2 });
  expect(await rowsOf(into)).toEqual(before);
  expect(before.map(({ request_status }) => request_status)).toEqual(["COMPLETED", "PENDING"]);
});

test("only the statuses that are named; a duplicate target is DUPLICATE, as in a file", async () => {
  const [ann, bob, cid] = people(3);
  const from = await batchOf(ann!, bob!, cid!);
  await setStatus(from, ann!.reference_id, "FAILED", "BUSY");
  await setStatus(from, bob!.reference_id, "FAILED", "NO-ANSWER");
  const into = await batchOf(request("somebody-else", ann!.target));
  const only = { request_statuses: ["FAILED"], channel_statuses: ["BUSY"] };
  expect((await copy(into, from, only)).body).toMatchObject({ accepted: 0, duplicates: 1 });
  expect((await copy(into, from, { request_statuses: ["FAILED"] })).body).toMatchObject({
    accepted: 1,
    present: 1,
  });
  expect((await rowsOf(into)).map(({ reference_id }) => reference_id)).toEqual([
    "somebody-else",
    ann!.reference_id,
    bob!.reference_id,
  ]);
});

test("a large batch is taken in pieces, each asked for with the place where the one before ended", async () => {
  const from = await batchOf();
  await sql`insert into requests (batch_key, reference_id, target, request_status, channel_manager_status, due_at,
      created_at, request_variables)
    select b.key, 'piece-' || n, '+1737555' || lpad(n::text, 4, '0'), 'PENDING', 'PENDING', now(), now(), '{}'
    from batches b, generate_series(1, 5003) n where b.batch_id = ${from}`.execute(app.db);
  const into = await batchOf();
  const first = (await copy(into, from)).body;
  expect(first).toMatchObject({ accepted: 5000 });
  expect((await copy(into, from, { after: first.next })).body).toMatchObject({ accepted: 3, next: null });
});

test("a batch is not copied into itself, and not from another organization", async () => {
  const from = await batchOf(...people(1));
  expect((await copy(from, from)).status).toBe(422);
  expect((await copy(from, "of-nobody")).status).toBe(404);
});
