import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { takeTurn } from "../api/resource.ts";
import { integer, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { findKey, lockBatch } from "./batch-store.ts";
import { wakeBatch, wakeOrganization } from "./wake-batch.ts";

/** People of a batch: who is contacted, was, or is to be. `b`: the batch. Index: primary key of request_counts. */
const PEOPLE = sql`(
  select coalesce(sum(q.n), 0) from request_counts q
  where q.batch_key = b.key and q.request_status not in ('DUPLICATE', 'INVALID', 'CANCELED'))`;

const ConfirmationRule = z
  .strictObject({
    above: integer({ min: 1, max: 100_000_000 })
      .nullable()
      .describe("A batch with more people than this waits until somebody confirms it; null: none waits."),
  })
  .meta({ id: "ConfirmationRule" });

const BatchConfirmation = z
  .object({
    is_needed: z.boolean().describe("Nobody of the batch is contacted until it is confirmed."),
    people: z.int().describe("Of the batch, without duplicates and invalid targets."),
    above: z.int().nullable(),
    confirmed_people: z
      .int()
      .nullable()
      .describe("How many it was confirmed for. `above` more may be added before it is asked for again."),
    confirmed_by: z.string().nullable(),
    confirmed_at: timestamp().nullable(),
  })
  .meta({ id: "BatchConfirmation" });
type BatchConfirmation = z.output<typeof BatchConfirmation>;

const Confirm = z
  .object({
    people: integer({ min: 0 }).describe("How many people it is confirmed for: all that the batch has now."),
  })
  .meta({ id: "BatchConfirmationRequest" });

const RULE = "/api/v1/outbound/confirmation";
const BATCH = "/api/v1/outbound/batches/:batch_id/confirmation";

/** A second look before many people are contacted. */
export function startConfirmationRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "outbound";
  const params = z.object({ batch_id: z.string() });

  api.get(
    RULE,
    {
      summary: "Get the confirmation rule for batches",
      tag,
      permission: "outbound_read",
      response: ConfirmationRule,
    },
    async ({ caller }) => ({ above: await readRule(db, caller) }),
  );

  api.put(
    RULE,
    {
      summary: "Set the confirmation rule for batches",
      description: "Batches that have begun go on with the people they have.",
      tag,
      permission: "organizations_write",
      body: ConfirmationRule,
      response: ConfirmationRule,
    },
    ({ caller, body }) =>
      db.transaction().execute(async (tx) => {
        await takeTurn(tx, "confirmation-rule", caller.organization_id);
        const before = { above: await readRule(tx, caller) };
        await saveRule(tx, caller, body.above, clock.now());
        await api.audit(tx, caller, {
          action: "update",
          resource: "confirmation-rule",
          resource_id: caller.organization_id,
          before,
          after: body,
        });
        return body;
      }),
  );

  api.get(
    BATCH,
    {
      summary: "Get whether a batch waits for a confirmation",
      tag,
      permission: "outbound_read",
      params,
      response: BatchConfirmation,
    },
    async ({ caller, params }) => readConfirmation(db, await findKey(db, caller, params.batch_id)),
  );

  api.post(
    BATCH,
    {
      summary: "Confirm that a batch may contact its people",
      description:
        "Refused when the batch has another number of people by now, so that nobody confirms more than they saw.",
      tag,
      permission: "outbound_write",
      params,
      body: Confirm,
      response: BatchConfirmation,
    },
    ({ caller, params, body }) =>
      db.transaction().execute((tx) => confirm(tx, caller, params.batch_id, body.people)),
  );

  async function confirm(
    tx: Tx,
    caller: Caller,
    batch_id: string,
    given: number,
  ): Promise<BatchConfirmation> {
    const { key, at } = await lockBatch(tx, clock, caller, batch_id);
    const before = await readConfirmation(tx, key);
    if (before.people !== given)
      throw new Fault("conflict", `The batch has ${before.people.toLocaleString("en")} people now.`);
    await sql`
      update batches set confirmed_people = ${given}, confirmed_by = ${caller.email},
        confirmed_at = ${at.toISOString()}::timestamptz where key = ${key}`.execute(tx);
    await wakeBatch(tx, key, at);
    await api.audit(tx, caller, {
      action: "confirm",
      resource: "batches",
      resource_id: batch_id,
      after: { people: given },
    });
    return readConfirmation(tx, key);
  }
}

async function readConfirmation(db: Db, batch_key: number): Promise<BatchConfirmation> {
  const { rows } = await sql<BatchConfirmation>`
    select coalesce(people > coalesce(confirmed_people, 0) + above, false) as is_needed, people, above, confirmed_people, confirmed_by,
      confirmed_at
    from (
      select ${PEOPLE}::bigint as people, g.confirm_above as above, b.confirmed_people, b.confirmed_by, b.confirmed_at
      from batches b join sub_organizations o on o.id = b.sub_organization_id join organizations g on g.id = o.organization_id
      where b.key = ${batch_key}
    ) found`.execute(db);
  return rows[0] as BatchConfirmation;
}

async function readRule(db: Db, { organization_id }: Caller): Promise<number | null> {
  const { rows } = await sql<{ above: number | null }>`
    select confirm_above as above from organizations where id = ${organization_id}`.execute(db);
  return rows[0]?.above ?? null;
}

/** What has begun is taken as confirmed, and all is looked at again. Locks pacing before the organization, as claims do. */
async function saveRule(tx: Tx, { organization_id }: Caller, above: number | null, at: Date): Promise<void> {
  await wakeOrganization(tx, organization_id, at);
  await sql`
    update batches b set confirmed_people = greatest(${PEOPLE}, coalesce(b.confirmed_people, 0))
    from batch_pacing p, sub_organizations o
    where p.batch_key = b.key and p.last_at is not null and o.id = b.sub_organization_id
      and o.organization_id = ${organization_id} and b.status in ('ACTIVE', 'PAUSED')`.execute(tx);
  await sql`update organizations set confirm_above = ${above} where id = ${organization_id}`.execute(tx);
}
