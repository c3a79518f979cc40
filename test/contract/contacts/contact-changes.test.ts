import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { CONTACTS, contactAt, createContact } from "../../harness/contacts.ts";
import { insertSession } from "../../harness/rows.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

let people = 0;
let ANN = "";
let MAIL = "";
beforeEach(() => {
  people++;
  ANN = `+151255800${10 + people}`;
  MAIL = `ann${people}@example.com`;
});

const show = async (address: string) => (await app.send("GET", contactAt(address))).body;
const link = (address: string, other: string) =>
  app.send("POST", `${contactAt(address)}/addresses`, { address: other });
const unlink = (address: string, other: string) =>
  app.send("DELETE", `${contactAt(address)}/addresses/${encodeURIComponent(other)}`);
const addressesOf = ({ addresses }: { addresses: { address: string }[] }) =>
  addresses.map(({ address }) => address).toSorted();
const both = () => [ANN, MAIL].toSorted();

test("two addresses that are linked have one page, with what was said at both", async () => {
  await insertSession(app, { source: ANN, ended_at: "2026-11-18T12:00:00Z" });
  await insertSession(app, { source: MAIL, ended_at: "2026-11-18T12:00:00Z" });
  expect(await show(ANN)).toMatchObject({
    record: null,
    addresses: [{ address: ANN }],
    entries: [{ address: ANN }],
  });
  expect((await link(ANN, ` ${MAIL.toUpperCase()} `)).status).toBe(200);
  for (const address of [ANN, MAIL]) {
    const { record, entries, addresses } = await show(address);
    expect(addressesOf(record)).toEqual(both());
    expect(addresses[0].address).toBe(address);
    expect(entries.map((entry: { address: string }) => entry.address).toSorted()).toEqual(both());
  }
  const file = (await app.send("GET", `${contactAt(MAIL)}/export`)).body;
  const { entries, record } = typeof file === "string" ? JSON.parse(file) : file;
  expect(entries).toHaveLength(2);
  expect(addressesOf(record)).toEqual(both());
});

test("what is noted of a person is stored by any of their addresses, and found again", async () => {
  const fields = {
    name: "Ann",
    timezone: "america/chicago",
    language: "es-MX",
    notes: "Prefers mornings",
    key: `k${people}`,
  };
  expect((await app.send("PUT", contactAt(ANN), fields)).body).toMatchObject({
    ...fields,
    timezone: "America/Chicago",
  });
  await link(MAIL, ANN);
  expect((await app.send("PUT", contactAt(MAIL), { name: "Ann Lee" })).body).toMatchObject({
    name: "Ann Lee",
    timezone: null,
    language: null,
    notes: null,
    key: null,
  });
  expect(await show(ANN)).toMatchObject({ name: "Ann Lee", record: { name: "Ann Lee" } });
  for (const [field, value] of [
    ["name", "ann lee"],
    ["address", ANN.replace("+1", "+1 ")],
    ["address", MAIL],
  ] as const) {
    const { body } = await app.send(
      "GET",
      `${CONTACTS}?search_fields=${field}&search_field_values=${encodeURIComponent(value)}`,
    );
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(["Ann Lee"]);
  }
  for (const wrong of [{ timezone: "Mars/Base" }, { language: "no language" }, { color: "red" }])
    expect((await app.send("PUT", contactAt(ANN), wrong)).status).toBe(422);
});

test("an address or a key of another contact is refused with a sentence that names the contact, and nothing moves", async () => {
  const [other, third] = [`+151255900${10 + people}`, `third${people}@example.com`];
  await createContact(app, [ANN, MAIL], { name: "Ann", key: `key${people}` });
  await createContact(app, [other], { name: "Bob" });
  expect(await link(other, MAIL)).toMatchObject({
    status: 409,
    body: { detail: `${MAIL} belongs to another contact (Ann, ${ANN}). Unlink it there first.` },
  });
  expect(await link(ANN, other)).toMatchObject({
    status: 409,
    body: { detail: `${other} belongs to another contact (Bob). Delete that contact first.` },
  });
  expect((await createContact(app, [third, MAIL])).status).toBe(409);
  expect((await createContact(app, [third], { key: `key${people}` })).status).toBe(409);
  expect((await show(third)).record).toBeNull();
  expect(addressesOf((await show(MAIL)).record)).toEqual(both());
});

