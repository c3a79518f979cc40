import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const create = async (permissions: string[], name = `Role ${Math.random()}`) =>
  (await app.send("POST", "/api/v1/roles/", { name, permissions })).body;

test("a role answers its eight fields, permissions sorted and each once", async () => {
  const made = await create(["tools_read", "agents_read", "tools_read"], "Reader");
  const { status, body } = await app.send("GET", `/api/v1/roles/${made.id}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    name: "Reader",
    description: null,
    permissions: ["agents_read", "tools_read"],
    id: made.id,
    last_updated_comments: null,
    is_system_role: false,
    last_updated: "2026-11-18T12:00:00+00:00",
    last_updated_by: "admin@example.com",
  });
});

test("what is no number in the path is told by the name that the public API gives it", async () => {
  const refused = await app.send("GET", "/api/v1/roles/admin");
  expect(refused).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["path", "role_id"], type: "int_parsing" }] },
  });
});

test("built-in roles are there from the start and can't be changed or deleted", async () => {
  const { items } = (await app.send("GET", "/api/v1/roles/?order_by=name")).body;
  const builtIn = items.filter((role: { is_system_role: boolean }) => role.is_system_role);
  expect(builtIn.map((role: { name: string }) => role.name)).toEqual([
    "Admin",
    "Analyst",
    "Editor",
    "Viewer",
  ]);
  const [admin] = builtIn;
  const changed = await app.send("PUT", "/api/v1/roles/", { id: admin.id, name: "Mine", permissions: [] });
  expect(changed).toMatchObject({ status: 403, body: { detail: expect.stringContaining("built-in") } });
  expect((await app.send("DELETE", `/api/v1/roles/${admin.id}?reason=x`)).status).toBe(403);
});

test("nobody grants what they don't have", async () => {
  const narrow = app.sendAs(await app.createToken(["roles_write", "agents_read"]));
  const answer = await narrow("POST", "/api/v1/roles/", { name: "Big", permissions: ["users_delete"] });
  expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringContaining("users_delete") } });
});

test("nobody changes or deletes a role that allows more than they may", async () => {
  const mighty = await create(["agents_read", "users_delete"]);
  const to = await create(["agents_read"]);
  const narrow = app.sendAs(await app.createToken(["roles_write", "roles_delete", "agents_read"]));
  const change = { id: mighty.id, name: "Smaller", permissions: ["agents_read"] };
  for (const answer of [
    await narrow("PUT", "/api/v1/roles/", change),
    await narrow("DELETE", `/api/v1/roles/${mighty.id}?reason=x&new_role_id=${to.id}`),
  ]) {
    expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringContaining("users_delete") } });
  }
  expect((await app.send("GET", `/api/v1/roles/${mighty.id}`)).body).toEqual(mighty);
  expect((await app.send("PUT", "/api/v1/roles/", change)).status).toBe(200);
  expect((await narrow("DELETE", `/api/v1/roles/${mighty.id}?reason=x`)).status).toBe(200);
});

test("an unknown permission is refused at its place", async () => {
  const answer = await app.send("POST", "/api/v1/roles/", {
    name: "Odd",
    permissions: ["agents_read", "fly"],
  });
  expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "permissions", 1] }] } });
});

test("a role in use is deleted only with a role to move its users to", async () => {
  const [from, to] = [await create(["agents_read"]), await create(["agents_read"])];
  await app.db
    .insertInto("users")
    .values({
      sub_organization_id: app.admin.sub_organization_id,
      email: "ann@example.com",
      role_id: from.id,
      login_type: "google",
      last_updated: app.clock.now().toISOString(),
    })
    .execute();
  expect(await app.send("DELETE", `/api/v1/roles/${from.id}?reason=x`)).toMatchObject({ status: 400 });
  const moved = await app.send("DELETE", `/api/v1/roles/${from.id}?reason=x&new_role_id=${to.id}`);
  expect(moved.body).toEqual({ success: true });
  const ann = await app.db
    .selectFrom("users")
    .select("role_id")
    .where("email", "=", "ann@example.com")
    .executeTakeFirstOrThrow();
  expect(ann.role_id).toBe(to.id);
});

test("nobody comes to a role while it is deleted", async () => {
  const role = await create(["agents_read"]);
  const email = "late@example.com";
  const giver = await app.database.pool.connect();
  try {
    await giver.query("begin");
    await giver.query("select 1 from roles where id = $1 for share", [role.id]);
    await giver.query(
      `insert into users (sub_organization_id, email, role_id, login_type, last_updated)
       values ($1, $2, $3, 'google', $4)`,
      [app.admin.sub_organization_id, email, role.id, app.clock.now().toISOString()],
    );
    const deletion = app.send("DELETE", `/api/v1/roles/${role.id}?reason=x`);
    await expect
      .poll(
        async () =>
          (
            await app.database.pool.query(
              "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            )
          ).rowCount,
      )
      .toBe(1);
    await giver.query("commit");
    expect(await deletion).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("One user") },
    });
  } finally {
    giver.release();
  }
});

/** Who waits for this row waits as long as the requests need to come to one another. */
async function whileLocked<T>(table: "roles" | "api_tokens", id: number, run: () => Promise<T>): Promise<T> {
  return app.db.transaction().execute(async (tx) => {
    await tx.selectFrom(table).select("id").where("id", "=", id).forUpdate().execute();
    return run();
  });
}
const newUser = async (role_id: number) => {
  const email = `person-${Math.random()}@example.com`;
  await app.send("POST", "/api/v1/users/", { email, role_id });
  return email;
};

test("a role is deleted while one of its people is saved with it: they are moved, and who saves hears that it is gone", async () => {
  const [from, to] = [await create(["agents_read"]), await create(["agents_read"])];
  const email = await newUser(from.id);
  const [deletion, saving] = await whileLocked("roles", to.id, async () => {
    const deletion = app.send("DELETE", `/api/v1/roles/${from.id}?reason=x&new_role_id=${to.id}`);
    await waitForLocks(app.database.pool, 1);
    const saving = app.send("PUT", "/api/v1/users/", { email, role_id: from.id });
    await waitForLocks(app.database.pool, 2);
    return [deletion, saving];
  });
  expect(await deletion).toMatchObject({ status: 200 });
  expect(await saving).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining(`Role with ID ${from.id}`) },
  });
  expect((await app.send("GET", `/api/v1/users/${email}`)).body).toMatchObject({ role_id: to.id });
});

test("two people are made administrators at once", async () => {
  const role = await create(["agents_read"]);
  const [admin] = (await app.send("GET", "/api/v1/roles/?order_by=name")).body.items;
  const people = [await newUser(role.id), await newUser(role.id)];
  const answers = await whileLocked("api_tokens", await tokenId(), async () => {
    const saving = people.map((email) => app.send("PUT", "/api/v1/users/", { email, role_id: admin.id }));
    await waitForLocks(app.database.pool, 2);
    return saving;
  });
  expect(await Promise.all(answers)).toMatchObject([{ status: 200 }, { status: 200 }]);
});

/** The one that the administrator's requests carry. */
const tokenId = async () =>
  (await app.db.selectFrom("api_tokens").select("id").orderBy("id").executeTakeFirstOrThrow()).id;

test("a neighbour's role answers 404", async () => {
  const made = await create([]);
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", `/api/v1/roles/${made.id}`)).status).toBe(404);
});

test("every permission that an operation names is one a role can hold", async () => {
  const { body: groups } = await app.send("GET", "/api/v1/permissions/");
  const known = new Set(
    groups.flatMap((group: { permissions: { name: string }[] }) => group.permissions.map(({ name }) => name)),
  );
  const unknown = [...app.api.permissions].filter(
    (name) => !known.has(name) && !/^(public|platform_admin|sa_)/.test(name),
  );
  expect(unknown).toEqual([]);
});

test("every permission that is listed is used by an operation", async () => {
  const { body: groups } = await app.send("GET", "/api/v1/permissions/");
  const idle = groups
    .flatMap((group: { permissions: { name: string }[] }) => group.permissions.map(({ name }) => name))
    .filter((name: string) => !app.api.permissions.has(name));
  expect(idle).toEqual([]);
});
