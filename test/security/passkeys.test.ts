import { beforeAll, beforeEach, expect, test } from "vitest";
import { createOrganization } from "../../src/accounts/bootstrap.ts";
import { stepAt, totpCode } from "../../src/accounts/sign-in/totp.ts";
import { createTestApp, type Send, type TestApp } from "../harness/app.ts";
import { type Authenticator, createAuthenticator } from "../harness/authenticator.ts";
import { fromBase32 } from "../harness/base32.ts";
import { signedInSend } from "../harness/signed-in-send.ts";

const ORIGIN = "https://parley.example.com";
const PASSWORD = "correct horse battery";
const ACCOUNT = "/api/console/account";
const PASSKEYS = `${ACCOUNT}/passkeys`;

let app: TestApp;
let nth = 0;

type Person = { email: string; user_id: number; send: Send; device: Authenticator; recovery: string[] };
let person: Person;

async function post(url: string, payload: object, address = "198.51.100.1") {
  const answer = await app.api.server.inject({ method: "POST", url, payload, remoteAddress: address });
  const cookie = answer.cookies.find(({ name }) => name === "parley_sign_in");
  return {
    status: answer.statusCode,
    body: answer.json(),
    cookie: cookie ? `parley_sign_in=${cookie.value}` : null,
  };
}
const asCookie =
  (cookie: string | null): Send =>
  (method, url, body) =>
    app.sendAs(null)(method, url, body, { cookie: cookie ?? "" });

const options = async () => (await post("/api/console/passkey/begin", {})).body.options;
const use = (passkey: object, address?: string) => post("/api/console/passkey", { passkey }, address);
type Twist = Parameters<Authenticator["answer"]>[1];
const signIn = async (device = person.device, twist?: Twist, address?: string) =>
  use(device.answer(await options(), twist), address);
const byPassword = (more: object = {}, email = person.email) =>
  post("/api/console/sign-in", { email, password: PASSWORD, ...more });

const newDevice = (more?: { counts: boolean }) => createAuthenticator(ORIGIN, more);

/** Makes it and adds it, with a passkey of the person's where one is asked for. */
async function addPasskey(send: Send, device: Authenticator, name: string, factor: object = {}) {
  const begun = await send("POST", `${PASSKEYS}/begin`, { password: PASSWORD, ...factor });
  if (begun.status !== 200 || !begun.body.options) return begun;
  return send("POST", PASSKEYS, { name, made: device.make(begun.body.options) });
}

async function newPerson(): Promise<Person> {
  const admin = await signedInSend(app, app.admin);
  const roles = await admin("GET", "/api/v1/roles/?search_fields=name&search_field_values=admin");
  const email = `person-${nth++}@example.com`;
  const added = await admin("POST", "/api/v1/users/", { email, role_id: roles.body.items[0].id });
  const link = await admin("POST", `/api/v1/users/${email}/sign_in_link`);
  const code = link.body.sign_in_link.split("code=")[1];
  const { cookie } = await post("/api/console/one-time-code", { code, password: PASSWORD });
  const send = asCookie(cookie);
  const device = newDevice();
  const { status, body } = await addPasskey(send, device, "Laptop");
  expect(status, JSON.stringify(body)).toBe(200);
  return { email, user_id: added.body.id, send, device, recovery: body.recovery_codes };
}

const entries = async (action: string, user_id = person.user_id) =>
  app.db
    .selectFrom("audit_entries")
    .select(["after", "address"])
    .where("action", "=", action)
    .where("resource_id", "=", String(user_id))
    .orderBy("id")
    .execute();

beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL: ORIGIN });
});
beforeEach(async () => {
  app.clock.advance(3_600_000);
  person = await newPerson();
});

test("a passkey signs its person in without a password, and says when it was last used", async () => {
  const { cookie } = await signIn();
  const mine = asCookie(cookie);
  expect((await mine("GET", ACCOUNT)).body).toMatchObject({ email: person.email, has_second_factor: true });
  const { passkeys, is_possible } = (await mine("GET", PASSKEYS)).body;
  expect(is_possible).toBe(true);
  expect(passkeys).toMatchObject([
    { name: "Laptop", is_locked: false, last_used_at: expect.stringMatching(/^2026/) },
  ]);
  expect(await entries("add-passkey")).toMatchObject([{ after: { passkey: "Laptop" } }]);
  expect((await entries("sign-in")).at(-1)).toMatchObject({ after: { with: "passkey" } });
});

