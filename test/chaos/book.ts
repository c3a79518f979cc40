import { type KeyedAddress, MOST_ADDRESSES, mergeByKey } from "../../src/address-book/merge-by-key.ts";
import { NOBODY_KNOWN, Persons } from "../../src/address-book/persons.ts";

type Contact = { id: number; key: string | null; timezone: string | null };

/**
 * The contacts of one sub-organization in memory: which address is whose, as the store and its unique indexes keep it. What
 * joins addresses by their key, and what a claim makes of the links, is the program's own.
 */
export class Book {
  #contacts = new Map<number, Contact>();
  #owner = new Map<string, number>();
  #last = 0;

  /** As `POST /contacts/{address}/addresses`. False: both have a contact, or one has its most. */
  link(one: string, other: string): boolean {
    const own = this.#owner.get(one);
    const id = own ?? this.#owner.get(other) ?? this.#add(null);
    for (const address of [one, other]) {
      const holder = this.#owner.get(address);
      if (holder === id) continue;
      if (holder !== undefined || this.#addressesOf(id).length >= MOST_ADDRESSES) return false;
      this.#owner.set(address, id);
    }
    return true;
  }

  /** As `DELETE /contacts/{address}/addresses/{address}`. A contact's only address stays. */
  unlink(address: string): boolean {
    return this.isLinked(address) && this.#owner.delete(address);
  }

  /** As requests that come in with their people's keys. */
  takeKeys(incoming: readonly KeyedAddress[]): void {
    const known = (contact: Contact) => ({ ...contact, addresses: this.#addressesOf(contact.id).length });
    const all = [...this.#contacts.values()].map(known);
    const merge = mergeByKey(incoming, {
      by_key: new Map(all.flatMap((each) => (each.key === null ? [] : [[each.key, each]]))),
      by_address: new Map(
        [...this.#owner].map(([address, id]) => [address, known(this.#contacts.get(id) as Contact)]),
      ),
    });
    for (const { id, key } of merge.adopted) (this.#contacts.get(id) as Contact).key = key;
    for (const { id, addresses } of merge.linked)
      for (const address of addresses) this.#owner.set(address, id);
    for (const { key, addresses } of merge.made) {
      const id = this.#add(key);
      for (const address of addresses) this.#owner.set(address, id);
    }
  }

  /** As `PUT /contacts/{address}` with a zone alone. */
  note(address: string, timezone: string): void {
    const id = this.#owner.get(address) ?? this.#add(null);
    this.#owner.set(address, id);
    this.#contacts.set(id, { id, key: null, timezone });
  }

  /** The contacts that have one of these, with all their addresses. */
  remove(addresses: readonly string[]): void {
    const ids = new Set(addresses.flatMap((address) => this.#owner.get(address) ?? []));
    for (const id of ids) this.#contacts.delete(id);
    for (const [address, id] of [...this.#owner]) if (ids.has(id)) this.#owner.delete(address);
  }

  /** All addresses of the person who has this one: what the promises are checked by. */
  peersOf(address: string): string[] {
    const id = this.#owner.get(address);
    return id === undefined ? [address] : this.#addressesOf(id);
  }

  isLinked(address: string): boolean {
    return this.peersOf(address).length > 1;
  }

  timezoneOf(address: string): string | null {
    return this.#contacts.get(this.#owner.get(address) ?? 0)?.timezone ?? null;
  }

  /** As `readPersons`, of everybody. */
  persons(): Persons {
    if (this.#owner.size === 0) return NOBODY_KNOWN;
    return new Persons(
      new Map(
        this.#owner.keys().map((address) => [
          `1 ${address}`,
          {
            others: this.peersOf(address).filter((each) => each !== address),
            timezone: this.timezoneOf(address),
          },
        ]),
      ),
    );
  }

  #add(key: string | null): number {
    const id = ++this.#last;
    this.#contacts.set(id, { id, key, timezone: null });
    return id;
  }

  #addressesOf = (id: number): string[] =>
    [...this.#owner].flatMap(([address, owner]) => (owner === id ? [address] : []));
}
