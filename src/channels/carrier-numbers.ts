import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import type { ListQuery } from "../api/list.ts";
import type { Db } from "../db/database.ts";
import { askCarrier } from "./ask-carrier.ts";
import { CarrierFault, type Carriers } from "./carrier.ts";
import { findChannel } from "./channel.ts";

/*
 * The numbers of a carrier account are known by asking the carrier. What it tells is not remembered by a listing: a
 * number is stored when it is bought, attached or linked to an agent.
 */
type Parts = { db: Db; carriers: Carriers };
type Offered = { channel_id: number; target: string };

/** So many channels are asked at once: an organization may have hundreds. */
const ASKED_AT_ONCE = 8;

/**
 * The numbers that carriers tell of the organization's channels, of one where the list is searched for one. A carrier
 * that can't be asked now adds none, so that the addresses that are stored are listed all the same.
 */
export async function offeredNumbers(
  { db, carriers }: Parts,
  caller: Caller,
  query: ListQuery,
): Promise<Offered[]> {
  const only = query.search_fields.flatMap((field, index) =>
    field === "channel_id" ? [Number(query.search_field_values[index])] : [],
  );
  const channels = await db
    .selectFrom("channels")
    .select(["id", "channel_service"])
    .where("organization_id", "=", caller.organization_id)
    .where("channel_service", "in", ["twilio", "sip"])
    .$if(only.every(Number.isSafeInteger), (found) =>
      found.where((eb) => eb.and(only.map((id) => eb("id", "=", id)))),
    )
    .orderBy("id")
    .execute();
  const numbersOf = async (channel: (typeof channels)[number]): Promise<Offered[]> => {
    const found = await carriers.of(channel);
    if (!found?.carrier.numbers) return [];
    try {
      const listed = await found.carrier.numbers.list(found.account);
      return listed.map(({ phone_number }) => ({ channel_id: channel.id, target: phone_number }));
    } catch (error) {
      if (error instanceof CarrierFault) return [];
      throw error;
    }
  };
  const offered: Offered[][] = [];
  for (let begin = 0; begin < channels.length; begin += ASKED_AT_ONCE)
    offered.push(...(await Promise.all(channels.slice(begin, begin + ASKED_AT_ONCE).map(numbersOf))));
  return offered.flat();
}

/** What is stored of the organization's addresses, and beside it what carriers offer. */
export const knownAddresses = (caller: Caller, offered: readonly Offered[], now: Date) =>
  sql<{ organization_id: number; channel_id: number; target: string; created_at: string }>`(
    select organization_id, channel_id, target, created_at
    from channel_addresses
    where organization_id = ${caller.organization_id}
    union all
    select distinct ${caller.organization_id}::bigint, o.channel_id, o.target, ${now.toISOString()}::timestamptz
    from unnest(${offered.map(({ channel_id }) => channel_id)}::bigint[],
      ${offered.map(({ target }) => target)}::text[]) as o (channel_id, target)
    where not exists (
      select from channel_addresses a where a.channel_id = o.channel_id and a.target = o.target)
  )`;

/**
 * Whether the carrier has a number that isn't stored yet; asked before a transaction begins. The operator takes any of
 * the account that organizations share (`number-ownership.ts`).
 */
export async function isOffered({ db, carriers }: Parts, caller: Caller, wanted: Offered): Promise<boolean> {
  const channel = await findChannel(db, caller, wanted.channel_id);
  if (channel.channel_service !== "twilio") return false;
  const stored = await db
    .selectFrom("channel_addresses")
    .select("target")
    .where("channel_id", "=", channel.id)
    .where("target", "=", wanted.target)
    .executeTakeFirst();
  if (stored) return true;
  const found = await carriers.of(channel);
  const own = found?.carrier.numbers;
  if (!own) return false;
  const isOperator = caller.permissions.has("platform_admin");
  const numbers = isOperator && found.shared ? found.shared.numbers : own;
  const listed = await askCarrier(numbers.list(found.account));
  return listed.some(({ phone_number }) => phone_number === wanted.target);
}
