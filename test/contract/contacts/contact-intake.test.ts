import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { takeSomeCallers } from "../../../src/contacts/contact-intake.ts";
import { runErasure } from "../../../src/erasure/erase-people.ts";
import { deleteExpiredJob } from "../../../src/erasure/retention.ts";
import type { JobContext } from "../../../src/jobs/define-job.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { CONTACTS, contactAt, createContact } from "../../harness/contacts.ts";
import { insertSession } from "../../harness/rows.ts";

const SOURCES = "/api/v1/organizations/contact-sources";
const MINUTE_ms = 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

let people = 0;
let ANN = "";
let MAIL = "";
beforeEach(async () => {
  people++;
  ANN = `+1512557${String(people).padStart(4, "0")}`;
  MAIL = `caller${people}@example.com`;
  await sql`truncate contacts cascade`.execute(app.db);
  await asked(true);
});

const asked = async (inbound_sessions: boolean) => {
  const answer = await app.send("PUT", SOURCES, { inbound_sessions });
  expect(answer).toMatchObject({ status: 200, body: { inbound_sessions } });
};
const spoke = (source: string | null, more: object = {}) =>
  insertSession(app, {
    source,
    channel: "voice",
    timestamp: app.clock.now().toISOString(),
    ...more,
  } as never);
const take = async () => {
  app.clock.advance(2 * MINUTE_ms);
  while (await takeSomeCallers(app));
};
const listed = async (): Promise<string[]> => {
  const { body } = await app.send("GET", `${CONTACTS}?limit=100`);
  return body.items.flatMap(({ addresses }: { addresses: { address: string }[] }) =>
    addresses.map(({ address }) => address),
  );
};

test("whoever calls, texts or writes is a contact two minutes later, listed and found by their address", async () => {
  await spoke(ANN);
  await spoke(ANN, { channel: "sms" });
  await spoke(MAIL, { channel: "email" });
  await take();
  expect((await listed()).toSorted()).toEqual([ANN, MAIL].toSorted());
  const query = new URLSearchParams({ search_fields: "address", search_field_values: ANN });
  const { items } = (await app.send("GET", `${CONTACTS}?${query}`)).body;
  expect(items).toMatchObject([{ name: null, addresses: [{ address: ANN, linked_through: "session" }] }]);
  expect((await app.send("GET", contactAt(ANN))).body.record).toMatchObject({ id: items[0].id });
  await take();
  expect(await listed()).toHaveLength(2);
});

test.each([
  ["a visitor of a chat page", "visitor-17@example.com", { channel: "chat" }],
  ["a caller without a number", "anonymous", {}],
  ["nobody", null, {}],
  ["a test", "+15125579999", { is_test: true }],
  ["somebody who was called", "+15125579999", { is_outbound: true }],
])("%s is none", async (_, source, more) => {
  await spoke(source, more);
  await take();
  expect(await listed()).toEqual([]);
});

test("no organization that did not ask, and no session from before it asked, makes any", async () => {
  await asked(false);
  await spoke(ANN);
  await take();
  await asked(true);
  await take();
  expect(await listed()).toEqual([]);
  await spoke(MAIL, { channel: "email" });
  await take();
  expect(await listed()).toEqual([MAIL]);
  await asked(false);
  expect(await listed()).toEqual([MAIL]);
});

test("who is a contact already stays in theirs", async () => {
  await createContact(app, [ANN, MAIL], { name: "Ann" });
  await spoke(MAIL, { channel: "email" });
  await take();
  const { items } = (await app.send("GET", CONTACTS)).body;
  expect(items).toMatchObject([{ name: "Ann", addresses: [{}, {}] }]);
});

test("two processes that look at once, and one that dies, make each contact once", async () => {
  const callers = Array.from({ length: 20 }, (_, n) => `+1512556${String(n).padStart(4, "0")}`);
  for (const caller of callers) await spoke(caller);
  app.clock.advance(2 * MINUTE_ms);
  await app.database.pool.query(`
    create function die() returns trigger language plpgsql as $$ begin raise exception 'dies'; end $$;
    create trigger die before update on contact_intake for each row execute function die()`);
  await expect(takeSomeCallers(app)).rejects.toThrow("dies");
  expect(await listed()).toEqual([]);
  await app.database.pool.query("drop trigger die on contact_intake; drop function die()");
  await Promise.all([takeSomeCallers(app), takeSomeCallers(app), takeSomeCallers(app)]);
  expect((await listed()).toSorted()).toEqual(callers.toSorted());
});

