import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AuditLink, type ChainedEntry, checkLinks, linkAfter, NO_LINK } from "./audit-chain.ts";

const signWith = (key: string) => (text: string) =>
  createHmac("sha256", key).update(text).digest("base64url");
const sign = signWith("ours");
const TENANT = 7;

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const entries = fc
  .array(
    fc.record({
      at: fc.constant("2026-11-18 12:00:00+00"),
      actor: fc.string(),
      user_id: nullable(fc.nat()),
      api_token_id: nullable(fc.nat()),
      address: nullable(fc.string()),
      request_id: nullable(fc.string()),
      action: fc.constantFrom("create", "update", "delete"),
      resource: fc.constantFrom("agents", "users"),
      resource_id: nullable(fc.string()),
      before: nullable(fc.json()),
      after: nullable(fc.json()),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows): ChainedEntry[] =>
    rows.map((row, index) => ({ ...row, id: index + 10, sub_organization_id: TENANT })),
  );

type Stored = AuditLink & { entry: ChainedEntry | null; may_be_deleted: boolean };
function chained(of: ChainedEntry[], by = sign): Stored[] {
  const links: Stored[] = [];
  let last = NO_LINK;
  for (const entry of of) {
    const link = linkAfter(by, TENANT, last, entry);
    links.push({ ...link, entry, may_be_deleted: false });
    last = link;
  }
  return links;
}
const check = (links: Stored[]) => checkLinks([sign], TENANT, NO_LINK, links);

test("a trail that nobody touched is intact, read at once or in parts", () => {
  fc.assert(
    fc.property(entries, fc.nat(12), (of, cut) => {
      const links = chained(of);
      const whole = check(links);
      expect(whole).toMatchObject({ intact: of.length, blanked: 0, deleted: 0, faults: [] });
      const first = check(links.slice(0, cut));
      const rest = checkLinks([sign], TENANT, first.last, links.slice(cut));
      expect(first.intact + rest.intact).toBe(of.length);
      expect([...first.faults, ...rest.faults]).toEqual([]);
    }),
  );
});

test("whatever is changed of an entry shows, at that entry and no other", () => {
  const fields = [
    "at",
    "actor",
    "user_id",
    "address",
    "request_id",
    "action",
    "resource",
    "resource_id",
    "before",
    "after",
  ];
  fc.assert(
    fc.property(entries, fc.nat(), fc.constantFrom(...fields), (of, at, field) => {
      const links = chained(of);
      const { position, entry, ...rest } = links[at % links.length] as Stored;
      const changed = {
        ...entry,
        [field]: field === "user_id" ? -1 : `${entry?.[field as "actor"]} `,
      } as ChainedEntry;
      links[position - 1] = { ...rest, position, entry: changed };
      expect(check(links).faults).toEqual([{ position, entry_id: changed.id, fault: "changed" }]);
    }),
  );
});

test("an entry or a link that is taken away, put in between or exchanged shows", () => {
  fc.assert(
    fc.property(entries, fc.nat(), (of, at) => {
      const links = chained(of);
      const index = at % links.length;
      const one = links[index] as Stored;
      expect(check(links.with(index, { ...one, entry: null })).faults[0]?.fault).toBe("missing");
      if (index < links.length - 1) {
        expect(check(links.toSpliced(index, 1)).faults[0]?.fault).toBe("out_of_place");
        // Renumbered, so that no gap is left.
        const renumbered = links.toSpliced(index, 1).map((link, n) => ({ ...link, position: n + 1 }));
        expect(check(renumbered).faults[0]?.fault).toBe("forged");
      }
      expect(check(chained(of, signWith("theirs"))).faults[0]?.fault).toBe("forged");
    }),
  );
});

test("what an erasure blanks and what retention deletes is counted, and is no fault", () => {
  fc.assert(
    fc.property(entries, (of) => {
      const links = chained(of.map((entry) => ({ ...entry, before: '{"name":"x"}' })));
      const blanked = links.map((link) => ({
        ...link,
        entry: link.entry && { ...link.entry, before: null, after: '{"deleted": true}', resource_id: null },
      }));
      expect(check(blanked)).toMatchObject({ intact: 0, blanked: of.length, faults: [] });
      const deleted = links.map((link) => ({ ...link, entry: null, may_be_deleted: true }));
      expect(check(deleted)).toMatchObject({ intact: 0, deleted: of.length, faults: [] });
    }),
  );
});
