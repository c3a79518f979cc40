import { sql } from "kysely";
import { z } from "zod";
import { integer, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Vault } from "../../base/crypto.ts";
import type { Db } from "../../db/database.ts";
import { type ChainedEntry, type CheckedLinks, checkLinks, NO_LINK } from "./audit-chain.ts";
import { auditSigns, CHAINED, DELETED, deletedText } from "./link-entries.ts";

/** Links of one answer: about 200 ms. */
const AT_ONCE = 5_000;
const MAX_FAULTS = 100;

const AuditFault = z
  .object({
    position: z.int(),
    entry_id: z.int().nullish(),
    fault: z
      .enum(["changed", "missing", "out_of_place", "forged"])
      .describe(
        "changed: the entry is not what was linked. missing: it is gone, and retention did not delete it. out_of_place: a link before it is gone. forged: the link was not made with this installation's key.",
      ),
  })
  .meta({ id: "AuditFault" });

export const AuditVerification = z
  .object({
    checked_to: z.int().describe("The position of the last link that this answer covers."),
    next_position: z.int().nullish().describe("Where to go on; null at the end."),
    intact: z.int(),
    blanked: z.int().describe("Entries whose content an erasure deleted; who did what and when is intact."),
    deleted: z.int().describe("Entries that retention deleted."),
    faults: z.array(AuditFault).max(MAX_FAULTS),
    unlinked: z.int().describe("Entries of the last minutes, which have no link yet."),
    head: z
      .object({ position: z.int(), link: z.string() })
      .describe("The newest link. Keep it elsewhere: a trail that was cut at its end no longer reaches it."),
    deleted_before: timestamp().nullish(),
  })
  .meta({ id: "AuditVerification" });
export type AuditVerification = z.infer<typeof AuditVerification>;

type LinkRow = {
  position: number;
  entry_id: number;
  linked_at_ms: number;
  kept_digest: string;
  content_digest: string;
  link: string;
} & { [K in keyof ChainedEntry]: ChainedEntry[K] | null };

/** Compares the links from this position on with their entries. Index: audit_links_pkey, audit_entries_pkey. */
export async function verifyTrail(
  db: Db,
  vault: Vault,
  tenant: number,
  from = 1,
): Promise<AuditVerification> {
  const { rows: heads } = await sql<{
    position: number;
    link: string;
    deleted_before: string | null;
    deleted_signature: string | null;
  }>`select position, link, deleted_before, deleted_signature from audit_heads where sub_organization_id = ${tenant}`.execute(
    db,
  );
  const head = heads[0] ?? { ...NO_LINK, deleted_before: null, deleted_signature: null };
  const deleted_before = excused(vault, tenant, head);
  const { rows } = await sql<LinkRow>`
    select l.position, l.entry_id, (extract(epoch from l.at) * 1000)::float8 as linked_at_ms, l.kept_digest, l.content_digest,
      l.link, ${CHAINED}
    from audit_links l
    left join audit_entries a on a.id = l.entry_id and a.sub_organization_id = l.sub_organization_id
    where l.sub_organization_id = ${tenant} and l.position >= ${from}::bigint
    order by l.position limit ${AT_ONCE}::bigint`.execute(db);
  const checked = checkLinks(
    auditSigns(vault),
    tenant,
    await linkBefore(db, tenant, from),
    rows.map(({ linked_at_ms, ...row }) => ({
      ...row,
      entry: row.id === null ? null : (row as unknown as ChainedEntry),
      may_be_deleted: deleted_before !== null && linked_at_ms < deleted_before.getTime(),
    })),
  );
  const isEnd = rows.length < AT_ONCE;
  return {
    checked_to: checked.last.position,
    next_position: isEnd ? null : checked.last.position + 1,
    intact: checked.intact,
    blanked: checked.blanked,
    deleted: checked.deleted,
    faults: faultsOf(checked, isEnd ? head : null).slice(0, MAX_FAULTS),
    unlinked: await countUnlinked(db, tenant),
    head: { position: head.position, link: head.link },
    deleted_before: deleted_before?.toISOString() ?? null,
  };
}

/** At the end of the trail, the head has to be the last link: else links were taken away behind it. */
function faultsOf({ faults, last }: CheckedLinks, head: { position: number; link: string } | null) {
  if (head === null || (head.position === last.position && head.link === last.link)) return faults;
  const fault = head.position > last.position ? ("missing" as const) : ("forged" as const);
  return [...faults, { position: last.position + 1, entry_id: null, fault }];
}

function excused(
  vault: Vault,
  tenant: number,
  { deleted_before, deleted_signature }: { deleted_before: string | null; deleted_signature: string | null },
): Date | null {
  if (deleted_before === null || deleted_signature === null) return null;
  const before = new Date(deleted_before);
  return vault.verify(DELETED, deletedText(tenant, before.toISOString()), deleted_signature) ? before : null;
}

async function linkBefore(db: Db, tenant: number, from: number): Promise<{ position: number; link: string }> {
  if (from <= 1) return NO_LINK;
  const { rows } = await sql<{ link: string }>`
    select link from audit_links where sub_organization_id = ${tenant} and position = ${from - 1}::bigint`.execute(
    db,
  );
  return { position: from - 1, link: rows[0]?.link ?? "" };
}

/** Index: audit_entries_unlinked. */
async function countUnlinked(db: Db, tenant: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from audit_entries where sub_organization_id = ${tenant} and position is null`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

export function auditVerificationRoutes(api: Api, { db, vault }: { db: Db; vault: Vault }): void {
  api.get(
    "/api/v1/audit_entries/verification",
    {
      summary: "Verify the audit trail",
      description: `Each entry is linked to the one before, signed with the installation's key, within a minute. This compares ${AT_ONCE.toLocaleString("en")} links at a time with their entries and tells what was changed, deleted or forged. ./parley verify-audit does so for all.`,
      tag: "audit_entries",
      permission: "audit_read",
      query: z.object({ from_position: integer({ min: 1 }).default(1) }),
      response: AuditVerification,
    },
    ({ caller, query }) => verifyTrail(db, vault, caller.sub_organization_id, query.from_position),
  );
}
