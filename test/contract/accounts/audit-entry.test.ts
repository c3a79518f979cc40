import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

const PATH = "/api/v1/audit_entries/";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

test("an entry tells who did what to which record, and how it looked before and after", async () => {
  const made = (await app.send("POST", "/api/v1/services/", { name: "Audited", description: "" })).body;
  app.clock.advance(1000);
  const { body: updated, headers } = await app.send("PUT", "/api/v1/services/", {
    id: made.id,
    name: "Audited",
    description: "changed",
  });
  const { body } = await app.send("GET", PATH);
  expect(body).toMatchObject({ page: 0, total_count: 2 });
  expect(body.items[0]).toEqual({
    id: expect.any(Number),
    at: "2026-11-18T12:00:01+00:00",
    actor: "admin@example.com",
    user_id: app.admin.user_id,
    api_token_id: expect.any(Number),
    address: "127.0.0.1",
    request_id: headers["x-request-id"],
    action: "update",
    resource: "services",
    resource_id: String(made.id),
    before: made,
    after: updated,
  });
});

test("of two that change a record at once, the later audits what the earlier left", async () => {
  const { id } = (await app.send("POST", "/api/v1/services/", { name: "Contended", description: "0" })).body;
  const change = (description: string) =>
    app.send("PUT", "/api/v1/services/", { id, name: "Contended", description });
  await Promise.all(["1", "2", "3", "4", "5", "6"].map(change));
  const search = `search_fields=resource_id&search_field_values=${id}&order_by=id&order_by_direction=asc`;
  const { items } = (await app.send("GET", `${PATH}?${search}`)).body;
  expect(items).toHaveLength(7);
  for (const [n, entry] of items.entries()) expect(entry.before).toEqual(n === 0 ? null : items[n - 1].after);
});

test("secrets are in no entry", async () => {
  await app.send("POST", "/api/v1/services/", {
    name: "Secret",
    description: "",
    auth_type: "bearer",
    auth_values: { token: "hunter2-hunter2" },
  });
  const { body } = await app.send("GET", `${PATH}?limit=1000`);
  expect(JSON.stringify(body)).toContain("Secret");
  expect(JSON.stringify(body)).not.toContain("hunter2");
});

test("the numbers of records sort as numbers, before what goes by a name", async () => {
  const { caller, send } = await app.createNeighbour();
  for (const resource_id of ["10", "9", "desk", "1000"])
    await app.db
      .insertInto("audit_entries")
      .values({
        sub_organization_id: caller.sub_organization_id,
        at: app.clock.now().toISOString(),
        actor: "a@b.example",
        action: "update",
        resource: "things",
        resource_id,
      })
      .execute();
  const { items } = (await send("GET", `${PATH}?order_by=resource_id`)).body;
  expect(items.map((item: { resource_id: string }) => item.resource_id)).toEqual(["9", "10", "1000", "desk"]);
});

test("the trail is searched, ordered, bounded in time and cut to fields like every list", async () => {
  const search = (field: string, value: string) => `search_fields=${field}&search_field_values=${value}`;
  const deep = await app.send(
    "GET",
    `${PATH}?${search("after", "Audited")}&order_by=at&order_by_direction=asc`,
  );
  expect(deep.body.items.map((entry: { action: string }) => entry.action)).toEqual(["create", "update"]);
  const none = await app.send("GET", `${PATH}?${search("resource", "agents")}`);
  expect(none.body.total_count).toBe(0);
  const before = await app.send("GET", `${PATH}?end_datetime=2026-11-18T12:00:01Z`);
  expect(before.body.total_count).toBe(1);
  const brief = await app.send("GET", `${PATH}?fields=action&fields=actor&limit=1`);
  expect(brief.body.items[0]).toMatchObject({ after: null, before: null, action: "create" });
});

test("a neighbour sees nothing of it, and reading it needs its own permission", async () => {
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", PATH)).body.items).toEqual([]);
  const other = app.sendAs(await app.createToken(["services_read"]));
  expect(await other("GET", PATH)).toMatchObject({
    status: 403,
    body: { detail: "Missing permission: audit_read" },
  });
});
