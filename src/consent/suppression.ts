import { sql } from "kysely";
import { unreachable } from "../base/errors.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { Db, Tx } from "../db/database.ts";
import { type NewEvent, publish } from "../events/event.ts";
import { CONSENT_CHANNELS, type ConsentChannel, type OPT_OUT_PATHS, revokeConsents } from "./consent.ts";

/**
 * Who must not be reached, per sub-organization. What a person says on one channel holds on every channel that has the
 * address (docs/decisions/0009-opt-outs.md); an entry with a channel of its own holds on that channel only. Entries are
 * never deleted: one that no longer holds is lifted, and keeps its proof and why it was lifted.
 */
export const SUPPRESSION_SCOPES = ["all", "voice", "sms", "whatsapp", "email"] as const;
export type SuppressionScope = (typeof SUPPRESSION_SCOPES)[number];
/** A way to reach somebody. */
export type ReachMode = Exclude<SuppressionScope, "all">;

/** The gravest first: where several hold, a check before sending names that one. */
export const SUPPRESSION_REASONS = [
  "unsubscribed",
  "spam-report",
  "do-not-call",
  "bounced",
  "dropped",
] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

export type SuppressionPath = (typeof OPT_OUT_PATHS)[number];

/** When it was said, through what, and the very words (or the header, or the carrier's word). */
export type Proof = {
  at: Date;
  through: SuppressionPath;
  said: string | null;
  session_id: number | null;
  /** The carrier's or mail's own id of what carried it. */
  message_id: string | null;
};

export type SuppressedAddress = {
  sub_organization_id: number;
  /** Normalised (address.ts): E.164, or an e-mail address in lower case. */
  address: string;
  scope: SuppressionScope;
  reason: SuppressionReason;
  proof: Proof;
  comment?: string | null;
  /** Who added it; null: nobody who works here. */
  created_by?: string | null;
};

const kindOf = (address: string): "phone" | "email" => (address.includes("@") ? "email" : "phone");

/** What a request is told that was not sent. */
export function priorStatus(reason: SuppressionReason): ChannelStatus {
  switch (reason) {
    case "unsubscribed":
    case "do-not-call":
      return "PRIOR_UNSUBSCRIBED";
    case "spam-report":
      return "PRIOR_SPAM_REPORT";
    case "bounced":
      return "PRIOR_BOUNCED";
    case "dropped":
      return "PRIOR_DROPPED";
    default:
      return unreachable(reason);
  }
}

/**
 * Which of these (normalised) addresses must not be reached by this mode now, and what their requests are told. One
 * statement for all of them; 10,000 addresses are one question. `since`: only what was added after that, and not by the
 * message `but`. Index: suppressions_live.
 */
export async function suppressed(
  db: Db,
  sub_organization_id: number,
  mode: ReachMode,
  addresses: readonly string[],
  since?: { at: Date; but: string | null },
): Promise<Map<string, ChannelStatus>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await sql<{ address: string; reason: SuppressionReason }>`
    select distinct on (address) address, reason
    from suppressions
    where sub_organization_id = ${sub_organization_id} and lifted_at is null
      and address = any(${addresses}::text[]) and scope in ('all', ${mode})
      and created_at > ${since?.at.toISOString() ?? "-infinity"}::timestamptz
      and coalesce(message_id <> ${since?.but ?? null}::text, true)
    order by address, array_position(${SUPPRESSION_REASONS}::text[], reason)`.execute(db);
  return new Map(rows.map(({ address, reason }) => [address, priorStatus(reason)]));
}

/** What this (normalised) address asked for that still holds, and in which message. Index: suppressions_live. */
export const optOutsOf = (
  db: Db,
  sub_organization_id: number,
  address: string,
): Promise<
  {
    scope: SuppressionScope;
    through: Proof["through"];
    session_id: number | null;
    message_id: string | null;
  }[]
> =>
  db
    .selectFrom("suppressions")
    .select(["scope", "through", "session_id", "message_id"])
    .where("sub_organization_id", "=", sub_organization_id)
    .where("address", "=", address)
    .where("reason", "=", "unsubscribed")
    .where("lifted_at", "is", null)
    .execute();

/**
 * Puts addresses on the list, each with an event. One that is there already, of the same scope and reason, keeps its
 * first proof. What its owner asked for revokes their consents, too. Returns those that are new.
 */
