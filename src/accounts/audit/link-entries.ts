import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import type { Db, Tx } from "../../db/database.ts";
import { handle, type Job, type JobHandler } from "../../jobs/define-job.ts";
import { oneByOne } from "../../jobs/one-by-one.ts";
import { type AuditLink, type ChainedEntry, linkAfter, type Sign } from "./audit-chain.ts";

/** Rows of one transaction: some 20 ms. */
const AT_ONCE = 1_000;
const HOUR_MS = 3_600_000;

const auditSign =
  (vault: Vault): Sign =>
  (text) =>
    vault.sign("audit-link", text);

/** By each key that links may have been signed with, the present one first. */
export const auditSigns = (vault: Vault): Sign[] =>
  vault.signatures("audit-link", "").map((_, at) => (text) => vault.signatures("audit-link", text)[at] ?? "");

/** The columns of a `ChainedEntry`, of `audit_entries as a`. */
export const CHAINED = sql`a.id, a.sub_organization_id, (a.at at time zone 'utc')::text as at, a.actor, a.user_id, a.api_token_id, a.address,
  a.request_id, a.action, a.resource, a.resource_id, a.before::text, a.after::text`;

const linkEntries: Job<object> = {
  name: "link-audit-entries",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** Links what was written since the last time. Entries that count within their hour are linked after it. */
export const linkEntriesJob = ({ db, clock, vault }: { db: Db; clock: Clock; vault: Vault }): JobHandler =>
  handle(linkEntries, async (_, { stopping }) => {
    const { rows } = await sql<{ tenant: number }>`
      select id as tenant from sub_organizations s
      where exists (select from audit_entries a where a.sub_organization_id = s.id and a.position is null)
      order by id`.execute(db);
    await oneByOne(rows, async ({ tenant }) => {
      while (!stopping.aborted) {
        const linked = await db.transaction().execute((tx) => linkSome(tx, clock, auditSign(vault), tenant));
        if (linked < AT_ONCE) break;
      }
    });
  });

/** Resolves with how many it linked. Lock: the trail's head. Index: audit_entries_unlinked. */
async function linkSome(tx: Tx, clock: Clock, sign: Sign, tenant: number): Promise<number> {
  await sql`insert into audit_heads (sub_organization_id, position, link) values (${tenant}, 0, '')
    on conflict do nothing`.execute(tx);
  const head = await sql<{ position: number; link: string }>`
    select position, link from audit_heads where sub_organization_id = ${tenant} for update`.execute(tx);
  const hour = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS).toISOString();
  const { rows: entries } = await sql<ChainedEntry>`
    select ${CHAINED} from audit_entries a
    where a.sub_organization_id = ${tenant} and a.position is null
      and (a.counted_hash is null or a.at < ${hour}::timestamptz)
    order by a.id limit ${AT_ONCE}::bigint`.execute(tx);
  let last = head.rows[0] as { position: number; link: string };
  const links: AuditLink[] = [];
  for (const entry of entries) {
    const link = linkAfter(sign, tenant, last, entry);
    links.push(link);
    last = link;
  }
  if (links.length === 0) return 0;
  await sql`
    with linked as (
      update audit_entries a set position = l.position
      from json_populate_recordset(null::audit_links, ${JSON.stringify(links)}::json) l
      where a.id = l.entry_id and a.sub_organization_id = ${tenant}
      returning a.at, l.position, l.entry_id, l.kept_digest, l.content_digest, l.link
    ), stored as (
      insert into audit_links (sub_organization_id, position, entry_id, at, kept_digest, content_digest, link)
      select ${tenant}::bigint, position, entry_id, at, kept_digest, content_digest, link from linked
    )
    update audit_heads set position = ${last.position}, link = ${last.link} where sub_organization_id = ${tenant}`.execute(
    tx,
  );
  return links.length;
}

/**
 * Retention deleted linked entries from before this moment: they are not missed from now on. Signed, so that somebody who
 * can only write to the database can't excuse what they deleted. Lock: the trail's head.
 */
export async function noteDeletedBefore(tx: Tx, vault: Vault, tenant: number, before: string): Promise<void> {
  await sql`
    update audit_heads set deleted_before = ${before}::timestamptz, deleted_signature = ${vault.sign(DELETED, deletedText(tenant, before))}
    where sub_organization_id = ${tenant} and (deleted_before is null or deleted_before < ${before}::timestamptz)`.execute(
    tx,
  );
}

export const DELETED = "audit-deleted";

/** `before` to the millisecond, as `toISOString` writes it. */
export const deletedText = (tenant: number, before: string): string => `${tenant} ${before}`;