test("a device that counts nothing signs in again and again", async () => {
  const device = newDevice({ counts: false });
  const asked = await person.send("POST", `${PASSKEYS}/begin`, { password: PASSWORD });
  const passkey = person.device.answer(asked.body.passkey);
  expect((await addPasskey(person.send, device, "Phone", { passkey })).status).toBe(200);
  for (const _ of [1, 2, 3]) expect((await signIn(device)).status).toBe(200);
});

test("with a passkey, a password alone signs nobody in; a passkey or a recovery code beside it does", async () => {
  const asked = await byPassword();
  expect(asked).toMatchObject({
    cookie: null,
    body: { signed_in: false, second_factor: "needed", has_app: false },
  });
  expect(asked.body.passkey.allowCredentials).toMatchObject([{ id: person.device.id }]);
  const passkey = person.device.answer(asked.body.passkey, { userHandle: null });
  expect((await byPassword({ passkey })).cookie).not.toBeNull();
  expect((await byPassword({ passkey })).status).toBe(401);
  expect((await entries("sign-in")).at(-1)).toMatchObject({ after: { second_factor: "passkey" } });
  const [code = ""] = person.recovery;
  expect((await byPassword({ second_factor: code })).cookie).not.toBeNull();
  expect((await byPassword({ second_factor: code })).status).toBe(401);
});

test("a sign-in link asks for the passkey too, and is not spent without it", async () => {
  const admin = await signedInSend(app, app.admin);
  const link = await admin("POST", `/api/v1/users/${person.email}/sign_in_link`);
  const code = link.body.sign_in_link.split("code=")[1];
  const asked = await post("/api/console/one-time-code", { code });
  expect(asked.body).toMatchObject({ signed_in: false, second_factor: "needed" });
  const wrong = newDevice().answer(asked.body.passkey);
  expect((await post("/api/console/one-time-code", { code, passkey: wrong })).status).toBe(401);
  const passkey = person.device.answer(asked.body.passkey);
  expect((await post("/api/console/one-time-code", { code, passkey })).cookie).not.toBeNull();
});

test("an answer is taken once: of nine at once with the same one, one signs in, and none later", async () => {
  const answer = person.device.answer(await options());
  const all = await Promise.all(Array.from({ length: 9 }, () => use(answer)));
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await use(answer)).status).toBe(401);
  expect((await person.send("GET", PASSKEYS)).status).toBe(200);
});

test("an answer for another site, another name, another purpose, or without the device's own check is refused", async () => {
  const twists: [string, Twist][] = [
    ["origin of a false page", { origin: "https://parley.example.com.evil.example" }],
    ["origin without encryption", { origin: "http://parley.example.com" }],
    ["another port", { origin: `${ORIGIN}:8443` }],
    ["another name", { rpId: "example.com" }],
    ["registration", { type: "webauthn.create" }],
    ["nobody checked", { isVerified: false }],
    ["another person's handle", { userHandle: Buffer.from("somebody else").toString("base64url") }],
    ["no handle", { userHandle: null }],
  ];
  for (const [what, twist] of twists) expect((await signIn(person.device, twist)).status, what).toBe(401);
  const real = person.device.answer(await options());
  const { signature } = newDevice().answer(await options()).response;
  expect((await use({ ...real, response: { ...real.response, signature } })).status).toBe(401);
  expect((await entries("sign-in-failed"))[0]).toMatchObject({ after: { with: "passkey", times: 9 } });
  app.clock.advance(3_600_000);
  expect((await signIn()).status).toBe(200);
});

test("a challenge lives five minutes, for one purpose and one person, and can't be made up", async () => {
  const asked = await options();
  app.clock.advance(5 * 60_000);
  expect((await use(person.device.answer(asked))).status).toBe(401);
  const made = Buffer.from(`nonce.${app.clock.now().getTime() + 60_000}.AAAA`).toString("base64url");
  expect((await signIn(person.device, { challenge: made })).status).toBe(401);
  const asFactor = (await byPassword()).body.passkey;
  expect((await use(person.device.answer(asFactor))).status).toBe(401);
  expect((await byPassword({ passkey: person.device.answer(await options()) })).status).toBe(401);
  const other = await newPerson();
  const ofOther = (await byPassword({}, other.email)).body.passkey;
  expect((await byPassword({ passkey: person.device.answer(ofOther) })).status).toBe(401);
  expect((await byPassword({ passkey: person.device.answer(asFactor) })).status).toBe(200);
});

