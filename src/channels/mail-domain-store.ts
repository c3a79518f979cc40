import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import { type Db, isUniqueViolation, type Tx } from "../db/database.ts";
import { normaliseEmail } from "./address.ts";

/** How a domain was proven; `upgrade`: one organization alone used it before domains had owners. */
export const PROOFS = ["dns", "operator", "upgrade"] as const;

/** Where an owner puts the proof, and what it says. */
export const recordName = (domain: string): string => `_parley.${domain}`;
export const recordValue = (token: string): string => `parley-domain=${token}`;

/** The domain in its one spelling; null: it is none. */
export const normaliseDomain = (text: string): string | null =>
  normaliseEmail(`a@${text.trim()}`)?.slice("a@".length) ?? null;

/**
 * The organization that a mail address belongs to; null: nobody has proven its domain. The nearest proven domain counts:
 * who has clinic.example has mail.clinic.example too, unless somebody else has proven that one. Index: mail_domains_owner.
 */
export async function ownerOfAddress(db: Db, address: string): Promise<number | null> {
  const labels = address
    .slice(address.lastIndexOf("@") + 1)
    .toLowerCase()
    .split(".");
  const names = labels.slice(0, -1).map((_, at) => labels.slice(at).join("."));
  const found = await db
    .selectFrom("mail_domains as d")
    .innerJoin("organizations as o", "o.id", "d.organization_id")
    .select("d.organization_id")
    .where("d.domain", "=", sql<string>`any(${names}::text[])`)
    .where("d.proven_at", "is not", null)
    .where("o.deleted_at", "is", null)
    .orderBy(sql`length(d.domain)`, "desc")
    .limit(1)
    .executeTakeFirst();
  return found?.organization_id ?? null;
}

/** Why mail must not be sent as this address from a channel by the installation's own server; null: it may. */
export async function whyNotOwner(db: Db, channel_id: number, address: string): Promise<string | null> {
  const channel = await db
    .selectFrom("channels")
    .select("organization_id")
    .where("id", "=", channel_id)
    .executeTakeFirst();
  const owner = await ownerOfAddress(db, address);
  if (owner !== null && owner === channel?.organization_id) return null;
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return owner === null
    ? `Domain ${domain} is not proven to be yours: add its TXT record and verify it, or ask the operator.`
    : `Domain ${domain} belongs to another organization.`;
}

/**
 * Notes that an organization says a domain is its own. Several may: only a proof makes it so. Whoever operates the
 * installation needs no other proof, unless the domain has an owner.
 */
export async function claimDomain(tx: Tx, clock: Clock, caller: Caller, domain: string): Promise<void> {
  const now = clock.now().toISOString();
  await tx
    .insertInto("mail_domains")
    .values({
      organization_id: caller.organization_id,
      domain,
      token: randomId(),
      created_at: now,
      created_by: caller.email,
    })
    .onConflict((conflict) => conflict.columns(["organization_id", "domain"]).doNothing())
    .execute();
  if (!caller.permissions.has("platform_admin")) return;
  await freeDeleted(tx, domain);
  await sql`
    update mail_domains set proven_at = ${now}, proven_by = 'operator'
    where organization_id = ${caller.organization_id} and domain = ${domain} and proven_at is null
      and not exists (select from mail_domains where domain = ${domain} and proven_at is not null)`.execute(
    tx,
  );
}

/** A claim becomes a proof. Throws where another organization has one. */
export async function proveDomain(
  tx: Tx,
  clock: Clock,
  claim: { id: number; domain: string },
  proven_by: (typeof PROOFS)[number],
): Promise<void> {
  await freeDeleted(tx, claim.domain);
  try {
    await tx
      .updateTable("mail_domains")
      .set({ proven_at: clock.now().toISOString(), proven_by })
      .where("id", "=", claim.id)
      .where("proven_at", "is", null)
      .execute();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Fault("refused", `Domain ${claim.domain} belongs to another organization; ask the operator.`);
  }
}

/** What a deleted organization has proven is free again. */
const freeDeleted = (tx: Tx, domain: string) =>
  sql`
    update mail_domains d set proven_at = null, proven_by = null
    from organizations o
    where o.id = d.organization_id and o.deleted_at is not null and d.domain = ${domain}`.execute(tx);
