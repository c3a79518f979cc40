import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { contactSeal } from "../../src/address-book/contact-seal.ts";
import { SEALED_MARK } from "../../src/base/sealed-text.ts";
import { retireKeys } from "../../src/data-keys/data-keys.ts";
import { runErasure } from "../../src/erasure/erase-people.ts";
import { sealStored } from "../../src/erasure/seal-stored.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createOutbound, request } from "../harness/batch.ts";
import { CONTACTS, contactAt, createContact } from "../harness/contacts.ts";
import { placesOf } from "../harness/everywhere.ts";
import { rounds } from "../harness/seed.ts";

/** What is noted of people, in an organization that seals: stored by hand and by the keys of requests, then looked for in every column. */
let app: TestApp;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
beforeAll(async () => {
  app = await createTestApp();
  outbound = await createOutbound(app);
  const named = await app.send("PUT", "/api/v1/outbound/contact-key", { variable: "patient_id" });
  expect(named.status).toBe(200);
});

const seals = async (seal_texts: boolean) =>
  expect((await app.send("PUT", "/api/v1/organizations/privacy", { seal_texts })).status).toBe(200);
let people = 0;
const number = (): string => `+1512558${String(1_000 + ++people).slice(-4)}`;
const recordOf = async (address: string) => (await app.send("GET", contactAt(address))).body.record;
const found = async (field: string, value: string): Promise<{ name: string; key: string }[]> => {
  const query = new URLSearchParams({ search_fields: field, search_field_values: value });
  const { status, body } = await app.send("GET", `${CONTACTS}?${query}`);
  expect(status).toBe(200);
  return body.items;
};
const withKey = async (address: string, key: string): Promise<void> => {
  const { batch_id } = await outbound.createBatch();
  expect(
    (await outbound.add(batch_id, [request(`r${address}`, address, { patient_id: key })])).body.accepted,
  ).toBe(1);
};

/** Through every door that a name, a note or a key has; what everybody reads. */
async function noted(word: string) {
  const [one, two, other] = [number(), number(), number()];
  await createContact(app, [one], { name: `Ann ${word}`, notes: `likes ${word}s`, key: `${word}-1` });
  await app.send("PUT", contactAt(one), { name: `Ann ${word}`, notes: `has ${word}s`, key: `${word}-2` });
  await withKey(two, `${word}-2`);
  await createContact(app, [other], { name: `Bob ${word}` });
  await withKey(other, `${word}-3`);
  await withKey(other, `${word}-2`);
  await withKey(number(), `${word}-4`);
  const file = (await app.send("GET", `${contactAt(two)}/export`)).body;
  return {
    record: await recordOf(two),
    exported: (typeof file === "string" ? JSON.parse(file) : file).record,
    by_key: (await found("key", `${word}-2`)).map(({ name }) => name),
    by_name: (await found("name", `  ann   ${word.toUpperCase()} `)).map(({ key }) => key),
    adopted: (await recordOf(other)).key,
    taken: (await createContact(app, [number()], { key: `${word}-3` })).body,
  };
}
const shown = (noted: object, word: string) =>
  JSON.parse(
    JSON.stringify(noted)
      .replaceAll(word, "WORD")
      .replaceAll(/\+1512\d+/g, "NUMBER")
      .replaceAll(/"id":\d+/g, `"id":0`),
    (key, value) => (key.endsWith("_at") ? null : value),
  );

test("name, notes and key of a contact lie in no column and in no audit entry, and readers, look-ups and links are as without the seal", async () => {
  const clear = await noted("giraffe");
  expect(await placesOf(app, "giraffe")).toEqual(
    expect.arrayContaining(["audit_entries.after", "contacts.key", "contacts.name", "contacts.notes"]),
  );
  await seals(true);
  const sealed = await noted("zebra");
  expect(await placesOf(app, "zebra")).toEqual([]);
  expect(sealed.record).toMatchObject({ name: "Ann zebra", notes: "has zebras", key: "zebra-2" });
  expect(sealed.record.addresses).toHaveLength(2);
  // A name in clear is found by a part, too, but not with two spaces between its words.
  expect(shown({ ...sealed, by_name: [] }, "zebra")).toEqual(shown({ ...clear, by_name: [] }, "giraffe"));
  expect(sealed.by_name).toEqual(["zebra-2"]);
  expect(JSON.stringify(sealed)).not.toContain(SEALED_MARK);
});

test("equal names, notes and keys are stored differently each time", async () => {
  await seals(true);
  const ones = [number(), number()];
  for (const one of ones) await createContact(app, [one], { name: "Twin", notes: "the same" });
  const { rows } = await app.database.pool.query<{ name: string; notes: string }>(
    "select name, notes from contacts c join contact_addresses a on a.contact_id = c.id where a.address = any($1)",
    [ones],
  );
  expect(new Set(rows.flatMap(({ name, notes }) => [name, notes])).size).toBe(4);
});

