import { type Insertable, type RawBuilder, sql } from "kysely";
import type { Snapshot } from "../agents/snapshot.ts";
import { sha256 } from "../base/crypto.ts";
import type { Tx } from "../db/database.ts";
import type { Sessions } from "../db/types.ts";

/*
 * Snapshots are stored once per content and sub-organization, under the first half of the SHA-256 of their text: nearly all
 * sessions of an agent share one. A snapshot never changes, and goes with the last session that has it.
 */

const KEY_DIGITS = 32;

/** The snapshot of a session, within a select from sessions under this name. Index: primary key of session_snapshots. */
export const snapshotOf = (sessions: string): RawBuilder<Snapshot> => sql<Snapshot>`(
  select stored.content from session_snapshots stored
  where stored.sub_organization_id = ${sql.ref(`${sessions}.sub_organization_id`)}
    and stored.key = ${sql.ref(`${sessions}.snapshot_key`)})`;

export type SessionRow = Omit<Insertable<Sessions>, "snapshot_key">;

/**
 * Inserts a session with its snapshot in one statement. A snapshot that is there is locked against its deletion until the
 * commit, which other sessions' openings don't wait for. One that is deleted meanwhile is stored again.
 */
export async function insertSession(tx: Tx, row: SessionRow, snapshot: Snapshot): Promise<number> {
  const content = JSON.stringify(snapshot);
  const key = sql<string>`${sha256(content).slice(0, KEY_DIGITS)}::uuid`;
  const { sub_organization_id } = row;
  const { id } = await tx
    .with(
      "known",
      () => sql<{ found: number }>`(
        select 1 as found from session_snapshots
        where sub_organization_id = ${sub_organization_id}::bigint and key = ${key} for key share)`,
    )
    .with(
      "stored",
      () => sql<object>`(
        insert into session_snapshots (sub_organization_id, key, content)
        select ${sub_organization_id}::bigint, ${key}, ${content}::json where not exists (select from known)
        on conflict do nothing)`,
    )
    .insertInto("sessions")
    .values({ ...row, snapshot_key: key })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Serializes deletions of sessions that share a snapshot, so that the last of them sees the others gone. Called before the
 * sessions are deleted.
 */
export async function lockSnapshots(tx: Tx, session_ids: readonly number[]): Promise<void> {
  await sql`
    select 1 from session_snapshots n
    where (n.sub_organization_id, n.key) in (
      select s.sub_organization_id, s.snapshot_key from sessions s where s.id = any(${session_ids}::bigint[]))
    order by n.sub_organization_id, n.key for no key update`.execute(tx);
}

/**
 * Deletes those of the snapshots that no session has any more. A session that is opened meanwhile is waited for, and seen
 * by the second statement. Index: sessions_snapshot.
 */
export async function deleteUnusedSnapshots(tx: Tx, tenant: number, keys: readonly string[]): Promise<void> {
  const unused = sql`
    n.sub_organization_id = ${tenant} and n.key = any(${keys}::uuid[])
    and not exists (
      select from sessions s where s.sub_organization_id = n.sub_organization_id and s.snapshot_key = n.key)`;
  const { rows } = await sql`
    select 1 from session_snapshots n where ${unused} order by n.key for update`.execute(tx);
  if (rows.length > 0) await sql`delete from session_snapshots n where ${unused}`.execute(tx);
}
