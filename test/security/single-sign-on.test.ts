import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WelcomeMail } from "../../src/accounts/welcome-mail.ts";
import { hashPassword } from "../../src/base/crypto.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import {
  type Accounts,
  type IdentityPeer,
  type Lie,
  startIdentityProvider,
  startLyingProvider,
} from "../harness/identity-provider.ts";
import { signedInSend } from "../harness/signed-in-send.ts";

const SETTINGS = "/api/v1/organizations/single_sign_on";
const OURS = "http://parley.example";
const PASSWORD = "correct horse battery";

let app: TestApp;
let honest: IdentityPeer;
let liar: IdentityPeer;
let lie: Lie = () => ({});
let roles: Record<"viewer" | "editor" | "admin", number>;
const accounts: Accounts = {};
const mails: WelcomeMail[] = [];

beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL: OURS }, undefined, {
    sendMail: async (mail) => void mails.push(mail),
  });
  honest = await startIdentityProvider(`${OURS}/api/console/single-sign-on/callback`, accounts);
  liar = await startLyingProvider(() => lie);
  const made = async (name: string, permissions: string[]) =>
    (await app.send("POST", "/api/v1/roles/", { name, permissions })).body.id;
  const { items } = (await app.send("GET", "/api/v1/roles/?search_fields=name&search_field_values=admin"))
    .body;
  roles = {
    viewer: await made("Reads", ["agents_read", "permissions_read"]),
    editor: await made("Writes", ["agents_read", "agents_write", "permissions_read"]),
    admin: items[0].id,
  };
});
afterAll(async () => {
  await honest.close();
  await liar.close();
});

beforeEach(async () => {
  for (const sub of Object.keys(accounts)) delete accounts[sub];
  lie = () => ({});
  await app.db.deleteFrom("user_identities").execute();
  await app.db.deleteFrom("sign_ins").execute();
  await set();
});

