/** What is known of a contact where requests name people by key. `addresses`: how many it has. */
export type KnownContact = { id: number; key: string | null; addresses: number };

/** An address and the key of its person, as a request carries both. */
export type KeyedAddress = { key: string; address: string };

export type KnownContacts = {
  by_key: ReadonlyMap<string, KnownContact>;
  by_address: ReadonlyMap<string, KnownContact>;
};

/** Why an address was not linked. `taken`: it is another contact's. `too-many`: no person has so many addresses. */
export type MergeConflict = KeyedAddress & { reason: "taken" | "too-many" };

export type Merge = {
  /** Contacts to make, each with its first addresses. */
  made: { key: string; addresses: string[] }[];
  /** Contacts that somebody made without a key, and that now have one. */
  adopted: { id: number; key: string }[];
  linked: { id: number; addresses: string[] }[];
  conflicts: MergeConflict[];
};

/** A key with more addresses is a placeholder such as "0", or a household's; its people must not become one. */
export const MOST_ADDRESSES = 20;

/**
 * Addresses with one key are one contact's. First come, first served: an address that belongs to another contact stays there
 * and is a conflict. A contact without a key that already has one of the addresses takes the key. Pure.
 */
export function mergeByKey(incoming: readonly KeyedAddress[], known: KnownContacts): Merge {
  const merge: Merge = { made: [], adopted: [], linked: [], conflicts: [] };
  /** Addresses that were nobody's before. */
  const decided = new Set<string>();
  const adopted = new Set<number>();
  for (const [key, some] of Map.groupBy(incoming, (each) => each.key)) {
    const addresses = [...new Set(some.map(({ address }) => address))];
    const own = known.by_key.get(key) ?? unnamed(addresses, known, adopted);
    const isTaken = (address: string) => {
      const holder = known.by_address.get(address);
      return holder === undefined ? decided.has(address) : holder.id !== own?.id;
    };
    const free = addresses.filter((address) => !known.by_address.has(address) && !decided.has(address));
    const isTooMany = (own?.addresses ?? 0) + free.length > MOST_ADDRESSES;
    for (const address of addresses)
      if (isTaken(address)) merge.conflicts.push({ key, address, reason: "taken" });
      else if (isTooMany && free.includes(address))
        merge.conflicts.push({ key, address, reason: "too-many" });
    if (own !== undefined && own.key === null) {
      adopted.add(own.id);
      merge.adopted.push({ id: own.id, key });
    }
    if (isTooMany || free.length === 0) continue;
    for (const address of free) decided.add(address);
    if (own === undefined) merge.made.push({ key, addresses: free });
    else merge.linked.push({ id: own.id, addresses: free });
  }
  return merge;
}

/** The contact that somebody made by hand for one of these addresses. */
function unnamed(
  addresses: string[],
  { by_address }: KnownContacts,
  adopted: ReadonlySet<number>,
): KnownContact | undefined {
  for (const address of addresses) {
    const holder = by_address.get(address);
    if (holder !== undefined && holder.key === null && !adopted.has(holder.id)) return holder;
  }
  return undefined;
}
