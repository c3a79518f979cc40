import { beforeAll, beforeEach, expect, test } from "vitest";
import { createOrganization } from "../../src/accounts/bootstrap.ts";
import { recoveryCode } from "../../src/accounts/sign-in/sign-in-code.ts";
import { stepAt, totpCode } from "../../src/accounts/sign-in/totp.ts";
import { createTestApp, type Send, type TestApp } from "../harness/app.ts";
import { fromBase32 } from "../harness/base32.ts";
import { signedInSend } from "../harness/signed-in-send.ts";

const PASSWORD = "correct horse battery";
const ACCOUNT = "/api/console/account";
const FACTOR = `${ACCOUNT}/second-factor`;

let app: TestApp;
let person: { email: string; user_id: number };
let key: Buffer;
let recovery: string[];
let mine: string;
let nth = 0;

const asCookie =
  (cookie: string): Send =>
  (method, url, body) =>
    app.sendAs(null)(method, url, body, { cookie });
const me: Send = (method, url, body) => asCookie(mine)(method, url, body);

async function post(url: string, payload: object, address = "198.51.100.1") {
  const answer = await app.api.server.inject({ method: "POST", url, payload, remoteAddress: address });
  const cookie = answer.cookies.find(({ name }) => name === "parley_sign_in");
  return {
    status: answer.statusCode,
    body: answer.json(),
    cookie: cookie ? `parley_sign_in=${cookie.value}` : null,
  };
}
const signIn = (second_factor: string | null, more: { password?: string; address?: string } = {}) =>
  post(
    "/api/console/sign-in",
    { email: person.email, password: more.password ?? PASSWORD, second_factor },
    more.address,
  );
const appCode = (off = 0) => totpCode(key, stepAt(app.clock.now()) + off);
/** Codes are taken once, so each use has a moment of its own. */
const freshCode = () => {
  app.clock.advance(60_000);
  return appCode();
};

async function linkFor(email: string): Promise<string> {
  const admin = await signedInSend(app, app.admin);
  const { body } = await admin("POST", `/api/v1/users/${email}/sign_in_link`);
  return body.sign_in_link.split("code=")[1];
}

beforeAll(async () => {
  app = await createTestApp();
});

/** Somebody new with a password and a second factor, signed in. */
beforeEach(async () => {
  app.clock.advance(3_600_000);
  const admin = await signedInSend(app, app.admin);
  const roles = await admin("GET", "/api/v1/roles/?search_fields=name&search_field_values=admin");
  const email = `person-${nth++}@example.com`;
  const added = await admin("POST", "/api/v1/users/", { email, role_id: roles.body.items[0].id });
  person = { email, user_id: added.body.id };
  const entered = await post("/api/console/one-time-code", {
    code: await linkFor(email),
    password: PASSWORD,
  });
  mine = entered.cookie ?? "";
  const begun = await me("POST", FACTOR, { password: PASSWORD });
  expect(begun.status).toBe(200);
  key = fromBase32(begun.body.key);
  const confirmed = await me("POST", `${FACTOR}/confirm`, { code: appCode() });
  expect(confirmed.status).toBe(200);
  recovery = confirmed.body.recovery_codes;
});

test("with a second factor, a password alone signs nobody in; a code of the app does, once", async () => {
  const asked = await signIn(null);
  expect(asked).toMatchObject({
    status: 200,
    body: { signed_in: false, second_factor: "needed" },
    cookie: null,
  });
  expect((await signIn(appCode())).status).toBe(401); // It confirmed the key.
  const code = freshCode();
  expect((await signIn(code)).cookie).not.toBeNull();
  expect((await signIn(code)).status).toBe(401);
  expect((await signIn(appCode(-1))).status).toBe(401);
});

