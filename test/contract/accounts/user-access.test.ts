import { beforeAll, describe, expect, test } from "vitest";
import type { WelcomeMail } from "../../../src/accounts/welcome-mail.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { signedInSend } from "../../harness/signed-in-send.ts";

const PATH = "/api/v1/users/";

let app: TestApp;
let roles: Record<string, number>;
const sent: WelcomeMail[] = [];

beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL: "https://parley.example" }, undefined, {
    sendMail: async (mail) => void sent.push(mail),
  });
  const { body } = await app.send("GET", "/api/v1/roles/");
  roles = Object.fromEntries(body.items.map((role: { name: string; id: number }) => [role.name, role.id]));
});

let counter = 0;
const address = () => `person${++counter}@example.com`;
const create = async (more: object = {}) =>
  (await app.send("POST", PATH, { email: address(), role_id: roles.Viewer, ...more })).body;
const get = async (email: string) => app.send("GET", `${PATH}${encodeURIComponent(email)}`);

describe("how people get in, and who may let them", () => {
  test("the link of the mail signs in once and sets the password; then the user is active", async () => {
    const { email } = await create();
    const code = /code=(\w+)/.exec(sent.at(-1)?.text ?? "")?.[1];
    const use = () =>
      app.sendAs(null)("POST", "/api/console/one-time-code", { code, password: "correct horse battery" });
    expect((await use()).status).toBe(200);
    expect((await use()).status).toBe(401);
    expect((await get(email)).body).toMatchObject({
      activity_status: "active",
      last_session_at: expect.any(String),
    });
    const signIn = await app.sendAs(null)("POST", "/api/console/sign-in", {
      email: ` ${email.toUpperCase()} `,
      password: "correct horse battery",
    });
    expect(signIn.status).toBe(200);
  });

  test("a link whose use fails halfway is as good as before, and so is the password", async () => {
    const { email } = await create();
    const { sign_in_link } = (await app.send("POST", `${PATH}${email}/sign_in_link`)).body;
    const use = () =>
      app.sendAs(null)("POST", "/api/console/one-time-code", {
        code: sign_in_link.split("code=")[1],
        password: "correct horse battery",
      });
    const { pool } = app.database;
    await pool.query("alter table sign_ins add constraint no_sign_in check (false) not valid");
    expect((await use()).status).toBe(500);
    await pool.query("alter table sign_ins drop constraint no_sign_in");
    const signIn = () =>
      app.sendAs(null)("POST", "/api/console/sign-in", { email, password: "correct horse battery" });
    expect((await signIn()).status).toBe(401);
    expect((await use()).status).toBe(200);
    expect((await signIn()).status).toBe(200);
  });

  test("a sign-in leaves nothing of the person's earlier ones that are over", async () => {
    const { email, id } = await create();
    const code = /code=(\w+)/.exec(sent.at(-1)?.text ?? "")?.[1];
    const password = "correct horse battery";
    await app.sendAs(null)("POST", "/api/console/one-time-code", { code, password });
    const rows = async () =>
      (await app.db.selectFrom("sign_ins").select("expires_at").where("user_id", "=", id).execute()).length;
    expect(await rows()).toBe(1);
    app.clock.advance(12 * 3_600_000);
    await app.sendAs(null)("POST", "/api/console/sign-in", { email, password });
    expect(await rows()).toBe(1);
  });

  test("the last administrator can neither leave, nor be deleted, nor lose the role", async () => {
    const neighbour = await app.createNeighbour();
    const email = "neighbour@example.org";
    const viewer = (
      await neighbour.send("GET", "/api/v1/roles/?search_fields=name&search_field_values=Viewer")
    ).body.items[0].id;
    for (const answer of [
      await neighbour.send("DELETE", `${PATH}delete_account`),
      await neighbour.send("DELETE", PATH, { email, reason: "x" }),
      await neighbour.send("PUT", PATH, { email, role_id: viewer }),
    ]) {
      expect(answer).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining("last administrator") },
      });
    }
  });

  test("where others are administrators until a token ends only, the refusal says so", async () => {
    const neighbour = await app.createNeighbour();
    const person = await signedInSend(app, neighbour.caller);
    const admin = (await person("GET", "/api/v1/roles/?search_fields=name&search_field_values=Admin")).body
      .items[0].id;
    const expires_at = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
    const token = await person("POST", "/api/v1/api_tokens/", { name: "an hour", expires_at });
    const added = await app.sendAs(token.body.token)("POST", PATH, {
      email: "hour@example.org",
      role_id: admin,
    });
    expect(added.status).toBe(200);
    expect(await person("DELETE", `${PATH}delete_account`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("is the last permanent administrator") },
    });
  });

  test("an administrator who is not the last can delete the own account, and is out at once", async () => {
    const neighbour = await app.createNeighbour();
    const admin = (await neighbour.send("GET", "/api/v1/roles/?search_fields=name&search_field_values=Admin"))
      .body.items[0].id;
    const person = await signedInSend(app, neighbour.caller);
    await person("POST", PATH, { email: "second@example.org", role_id: admin });
    expect(await neighbour.send("DELETE", `${PATH}delete_account`)).toMatchObject({ status: 200 });
    expect((await neighbour.send("GET", PATH)).status).toBe(401);
  });

  test("the same address may be in another organization, with a password of its own", async () => {
    const { email } = await create();
    const neighbour = await app.createNeighbour();
    const role_id = (await neighbour.send("GET", "/api/v1/roles/")).body.items[0].id;
    await neighbour.send("POST", PATH, { email, role_id });
    const link = (await neighbour.send("POST", `${PATH}${email}/sign_in_link`)).body.sign_in_link;
    await app.sendAs(null)("POST", "/api/console/one-time-code", {
      code: link.split("code=")[1],
      password: "set by the neighbour",
    });
    const signIn = (organization_id?: number) =>
      app.sendAs(null)("POST", "/api/console/sign-in", {
        email,
        password: "set by the neighbour",
        organization_id,
      });
    const cookie = String((await signIn()).headers["set-cookie"]).split(";")[0] ?? "";
    const me = await app.sendAs(null)("GET", "/api/console/me", undefined, { cookie });
    expect(me.body.organization_id).toBe(neighbour.caller.organization_id);
    expect((await signIn(app.admin.organization_id)).status).toBe(401);
    expect((await signIn(neighbour.caller.organization_id)).status).toBe(200);
  });

  test("a write that comes with the console's cookie counts from our own pages only", async () => {
    const link = (await app.send("POST", `${PATH}${app.admin.email}/sign_in_link`)).body.sign_in_link;
    const signedIn = await app.sendAs(null)("POST", "/api/console/one-time-code", {
      code: link.split("code=")[1],
    });
    const cookie = String(signedIn.headers["set-cookie"]).split(";")[0] ?? "";
    const write = (headers: Record<string, string>) =>
      app.sendAs(null)("POST", `${PATH}${app.admin.email}/sign_in_link`, undefined, {
        cookie,
        host: "parley.example",
        ...headers,
      });
    const origin = "https://parley.example";
    expect((await write({ origin })).status).toBe(200);
    // Behind a proxy that rewrites Host, the browser's own word counts.
    expect((await write({ origin, host: "inside:8080", "sec-fetch-site": "same-origin" })).status).toBe(200);
    for (const foreign of ["https://evil.example", "null", "https://parley.example.evil.example"]) {
      expect((await write({ origin: foreign })).status).toBe(403);
      expect((await write({ origin: foreign, "sec-fetch-site": "cross-site" })).status).toBe(403);
    }
  });

  test("nobody gives a role that allows more than they may do, nor acts on a person who may do more", async () => {
    const { email } = await create({ role_id: roles.Admin });
    const keeper = app.sendAs(await app.createToken(["users_read", "users_write", "users_delete"]));
    for (const answer of [
      await keeper("POST", PATH, { email: address(), role_id: roles.Viewer }),
      await keeper("PUT", PATH, { email, role_id: roles.Admin }),
      await keeper("DELETE", PATH, { email, reason: "x" }),
      await keeper("POST", `${PATH}${email}/sign_in_link`),
      // Their token does less than they do, and must not turn into them.
      await keeper("POST", `${PATH}${app.admin.email}/sign_in_link`),
    ]) {
      expect(answer.status).toBe(403);
    }
  });

  test("nobody comes to a mightier role by deleting the one they have", async () => {
    const role = await app.send("POST", "/api/v1/roles/", {
      name: "Role keeper",
      permissions: ["roles_read", "roles_write", "roles_delete"],
    });
    await create({ role_id: role.body.id });
    const keeper = app.sendAs(await app.createToken(["roles_read", "roles_write", "roles_delete"]));
    const url = `/api/v1/roles/${role.body.id}?reason=x&new_role_id=`;
    expect((await keeper("DELETE", `${url}${roles.Admin}`)).status).toBe(403);
    expect((await app.send("DELETE", `${url}${roles.Viewer}`)).status).toBe(200);
  });
});

