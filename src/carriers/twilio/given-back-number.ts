import type { Caller } from "../../api/caller.ts";
import { Fault } from "../../base/errors.ts";
import { tellOwner } from "../../channels/number-owner.ts";
import type { Db, Tx } from "../../db/database.ts";

/** Whoever called it would meet nobody. On the operator's account it may be another organization's, too. */
export async function refuseInUse(
  db: Db,
  { organization_id }: Caller,
  number: string,
  isShared: boolean,
): Promise<void> {
  const agents = await db
    .selectFrom("channel_targets as t")
    .innerJoin("channels as c", "c.id", "t.channel_id")
    .innerJoin("agents as a", "a.id", "t.agent_id")
    .select("a.name")
    .distinct()
    .where("c.organization_id", "=", organization_id)
    .where("t.target", "=", number)
    .orderBy("a.name")
    .execute();
  if (agents.length > 0) {
    const names = agents.map(({ name }) => name).join(", ");
    throw new Fault("refused", `${number} is an address of ${names}. Delete that address first.`);
  }
  const owner = isShared
    ? await db
        .selectFrom("number_owners as o")
        .innerJoin("organizations as g", "g.id", "o.organization_id")
        .select("g.display_name as name")
        .where("o.number", "=", number)
        .where("o.organization_id", "!=", organization_id)
        .executeTakeFirst()
    : undefined;
  if (owner)
    throw new Fault("refused", `${number} is assigned to ${owner.name}. Release it from them first.`);
}

/** What is stored of a number that its carrier has back. False: nothing was. */
export async function forgetNumber(
  tx: Tx,
  { organization_id }: Caller,
  { channel_id, number }: { channel_id: number; number: string },
  at: Date,
): Promise<boolean> {
  const addresses = await tx
    .deleteFrom("channel_addresses")
    .where("organization_id", "=", organization_id)
    .where("channel_id", "=", channel_id)
    .where("target", "=", number)
    .returning("target")
    .execute();
  const owners = await tx
    .deleteFrom("number_owners")
    .where("organization_id", "=", organization_id)
    .where("number", "=", number)
    .returning("number")
    .execute();
  const description = `${number} was given back to its carrier`;
  if (owners.length > 0) await tellOwner(tx, organization_id, { at, type: "number-released", description });
  return addresses.length + owners.length > 0;
}