test("a part of what is stored sealed is found by no search", async () => {
  await seals(true);
  const address = number();
  await createContact(app, [address], { name: "Secretary", notes: "Ann's ferret" });
  const { rows } = await app.database.pool.query<{ name: string; notes: string }>(
    "select name, notes from contacts c join contact_addresses a on a.contact_id = c.id where a.address = $1",
    [address],
  );
  for (const field of ["name", "notes"] as const)
    for (const part of ["parley", (rows[0]?.[field] ?? "").slice(-8)])
      expect(await found(field, part)).toEqual([]);
  expect(await found("name", "SECRETARY")).toHaveLength(1);
});

test("a key is one contact's whatever sealed it: in clear, under an earlier key or the present one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("on", "off", "rotate"), { maxLength: 4 }), async (changes) => {
      await seals(false);
      const key = `key ${++people}`;
      const first = number();
      await createContact(app, [first], { key, name: key });
      const all = [first];
      for (const change of changes) {
        if (change === "rotate") {
          await retireKeys(app);
          await sealStored(app);
        } else await seals(change === "on");
        const next = number();
        await withKey(next, key);
        all.push(next);
        expect((await createContact(app, [number()], { key })).status).toBe(409);
        expect(await found("key", key)).toHaveLength(1);
        expect(await found("name", key)).toHaveLength(1);
      }
      const { addresses, name } = await recordOf(first);
      expect(addresses.map(({ address }: { address: string }) => address).toSorted()).toEqual(all.toSorted());
      expect(name).toBe(key);
    }),
    { numRuns: rounds(12) },
  );
});

test("contacts from before the switch, and those of an earlier key, are sealed anew by a rotation that dies anywhere", async () => {
  await seals(false);
  const { sub_organization_id } = app.admin;
  await sql`
    with made as (
      insert into contacts (sub_organization_id, key, name, notes, created_at, updated_at, last_updated_by)
      select ${sub_organization_id}, 'ocelot ' || n, 'Ocelot ' || n, case when n % 3 > 0 then 'ocelot' end, now(), now(), 'x'
      from generate_series(1, 1200) n returning id
    )
    insert into contact_addresses (sub_organization_id, address, contact_id, linked_at, linked_through)
    select ${sub_organization_id}, '+1512777' || lpad(id::text, 5, '0'), id, now(), 'operator' from made`.execute(
    app.db,
  );
  const all = async () =>
    (await app.db.selectFrom("contacts").select(["id", "name", "notes", "key"]).orderBy("id").execute()).map(
      (row) => JSON.stringify(row),
    );
  const before = await all();
  await seals(true);
  let steps = 0;
  const rotated = async () => {
    const seal = await contactSeal(app.db, app.vault, sub_organization_id);
    const { rows } = await app.database.pool.query<{ n: number }>(
      `select count(*)::int as n from contacts where name not like $1 or notes not like $1 or key not like $1`,
      [`${SEALED_MARK}${seal.key_id}:%`],
    );
    return rows[0]?.n === 0;
  };
  for (const round of ["from clear", "from an earlier key"]) {
    if (round !== "from clear") await retireKeys(app);
    expect(await rotated()).toBe(false);
    while (!(await rotated())) {
      await sealStored(app, {}, () => {
        if (++steps % 2 === 1) throw new Error("killed");
      }).catch(() => {});
      expect(await all()).toEqual(before);
    }
  }
  expect(steps).toBeGreaterThan(6);
  expect(await sealStored(app)).toEqual({ sealed: 0, left: 0 });
  expect(await placesOf(app, "ocelot")).toEqual([]);
  expect(await found("key", "ocelot 7")).toMatchObject([{ name: "Ocelot 7" }]);
});

test("one that somebody holds is passed over and counted", async () => {
  await seals(false);
  const address = number();
  await createContact(app, [address], { name: "Held" });
  await seals(true);
  const held = await app.database.pool.connect();
  await held.query("begin");
  await held.query("select from contacts where name = 'Held' for update");
  expect(await sealStored(app)).toMatchObject({ left: 1 });
  await held.query("commit");
  held.release();
  expect(await sealStored(app)).toMatchObject({ sealed: 1, left: 0 });
});

test("an erasure leaves nothing of a sealed contact, nor of its audit entries", async () => {
  await seals(true);
  const [one, two] = [number(), number()];
  await createContact(app, [one, two], { name: "Gone", notes: "Gone", key: "gone" });
  const asked = await app.send("POST", "/api/v1/erasures/", { address: two });
  await runErasure({ ...app, dataDir: app.config.data_dir }, asked.body.id);
  expect((await app.send("GET", `/api/v1/erasures/${asked.body.id}`)).body).toMatchObject({
    status: "COMPLETED",
    counts: { contacts: 1 },
  });
  expect(await found("key", "gone")).toEqual([]);
  for (const address of [one, two]) expect(await placesOf(app, address)).toEqual([]);
});

test("a sealed value that somebody copied is refused as a name, a note or a key", async () => {
  await seals(true);
  await createContact(app, [number()], { name: "hidden" });
  const { rows } = await app.database.pool.query<{ name: string }>(
    "select name from contacts order by id desc limit 1",
  );
  for (const field of ["name", "notes", "key"]) {
    const answer = await createContact(app, [number()], { [field]: rows[0]?.name });
    expect(JSON.stringify(answer.body)).not.toContain("hidden");
  }
});
