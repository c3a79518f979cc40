import { beforeAll, expect, test } from "vitest";
import { newToken } from "../../../src/accounts/api-token.ts";
import { bootstrap } from "../../../src/accounts/bootstrap.ts";
import { localToken } from "../../../src/accounts/local-token.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { signedInSend } from "../../harness/signed-in-send.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ API_KEY_HEADERS: "X-Other-Key" });
});

const create = async (more: object = {}) =>
  (await app.send("POST", "/api/v1/api_tokens/", { name: "CI", ...more })).body;
const agents = (token: string) => app.sendAs(token)("GET", "/api/v1/agents/");

test("a token is shown once, works, and is stored as a hash only", async () => {
  const made = await create();
  expect(made.token).toMatch(/^parley_[0-9A-Za-z]{32}$/);
  expect((await agents(made.token)).status).toBe(200);
  const listed = (await app.send("GET", "/api/v1/api_tokens/?search_fields=name&search_field_values=CI"))
    .body;
  expect(JSON.stringify(listed)).not.toContain(made.token);
  const rows = await app.db.selectFrom("api_tokens").selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(made.token);
});

test("a revoked token, and one past its expiry, answer 401", async () => {
  const made = await create();
  await app.send("DELETE", `/api/v1/api_tokens/${made.id}`);
  expect(await agents(made.token)).toMatchObject({ status: 401, body: { detail: "Invalid API key" } });

  const short = await create({ expires_at: "2026-11-18T13:00:00Z" });
  expect((await agents(short.token)).status).toBe(200);
  app.clock.advance(3_600_000);
  expect((await agents(short.token)).status).toBe(401);
});

test("a misspelt permission is told at its place, and is none that somebody lacks", async () => {
  const asked = { name: "Misspelt", permissions: ["agents_read", "agents_reed", "agent_write"] };
  expect(await app.send("POST", "/api/v1/api_tokens/", asked)).toMatchObject({
    status: 422,
    body: {
      detail: [
        { loc: ["body", "permissions", 1], msg: "Unknown permission 'agents_reed'" },
        { loc: ["body", "permissions", 2], msg: "Unknown permission 'agent_write'" },
      ],
    },
  });
});

test("a token does only what it was made for, and never more than its creator's role allows today", async () => {
  const made = await create({ permissions: ["agents_read"] });
  expect((await agents(made.token)).status).toBe(200);
  expect((await app.sendAs(made.token)("GET", "/api/v1/tools/")).status).toBe(403);

  const narrow = app.sendAs((await create({ permissions: ["api_token_write"] })).token);
  const asked = await narrow("POST", "/api/v1/api_tokens/", { name: "More", permissions: ["agents_delete"] });
  expect(asked.status).toBe(403);
  // Asking for "everything" with a narrow token gives a token as narrow.
  const copy = (await narrow("POST", "/api/v1/api_tokens/", { name: "Copy" })).body;
  expect((await agents(copy.token)).status).toBe(403);

  const { role_id } = await app.db
    .selectFrom("users")
    .select("role_id")
    .where("id", "=", app.admin.user_id)
    .executeTakeFirstOrThrow();
  const viewer = await app.db
    .selectFrom("roles")
    .select("id")
    .where("name", "=", "Viewer")
    .executeTakeFirstOrThrow();
  await app.db.updateTable("users").set({ role_id: viewer.id }).where("id", "=", app.admin.user_id).execute();
  const write = await app.send("POST", "/api/v1/services/", { name: "x", description: "" });
  await app.db.updateTable("users").set({ role_id }).where("id", "=", app.admin.user_id).execute();
  expect(write.status).toBe(403);
});

test("a token makes none that outlives it", async () => {
  const expires_at = "2027-01-01T00:00:00Z";
  const short = app.sendAs((await create({ expires_at })).token);
  const make = (more: object) => short("POST", "/api/v1/api_tokens/", { name: "Longer", ...more });
  expect(await make({ expires_at: "2027-01-01T00:00:01Z" })).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("2027-01-01T00:00:00.000Z at the latest") },
  });
  for (const more of [{}, { expires_at }]) {
    const { status, body } = await make(more);
    expect(status).toBe(200);
    expect(new Date(body.expires_at)).toEqual(new Date(expires_at));
  }
});

test("a token may come in a configured header name too", async () => {
  const answer = await app.sendAs(null)("GET", "/api/v1/agents/", undefined, { "X-Other-Key": app.token });
  expect(answer.status).toBe(200);
});

test("the terminal's own token works for ten minutes and can't be made without the installation's key", async () => {
  const token = localToken(app.vault, app.clock.now());
  expect((await agents(token)).status).toBe(200);
  expect((await agents(`${token.slice(0, -2)}xx`)).status).toBe(401);
  app.clock.advance(11 * 60_000);
  expect((await agents(token)).status).toBe(401);
});

test("the terminal and a bootstrap token set later act as an administrator of the organization that operates all", async () => {
  const own = await createTestApp();
  await own.createNeighbour();
  const { body: roles } = await own.send("GET", "/api/v1/roles/");
  const roleOf = (name: string) => roles.items.find((role: { name: string }) => role.name === name).id;
  await own.send("POST", "/api/v1/users/", { email: "viewer@example.com", role_id: roleOf("Viewer") });
  const person = await signedInSend(own, own.admin);
  await person("POST", "/api/v1/users/", { email: "second@example.com", role_id: roleOf("Admin") });
  expect((await own.send("DELETE", "/api/v1/users/delete_account")).status).toBe(200);

  const later = newToken();
  const options = { email: "unused@example.com", token: later };
  expect(await bootstrap(own, options, async () => {})).toBe(null);
  for (const token of [later, localToken(own.vault, own.clock.now())]) {
    const { body } = await own.sendAs(token)("GET", "/api/console/me");
    expect(body).toMatchObject({ email: "second@example.com", organization_id: own.admin.organization_id });
  }
});

test.each([
  [{ expires_at: "2020-01-01T00:00:00Z" }, 400],
  [{ expires_at: "2099-01-01T00:00:00Z" }, 400],
  [{ expires_at: "tomorrow" }, 422],
  [{ name: "" }, 422],
])("%j is refused", async (more, status) => {
  expect((await app.send("POST", "/api/v1/api_tokens/", { name: "x", ...more })).status).toBe(status);
});

test("behind a proxy, the address in X-Forwarded-For is the caller's; without one it is anybody's claim", async () => {
  const behind = await createTestApp({ TRUST_PROXY: "1" });
  for (const [of, expected] of [
    [behind, "203.0.113.7"],
    [app, "127.0.0.1"],
  ] as const) {
    const body = { name: `Forwarded ${expected}`, description: "" };
    await of.send("POST", "/api/v1/services/", body, { "x-forwarded-for": "198.51.100.1, 203.0.113.7" });
    const entry = await of.db
      .selectFrom("audit_entries")
      .select("address")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirstOrThrow();
    expect(entry.address).toBe(expected);
  }
});
