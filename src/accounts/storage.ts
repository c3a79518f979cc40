import { sql } from "kysely";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";

export const STORAGE_KINDS = [
  "recordings",
  "uploads",
  "mail",
  "data-sources",
  "exports",
  "requests",
] as const;

type StoredBytes = { used_bytes: number; kinds: { kind: string; bytes: number }[] };

export type Storage = {
  limit_bytes: number;
  /** Whether a sub-organization may keep so many bytes more. */
  hasRoom(db: Db, sub_organization_id: number, bytes: number): Promise<boolean>;
  /** Refuses what would not fit, saying what to delete and whom to ask. */
  admit(db: Db, sub_organization_id: number, bytes: number): Promise<void>;
};

/**
 * What a sub-organization keeps, by kind: triggers count it with each row that is stored or deleted (src/db/schema.sql), so a
 * sum over a few rows tells it. Index: storage_counts_tenant.
 */
export async function storedOf(db: Db, sub_organization_id: number): Promise<StoredBytes> {
  const { rows } = await sql<{ kind: string; bytes: number }>`
    select kind, sum(bytes)::bigint as bytes from storage_counts
    where sub_organization_id = ${sub_organization_id} group by kind`.execute(db);
  const kinds = STORAGE_KINDS.map((kind) => ({
    kind,
    bytes: rows.find((row) => row.kind === kind)?.bytes ?? 0,
  }));
  return { used_bytes: kinds.reduce((sum, { bytes }) => sum + bytes, 0), kinds };
}

/** Asked before bytes are written, and counted with their row: what is written at once may end a little above the limit. */
export function createStorage(limit_gb: number): Storage {
  const limit_bytes = limit_gb * 1e9;
  const hasRoom = async (db: Db, tenant: number, bytes: number) =>
    (await storedOf(db, tenant)).used_bytes + bytes <= limit_bytes;
  return {
    limit_bytes,
    hasRoom,
    async admit(db, tenant, bytes) {
      if (await hasRoom(db, tenant, bytes)) return;
      throw new Fault(
        "used-up",
        `Your organization may keep ${limit_gb} GB, and this would not fit. Delete uploaded recordings or data sources, or wait until exports expire after seven days; or ask the operator of this installation for more (STORAGE_GB_PER_ORGANIZATION).`,
      );
    },
  };
}
