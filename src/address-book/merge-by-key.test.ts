import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import {
  type KeyedAddress,
  type KnownContact,
  type Merge,
  MOST_ADDRESSES,
  mergeByKey,
} from "./merge-by-key.ts";

/** A book as the store keeps it: whose each address is, and each contact's key. */
type Book = { keys: Map<number, string | null>; owner: Map<string, number> };
const emptyBook = (): Book => ({ keys: new Map(), owner: new Map() });
const copyOf = ({ keys, owner }: Book): Book => ({ keys: new Map(keys), owner: new Map(owner) });

function read(book: Book) {
  const count = (id: number) => [...book.owner.values()].filter((each) => each === id).length;
  const contacts = new Map<number, KnownContact>(
    [...book.keys].map(([id, key]) => [id, { id, key, addresses: count(id) }]),
  );
  const of = (id: number) => contacts.get(id) as KnownContact;
  return {
    by_key: new Map([...contacts.values()].flatMap((each) => (each.key === null ? [] : [[each.key, each]]))),
    by_address: new Map([...book.owner].map(([address, id]) => [address, of(id)])),
  };
}

/** Fails where an address or a key would get a second contact, as the unique indexes do. */
function store(book: Book, merge: Merge): void {
  const link = (address: string, id: number) => {
    expect(book.owner.has(address)).toBe(false);
    book.owner.set(address, id);
  };
  const name = (id: number, key: string) => {
    expect([...book.keys.values()]).not.toContain(key);
    book.keys.set(id, key);
  };
  for (const { id, key } of merge.adopted) {
    expect(book.keys.get(id)).toBeNull();
    name(id, key);
  }
  for (const { id, addresses } of merge.linked) for (const address of addresses) link(address, id);
  for (const { key, addresses } of merge.made) {
    const id = Math.max(0, ...book.keys.keys()) + 1;
    name(id, key);
    for (const address of addresses) link(address, id);
  }
}
function take(book: Book, incoming: KeyedAddress[]): Merge {
  const merge = mergeByKey(incoming, read(book));
  store(book, merge);
  return merge;
}

const ADDRESSES = Array.from({ length: 9 }, (_, n) => `+1512555010${n}`);
const keyed = fc.array(
  fc.record({ key: fc.constantFrom("a", "b", "c", "d"), address: fc.constantFrom(...ADDRESSES) }),
  { maxLength: 25 },
);
/** Contacts that somebody made, with and without keys. */
const book = fc
  .tuple(
    fc.array(fc.constantFrom(null, null, "a", "b", "z"), { maxLength: 4 }),
    fc.array(fc.nat(5), { minLength: ADDRESSES.length, maxLength: ADDRESSES.length }),
  )
  .map(([keys, owners]): Book => {
    const made = emptyBook();
    for (const [n, key] of keys.entries())
      made.keys.set(n + 1, key !== null && [...made.keys.values()].includes(key) ? null : key);
    for (const [n, owner] of owners.entries())
      if (made.keys.has(owner)) made.owner.set(ADDRESSES[n] as string, owner);
    return made;
  });
const holds = (run: (before: Book, incoming: KeyedAddress[]) => void) =>
  fc.assert(fc.property(book, keyed, run), { numRuns: rounds(500) });

test("an address that belongs to a contact never moves, and none gets two", () =>
  holds((before, incoming) => {
    const after = copyOf(before);
    take(after, incoming);
    for (const [address, id] of before.owner) expect(after.owner.get(address)).toBe(id);
  }));

test("each address that came is its key's contact's, or a conflict says why not", () =>
  holds((before, incoming) => {
    const after = copyOf(before);
    const { conflicts } = take(after, incoming);
    const refused = new Set(conflicts.map(({ key, address }) => `${key} ${address}`));
    for (const { key, address } of incoming) {
      const id = after.owner.get(address);
      expect(id !== undefined && after.keys.get(id) === key).toBe(!refused.has(`${key} ${address}`));
    }
  }));

test("nobody is joined whom no key names: contacts that had addresses keep apart", () =>
  holds((before, incoming) => {
    const after = copyOf(before);
    take(after, incoming);
    for (const [one, id] of after.owner)
      for (const [other, same] of after.owner) {
        if (id !== same || before.owner.get(one) === before.owner.get(other)) continue;
        const key = after.keys.get(id);
        const named = (address: string) =>
          incoming.some((each) => each.key === key && each.address === address);
        expect(named(one) || before.owner.get(one) === id).toBe(true);
        expect(named(other) || before.owner.get(other) === id).toBe(true);
      }
  }));

test("what comes again changes nothing", () =>
  holds((before, incoming) => {
    const after = copyOf(before);
    const first = take(after, incoming);
    expect(take(after, incoming)).toEqual({ made: [], adopted: [], linked: [], conflicts: first.conflicts });
  }));

test("a key that comes with more addresses than a person has joins none of them", () => {
  const many = Array.from({ length: MOST_ADDRESSES + 1 }, (_, n) => ({
    key: "0",
    address: `+1512555${1000 + n}`,
  }));
  const { made, linked, conflicts } = mergeByKey(many, read(emptyBook()));
  expect({ made, linked }).toEqual({ made: [], linked: [] });
  expect(conflicts.map(({ reason }) => reason)).toEqual(many.map(() => "too-many"));
});