export async function suppress(
  tx: Tx,
  entries: readonly SuppressedAddress[],
  now: Date,
): Promise<SuppressedAddress[]> {
  const added: SuppressedAddress[] = [];
  for (const entry of entries) {
    const { proof } = entry;
    if (isOptOut(entry.reason))
      await revokeConsents(
        tx,
        {
          sub_organization_id: entry.sub_organization_id,
          address: entry.address,
          channels: channelsOfScope(entry.scope),
        },
        { at: now, through: proof.through, said: proof.said, by: entry.created_by ?? null },
      );
    const row = await tx
      .insertInto("suppressions")
      .values({
        sub_organization_id: entry.sub_organization_id,
        kind: kindOf(entry.address),
        address: entry.address,
        scope: entry.scope,
        reason: entry.reason,
        occurred_at: proof.at.toISOString(),
        through: proof.through,
        said: proof.said,
        session_id: proof.session_id,
        message_id: proof.message_id,
        comment: entry.comment ?? null,
        created_at: now.toISOString(),
        created_by: entry.created_by ?? null,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["sub_organization_id", "address", "scope", "reason"])
          .where("lifted_at", "is", null)
          .doNothing(),
      )
      .returning("id")
      .executeTakeFirst();
    if (!row) continue;
    await publish(tx, entry.sub_organization_id, [suppressedEvent(entry, now)]);
    added.push(entry);
  }
  return added;
}

/** What a person asks for, themselves or by a list of those who did; a mail that bounced withdraws nothing. */
export const OPT_OUT_REASONS = [
  "unsubscribed",
  "spam-report",
  "do-not-call",
] as const satisfies SuppressionReason[];
const isOptOut = (reason: SuppressionReason): boolean => OPT_OUT_REASONS.some((each) => each === reason);

/** What the person said themselves, in a conversation or by the link in a mail. */
export const SAID_PATHS = ["text", "mail", "link", "speech", "chat"] as const satisfies SuppressionPath[];

function channelsOfScope(scope: SuppressionScope): readonly ConsentChannel[] {
  if (scope === "all") return CONSENT_CHANNELS;
  return [scope === "voice" ? "call" : scope === "email" ? "email" : "text"];
}

export type Lift = {
  sub_organization_id: number;
  address: string;
  proof: Proof;
};

/**
 * Lets an address be reached again because its owner said so: what they once asked for is lifted, what others put on
 * the list (do-not-call lists, bounces) stays. Whether anything was lifted.
 */
export async function lift(
  tx: Tx,
  { sub_organization_id, address, proof }: Lift,
  now: Date,
): Promise<boolean> {
  const lifted = await tx
    .updateTable("suppressions")
    .set({
      lifted_at: now.toISOString(),
      lifted_through: proof.through,
      lifted_said: proof.said,
      lifted_message_id: proof.message_id,
    })
    .where("sub_organization_id", "=", sub_organization_id)
    .where("address", "=", address)
    .where("reason", "=", "unsubscribed")
    .where("lifted_at", "is", null)
    .returning("id")
    .execute();
  if (lifted.length === 0) return false;
  await publish(tx, sub_organization_id, [liftedEvent(address, proof, now)]);
  return true;
}

/** Whether an opt-out of this (normalised) address was lifted since. Index: suppressions_address. */
export async function wasLiftedSince(
  db: Db,
  sub_organization_id: number,
  address: string,
  since: string,
): Promise<boolean> {
  const lifted = await db
    .selectFrom("suppressions")
    .select("id")
    .where("sub_organization_id", "=", sub_organization_id)
    .where("address", "=", address)
    .where("reason", "=", "unsubscribed")
    .where("lifted_at", ">=", since)
    .limit(1)
    .executeTakeFirst();
  return lifted !== undefined;
}

const sourceOf = (through: SuppressionPath): NewEvent["source"] => {
  if (through === "speech" || through === "chat") return "tool-call";
  return through === "operator" || through === "import" ? "api" : "outbound";
};

const suppressedEvent = ({ address, scope, reason, proof }: SuppressedAddress, now: Date): NewEvent => ({
  at: now,
  source: sourceOf(proof.through),
  source_id: null,
  category: "suppression",
  type: "address-suppressed",
  description: `${address} must not be reached${scope === "all" ? "" : ` by ${scope}`} any more: ${reason}`,
  ...(proof.session_id !== null && { session_id: proof.session_id }),
  user_id: address,
  attributes: { scope, reason, through: proof.through, said: proof.said, message_id: proof.message_id },
});

export const liftedEvent = (address: string, proof: Proof, now: Date): NewEvent => ({
  at: now,
  source: sourceOf(proof.through),
  source_id: null,
  category: "suppression",
  type: "address-restored",
  description: `${address} may be reached again`,
  ...(proof.session_id !== null && { session_id: proof.session_id }),
  user_id: address,
  attributes: { through: proof.through, said: proof.said, message_id: proof.message_id },
});
