import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

/** What PostgreSQL says when a file of a table can't grow: it names the file, which is another one each time. */
async function fillDisk(table: string): Promise<() => Promise<unknown>> {
  const { pool } = app.database;
  await pool.query(`
    create or replace function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file "base/%": No space left on device', random() using errcode = '53100'; end $$`);
  await pool.query(`create trigger no_room before insert or update on ${table} execute function no_room()`);
  return () => pool.query(`drop trigger no_room on ${table}`);
}

test("a change that finds no room is answered 503 with what to do, changes nothing, can be sent again, and is one line of the log for all", async () => {
  const count = async () => (await app.send("GET", "/api/v1/services/")).body.total_count;
  const before = await count();
  const makeRoom = await fillDisk("services");
  const create = () => app.send("POST", "/api/v1/services/", { name: "Clinic", description: "" });
  expect(await create()).toMatchObject({
    status: 503,
    headers: { "retry-after": "60" },
    body: { detail: expect.stringMatching(/no room left.*nothing was changed.*again/is) },
  });
  for (let n = 0; n < 5; n++) expect((await create()).status).toBe(503);
  const told = app.logged.filter((line) => line.includes("a disk is full"));
  expect(told).toEqual([
    expect.stringMatching(/"error":"could not extend file .*: No space left on device"/),
  ]);
  expect(told.join()).not.toContain("stack");
  expect(await count()).toBe(before);
  await makeRoom();
  expect((await create()).status).toBe(200);
});

test("a message that finds no room is answered once there is", async () => {
  const { target } = await createAgent(app, { script: 'otherwise -> say "Noted."' });
  const stranger = app.sendAs(null);
  const { body } = await stranger("POST", "/chat/v1/sessions", { client_id: target });
  const say = () =>
    stranger("POST", `/chat/v1/sessions/${body.session_id}/messages?token=${body.token}`, {
      text: "hi",
      id: "1",
    });
  const makeRoom = await fillDisk("session_messages");
  expect((await say()).status).toBe(503);
  await makeRoom();
  expect((await say()).body.events.map(({ text }: { text: string }) => text)).toEqual(["Noted."]);
});

/** Polled: an answer is good for half a second. */
const ready = () => app.sendAs(null)("GET", "/readyz");

test("a program whose database has no room, or takes no writes, is not ready", async () => {
  expect((await ready()).status).toBe(200);
  const makeRoom = await fillDisk("write_probes");
  await expect.poll(ready).toMatchObject({ status: 503, body: { detail: "The database's disk is full." } });
  await makeRoom();
  await expect.poll(ready).toMatchObject({ status: 200 });

  const { pool } = app.database;
  const { rows } = await pool.query("select current_database() as name");
  await pool.query(`alter database ${rows[0].name} set default_transaction_read_only = on`);
  await pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  // The one that asked for this keeps what it began with.
  const client = await pool.connect();
  client.release(new Error("no more of it"));
  await expect
    .poll(ready)
    .toMatchObject({ status: 503, body: { detail: expect.stringContaining("nothing can be written") } });
});

test("a turn that the model has no answer for is not counted against the visitor", async () => {
  const other = await createTestApp();
  const { target } = await createAgent(other, {
    script: 'on "crash" -> fail 400 "No."\notherwise -> say "Noted."',
  });
  const stranger = other.sendAs(null);
  const { body } = await stranger("POST", "/chat/v1/sessions", { client_id: target });
  const path = `/chat/v1/sessions/${body.session_id}/messages?token=${body.token}`;
  const say = async (text: string, count: number) => {
    const statuses = new Set<number>();
    for (let n = 0; n < count; n++) statuses.add((await stranger("POST", path, { text })).status);
    return [...statuses];
  };
  expect(await say("crash", 35)).toEqual([200]);
  expect(await say("hello", 30)).toEqual([200]);
  expect(await say("hello", 1)).toEqual([429]);
});