test("of nine sign-ins at once with the same code, one succeeds", async () => {
  const code = freshCode();
  const answers = await Promise.all(Array.from({ length: 9 }, () => signIn(code)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test("a recovery code works once, with or without its dashes; ten are given and stored as digests", async () => {
  const [first = "", second = ""] = recovery;
  expect(recovery).toHaveLength(10);
  expect((await signIn(first)).status).toBe(200);
  expect((await signIn(first)).status).toBe(401);
  expect((await signIn(second.replaceAll("-", "").toLowerCase())).status).toBe(200);
  expect((await me("GET", ACCOUNT)).body.recovery_codes_left).toBe(8);
  const stored = JSON.stringify([
    await app.db.selectFrom("recovery_codes").selectAll().execute(),
    await app.db.selectFrom("second_factors").selectAll().execute(),
    await app.db.selectFrom("audit_entries").selectAll().execute(),
  ]);
  for (const code of recovery) expect(stored).not.toContain(code.replaceAll("-", ""));
  expect(stored).not.toContain(key.toString("base64"));
});

test("who has the password has ten tries at the code an hour, from however many addresses", async () => {
  app.clock.advance(60_000);
  const tries = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      signIn(totpCode(Buffer.from("other"), n), { address: `203.0.113.${n}` }),
    ),
  );
  expect(tries.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(tries.filter(({ status }) => status === 429)).toHaveLength(30);
  expect((await signIn(appCode(), { address: "192.0.2.7" })).status).toBe(429);
  app.clock.advance(3_600_000);
  expect((await signIn(appCode(), { address: "192.0.2.7" })).status).toBe(200);
});

test("a code beside a wrong password is not even compared", async () => {
  const code = freshCode();
  expect((await signIn(code, { password: "wrong" })).status).toBe(401);
  expect((await signIn(code)).status).toBe(200);
});

test("a sign-in link is one factor, and is not spent by a code that is missing or wrong", async () => {
  const code = await linkFor(person.email);
  const use = (second_factor?: string) => post("/api/console/one-time-code", { code, second_factor });
  expect((await use()).body).toEqual({ signed_in: false, second_factor: "needed" });
  expect((await use("000000")).status).toBe(401);
  expect((await use(freshCode())).cookie).not.toBeNull();
  expect((await use(freshCode())).status).toBe(401);
});

test("the recovery link of the machine removes the second factor of the first administrator", async () => {
  const boss = await signedInSend(app, app.admin);
  const code = await linkFor(app.admin.email);
  await post("/api/console/one-time-code", { code, password: PASSWORD });
  const admin = await signedInSend(app, app.admin);
  expect((await boss("GET", ACCOUNT)).status).toBe(401);
  const begun = await admin("POST", FACTOR, { password: PASSWORD });
  key = fromBase32(begun.body.key);
  expect((await admin("POST", `${FACTOR}/confirm`, { code: appCode() })).status).toBe(200);
  const way = recoveryCode(app.vault, app.clock.now());
  const back = await post("/api/console/one-time-code", { code: way });
  expect(back.cookie).not.toBeNull();
  expect((await asCookie(back.cookie ?? "")("GET", ACCOUNT)).body.has_second_factor).toBe(false);
});

test("setting up asks for the password, removing for password and code; a stolen sign-in does neither", async () => {
  expect((await me("POST", FACTOR, { password: "wrong" })).status).toBe(400);
  expect((await me("POST", FACTOR, { password: PASSWORD })).status).toBe(400); // There is one.
  const remove = (password: string, code: string) => me("POST", `${FACTOR}/remove`, { password, code });
  expect((await remove("wrong", freshCode())).status).toBe(400);
  expect((await remove(PASSWORD, "000000")).status).toBe(400);
  expect((await me("GET", ACCOUNT)).body.has_second_factor).toBe(true);
  expect((await remove(PASSWORD, freshCode())).status).toBe(200);
  expect((await signIn(null)).cookie).not.toBeNull();
});

test("a token and what it made change nothing of an account", async () => {
  const token = await me("POST", "/api/v1/api_tokens/", { name: "program" });
  const headers = { "service-api-key": token.body.token, cookie: mine };
  for (const [url, body] of [
    [FACTOR, { password: PASSWORD }],
    [`${FACTOR}/remove`, { password: PASSWORD, code: freshCode() }],
    [`${ACCOUNT}/password`, { password: PASSWORD, new_password: "another long one" }],
    [`${ACCOUNT}/end-sign-ins`, {}],
    [`/api/console/people/${app.admin.email}/second-factor/remove`, undefined],
  ] as const)
    expect((await app.sendAs(null)("POST", url, body, headers)).status, url).toBe(403);
});

test("an administrator removes somebody's second factor, which the audit trail tells; nobody else does, nor of a neighbour", async () => {
  const admin = await signedInSend(app, app.admin);
  const at = `/api/console/people/${person.email}/second-factor`;
  expect((await admin("GET", at)).body).toEqual({ has_second_factor: true });
  expect((await me("POST", `${at}/remove`)).status).toBe(400);
  const neighbour = await signedInSend(
    app,
    await app.db
      .transaction()
      .execute((tx) =>
        createOrganization(tx, app.clock, { display_name: "Next door", email: "boss@example.net" }),
      ),
  );
  expect((await neighbour("POST", `${at}/remove`)).status).toBe(404);
  expect((await admin("POST", `${at}/remove`)).body).toEqual({ has_second_factor: false });
  expect((await signIn(null)).cookie).not.toBeNull();
  const entries = await app.db
    .selectFrom("audit_entries")
    .select("action")
    .where("resource_id", "=", String(person.user_id))
    .orderBy("id")
    .execute();
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["set-second-factor", "remove-second-factor"]),
  );
});

test("people see their sign-ins, end one or all others, and none of anybody else's", async () => {
  const other = (await signIn(freshCode())).cookie ?? "";
  const third = (await signIn(freshCode())).cookie ?? "";
  const { sign_ins } = (await me("GET", ACCOUNT)).body;
  expect(sign_ins).toHaveLength(3);
  expect(sign_ins.filter((one: { is_this: boolean }) => one.is_this)).toHaveLength(1);
  expect(sign_ins[0]).toMatchObject({ address: "198.51.100.1", is_this: false });
  const admin = await signedInSend(app, app.admin);
  expect((await admin("POST", `${ACCOUNT}/end-sign-ins`, { id: sign_ins[0].id })).status).toBe(404);
  expect((await me("POST", `${ACCOUNT}/end-sign-ins`, { id: sign_ins[0].id })).body).toEqual({ ended: 1 });
  expect((await asCookie(third)("GET", ACCOUNT)).status).toBe(401);
  expect((await asCookie(other)("GET", ACCOUNT)).status).toBe(200);
  expect((await me("POST", `${ACCOUNT}/end-sign-ins`, {})).body).toEqual({ ended: 1 });
  expect((await asCookie(other)("GET", ACCOUNT)).status).toBe(401);
});

test("a new password ends all other sign-ins and the links made before", async () => {
  const other = (await signIn(freshCode())).cookie ?? "";
  const link = await linkFor(person.email);
  const change = (password: string) =>
    me("POST", `${ACCOUNT}/password`, { password, new_password: "another long one" });
  expect((await change("wrong")).status).toBe(400);
  expect((await change(PASSWORD)).body).toEqual({ ended: 1 });
  expect((await asCookie(other)("GET", ACCOUNT)).status).toBe(401);
  expect((await me("GET", ACCOUNT)).status).toBe(200);
  expect((await post("/api/console/one-time-code", { code: link, second_factor: freshCode() })).status).toBe(
    401,
  );
  expect((await signIn(freshCode())).status).toBe(401);
  expect((await signIn(freshCode(), { password: "another long one" })).status).toBe(200);
});