describe("without a way to send mail", () => {
  test("nobody counts as invited until a link is made for handing over", async () => {
    const bare = await createTestApp({ PUBLIC_URL: "https://parley.example" });
    const role = (await bare.send("GET", "/api/v1/roles/?search_fields=name&search_field_values=Viewer")).body
      .items[0].id;
    const email = "ann@example.com";
    const made = await bare.send("POST", PATH, { email, role_id: role });
    expect(made.body).toMatchObject({ email_sent: false, activity_status: "not_invited" });
    expect(await bare.send("POST", `${PATH}${email}/send_email`)).toMatchObject({
      status: 501,
      body: { detail: expect.stringContaining("sign_in_link") },
    });
    expect(await bare.send("POST", `${PATH}nobody@example.com/send_email`)).toMatchObject({
      status: 404,
      body: { detail: "User with ID nobody@example.com not found" },
    });
    const first = (await bare.send("POST", `${PATH}${email}/sign_in_link`)).body;
    expect(first).toEqual({
      sign_in_link: expect.stringMatching(/^https:\/\/parley\.example\/sign-in\?code=\w{40}$/),
      expires_at: "2026-11-19T12:00:00.000Z",
    });
    expect((await bare.send("GET", `${PATH}${email}`)).body).toMatchObject({
      email_sent: false,
      activity_status: "invited",
    });
    const second = (await bare.send("POST", `${PATH}${email}/sign_in_link`)).body;
    const use = (link: string) =>
      bare.sendAs(null)("POST", "/api/console/one-time-code", { code: link.split("code=")[1] });
    expect((await use(first.sign_in_link)).status).toBe(401);
    bare.clock.advance(24 * 3_600_000 + 1);
    expect((await use(second.sign_in_link)).status).toBe(401);
  });
});
