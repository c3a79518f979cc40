import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { publicText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { RecordingBucket } from "../sessions/bucket/bucket.ts";
import { busySessions } from "./delete-sessions.ts";
import { addCounts, type DeletedCounts, sumOf } from "./deleted-counts.ts";
import { removeListedFiles } from "./files-to-remove.ts";
import type { ErasedPerson } from "./person-address.ts";
import { isStepUnderWay } from "./person-requests.ts";
import { PERSON_STORES, STORES_THAT_WAIT, sessionsOf } from "./person-stores.ts";

/*
 * Erases people. Each transaction deletes some rows of one store and adds their number to the erasure's row, so the process
 * may die anywhere: the next run goes on, and the counts are exact.
 *
 *     PENDING ──▶ RUNNING ──▶ COMPLETED: the address itself is gone, the row is the proof
 *        └──▶ WAITING (a call, a turn, an attempt, a legal hold) ──looked at every minute──▶ RUNNING
 */
export const erasePeople: Job<object> = {
  name: "erase-people",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

export type ErasureDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  vault: Vault;
  dataDir: string;
  bucket?: RecordingBucket | null;
};

export const erasePeopleJob = (deps: ErasureDeps): JobHandler =>
  handle(erasePeople, async (_, { stopping }) => {
    const open = await deps.db
      .selectFrom("erasures")
      .select("id")
      .where("finished_at", "is", null)
      .orderBy("id")
      .execute();
    for (const { id } of open) {
      if (stopping.aborted) return;
      // One that fails doesn't hold up the others, and is tried again in a minute.
      await runErasure(deps, id).catch(async (error) => {
        const waits_for = publicText(error, deps.log, "an erasure failed and is tried again");
        await deps.db.updateTable("erasures").set({ waits_for }).where("id", "=", id).execute();
      });
    }
    await removeListedFiles(deps);
  });

/** `onStep` is called after each transaction, with the store it worked on. */
export async function runErasure(
  deps: ErasureDeps,
  id: number,
  onStep: (store: string) => void | Promise<void> = () => {},
): Promise<void> {
  const { db, clock, vault } = deps;
  const found = await db
    .selectFrom("erasures")
    .select(["sub_organization_id", "sealed_address"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!found || found.sealed_address === null) return;
  const spellings: string[] = JSON.parse(vault.open(found.sealed_address));
  const person = { tenant: found.sub_organization_id, spellings };

  if (await waits(deps, id, person)) return;
  await sql`
    update erasures set status = 'RUNNING', waits_for = null,
      started_at = coalesce(started_at, ${clock.now().toISOString()}::timestamptz)
    where id = ${id} and finished_at is null`.execute(db);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (const store of PERSON_STORES) {
      for (let count = 1; count > 0; ) {
        count = sumOf(await removeSome(deps, id, person, store));
        if (count > 0) await onStep(store.name);
        if (count < (store.looks_once_below ?? 0)) break;
      }
    }
    await removeListedFiles(deps, person.tenant);
    await onStep("files");
    // What began meanwhile was left alone, and is waited for; what is over by now is deleted in another round.
    if (await waits(deps, id, person)) return;
    if (!(await isAnythingLeft(db, person, vault))) return complete(deps, id, person.tenant);
  }
}

/** With somebody who begins one conversation after the other, it goes on a minute later. */
const MOST_ROUNDS = 3;

/** Whether an attempt, a call or a turn that was under way when its store was emptied has kept rows there. */
async function isAnythingLeft(db: Db, person: ErasedPerson, vault: Vault): Promise<boolean> {
  for (const store of STORES_THAT_WAIT) if (sumOf(await store.count(db, person, vault)) > 0) return true;
  return false;
}

async function waits({ db, clock }: ErasureDeps, id: number, person: ErasedPerson): Promise<boolean> {
  const waits_for = await obstacleTo(db, person, clock.now());
  if (waits_for === null) return false;
  await db.updateTable("erasures").set({ status: "WAITING", waits_for }).where("id", "=", id).execute();
  return true;
}

/** Locks the erasure first, so that two processes don't work on one person at once. */
const removeSome = (
  { db, clock, vault }: ErasureDeps,
  id: number,
  person: ErasedPerson,
  store: (typeof PERSON_STORES)[number],
): Promise<DeletedCounts> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ counts: DeletedCounts }>`
      select counts from erasures where id = ${id} and finished_at is null for update`.execute(tx);
    const before = rows[0]?.counts;
    if (!before) return {};
    const counts = await store.removeSome(tx, person, clock.now(), vault);
    if (sumOf(counts) > 0)
      await sql`
        update erasures set counts = ${JSON.stringify(addCounts(before, counts))}::json where id = ${id}`.execute(
        tx,
      );
    return counts;
  });

/** Nothing is cut off: a call that is going on is heard to its end first. The sentence says what is waited for. */
export async function obstacleTo(db: Db, person: ErasedPerson, now: Date): Promise<string | null> {
  const { rows: sessions } = await sql<{ id: number; is_held: boolean }>`
    select id, legal_hold_at is not null as is_held from sessions where id in (${sessionsOf(person)})`.execute(
    db,
  );
  const held = sessions.filter(({ is_held }) => is_held).length;
  if (held > 0) return `${held} of the person's sessions are on legal hold. Release them first.`;
  const [busy] = await busySessions(
    db,
    sessions.map(({ id }) => id),
    now,
  );
  switch (busy?.by) {
    case "call":
      return "A call with this person is going on. The erasure begins when it is over.";
    case "turn":
      return "The agent is answering this person. The erasure begins in a moment.";
    case "recording":
      return "A recording of this person is being fetched. The erasure begins when that is done.";
    default:
  }
  const { rows: attempts } = await sql<{ key: string }>`
    select key from attempts where sub_organization_id = ${person.tenant}
      and target = any(${person.spellings}::text[]) and state <> 'ENDED' limit 1`.execute(db);
  return attempts.length > 0 || (await isStepUnderWay(db, person))
    ? "A campaign is reaching this person right now. The erasure begins when that attempt is over."
    : null;
}

/** The proof: from here on only the keyed hash of the address is known. */
const complete = ({ db, clock }: ErasureDeps, id: number, tenant: number): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const at = clock.now();
    const { rows } = await sql<{
      counts: DeletedCounts;
      address_hash: string;
      linked_hashes: string[];
      requested_by: string;
    }>`
      update erasures
      set status = 'COMPLETED', finished_at = ${at.toISOString()}::timestamptz, sealed_address = null, waits_for = null
      where id = ${id} and finished_at is null
      returning counts, address_hash, linked_hashes, requested_by`.execute(tx);
    const [proof] = rows;
    if (!proof) return;
    await publish(tx, tenant, [
      {
        at,
        source: "job",
        source_id: id,
        category: "privacy",
        type: "person-erased",
        description: "Everything that was said to and by one person was deleted.",
        attributes: { erasure_id: id, ...proof },
      },
    ]);
  });