const input = () => ({
  name: "Acme ID",
  issuer: honest.issuer,
  client_id: "parley",
  client_secret: "s3cret",
  domains: ["acme.example"],
  roles: [
    { group: "writers", role_id: roles.editor },
    { group: "staff", role_id: roles.viewer },
  ],
});
const set = async (more: object = {}) => {
  const answer = await app.send("PUT", SETTINGS, { ...input(), ...more });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

/** A browser: it keeps the cookies of each site, and follows where it is sent, between the provider and the program. */
async function signInAs(email: string | null, { tamper = (url: URL) => url, wait_ms = 0 } = {}) {
  const jar = new Map<string, Map<string, string>>();
  const query = new URLSearchParams({ organization_id: String(app.admin.organization_id) });
  if (email) query.set("email", email);
  let at = new URL(`${OURS}/api/console/single-sign-on/start?${query}`);
  for (let steps = 0; steps < 12; steps++) {
    const cookies = jar.get(at.origin) ?? new Map<string, string>();
    jar.set(at.origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const isOurs = at.origin === OURS;
    if (isOurs && at.pathname.endsWith("/callback")) {
      app.clock.advance(wait_ms);
      at = tamper(at);
    }
    const answer = isOurs
      ? await app.api.server.inject({ method: "GET", url: at.pathname + at.search, headers: { cookie } })
      : await fetch(at, { headers: { cookie }, redirect: "manual" });
    const [status, location, set] =
      answer instanceof Response
        ? [answer.status, answer.headers.get("location"), answer.headers.getSetCookie()]
        : [answer.statusCode, answer.headers.location, [answer.headers["set-cookie"] ?? []].flat()];
    for (const one of set) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      cookies.set(name, value);
    }
    if (status >= 300 && status < 400 && location) {
      at = new URL(String(location), at);
      if (at.pathname === "/sign-in") return { problem: at.searchParams.get("single_sign_on"), me: null };
      continue;
    }
    const me = await app.sendAs(null)("GET", "/api/console/me", undefined, {
      cookie: `parley_sign_in=${cookies.get("parley_sign_in")}`,
    });
    return { problem: null, me: me.status === 200 ? me.body : null, status };
  }
  throw new Error(`sent around without an end, last to ${at}`);
}

const known = (sub: string, more: object = {}) => {
  accounts[sub] = { email: `${sub}@acme.example`, email_verified: true, groups: ["staff"], ...more };
};

describe("with a certified provider", () => {
  test("somebody new gets in with the role of the first line whose group they have, and is in the trail", async () => {
    known("new", { groups: ["staff", "writers"], given_name: "Nora" });
    const { me } = await signInAs("new@acme.example");
    expect(me).toMatchObject({ email: "new@acme.example", needs_second_factor: false });
    expect(me.permissions.toSorted()).toEqual(["agents_read", "agents_write", "permissions_read"]);
    const { items } = (await app.send("GET", "/api/v1/audit_entries/?limit=2")).body;
    expect(items.map(({ action, actor }: Record<string, string>) => [action, actor])).toEqual([
      ["sign-in", "new@acme.example"],
      ["create", "new@acme.example"],
    ]);
  });

  test("a role follows the groups at each sign-in, and without a group that gives one nobody gets in", async () => {
    known("moves");
    expect((await signInAs("moves@acme.example")).me.permissions).not.toContain("agents_write");
    accounts.moves = { ...accounts.moves, groups: ["writers"] };
    expect((await signInAs("moves@acme.example")).me.permissions).toContain("agents_write");
    accounts.moves = { ...accounts.moves, groups: ["others"] };
    expect(await signInAs("moves@acme.example")).toEqual({ problem: "no-role", me: null });
    await set({ default_role_id: roles.viewer });
    expect((await signInAs("moves@acme.example")).me.permissions).not.toContain("agents_write");
  });

  test("a role that sign-ins give can't be deleted, and one that was deleted is given to nobody", async () => {
    const permissions = ["agents_read", "agents_delete", "permissions_read"];
    const { id } = (await app.send("POST", "/api/v1/roles/", { name: "Clears", permissions })).body;
    const remove = () => app.send("DELETE", `/api/v1/roles/${id}?reason=test&new_role_id=${roles.viewer}`);
    const line = { group: "cleaners", role_id: id };
    for (const given of [{ roles: [line] }, { roles: [], default_role_id: id }]) {
      await set(given);
      expect(await remove()).toMatchObject({
        status: 400,
        body: { detail: 'Cannot delete role "Clears" while it is used by single sign-on "Acme ID".' },
      });
    }
    const staff = { group: "staff", role_id: roles.viewer };
    await set({ roles: [line, staff] });
    known("clears", { groups: ["cleaners"] });
    expect((await signInAs("clears@acme.example")).me.permissions).toContain("agents_delete");
    const at = app.clock.now().toISOString();
    await app.db.updateTable("roles").set({ deleted_at: at }).where("id", "=", id).execute();
    expect(await signInAs("clears@acme.example")).toEqual({ problem: "no-role", me: null });
    await set({ roles: [staff] });
    await app.db.updateTable("roles").set({ deleted_at: null }).where("id", "=", id).execute();
    expect((await remove()).status).toBe(200);
  });

  test("whoever has a place already keeps it by the subject, also under a new address; nobody gets another's", async () => {
    await app.send("POST", "/api/v1/users/", { email: "old@acme.example", role_id: roles.viewer });
    known("old");
    expect((await signInAs("old@acme.example")).me.email).toBe("old@acme.example");
    accounts.old = { ...accounts.old, email: "renamed@acme.example" };
    expect((await signInAs("renamed@acme.example")).me.email).toBe("old@acme.example");
    accounts.heir = { email: "old@acme.example", email_verified: true, groups: ["writers"] };
    accounts.old = { ...accounts.old, email: "gone@acme.example" };
    expect(await signInAs("old@acme.example")).toEqual({ problem: "other-address", me: null });
  });

  test.each([
    ["an address that is not verified", { email_verified: false }, "no-address"],
    ["an address of another domain", { email: "who@elsewhere.example" }, "no-address"],
  ])("%s gets nobody in", async (_what, more, problem) => {
    known("who", more);
    const email = String(accounts.who?.email);
    expect(await signInAs(email)).toEqual({ problem, me: null });
  });

  test("cancelling, another browser's answer and one that took too long end at the sign-in page", async () => {
    known("slow");
    expect(await signInAs(null)).toEqual({ problem: "cancelled", me: null });
    expect(await signInAs("slow@acme.example", { wait_ms: 601_000 })).toEqual({
      problem: "too-old",
      me: null,
    });
    const other = (url: URL) => {
      url.searchParams.set("state", "of-another-browser");
      return url;
    };
    expect(await signInAs("slow@acme.example", { tamper: other })).toEqual({ problem: "refused", me: null });
  });

  test("a person of another sub-organization keeps the role they have there", async () => {
    const { organization_id } = app.admin;
    const other = await app.db
      .insertInto("sub_organizations")
      .values({ organization_id, name: "Branch", created_at: app.clock.now().toISOString() })
      .returning("id")
      .executeTakeFirstOrThrow();
    const role = await app.db
      .selectFrom("roles")
      .selectAll()
      .where("id", "=", roles.viewer)
      .executeTakeFirstOrThrow();
    const { id: _own, ...copied } = role;
    const there = await app.db
      .insertInto("roles")
      .values({ ...copied, sub_organization_id: other.id } as never)
      .returning("id")
      .executeTakeFirstOrThrow();
    await app.send("POST", "/api/v1/users/", { email: "branch@acme.example", role_id: roles.viewer });
    await app.db
      .updateTable("users")
      .set({ sub_organization_id: other.id, role_id: there.id })
      .where("email", "=", "branch@acme.example")
      .execute();
    known("branch", { groups: ["writers"] });
    expect((await signInAs("branch@acme.example")).me).toMatchObject({ sub_organization_id: other.id });
    const after = await app.db
      .selectFrom("users")
      .select("role_id")
      .where("email", "=", "branch@acme.example")
      .execute();
    expect(after).toEqual([{ role_id: there.id }]);
  });

  test("the last administrator stays one, whatever the groups say", async () => {
    await app.db
      .updateTable("users")
      .set({ email: "boss@acme.example" })
      .where("id", "=", app.admin.user_id)
      .execute();
    known("boss");
    expect((await signInAs("boss@acme.example")).me.permissions).toContain("roles_write");
  });
});

describe("a provider that lies", () => {
  beforeEach(() => set({ issuer: liar.issuer }));

  test("and does not, signs in", async () => {
    expect((await signInAs("ada@acme.example")).me).toMatchObject({ email: "ada@acme.example" });
  });

  test.each<[string, Lie]>([
    ["of another issuer", () => ({ claims: { iss: "https://evil.example" } })],
    ["for another audience", () => ({ claims: { aud: "somebody-else" } })],
    ["with another sign-in's nonce", () => ({ claims: { nonce: "replayed" } })],
    ["that ended an hour ago", (_honest, now) => ({ claims: { iat: now - 7200, exp: now - 3600 } })],
    ["that counts from tomorrow on", (_honest, now) => ({ claims: { nbf: now + 86_400 } })],
    ["signed with a foreign key", () => ({ foreignKey: true })],
    ["without an end", () => ({ claims: { exp: undefined } })],
    ["in place of which an error comes", () => ({ status: 500 })],
  ])("a token %s gets nobody in, and the log says why", async (_what, told) => {
    lie = told;
    expect(await signInAs("ada@acme.example")).toEqual({ problem: "refused", me: null });
    expect(app.logged.at(-2)).toMatch(/single sign-on failed/);
  });
});

test("a test of the settings says whether the provider answers, as whom, and what is wrong", async () => {
  expect((await app.send("POST", `${SETTINGS}/test`)).body).toEqual({ ok: true, problem: null });
  lie = () => ({ issuer: "https://evil.example" });
  await set({ issuer: liar.issuer });
  const other = await app.send("POST", `${SETTINGS}/test`);
  expect(other.body.ok).toBe(false);
  await set({ issuer: "http://127.0.0.1:1/down" });
  const down = await app.send("POST", `${SETTINGS}/test`);
  expect(down.body).toMatchObject({ ok: false, problem: expect.stringMatching(/127\.0\.0\.1/) });
  expect(await signInAs("ada@acme.example")).toEqual({ problem: "unreachable", me: null });
});

test.each<[string, string, () => Promise<unknown>]>([
  ["was removed", "unknown", () => app.send("DELETE", SETTINGS)],
  ["was replaced by another", "refused", () => set()],
  ["has lost the domain", "no-address", () => set({ issuer: liar.issuer, domains: ["other.example"] })],
])("an identity provider that %s while it answered signs nobody in", async (_what, problem, meanwhile) => {
  await set({ issuer: liar.issuer });
  const people = async () => (await app.send("GET", "/api/v1/users/")).body.total;
  lie = () => ({ meanwhile, claims: { sub: "late", email: "late@acme.example" } });
  const before = await people();
  expect(await signInAs("late@acme.example")).toEqual({ problem, me: null });
  expect(await people()).toBe(before);
});

describe("enforced", () => {
  const password = async (email: string) => {
    const payload = { email, password: PASSWORD };
    const answer = await app.api.server.inject({ method: "POST", url: "/api/console/sign-in", payload });
    return answer.json();
  };
  beforeEach(async () => {
    for (const email of ["keeper@acme.example", "other@acme.example"]) {
      await app.send("POST", "/api/v1/users/", { email, role_id: roles.viewer });
      const password_hash = await hashPassword(PASSWORD);
      await app.db.updateTable("users").set({ password_hash }).where("email", "=", email).execute();
    }
  });

  test("passwords and links are refused, but for those who are named for a day without the provider", async () => {
    const enforced = { is_enforced: true, break_glass: ["keeper@acme.example"] };
    expect(await password("other@acme.example")).toEqual({ signed_in: true });
    const { sign_in_link } = (await app.send("POST", "/api/v1/users/other@acme.example/sign_in_link")).body;
    await set(enforced);
    expect((await password("other@acme.example")).detail).toMatch(/signs in with Acme ID/);
    expect(await password("keeper@acme.example")).toEqual({ signed_in: true });
    const code = new URL(sign_in_link).searchParams.get("code");
    const payload = { code, password: "another good password" };
    const link = await app.api.server.inject({ method: "POST", url: "/api/console/one-time-code", payload });
    expect(link.json().detail).toMatch(/signs in with Acme ID/);
    const open = await app.db
      .selectFrom("sign_ins as s")
      .innerJoin("users as u", "u.id", "s.user_id")
      .select("u.email")
      .where("u.email", "=", "other@acme.example")
      .execute();
    expect(open).toEqual([]);
    await set({ is_enforced: false });
    expect(await password("other@acme.example")).toEqual({ signed_in: true });
  });

  test("nobody is given or mailed a link that would be refused, and who is invited reads how to sign in", async () => {
    await set({ is_enforced: true, break_glass: ["keeper@acme.example"] });
    const link = (email: string) => app.send("POST", `/api/v1/users/${email}/sign_in_link`);
    expect(await link("other@acme.example")).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("signs in with Acme ID") },
    });
    expect((await link("keeper@acme.example")).status).toBe(200);
    const email = "invited@acme.example";
    expect((await app.send("POST", "/api/v1/users/", { email, role_id: roles.viewer })).status).toBe(200);
    const { text } = mails.find(({ to }) => to === email) as WelcomeMail;
    expect(text).not.toContain("code=");
    expect(text).toContain("choose “Sign in with your organization”");
  });

  test("who asks for a new password is mailed how to sign in, and a link only if they may use one", async () => {
    await set({ is_enforced: true, break_glass: ["keeper@acme.example"] });
    const job = app.jobs.find((one) => one.job.name === "mail-password-reset");
    const mailed = async (email: string) => {
      await job?.run({ email, address: null, request_id: null }, {} as never);
      return mails.findLast(({ to }) => to === email)?.text;
    };
    const other = await mailed("other@acme.example");
    expect(other).toContain("choose “Sign in with your organization”");
    expect(other).not.toContain("code=");
    expect(await mailed("keeper@acme.example")).toMatch(/sign-in\?code=\w+&reset/);
  });

  test("nobody shuts everybody out: a password stays good for somebody, and one has got in by the provider", async () => {
    const nobody = await app.send("PUT", SETTINGS, { ...input(), is_enforced: true });
    const at = { loc: ["body", "break_glass"] };
    expect(nobody.body.detail).toMatchObject([{ ...at, msg: expect.stringMatching(/Name somebody/) }]);
    const signedIn = await signedInSend(app, app.admin);
    const body = { ...input(), is_enforced: true, break_glass: ["keeper@acme.example"] };
    expect((await signedIn("PUT", SETTINGS, body)).body.detail).toMatchObject([
      { ...at, msg: expect.stringMatching(/This would sign you out/) },
    ]);
  });

  test("the last who may sign in without the provider is not deleted while it is required", async () => {
    const remove = (email: string) => app.send("DELETE", "/api/v1/users/", { email, reason: "test" });
    const both = ["keeper@acme.example", "other@acme.example"];
    await set({ is_enforced: true, break_glass: both });
    expect((await remove("other@acme.example")).status).toBe(200);
    expect(await remove("keeper@acme.example")).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("is the last who may sign in without Acme ID") },
    });
    await set({ is_enforced: false, break_glass: both });
    expect((await remove("keeper@acme.example")).status).toBe(200);
  });
});

