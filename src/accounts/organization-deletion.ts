import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import { closeAccess } from "./user-store.ts";

/**
 * Whether the organization of the sub-organization in this column still exists. Checked before any automatic work that costs
 * money or contacts people; that work resumes when the deletion is undone.
 */
export const isOfOpenOrganization = (column: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from sub_organizations tenant join organizations owner on owner.id = tenant.organization_id
  where tenant.id = ${sql.ref(column)} and owner.deleted_at is null)`;

/** So long the operator can undo it. */
const UNDONE_WITHIN_MS = 30 * 86_400_000;

/**
 * Nobody of a deleted organization gets in, since every sign-in looks at deleted_at. What they had stays for the undoing;
 * so do the `targets` that it was reached at, which are free for others from now on.
 */
export async function deleteOrganization(
  tx: Tx,
  clock: Clock,
  {
    organization_id,
    comments,
    targets,
  }: { organization_id: number; comments: string | null; targets: unknown[] },
): Promise<void> {
  await tx
    .updateTable("organizations")
    .set({
      deleted_at: clock.now().toISOString(),
      deleted_comments: comments,
      deleted_targets: json(targets),
      closed_at: null,
    })
    .where("id", "=", organization_id)
    .execute();
}

/**
 * The organization is back with its people, tokens and records; its campaigns' batches stay canceled. Resolves with the
 * targets that it had.
 */
export async function restoreOrganization(tx: Tx, clock: Clock, organization_id: number): Promise<unknown[]> {
  const found = await tx
    .selectFrom("organizations")
    .select(["deleted_at", "closed_at", "deleted_targets"])
    .where("id", "=", organization_id)
    .forUpdate()
    .executeTakeFirst();
  if (!found?.deleted_at) throw notFound("Deleted organization", organization_id);
  const age_ms = clock.now().getTime() - new Date(found.deleted_at).getTime();
  if (found.closed_at !== null || age_ms > UNDONE_WITHIN_MS)
    throw new Fault("refused", "It was deleted more than 30 days ago and can't be brought back.");
  await tx
    .updateTable("organizations")
    .set({ deleted_at: null, deleted_comments: null, deleted_targets: null })
    .where("id", "=", organization_id)
    .execute();
  return (found.deleted_targets ?? []) as unknown[];
}

const closeOrganizations: Job<object> = {
  name: "close-deleted-organizations",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "41 3 * * *",
};

/** Takes the people of organizations that can't come back any more away, with all they could get in with. */
export const closeOrganizationsJob = ({ db, clock }: { db: Db; clock: Clock }): JobHandler =>
  handle(closeOrganizations, async () => {
    const before = new Date(clock.now().getTime() - UNDONE_WITHIN_MS).toISOString();
    const due = await db
      .selectFrom("organizations")
      .select("id")
      .where("deleted_at", "<", before)
      .where("closed_at", "is", null)
      .execute();
    await oneByOne(due, ({ id }) => db.transaction().execute((tx) => close(tx, clock, id)));
  });

async function close(tx: Tx, clock: Clock, id: number): Promise<void> {
  const marked = await tx
    .updateTable("organizations")
    .set({ closed_at: clock.now().toISOString(), deleted_targets: null })
    .where("id", "=", id)
    .where("deleted_at", "is not", null)
    .where("closed_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (marked) await closeAccess(tx, clock, await usersOf(tx, id), "The organization was deleted");
}

async function usersOf(tx: Tx, organization_id: number): Promise<number[]> {
  const rows = await tx
    .selectFrom("users as u")
    .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
    .select("u.id")
    .where("s.organization_id", "=", organization_id)
    .where("u.deleted_at", "is", null)
    .execute();
  return rows.map((row) => row.id);
}

/** Its administrators operate the installation; without it nobody could. */
export async function refuseOperator(tx: Tx, { organization_id }: Caller): Promise<void> {
  const first = await tx
    .selectFrom("organizations")
    .select("id")
    .where("deleted_at", "is", null)
    .orderBy("id")
    .executeTakeFirstOrThrow();
  if (first.id === organization_id)
    throw new Fault("refused", "This organization operates the installation and can't be deleted.");
}
