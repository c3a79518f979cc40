import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

const PATH = "/api/v1/audit_entries/verification";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const run = (name: string) =>
  app.jobs.find(({ job }) => job.name === name)!.run({}, { stopping: new AbortController().signal } as never);
const link = () => run("link-audit-entries");
const verify = async (from = 1) => (await app.send("GET", `${PATH}?from_position=${from}`)).body;
const make = async (name: string): Promise<number> =>
  (await app.send("POST", "/api/v1/services/", { name, description: "" })).body.id;
/** Does something to the database that the program would not, tells what verifying says, and undoes it. */
async function tampered(act: string): Promise<unknown> {
  const table = /(audit_\w+)/.exec(act)?.[1] ?? "";
  const run = (statement: string) => sql.raw(statement).execute(app.db);
  await run(`create table kept as table ${table}`);
  await run(act);
  const { faults } = await verify();
  await run(`delete from ${table}`);
  await run(`insert into ${table} table kept`);
  await run("drop table kept");
  return faults;
}

test("entries are linked in their order, and verify as intact however often the job runs", async () => {
  for (const name of ["One", "Two", "Three"]) await make(name);
  expect(await verify()).toMatchObject({ intact: 0, unlinked: 3, head: { position: 0, link: "" } });
  await Promise.all([link(), link()]);
  await link();
  const found = await verify();
  expect(found).toMatchObject({ checked_to: 3, next_position: null, intact: 3, faults: [], unlinked: 0 });
  expect(found.head).toEqual({ position: 3, link: expect.stringMatching(/^[\w-]{43}$/) });
});

test.each([
  ["the actor of an entry", "update audit_entries set actor = 'nobody' where position = 2", 2, "changed"],
  ["its time", "update audit_entries set at = at + interval '1 second' where position = 2", 2, "changed"],
  ["the record after it", "update audit_entries set after = '{}' where position = 3", 3, "changed"],
  ["an entry that is gone", "delete from audit_entries where position = 2", 2, "missing"],
  ["a link that is gone", "delete from audit_links where position = 2", 3, "out_of_place"],
  ["a link that is changed", "update audit_links set content_digest = 'x' where position = 1", 1, "forged"],
  ["the end that was cut", "delete from audit_links where position = 3", 3, "missing"],
])("%s shows", async (_, act, position, fault) => {
  expect(await tampered(act)).toMatchObject([{ position, fault }]);
});

test("a note that retention deleted something, which the program did not sign, excuses nothing", async () => {
  await sql`update audit_heads set deleted_before = now() + interval '1 year', deleted_signature = 'x'`.execute(
    app.db,
  );
  expect(await tampered("delete from audit_entries where position = 1")).toMatchObject([
    { fault: "missing" },
  ]);
  await sql`update audit_heads set deleted_before = null, deleted_signature = null`.execute(app.db);
});

test("what retention deletes is counted and not missed", async () => {
  app.clock.advance(40 * 86_400_000);
  await app.send("PUT", "/api/v1/organizations/privacy", { retention: { audit: 30 } });
  await run("delete-expired");
  await link();
  const found = await verify();
  expect(found).toMatchObject({ intact: 1, deleted: 3, faults: [] });
  expect(found.deleted_before).toContain("2026-11-28");
});

test("what counts within its hour is linked when the hour is over", async () => {
  await app.sendAs("parley_wrong")("GET", "/api/v1/users/");
  const before = await verify();
  await sql`insert into audit_entries (sub_organization_id, at, actor, action, resource, counted_hash)
    values (${app.admin.sub_organization_id}, ${app.clock.now().toISOString()}, 'a', 'sign in', 'users', 'c')`.execute(
    app.db,
  );
  await link();
  expect(await verify()).toMatchObject({ head: before.head, unlinked: 1 });
  app.clock.advance(3_600_000);
  await link();
  expect(await verify()).toMatchObject({
    head: { position: before.head.position + 1 },
    unlinked: 0,
    faults: [],
  });
});

test("another organization's trail has links of its own", async () => {
  const neighbour = await app.createNeighbour();
  await neighbour.send("POST", "/api/v1/services/", { name: "Theirs", description: "" });
  await link();
  expect((await neighbour.send("GET", PATH)).body).toMatchObject({
    intact: 1,
    head: { position: 1 },
    faults: [],
  });
});