test("another person's passkey is no second factor", async () => {
  const other = await newPerson();
  const { passkey } = (await byPassword()).body;
  expect((await byPassword({ passkey: other.device.answer(passkey) })).status).toBe(401);
});

test("a counter that goes back locks the passkey, for the device and its copy, and the trail says so", async () => {
  expect((await signIn(person.device, { counter: 50 })).status).toBe(200);
  const spare = newDevice();
  const asked = await person.send("POST", `${PASSKEYS}/begin`, { password: PASSWORD });
  expect(asked.status).toBe(200);
  const passkey = person.device.answer(asked.body.passkey, { counter: 51 });
  expect((await addPasskey(person.send, spare, "Spare", { passkey })).status).toBe(200);

  expect((await signIn(person.device, { counter: 51 }, "203.0.113.9")).status).toBe(401);
  expect(await entries("lock-passkey")).toMatchObject([
    { after: { passkey: "Laptop", reason: "its counter went back" }, address: "203.0.113.9" },
  ]);
  expect((await signIn(person.device, { counter: 99 })).status).toBe(401);
  const { passkeys } = (await person.send("GET", PASSKEYS)).body;
  expect(passkeys).toMatchObject([
    { name: "Laptop", is_locked: true },
    { name: "Spare", is_locked: false },
  ]);
  expect((await signIn(spare)).status).toBe(200);
});

test("a locked passkey that is the only one still keeps the password alone out", async () => {
  await signIn(person.device, { counter: 50 });
  await signIn(person.device, { counter: 50 });
  expect((await byPassword()).body).toMatchObject({ signed_in: false, second_factor: "needed" });
  expect((await byPassword({ second_factor: person.recovery[0] })).status).toBe(200);
});

