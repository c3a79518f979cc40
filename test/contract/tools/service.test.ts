import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const create = async (input: object) => (await app.send("POST", "/api/v1/services/", input)).body;

describe("services", () => {
  test("a created service comes back with the names of its secrets and never their values", async () => {
    const { status, body } = await app.send("POST", "/api/v1/services/", {
      name: "Clinic",
      description: "The clinic's calendar",
      auth_type: "basic",
      auth_values: { username: "ann", password: "s3cret" },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(Number),
      name: "Clinic",
      description: "The clinic's calendar",
      auth_type: "basic",
      auth_value_keys: ["password", "username"],
      allowed_hosts: null,
      mcp_url: null,
      last_updated_comments: null,
      last_updated: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      tools: [],
    });
    const row = await app.db
      .selectFrom("services")
      .selectAll()
      .where("id", "=", body.id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain("s3cret");
  });

  test("on update a null secret is kept and an omitted one is removed", async () => {
    const made = await create({
      name: "Headers",
      description: "",
      auth_type: "custom_headers",
      auth_values: { "X-A": "1", "X-B": "2" },
    });
    const updated = await app.send("PUT", "/api/v1/services/", {
      ...made,
      auth_values: { "X-A": null, "X-C": "3" },
    });
    expect(updated.body.auth_value_keys).toEqual(["X-A", "X-C"]);
    const row = await app.db
      .selectFrom("services")
      .select("sealed_auth_values")
      .where("id", "=", made.id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(app.vault.open(row.sealed_auth_values as string))).toEqual({ "X-A": "1", "X-C": "3" });
  });

  test.each([
    ["a line break in a token", "bearer", { token: "planted\n" }, "token", "Paste it again"],
    ["a token of blanks", "bearer", { token: " " }, "token", "Enter the token."],
    ["a token with its scheme", "bearer", { token: "bearer planted" }, "token", "Enter the token alone"],
    ["a token with a blank behind it", "bearer", { token: "planted " }, "token", "behind the token"],
    ["a letter no header carries", "custom_headers", { "X-Key": "planted✓" }, "X-Key", "Paste it again"],
    ["a host of its own", "custom_headers", { Host: "planted.example" }, "Host", "Leave it out"],
    ["another length", "custom_headers", { "content-length": "7" }, "content-length", "Leave it out"],
    ["another framing", "custom_headers", { "Transfer-Encoding": "chunked" }, "Transfer-Encoding", "Leave"],
    ["a colon in a user name", "basic", { username: "planted:x", password: "" }, "username", "no colon"],
    ...[
      "nope",
      "ftp://auth.example.com/",
      "https://planted@auth.example.com/",
      "https://a.example/{{ x }}",
    ].map(
      (auth_url) =>
        [
          `the sign-in server ${auth_url}`,
          "oauth2",
          { client_id: "a", client_secret: "planted", auth_url },
          "auth_url",
          "Give the address of the sign-in server",
        ] as const,
    ),
  ] as const)(
    "%s is refused with what to do, and not echoed",
    async (what, auth_type, auth_values, key, said) => {
      const input = { name: `Unusable: ${what}`, description: "", auth_type };
      const refused = await app.send("POST", "/api/v1/services/", { ...input, auth_values });
      expect(refused).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body", "auth_values", key], msg: expect.stringContaining(said) }] },
      });
      expect(JSON.stringify(refused.body)).not.toContain("planted");
    },
  );

  test("credentials that look odd but can be sent are saved", async () => {
    for (const [auth_type, auth_values] of [
      ["bearer", { token: "a.b-c_d~e+f/==" }],
      ["basic", { username: "key", password: "" }],
      ["basic", { username: "ann", password: "a:b\nc ✓" }],
      ["custom_headers", { "X-Key": "é \t", "Content-Type": "text/csv" }],
      ["oauth2", { client_id: "a", client_secret: "b\n", auth_url: "http://localhost:8080/token?tenant=1" }],
    ] as const) {
      const input = { name: JSON.stringify(auth_values), description: "", auth_type, auth_values };
      expect(await app.send("POST", "/api/v1/services/", input)).toMatchObject({ status: 200 });
    }
  });

  test("a name is unique among services that are not deleted", async () => {
    const made = await create({ name: "Twice", description: "" });
    const again = await app.send("POST", "/api/v1/services/", { name: "Twice", description: "" });
    expect(again).toMatchObject({ status: 400, body: { detail: expect.stringContaining("already exists") } });
    await app.send("DELETE", `/api/v1/services/${made.id}?reason=test`);
    expect((await app.send("POST", "/api/v1/services/", { name: "Twice", description: "" })).status).toBe(
      200,
    );
  });

  test("a neighbour's service answers 404 like one that never was", async () => {
    const made = await create({ name: "Mine", description: "" });
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `/api/v1/services/${made.id}`],
      ["PUT", "/api/v1/services/", { id: made.id, name: "Taken", description: "" }],
      ["DELETE", `/api/v1/services/${made.id}?reason=x`],
    ] as const) {
      const answer = await neighbour.send(method, url, body);
      expect(answer).toMatchObject({ status: 404, body: { detail: `Service with ID ${made.id} not found` } });
    }
    expect((await app.send("GET", `/api/v1/services/${made.id}`)).body.name).toBe("Mine");
  });

  test.each([
    [{ description: "" }, ["body", "name"], "missing"],
    [{ name: 7, description: "" }, ["body", "name"], "string_type"],
    [{ name: "x", description: "", auth_type: "magic" }, ["body", "auth_type"], "enum"],
    [{ name: "x", description: "", auth_values: { token: "x" } }, ["body", "auth_type"], "value_error"],
    [
      { name: "x", description: "", auth_type: "basic", auth_values: { username: "a" } },
      ["body", "auth_values", "password"],
      "missing",
    ],
  ])("a body that breaks the contract is refused at its place: %j", async (body, loc, type) => {
    const answer = await app.send("POST", "/api/v1/services/", body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc, msg: expect.any(String), type }]);
  });

  test("lists are searched, ordered and paged by the same rules as every list", async () => {
    for (const name of ["list a", "list b", "list c"]) await create({ name, description: "l" });
    const search = "search_fields=name&search_field_values=LIST";
    const page = await app.send(
      "GET",
      `/api/v1/services?${search}&order_by=name&order_by_direction=desc&limit=2`,
    );
    expect(page.body).toMatchObject({ page: 0, page_size: 2, total_pages: 2, total_count: 3 });
    expect(page.body.items.map((item: { name: string }) => item.name)).toEqual(["list c", "list b"]);
    const uneven = await app.send("GET", "/api/v1/services/?search_fields=name");
    expect(uneven).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "search_field_values"] }] },
    });
  });

  test("ids may be sent as decimal strings, with and without a trailing slash", async () => {
    const made = await create({ name: "Decimal", description: "" });
    const { status } = await app.send("PUT", "/api/v1/services", {
      id: String(made.id),
      name: "Decimal",
      description: "d",
    });
    expect(status).toBe(200);
    expect((await app.send("GET", `/api/v1/services/${made.id}/`)).body.description).toBe("d");
  });

  test("without a token, with a wrong one, and without the permission: 401, 401, 403", async () => {
    expect(await app.sendAs(null)("GET", "/api/v1/services/")).toMatchObject({
      status: 401,
      body: { detail: "Not authenticated" },
    });
    expect(await app.sendAs("nonsense")("GET", "/api/v1/services/")).toMatchObject({
      status: 401,
      body: { detail: "Invalid API key" },
    });
    const reader = app.sendAs(await app.createToken(["services_read"]));
    expect((await reader("GET", "/api/v1/services/")).status).toBe(200);
    expect(await reader("POST", "/api/v1/services/", { name: "n", description: "" })).toMatchObject({
      status: 403,
      body: { detail: "Missing permission: services_write" },
    });
  });
});