test("who may do less than somebody of the organization sets no provider that would let them in as that person", async () => {
  const { user_id, sub_organization_id } = app.admin;
  const administrator = app.db
    .updateTable("users")
    .set({ email: "boss@acme.example" })
    .where("id", "=", user_id);
  await administrator.execute();
  const theirs = { ...input(), issuer: liar.issuer, roles: [], default_role_id: roles.viewer };
  const narrow = ["organizations_read", "organizations_write", "agents_read", "permissions_read"];
  const byToken = app.sendAs(await app.createToken(narrow));
  const role_id = (await app.send("POST", "/api/v1/roles/", { name: "Office", permissions: narrow })).body.id;
  const { id } = await app.db
    .insertInto("users")
    .values({
      email: "office@acme.example",
      sub_organization_id,
      role_id,
      skip_auth: true,
      login_type: "username_and_password",
      last_updated: app.clock.now().toISOString(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const signedIn = await signedInSend(app, { ...app.admin, user_id: id });
  for (const send of [byToken, signedIn]) {
    const refused = await send("PUT", SETTINGS, theirs);
    expect(refused).toMatchObject({
      status: 403,
      body: { detail: expect.stringMatching(/may do more than you/) },
    });
  }
  expect((await app.send("GET", SETTINGS)).body).toMatchObject({ issuer: honest.issuer });
});

test("a domain leads to one organization, a role that the caller may not give is refused, and the secret is never shown", async () => {
  const shown = await set();
  expect(JSON.stringify(shown)).not.toContain("s3cret");
  expect(shown).toMatchObject({ has_client_secret: true, is_set: true });
  const neighbour = await app.createNeighbour();
  const mine = { ...input(), roles: [], issuer: "https://127.0.0.1:1" };
  const taken = await neighbour.send("PUT", SETTINGS, mine);
  expect(taken.body.detail).toEqual([
    expect.objectContaining({
      loc: ["body", "domains", 0],
      msg: "acme.example belongs to another organization",
    }),
  ]);
  expect((await neighbour.send("PUT", SETTINGS, { ...input(), domains: ["b.example"] })).status).toBe(404);
  const { body } = await app.sendAs(null)("POST", "/api/console/single-sign-on", { email: "x@acme.example" });
  expect(body).toMatchObject({ name: "Acme ID", start: expect.stringContaining("organization_id=") });
  await app.send("DELETE", SETTINGS);
  expect(
    (await app.sendAs(null)("POST", "/api/console/single-sign-on", { email: "x@acme.example" })).body,
  ).toEqual({
    start: null,
  });
});