test("a session that is stored late, behind one with a higher id, is not passed over", async () => {
  const { rows } = await app.database.pool.query<{ id: number }>(
    "select nextval(pg_get_serial_sequence('sessions', 'id')) as id",
  );
  await spoke(MAIL, { channel: "email" });
  while (await takeSomeCallers(app));
  await spoke(ANN, { id: rows[0]?.id });
  await take();
  expect((await listed()).toSorted()).toEqual([ANN, MAIL].toSorted());
});

test("a sub-organization whose callers can't be made contacts holds up nobody else, and gets them once they can", async () => {
  const { caller: neighbour } = await app.createNeighbour();
  const { sub_organization_id } = neighbour;
  await sql`update organizations set contacts_from_sessions_since = ${app.clock.now().toISOString()}
    where id = ${neighbour.organization_id}`.execute(app.db);
  await app.database.pool.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
    create trigger fail before insert on contact_addresses for each row
      when (new.sub_organization_id = ${sub_organization_id}) execute function fail()`);
  const theirs = async () => {
    const found = sql<{ address: string }>`
      select address from contact_addresses where sub_organization_id = ${sub_organization_id}`;
    return (await found.execute(app.db)).rows.map(({ address }) => address);
  };
  await spoke(ANN, { sub_organization_id });
  await spoke(ANN);
  await take();
  await spoke(MAIL, { channel: "email" });
  await take();
  expect((await listed()).toSorted()).toEqual([ANN, MAIL].toSorted());
  expect(await theirs()).toEqual([]);
  expect(app.errors.splice(0).join("\n")).toContain("callers could not be made contacts");
  await app.database.pool.query("drop trigger fail on contact_addresses; drop function fail()");
  await take();
  expect(await theirs()).toEqual([ANN]);
  expect((await sql`select from contact_intake_behind`.execute(app.db)).rows).toEqual([]);
});

test("a sub-organization that is behind and no longer wants its callers as contacts is not looked at again", async () => {
  const { caller: neighbour } = await app.createNeighbour();
  const { sub_organization_id } = neighbour;
  await spoke(ANN, { sub_organization_id });
  await sql`insert into contact_intake_behind values (${sub_organization_id}, 0)`.execute(app.db);
  await take();
  expect((await sql`select from contact_intake_behind`.execute(app.db)).rows).toEqual([]);
});

test("an erasure that comes meanwhile leaves no contact", async () => {
  await spoke(ANN);
  app.clock.advance(2 * MINUTE_ms);
  const { body } = await app.send("POST", "/api/v1/erasures/", { address: ANN });
  await sql`update sessions set ended_at = now() where source = ${ANN}`.execute(app.db);
  const erased = runErasure({ ...app, dataDir: app.config.data_dir }, body.id);
  await Promise.all([erased, ...Array.from({ length: 5 }, () => takeSomeCallers(app))]);
  expect((await app.send("GET", `/api/v1/erasures/${body.id}`)).body.status).toBe("COMPLETED");
  expect(await listed()).toEqual([]);
});

test("once their sessions are past their retention, those go of whom nothing was noted", async () => {
  const [noted, recent] = [
    `+1512555${String(people).padStart(4, "0")}`,
    `+1512554${String(people).padStart(4, "0")}`,
  ];
  for (const caller of [ANN, noted]) await spoke(caller, { ended_at: app.clock.now().toISOString() });
  await take();
  await app.send("PUT", contactAt(noted), { notes: "asks for Dr. Lee" });
  app.clock.advance(40 * 86_400_000);
  await spoke(recent);
  await take();
  const set = await app.send("PUT", "/api/v1/organizations/privacy", { retention: { session: 30 } });
  expect(set.status).toBe(200);
  const job = deleteExpiredJob({ ...app, dataDir: app.config.data_dir });
  await job.run({}, { stopping: new AbortController().signal } as JobContext);
  expect((await listed()).toSorted()).toEqual([noted, recent].toSorted());
});
