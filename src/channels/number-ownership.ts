import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { Carriers } from "./carrier.ts";

/**
 * Whose a number of the operator's carrier account is. One organization has it: the one that the operator assigned it to,
 * or that first attached it, until it is released. Numbers of an organization's own account are its own without a row.
 */
const ownerOf = async (db: Db, number: string): Promise<number | null> =>
  (
    await db
      .selectFrom("number_owners")
      .select("organization_id")
      .where("number", "=", number)
      .executeTakeFirst()
  )?.organization_id ?? null;

/** Of these, those that are the organization's. */
export async function ownedOf(
  db: Db,
  organization_id: number,
  numbers: readonly string[],
): Promise<Set<string>> {
  if (numbers.length === 0) return new Set();
  const rows = await db
    .selectFrom("number_owners")
    .select("number")
    .where("organization_id", "=", organization_id)
    .where("number", "in", numbers)
    .execute();
  return new Set(rows.map(({ number }) => number));
}

type Claimant = { organization_id: number; email: string };

/**
 * Gives a number that nobody has to the organization; of two that ask at once one gets it. "theirs": it is another's;
 * "had": it was the organization's before.
 */
export async function claimNumber(
  db: Db,
  clock: Clock,
  { organization_id, email }: Claimant,
  number: string,
): Promise<"claimed" | "had" | "theirs"> {
  const { rows } = await sql`
    insert into number_owners (number, organization_id, assigned_at, assigned_by)
    values (${number}, ${organization_id}, ${clock.now().toISOString()}, ${email})
    on conflict (number) do nothing
    returning number`.execute(db);
  if (rows.length > 0) return "claimed";
  return (await ownerOf(db, number)) === organization_id ? "had" : "theirs";
}

/**
 * Refuses an address of a channel on the operator's account that is not the organization's. Whoever operates the
 * installation takes a number that nobody has by linking an agent to it.
 */
export async function requireOwnNumber(
  tx: Db,
  parts: { carriers: Carriers; clock: Clock },
  caller: Claimant & { permissions: ReadonlySet<string> },
  channel: { id: number; channel_service: string },
  number: string,
): Promise<void> {
  const found = await parts.carriers.of(channel);
  if (!found?.shared) return;
  const owner = await ownerOf(tx, number);
  if (owner === caller.organization_id) return;
  const mayClaim = owner === null && caller.permissions.has("platform_admin");
  if (mayClaim && (await claimNumber(tx, parts.clock, caller, number)) !== "theirs") return;
  throw new Fault(
    "refused",
    `${number} is not a number of your organization. Attach it first, or ask the operator of this installation to assign it.`,
  );
}

/**
 * The channel that a call or text to a number is for, whichever channel the carrier has told it to: on the operator's
 * account only that of the number's owner. Null: nobody's.
 */
export async function channelOfNumber(
  { db, carriers }: { db: Db; carriers: Carriers },
  channel_id: number,
  number: string,
): Promise<number | null> {
  const channel = await db
    .selectFrom("channels")
    .select(["id", "channel_service", "organization_id"])
    .where("id", "=", channel_id)
    .executeTakeFirst();
  if (!channel) return null;
  const found = await carriers.of(channel);
  if (!found?.shared) return channel_id;
  const owner = await ownerOf(db, number);
  if (owner === channel.organization_id) return channel_id;
  if (owner === null) return null;
  const candidates = await db
    .selectFrom("channel_targets as t")
    .innerJoin("channels as c", "c.id", "t.channel_id")
    .select(["c.id", "c.channel_service"])
    .where("t.target", "=", number)
    .where("c.organization_id", "=", owner)
    .where("c.channel_service", "=", channel.channel_service)
    .orderBy("t.id")
    .execute();
  for (const candidate of candidates) if ((await carriers.of(candidate))?.shared) return candidate.id;
  return null;
}