test("ten answers an hour are compared for a person from however many addresses, thirty in five minutes of one address", async () => {
  app.clock.advance(3_600_000);
  const tries = await Promise.all(
    Array.from({ length: 40 }, (_, n) => signIn(person.device, { rpId: "other" }, `203.0.113.${n}`)),
  );
  expect(tries.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(tries.filter(({ status }) => status === 429)).toHaveLength(30);
  expect((await signIn(person.device, {}, "192.0.2.7")).status).toBe(429);
  app.clock.advance(3_600_000);
  expect((await signIn(person.device, {}, "192.0.2.7")).status).toBe(200);

  const strangers = await Promise.all(Array.from({ length: 40 }, () => signIn(newDevice(), {}, "192.0.2.9")));
  expect(strangers.filter(({ status }) => status === 401)).toHaveLength(30);
  expect(strangers.filter(({ status }) => status === 429)).toHaveLength(10);
});

test("adding and removing ask for the password and a second factor; what was begun for one person serves no other", async () => {
  const begin = (body: object) => person.send("POST", `${PASSKEYS}/begin`, body);
  expect((await begin({ password: "wrong" })).status).toBe(400);
  const asked = await begin({ password: PASSWORD });
  expect(asked.body).toMatchObject({ second_factor: "needed" });
  expect(asked.body).not.toHaveProperty("options");
  expect((await begin({ password: PASSWORD, second_factor: "000000" })).status).toBe(400);
  expect((await begin({ password: PASSWORD, passkey: newDevice().answer(asked.body.passkey) })).status).toBe(
    400,
  );

  const begun = await begin({ password: PASSWORD, passkey: person.device.answer(asked.body.passkey) });
  const add = (send: Send, made: object, name = "Key") => send("POST", PASSKEYS, { name, made });
  const other = await newPerson();
  const made = newDevice().make(begun.body.options);
  expect((await add(other.send, made)).status).toBe(400);
  expect(
    (await add(person.send, newDevice().make(begun.body.options, { origin: "https://evil.example" }))).status,
  ).toBe(400);
  expect(
    (await add(person.send, newDevice().make(begun.body.options, { rpId: "evil.example" }))).status,
  ).toBe(400);
  expect((await add(person.send, newDevice().make(begun.body.options, { isVerified: false }))).status).toBe(
    400,
  );
  expect((await add(person.send, made)).body).toEqual({ recovery_codes: null });
  expect((await add(person.send, made)).status).toBe(400);
  expect((await add(person.send, newDevice().make(begun.body.options))).status).toBe(400);

  const [mine] = (await person.send("GET", PASSKEYS)).body.passkeys;
  const at = `${PASSKEYS}/${mine.id}`;
  expect((await other.send("POST", `${at}/rename`, { name: "Mine" })).status).toBe(404);
  const ofOther = await other.send("POST", `${at}/remove`, { password: PASSWORD });
  const proof = { password: PASSWORD, passkey: other.device.answer(ofOther.body.passkey) };
  expect((await other.send("POST", `${at}/remove`, proof)).status).toBe(404);
  expect((await person.send("POST", `${at}/remove`, { password: PASSWORD })).body.second_factor).toBe(
    "needed",
  );
  expect((await person.send("POST", `${at}/rename`, { name: "Old laptop" })).body).toEqual({
    name: "Old laptop",
  });
  const [code] = person.recovery;
  const removed = await person.send("POST", `${at}/remove`, { password: PASSWORD, second_factor: code });
  expect(removed.body).toEqual({ has_second_factor: true });
  expect((await signIn()).status).toBe(401);
  expect(await entries("remove-passkey")).toMatchObject([{ after: { passkey: "Old laptop" } }]);
});

test("without any second factor left, recovery codes are gone and the password signs in again", async () => {
  const [{ id }] = (await person.send("GET", PASSKEYS)).body.passkeys;
  const [second_factor] = person.recovery;
  const removed = await person.send("POST", `${PASSKEYS}/${id}/remove`, {
    password: PASSWORD,
    second_factor,
  });
  expect(removed.body).toEqual({ has_second_factor: false });
  expect((await person.send("GET", ACCOUNT)).body).toMatchObject({ recovery_codes_left: 0 });
  expect((await byPassword()).cookie).not.toBeNull();
});

test("who has a passkey adds an app with a second factor only, and a key begun before the passkey counts for nothing", async () => {
  const factor = `${ACCOUNT}/second-factor`;
  const asked = await person.send("POST", factor, { password: PASSWORD });
  expect(asked.body).toMatchObject({ second_factor: "needed" });
  const passkey = person.device.answer(asked.body.passkey);
  const begun = await person.send("POST", factor, { password: PASSWORD, passkey });
  const code = (off: number) => totpCode(fromBase32(begun.body.key), stepAt(app.clock.now()) + off);
  expect((await person.send("POST", `${factor}/confirm`, { code: code(0) })).status).toBe(200);
  expect((await byPassword({ second_factor: code(1) })).status).toBe(200);
  expect((await byPassword()).body).toMatchObject({ has_app: true, passkey: { rpId: "parley.example.com" } });
  app.clock.advance(60_000);
  const removed = await person.send("POST", `${factor}/remove`, { password: PASSWORD, code: code(0) });
  expect(removed.body).toEqual({ has_second_factor: true });
  expect((await byPassword()).body).toMatchObject({ signed_in: false, has_app: false });

  const late = await newPersonWithout();
  const early = await late.send("POST", factor, { password: PASSWORD });
  expect((await addPasskey(late.send, newDevice(), "Key")).status).toBe(200);
  const key = fromBase32(early.body.key);
  const confirmed = await late.send("POST", `${factor}/confirm`, {
    code: totpCode(key, stepAt(app.clock.now())),
  });
  expect(confirmed.status).toBe(400);
});

async function newPersonWithout() {
  const some = await newPerson();
  const admin = await signedInSend(app, app.admin);
  await admin("POST", `/api/console/people/${some.email}/second-factor/remove`);
  return { ...some, send: asCookie((await byPassword({}, some.email)).cookie) };
}

test("the first passkey ends all other sign-ins of its person", async () => {
  const late = await newPersonWithout();
  const other = asCookie((await byPassword({}, late.email)).cookie);
  expect((await addPasskey(late.send, newDevice(), "Key")).status).toBe(200);
  expect((await other("GET", ACCOUNT)).status).toBe(401);
  expect((await late.send("GET", ACCOUNT)).status).toBe(200);
});

test("a token and what it made add, rename and remove nothing", async () => {
  const token = await person.send("POST", "/api/v1/api_tokens/", { name: "program" });
  const headers = { "service-api-key": token.body.token };
  for (const [url, body] of [
    [`${PASSKEYS}/begin`, { password: PASSWORD }],
    [PASSKEYS, { name: "Key", made: newDevice().make(await options()) }],
    [`${PASSKEYS}/1/rename`, { name: "Key" }],
    [`${PASSKEYS}/1/remove`, { password: PASSWORD }],
  ] as const)
    expect((await app.sendAs(null)("POST", url, body, headers)).status, url).toBe(403);
});

test("a passkey is the second factor that an organization requires", async () => {
  const rules = "/api/v1/organizations/access_rules";
  const mine = asCookie((await signIn()).cookie);
  const late = await newPersonWithout();
  const allowed = { require_second_factor: true, allowed_networks: [] };
  expect((await late.send("PUT", rules, allowed)).status).toBe(400);
  expect((await mine("PUT", rules, allowed)).status).toBe(200);
  expect((await mine("GET", "/api/v1/agents/")).status).toBe(200);
  expect((await late.send("GET", "/api/v1/agents/")).status).toBe(403);
  await addPasskey(late.send, newDevice(), "Key");
  expect((await late.send("GET", "/api/v1/agents/")).status).toBe(200);
  expect((await mine("PUT", rules, { ...allowed, require_second_factor: false })).status).toBe(200);
});

test("an administrator removes passkeys with the second factor; a deleted person's sign nobody in", async () => {
  const admin = await signedInSend(app, app.admin);
  const at = `/api/console/people/${person.email}/second-factor`;
  expect((await admin("GET", at)).body).toEqual({ has_second_factor: true });
  expect((await admin("POST", `${at}/remove`)).status).toBe(200);
  expect((await signIn()).status).toBe(401);
  const gone = await newPerson();
  const removed = await admin("DELETE", "/api/v1/users/", { email: gone.email, reason: "left" });
  expect(removed.status, JSON.stringify(removed.body)).toBe(200);
  expect((await signIn(gone.device)).status).toBe(401);
});

test("where the identity provider is the only way in, a passkey is none", async () => {
  const caller = await app.db
    .transaction()
    .execute((tx) =>
      createOrganization(tx, app.clock, { display_name: "Next door", email: "boss@example.net" }),
    );
  const boss = await signedInSend(app, caller);
  const link = await boss("POST", `/api/v1/users/${caller.email}/sign_in_link`);
  const code = link.body.sign_in_link.split("code=")[1];
  const { cookie } = await post("/api/console/one-time-code", { code, password: PASSWORD });
  const device = newDevice();
  expect((await addPasskey(asCookie(cookie), device, "Key")).status).toBe(200);
  expect((await signIn(device)).status).toBe(200);
  await app.db
    .insertInto("single_sign_on")
    .values({
      organization_id: caller.organization_id,
      sub_organization_id: caller.sub_organization_id,
      name: "Entra",
      issuer: "https://login.example",
      client_id: "x",
      groups_claim: "groups",
      roles: "[]",
      is_enforced: true,
      break_glass: [],
      updated_by: "boss@example.net",
      updated_at: app.clock.now().toISOString(),
    })
    .execute();
  expect((await signIn(device)).status).toBe(400);
});

test("nothing secret is stored of a passkey, and where the public address has no name none is offered", async () => {
  const row = await app.db
    .selectFrom("passkeys")
    .selectAll()
    .where("user_id", "=", person.user_id)
    .executeTakeFirst();
  expect(row?.user_handle).not.toContain(person.email);
  const plain = await createTestApp({ PUBLIC_URL: "http://192.0.2.4:8080" });
  const begun = await plain.sendAs(null)("POST", "/api/console/passkey/begin", {});
  expect(begun.body).toEqual({ options: null });
  const boss = await signedInSend(plain, plain.admin);
  expect((await boss("GET", PASSKEYS)).body).toEqual({ is_possible: false, passkeys: [] });
});
