import { sql } from "kysely";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { bounded, type OwnLimitsReader } from "./own-limits.ts";

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
  /** What a sub-organization may keep: the lower of the installation's limit and its organization's own. */
  limitBytes(sub_organization_id: number): Promise<number>;
  /** Whether a sub-organization may keep so many bytes more. */
  hasRoom(db: Db, sub_organization_id: number, bytes: number): Promise<boolean>;
  /** Refuses what would not fit, saying what to delete and whom to ask. */
  admit(db: Db, sub_organization_id: number, bytes: number): Promise<void>;
  /** For an event that tells what was not kept: why, and what to do. */
  fullText(sub_organization_id: number): Promise<string>;
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
export function createStorage(most_gb: number, own: OwnLimitsReader): Storage {
  const limitGb = async (tenant: number) => bounded(most_gb, (await own.of(tenant)).stored_gb);
  const limitBytes = async (tenant: number) => (await limitGb(tenant)) * 1e9;
  const hasRoom = async (db: Db, tenant: number, bytes: number) =>
    (await storedOf(db, tenant)).used_bytes + bytes <= (await limitBytes(tenant));
  const askForMore = async (tenant: number) =>
    (await limitGb(tenant)) < most_gb
      ? "ask an administrator for more (Settings, Organization, Limits)"
      : "ask the operator of this installation for more (STORAGE_GB_PER_ORGANIZATION)";
  return {
    limitBytes,
    hasRoom,
    fullText: async (tenant) =>
      `the organization's storage is full. Delete what is no longer needed, or ${await askForMore(tenant)}.`,
    async admit(db, tenant, bytes) {
      if (await hasRoom(db, tenant, bytes)) return;
      throw new Fault(
        "used-up",
        `Your organization may keep ${await limitGb(tenant)} GB, and this would not fit. Delete uploaded recordings or data sources, or wait until exports expire after seven days; or ${await askForMore(tenant)}.`,
      );
    },
  };
}
