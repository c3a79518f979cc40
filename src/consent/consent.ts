import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";

/** What people are contacted for. Emergencies need nobody's consent. */
export const OUTREACH_PURPOSES = ["marketing", "informational", "emergency"] as const;
export type OutreachPurpose = (typeof OUTREACH_PURPOSES)[number];

/** What somebody can agree to. */
export const CONSENT_PURPOSES = ["marketing", "informational"] as const;
export type ConsentPurpose = (typeof CONSENT_PURPOSES)[number];
/** `text` is SMS and WhatsApp. */
export const CONSENT_CHANNELS = ["call", "text", "email"] as const;
export type ConsentChannel = (typeof CONSENT_CHANNELS)[number];
export const CONSENT_PATHS = ["form", "paper", "speech", "text", "mail", "chat", "other"] as const;

/** Which consent a start needs; null: none. */
export const neededConsent = (purpose: OutreachPurpose): ConsentPurpose | null =>
  purpose === "marketing" ? "marketing" : null;

/** Calls and texts go to numbers, mails to e-mail addresses. */
export const fitsChannel = (address: string, channel: ConsentChannel): boolean =>
  address.includes("@") === (channel === "email");

export type NewConsent = {
  address: string;
  purpose: ConsentPurpose;
  channel: ConsentChannel;
  given_through: (typeof CONSENT_PATHS)[number];
  wording: string | null;
  evidence: Record<string, string> | null;
  valid_from: Date;
};

/** Through what somebody opts out: the person's words, a click, what a carrier reports, or somebody who works here. */
export const OPT_OUT_PATHS = [
  "text",
  "mail",
  "link",
  "speech",
  "chat",
  "carrier",
  "operator",
  "import",
] as const;
export const REVOCATION_PATHS = [...OPT_OUT_PATHS, "erasure"] as const;

/** The end of consents, and what it came through. */
export type Revocation = {
  at: Date;
  through: (typeof REVOCATION_PATHS)[number];
  said: string | null;
  by: string | null;
};

/**
 * When the address last withdrew what `given` names, at or after the consent was given: such a consent is history, and an
 * old file must not bring it back. SQL over columns (or values) of those names. Indexes: `consents_revoked`,
 * `suppressions_live` for entries that hold; the few that were lifted are read with them.
 */
export const withdrawnSince = (given: {
  sub_organization_id: number;
  address: ReturnType<typeof sql>;
  purpose: ReturnType<typeof sql>;
  channel: ReturnType<typeof sql>;
  valid_from: ReturnType<typeof sql>;
}) => sql<string | null>`(
  select max(at) from (
    select c.revoked_at as at from consents c
    where c.sub_organization_id = ${given.sub_organization_id} and c.address = ${given.address}
      and c.purpose = ${given.purpose} and c.channel = ${given.channel} and c.revoked_at >= ${given.valid_from}
    union all
    select s.occurred_at from suppressions s
    where s.sub_organization_id = ${given.sub_organization_id} and s.address = ${given.address} and s.lifted_at is null
      and s.reason in ('unsubscribed', 'spam-report', 'do-not-call') and s.occurred_at >= ${given.valid_from}
      and (s.scope = 'all' or ${given.channel} = case s.scope when 'voice' then 'call' when 'email' then 'email' else 'text' end)
  ) withdrawn)`;

/** Stores a consent; the row that holds already, with its first proof, where there is one. */
export async function recordConsent(
  tx: Tx,
  { evidence, valid_from, ...consent }: NewConsent,
  stamp: { sub_organization_id: number; at: Date; by: string },
): Promise<{ id: number; is_new: boolean }> {
  const { sub_organization_id, at, by } = stamp;
  const row = await tx
    .insertInto("consents")
    .values({
      ...consent,
      sub_organization_id,
      evidence: evidence === null ? null : JSON.stringify(evidence),
      valid_from: valid_from.toISOString(),
      created_at: at.toISOString(),
      created_by: by,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["sub_organization_id", "address", "purpose", "channel"])
        .where("revoked_at", "is", null)
        .doNothing(),
    )
    .returning("id")
    .executeTakeFirst();
  if (row) return { id: row.id, is_new: true };
  const known = await tx
    .selectFrom("consents")
    .select("id")
    .where("sub_organization_id", "=", sub_organization_id)
    .where("address", "=", consent.address)
    .where("purpose", "=", consent.purpose)
    .where("channel", "=", consent.channel)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  return { id: known.id, is_new: false };
}

/** One consent, or all that an address gave on some channels. */
type Revoked = { sub_organization_id: number } & (
  | { id: number }
  | { address: string; channels: readonly ConsentChannel[] }
);

/**
 * Revokes consents, in the transaction that stores what their owner said. Returns how many held. Index: `consents_live`.
 */
export async function revokeConsents(
  tx: Tx,
  of: Revoked,
  { at, through, said, by }: Revocation,
): Promise<number> {
  const held = tx
    .updateTable("consents")
    .set({ revoked_at: at.toISOString(), revoked_through: through, revoked_said: said, revoked_by: by })
    .where("sub_organization_id", "=", of.sub_organization_id)
    .where("revoked_at", "is", null);
  const these =
    "id" in of
      ? held.where("id", "=", of.id)
      : held.where("address", "=", of.address).where("channel", "in", of.channels);
  const rows = await these.returning(["address", "purpose", "channel"]).execute();
  const [first] = rows;
  if (first)
    await publish(tx, of.sub_organization_id, [
      {
        at,
        source: by === null ? "outbound" : "api",
        source_id: null,
        category: "consent",
        type: "consent-revoked",
        description: `${first.address} no longer agrees to ${rows.map(({ purpose, channel }) => `${purpose} by ${channel}`).join(", ")}`,
        user_id: first.address,
        attributes: { through, said },
      },
    ]);
  return rows.length;
}

/** When an address last withdrew such a consent at or after it was given; null: never. */
export async function lastWithdrawn(
  db: Db,
  sub_organization_id: number,
  { address, purpose, channel, valid_from }: NewConsent,
): Promise<Date | null> {
  const { rows } = await sql<{ at: string | null }>`
    select ${withdrawnSince({
      sub_organization_id,
      address: sql`${address}`,
      purpose: sql`${purpose}`,
      channel: sql`${channel}`,
      valid_from: sql`${valid_from.toISOString()}::timestamptz`,
    })} as at`.execute(db);
  const at = rows[0]?.at ?? null;
  return at === null ? null : new Date(at);
}