test("of links that are asked for at once, an address gets exactly one contact", async () => {
  const owners = Array.from({ length: 6 }, (_, n) => `+15125610${100 * people + n}`.slice(0, 12));
  const answers = await Promise.all(owners.map((owner) => link(owner, MAIL)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200]);
  const { record } = await show(MAIL);
  expect(addressesOf(record)).toEqual([MAIL, ...owners].toSorted());
  const made = await Promise.all([createContact(app, [ANN, owners[0] as string]), createContact(app, [ANN])]);
  expect(made.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

test("an address that is unlinked stands alone again; the only one of a contact is not unlinked", async () => {
  await createContact(app, [ANN, MAIL], { name: "Ann" });
  expect((await unlink(ANN, MAIL)).status).toBe(200);
  expect((await show(MAIL)).record).toBeNull();
  expect(await unlink(ANN, ANN)).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("only address") },
  });
  expect((await unlink(ANN, MAIL)).status).toBe(404);
  expect((await unlink(MAIL, MAIL)).status).toBe(404);
});

test("deleting a contact keeps what was said, by address", async () => {
  await insertSession(app, { source: ANN, ended_at: "2026-11-18T12:00:00Z" });
  await createContact(app, [ANN, MAIL], { notes: "likes tea" });
  expect((await app.send("DELETE", contactAt(MAIL))).status).toBe(200);
  expect(await show(ANN)).toMatchObject({
    record: null,
    addresses: [{ address: ANN }],
    entries: [{ address: ANN }],
  });
  expect((await app.send("DELETE", contactAt(MAIL))).status).toBe(404);
});

test("contacts of another organization are neither found nor changed", async () => {
  await createContact(app, [ANN, MAIL], { name: "Ann" });
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", contactAt(ANN))).body).toMatchObject({ record: null, entries: [] });
  expect((await neighbour.send("DELETE", contactAt(ANN))).status).toBe(404);
  expect((await neighbour.send("POST", CONTACTS, { addresses: [ANN] })).status).toBe(200);
  expect((await neighbour.send("GET", CONTACTS)).body.items).toHaveLength(1);
  expect(addressesOf((await show(ANN)).record)).toEqual(both());
});

test("a number without its country is nobody's, so it is refused wherever it would find nobody; a visitor may be called so", async () => {
  const refused = (loc: unknown[]) => ({
    status: 422,
    body: { detail: [{ loc, msg: "Write the number with its country code, such as +15125551234." }] },
  });
  for (const written of ["(512) 555-0144", "512-555-0144", "512.555.0144", "0171 5550144", "030/1234567"]) {
    expect(await app.send("PUT", contactAt(written), { name: "Ann" })).toMatchObject(
      refused(["path", "address"]),
    );
    expect(await app.send("POST", CONTACTS, { addresses: [MAIL, written] })).toMatchObject(
      refused(["body", "addresses", 1]),
    );
    expect(await link(ANN, written)).toMatchObject(refused(["body", "address"]));
    for (const path of [contactAt(written), `${contactAt(written)}/export`])
      expect(await app.send("GET", path)).toMatchObject(refused(["path", "address"]));
    for (const [list, field] of [
      ["contacts", "address"],
      ["suppressions", "address"],
      ["consents", "address"],
      ["outbound/call-backs", "target"],
    ]) {
      const search = new URLSearchParams({ search_fields: field as string, search_field_values: written });
      expect(await app.send("GET", `/api/v1/${list}/?${search}`), list).toMatchObject(
        refused(["query", "search_field_values", 0]),
      );
    }
    for (const path of ["", "preview"])
      expect(await app.send("POST", `/api/v1/erasures/${path}`, { address: written })).toMatchObject(
        refused(["body", "address"]),
      );
  }
  for (const id of ["5125550144", "customer-512", "2024-000123", "+1 (512) 555-0144"])
    expect((await app.send("POST", "/api/v1/erasures/preview", { address: id })).status).toBe(200);
  await insertSession(app, { source: "512 555 0199", ended_at: "2026-11-18T12:00:00Z" });
  expect((await link(ANN, "512 555 0199")).status).toBe(200);
  const planned = await app.send("POST", "/api/v1/erasures/preview", { address: "512 555 0199" });
  expect(planned.body.counts).toMatchObject({ sessions: 1 });
  await insertSession(app, { source: "512 555 0198", ended_at: "2026-11-18T12:00:00Z" });
  expect((await app.send("GET", contactAt("512 555 0198"))).body.entries).toHaveLength(1);
});

test("a number with its country is found on the suppression list however it is written", async () => {
  await app.send("POST", "/api/v1/suppressions/", { address: "+15125550177", scope: "all" });
  const search = new URLSearchParams({ search_fields: "address" });
  for (const written of ["+1 (512) 555-0177", "+15125550177", "5550177"]) {
    search.set("search_field_values", written);
    const { body } = await app.send("GET", `/api/v1/suppressions/?${search}`);
    expect(body.items, written).toMatchObject([{ address: "+15125550177" }]);
  }
});
