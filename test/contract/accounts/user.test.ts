import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { WelcomeMail } from "../../../src/accounts/welcome-mail.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";
import { waitForLocks } from "../../harness/waiting.ts";

const PATH = "/api/v1/users/";

let app: TestApp;
let roles: Record<string, number>;
const sent: WelcomeMail[] = [];
let mailServerIsDown = false;

beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL: "https://parley.example" }, undefined, {
    async sendMail(mail) {
      if (mailServerIsDown) throw new Error("connection refused");
      sent.push(mail);
    },
  });
  const { body } = await app.send("GET", "/api/v1/roles/");
  roles = Object.fromEntries(body.items.map((role: { name: string; id: number }) => [role.name, role.id]));
});

let counter = 0;
const address = () => `person${++counter}@example.com`;
const create = async (more: object = {}) =>
  (await app.send("POST", PATH, { email: address(), role_id: roles.Viewer, ...more })).body;
const get = async (email: string) => app.send("GET", `${PATH}${encodeURIComponent(email)}`);
const audits = async () =>
  (
    await app.db
      .selectFrom("audit_entries")
      .select(["action", "resource"])
      .where("resource", "=", "users")
      .orderBy("id")
      .execute()
  ).map(({ action }) => action);

describe("users", () => {
  test("a new user answers with every field, and the welcome mail was sent", async () => {
    const email = address();
    const { status, body } = await app.send("POST", PATH, {
      email: email.toUpperCase(),
      first_name: "Ann",
      role_id: roles.Editor,
      utm: { utm_source: "fair" },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      email,
      first_name: "Ann",
      last_name: null,
      role_id: roles.Editor,
      utm: { utm_source: "fair", utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
      last_updated_comments: null,
      id: expect.any(Number),
      role_name: "Editor",
      email_sent: true,
      role_until: "2027-11-18T12:00:00+00:00",
      role_until_token: "First token",
      role_after: null,
      activity_status: "invited",
      last_updated: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      last_session_at: null,
    });
    expect((await get(email)).body).toEqual(body);
    const mail = sent.at(-1);
    expect(mail?.to).toBe(email);
    expect(mail?.text).toContain("https://parley.example/sign-in?code=");
  });

  test("with skip_auth the mail holds no link, only the page to sign in at", async () => {
    await create({ skip_auth: true });
    expect(sent.at(-1)?.text).toContain("https://parley.example/sign-in");
    expect(sent.at(-1)?.text).not.toContain("code=");
  });

  test("a mail server that is down undoes nothing: the user is there, not invited, and can be sent the mail later", async () => {
    mailServerIsDown = true;
    const { email, ...user } = await create();
    expect(user).toMatchObject({ email_sent: false, activity_status: "not_invited" });
    expect((await app.send("POST", `${PATH}${email}/send_email`)).status).toBe(503);
    mailServerIsDown = false;
    expect(await app.send("POST", `${PATH}${email}/send_email?skip_auth=true`)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await get(email)).body).toMatchObject({ email_sent: true, activity_status: "invited" });
  });

  test("an update replaces what may change and nothing else", async () => {
    const { email } = await create({ first_name: "Old", utm: { utm_term: "x" } });
    const updated = await app.send("PUT", PATH, {
      email,
      last_name: "New",
      role_id: roles.Analyst,
      last_updated_comments: "moved",
    });
    expect(updated.body).toMatchObject({
      email,
      first_name: null,
      last_name: "New",
      utm: null,
      role_name: "Analyst",
      last_updated_comments: "moved",
    });
    expect((await get(email)).body).toEqual(updated.body);
  });

  test("deleting frees the address and ends all that the person could get in with", async () => {
    const { email, id } = await create({ role_id: roles.Admin });
    const link = (await app.send("POST", `${PATH}${email}/sign_in_link`)).body.sign_in_link as string;
    const deleted = await app.send("DELETE", PATH, { email, reason: "left" });
    expect(deleted).toMatchObject({ status: 200, body: { success: true } });
    expect((await get(email)).status).toBe(404);
    const code = link.split("code=")[1];
    expect((await app.sendAs(null)("POST", "/api/console/one-time-code", { code })).status).toBe(401);
    const row = await app.db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ deleted_reason: "left", password_hash: null });
    expect((await app.send("POST", PATH, { email, role_id: roles.Viewer })).status).toBe(200);
  });

  test("the API tokens of a deleted user are revoked", async () => {
    const { id, email } = await create();
    const row = { user_id: id, sub_organization_id: app.admin.sub_organization_id };
    await app.db
      .insertInto("api_tokens")
      .values({
        ...row,
        name: "theirs",
        token_hash: "h",
        last_four: "xxxx",
        created_at: "2026-01-01",
        created_by: email,
        expires_at: "2030-01-01",
      })
      .execute();
    await app.send("DELETE", PATH, { email, reason: "left" });
    const tokens = await app.send("GET", "/api/v1/api_tokens/?search_fields=name&search_field_values=theirs");
    expect(tokens.body.items[0].revoked_at).toBe("2026-11-18T12:00:00+00:00");
  });

  test("a neighbour's user and role answer 404 like ones that never were", async () => {
    const { email } = await create();
    const neighbour = await app.createNeighbour();
    const role_id = (await neighbour.send("GET", "/api/v1/roles/")).body.items[0].id;
    for (const [method, url, body] of [
      ["GET", `${PATH}${email}`],
      ["PUT", PATH, { email, role_id }],
      ["DELETE", PATH, { email, reason: "x" }],
      ["POST", `${PATH}${email}/send_email`],
      ["POST", `${PATH}${email}/sign_in_link`],
    ] as const) {
      expect(await neighbour.send(method, url, body), `${method} ${url}`).toMatchObject({
        status: 404,
        body: { detail: `User with ID ${email} not found` },
      });
    }
    expect(await app.send("POST", PATH, { email: address(), role_id })).toMatchObject({
      status: 404,
      body: { detail: `Role with ID ${role_id} not found` },
    });
    expect(await app.send("PUT", PATH, { email, role_id })).toMatchObject({ status: 404 });
  });

  test("an organization with domains only takes people of those", async () => {
    const neighbour = await app.createNeighbour();
    await app.db
      .updateTable("organizations")
      .set({ domains: "clinic.example, @hospital.example" })
      .where("id", "=", neighbour.caller.organization_id)
      .execute();
    const role_id = (await neighbour.send("GET", "/api/v1/roles/")).body.items[0].id;
    const add = async (email: string) => (await neighbour.send("POST", PATH, { email, role_id })).status;
    expect(await add("ann@clinic.example")).toBe(200);
    expect(await add("bob@HOSPITAL.example")).toBe(200);
    expect(await add("eve@elsewhere.example")).toBe(400);
    expect(await add("eve@sub.clinic.example")).toBe(400);
  });

  test.each([
    [{ role_id: 1 }, ["body", "email"], "missing"],
    [{ email: "nobody", role_id: 1 }, ["body", "email"], "value_error"],
    [{ email: "two words@example.com", role_id: 1 }, ["body", "email"], "value_error"],
    [{ email: "a@example.com" }, ["body", "role_id"], "missing"],
    [{ email: "a@example.com", role_id: "x" }, ["body", "role_id"], "int_parsing"],
    [{ email: "a@example.com", role_id: 1, login_type: "magic" }, ["body", "login_type"], "enum"],
    [
      { email: "a@example.com", role_id: 1, utm: { utm_source: "x".repeat(257) } },
      ["body", "utm", "utm_source"],
      "string_too_long",
    ],
    [{ email: "a@example.com", role_id: 1, skip_auth: "yes" }, ["body", "skip_auth"], "bool_type"],
  ])("a body that breaks the contract is refused at its place: %j", async (body, loc, type) => {
    const answer = await app.send("POST", PATH, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc, msg: expect.any(String), type }]);
  });

  test("a delete without a reason, an address that is taken", async () => {
    const { email } = await create();
    expect((await app.send("DELETE", PATH, { email })).body.detail[0]).toMatchObject({
      loc: ["body", "reason"],
      type: "missing",
    });
    expect(await app.send("POST", PATH, { email: email.toUpperCase(), role_id: roles.Viewer })).toMatchObject(
      { status: 400, body: { detail: `There is a user ${email} already.` } },
    );
  });

  test("lists are searched over several columns at once, ordered and paged", async () => {
    for (const [first_name, last_name] of [
      ["Zoe", "Listed"],
      ["Amy", "Listed"],
      ["Listed", "Bee"],
    ]) {
      await create({ first_name, last_name });
    }
    const search = "search_fields=email_first_name_last_name&search_field_values=listed";
    const page = await app.send("GET", `${PATH}?${search}&order_by=first_name&limit=2`);
    expect(page.body).toMatchObject({ page_size: 2, total_pages: 2, total_count: 3 });
    expect(page.body.items.map((user: { first_name: string }) => user.first_name)).toEqual(["Amy", "Listed"]);
    const invited = "search_fields=activity_status&search_field_values=invited";
    const others = await app.send("GET", `${PATH}?${invited}&order_by=activity_status&limit=1000`);
    expect(
      new Set(others.body.items.map((user: { activity_status: string }) => user.activity_status)),
    ).toEqual(new Set(["invited"]));
  });

  test("every change leaves exactly one entry in the audit trail", async () => {
    const before = (await audits()).length;
    const { email } = await create();
    await app.send("PUT", PATH, { email, role_id: roles.Editor });
    await app.send("POST", `${PATH}${email}/send_email`);
    await app.send("POST", `${PATH}${email}/sign_in_link`);
    await app.send("DELETE", PATH, { email, reason: "x" });
    expect((await audits()).slice(before)).toEqual([
      "create",
      "update",
      "send-email",
      "sign-in-link",
      "delete",
    ]);
  });

  test("whoever removes, changes or lets in a person whose role is being changed finds them", async () => {
    const requests = [
      (email: string) => app.send("DELETE", PATH, { email, reason: "left" }),
      (email: string) => app.send("PUT", PATH, { email, role_id: roles.Viewer }),
      (email: string) => app.send("POST", `${PATH}${email}/sign_in_link`),
    ];
    for (const request of requests) {
      const { email } = await create();
      const [answered] = await app.db.transaction().execute(async (tx) => {
        await tx.updateTable("users").set({ role_id: roles.Editor }).where("email", "=", email).execute();
        const answer = request(email);
        await waitForLocks(app.database.pool, 1);
        return [answer];
      });
      expect(await answered).toMatchObject({ status: 200 });
    }
  });

  test("what is accepted comes back as it was sent", async () => {
    const name = fc.option(fc.string({ maxLength: 40, unit: "grapheme" }));
    const utm = fc.option(
      fc.record({
        utm_source: name,
        utm_medium: name,
        utm_campaign: name,
        utm_term: name,
        utm_content: name,
      }),
    );
    await fc.assert(
      fc.asyncProperty(name, name, utm, async (first_name, last_name, tags) => {
        const sentBody = { first_name, last_name, utm: tags };
        const answer = await app.send("POST", PATH, {
          email: address(),
          role_id: roles.Viewer,
          ...sentBody,
        });
        expect(answer.status).toBe(200);
        expect(answer.body).toMatchObject(sentBody);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
