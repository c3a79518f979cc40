import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { WelcomeMail } from "../../src/accounts/welcome-mail.ts";
import { createTestApp, type Send, type TestApp } from "../harness/app.ts";
import { rounds } from "../harness/seed.ts";
import { signedInSend } from "../harness/signed-in-send.ts";

/** Nothing that a bearer makes outlives the bearer's token or does more than it, by any chain of makers. */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PASSWORD = "correct horse battery";

let app: TestApp;
let person: Send;
let roles: Record<string, number>;
const mails: WelcomeMail[] = [];

beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL: "https://parley.example" }, undefined, {
    sendMail: async (mail) => void mails.push(mail),
  });
  person = await signedInSend(app, app.admin);
  const { body } = await app.send("GET", "/api/v1/roles/");
  roles = Object.fromEntries(body.items.map((role: { name: string; id: number }) => [role.name, role.id]));
});

let made = 0;
const email = () => `bearer${++made}@example.com`;
const newRole = async (permissions: string[]) =>
  (await person("POST", "/api/v1/roles/", { name: `Role ${++made}`, permissions })).body.id as number;

/** The clock is moved in every test, and a person's own sign-in lasts twelve hours. */
const again = async () => {
  person = await signedInSend(app, app.admin);
};

async function newToken(life_ms: number, permissions: string[] | null = null, by = person) {
  const expires_at = new Date(app.clock.now().getTime() + life_ms).toISOString();
  const { status, body } = await by("POST", "/api/v1/api_tokens/", {
    name: "short",
    expires_at,
    permissions,
  });
  expect(status).toBe(200);
  return { id: body.id as number, send: app.sendAs(body.token) };
}

const codeOf = (link: string) => link.split("code=")[1]?.split(/\s/)[0] ?? "";
async function redeem(link: string, password?: string): Promise<{ status: number; send: Send | null }> {
  const answer = await app.sendAs(null)("POST", "/api/console/one-time-code", {
    code: codeOf(link),
    password,
  });
  return { status: answer.status, send: answer.status === 200 ? withCookieOf(answer.headers) : null };
}
const withCookieOf = (headers: Record<string, unknown>): Send => {
  const cookie = [headers["set-cookie"]]
    .flat()
    .map((one) => String(one).split(";")[0])
    .join("; ");
  return (method, url, body) => app.sendAs(null)(method, url, body, { cookie });
};
async function byPassword(address: string): Promise<Send | null> {
  const answer = await app.sendAs(null)("POST", "/api/console/sign-in", {
    email: address,
    password: PASSWORD,
  });
  return answer.status === 200 ? withCookieOf(answer.headers) : null;
}
const linkFor = (send: Send, address: string) => send("POST", `/api/v1/users/${address}/sign_in_link`);
const isOut = async (send: Send) => (await send("GET", "/api/v1/agents/")).status;

test("a token of half an hour makes no link, sign-in or token that works a minute later", async () => {
  await again();
  const { send } = await newToken(30 * MINUTE_MS);
  const link = (await linkFor(send, app.admin.email)).body;
  expect(new Date(link.expires_at).getTime()).toBe(app.clock.now().getTime() + 30 * MINUTE_MS);
  const unused = (await linkFor(send, await added(send))).body.sign_in_link;
  const { send: signedIn } = await redeem((await linkFor(send, app.admin.email)).body.sign_in_link);
  if (!signedIn) throw new Error("the link did not work");
  const refused = await signedIn("POST", "/api/v1/api_tokens/", {
    name: "until 2036",
    expires_at: "2036-01-01T00:00:00Z",
  });
  expect(refused.status).toBe(403);
  const token = await newToken(29 * MINUTE_MS, null, signedIn);
  expect(await isOut(token.send)).toBe(200);
  app.clock.advance(31 * MINUTE_MS);
  for (const bearer of [send, signedIn, token.send]) expect(await isOut(bearer)).toBe(401);
  expect((await redeem(unused)).status).toBe(401);
});

const added = async (send: Send, role = "Viewer") => {
  const address = email();
  expect((await send("POST", "/api/v1/users/", { email: address, role_id: roles[role] })).status).toBe(200);
  return address;
};

test("a link made with a token sets no password for people who were there before", async () => {
  await again();
  const address = await added(person);
  const { send } = await newToken(30 * MINUTE_MS);
  const link = (await linkFor(send, address)).body.sign_in_link;
  expect((await redeem(link, PASSWORD)).status).toBe(403);
  expect((await redeem(link)).status).toBe(200);
  expect(await byPassword(address)).toBe(null);
});

test("a person added with a token has access until it ends, and for good once somebody signed in says so", async () => {
  await again();
  const { send } = await newToken(30 * MINUTE_MS);
  const [kept, dropped] = [await added(send, "Admin"), await added(send, "Admin")];
  for (const address of [kept, dropped]) {
    const mail = mails.findLast(({ to }) => to === address);
    expect((await redeem(mail?.text.match(/https:\S+code=\w+/)?.[0] ?? "", PASSWORD)).status).toBe(200);
    expect(await byPassword(address)).not.toBe(null);
  }
  const inside = await byPassword(dropped);
  const deeper = await newToken(20 * MINUTE_MS, null, inside as Send);
  expect((await person("PUT", "/api/v1/users/", { email: kept, role_id: roles.Admin })).status).toBe(200);
  app.clock.advance(31 * MINUTE_MS);
  expect(await isOut(inside as Send)).toBe(401);
  expect(await isOut(deeper.send)).toBe(401);
  expect(await isOut((await byPassword(kept)) as Send)).toBe(200);
  const late = await byPassword(dropped);
  if (late) expect(await isOut(late)).toBe(401);
});

test("a greater role that a token gives, or a role that it widens, is as before when the token ends", async () => {
  await again();
  const narrow = await newRole(["permissions_read", "agents_read"]);
  const [raised, widened] = [email(), email()];
  await person("POST", "/api/v1/users/", { email: raised, role_id: roles.Viewer });
  await person("POST", "/api/v1/users/", { email: widened, role_id: narrow });
  for (const address of [raised, widened])
    await redeem((await linkFor(person, address)).body.sign_in_link, PASSWORD);
  const { send } = await newToken(30 * MINUTE_MS);
  await send("PUT", "/api/v1/users/", { email: raised, role_id: roles.Editor });
  const wide = {
    id: narrow,
    name: `Wide ${made}`,
    permissions: ["permissions_read", "agents_read", "tools_write"],
  };
  expect((await send("PUT", "/api/v1/roles/", wide)).status).toBe(200);
  const may = async (address: string) =>
    (await ((await byPassword(address)) as Send)("GET", "/api/console/me")).body.permissions as string[];
  expect(await may(raised)).toContain("tools_write");
  expect(await may(widened)).toContain("tools_write");
  app.clock.advance(31 * MINUTE_MS);
  expect(await may(raised)).not.toContain("tools_write");
  expect(await may(widened)).toEqual(["agents_read", "permissions_read"]);
});

test("whoever may not do what a person may again after a token's end signs in as that person neither before it nor after", async () => {
  await again();
  const [lasting, given, smaller] = [
    await newRole(["permissions_read", "sessions_read"]),
    await newRole(["permissions_read", "agents_read"]),
    await newRole(["permissions_read", "agents_read", "users_read", "users_write"]),
  ];
  const [moved, curious] = [email(), email()];
  await person("POST", "/api/v1/users/", { email: moved, role_id: lasting });
  await person("POST", "/api/v1/users/", { email: curious, role_id: smaller });
  await redeem((await linkFor(person, curious)).body.sign_in_link, PASSWORD);
  const { send } = await newToken(30 * MINUTE_MS);
  expect((await send("PUT", "/api/v1/users/", { email: moved, role_id: given })).status).toBe(200);

  const tried = async () => {
    const by = (await byPassword(curious)) as Send;
    return Promise.all([
      linkFor(by, moved),
      by("PUT", "/api/v1/users/", { email: moved, role_id: given }),
      by("POST", `/api/console/people/${moved}/second-factor/remove`),
    ]);
  };
  const detail = `${moved} may do more than you: sessions_read.`;
  for (const minutes of [0, 31]) {
    app.clock.advance(minutes * MINUTE_MS);
    for (const answer of await tried()) expect(answer).toMatchObject({ status: 403, body: { detail } });
  }
  await again();
  expect((await linkFor(person, moved)).status).toBe(200);
});

test("a role that was deleted is nobody's again when the token ends that took them out of it", async () => {
  await again();
  const [deleted, left] = [
    await newRole(["permissions_read", "sessions_read"]),
    await newRole(["permissions_read", "agents_read"]),
  ];
  const address = email();
  await person("POST", "/api/v1/users/", { email: address, role_id: deleted });
  await redeem((await linkFor(person, address)).body.sign_in_link, PASSWORD);
  const { send } = await newToken(30 * MINUTE_MS);
  await send("PUT", "/api/v1/users/", { email: address, role_id: roles.Editor });

  const remove = (more = "") => person("DELETE", `/api/v1/roles/${deleted}?reason=unwanted${more}`);
  expect(await remove()).toMatchObject({
    status: 400,
    body: {
      detail: expect.stringMatching(
        /^One user has this role or will have it again when a token ends; name new_role_id/,
      ),
    },
  });
  expect((await remove(`&new_role_id=${left}`)).status).toBe(200);
  app.clock.advance(31 * MINUTE_MS);
  const { body } = await ((await byPassword(address)) as Send)("GET", "/api/console/me");
  expect(body.permissions).toEqual(["agents_read", "permissions_read"]);
});

test("a token that is revoked takes along all that was made with it, over any number of steps", async () => {
  await again();
  const first = await newToken(DAY_MS);
  const second = await newToken(DAY_MS / 2, null, first.send);
  const third = await newToken(DAY_MS / 4, null, second.send);
  const unused = (await linkFor(third.send, await added(third.send))).body.sign_in_link;
  const { send: signedIn } = await redeem((await linkFor(third.send, app.admin.email)).body.sign_in_link);
  expect((await person("DELETE", `/api/v1/api_tokens/${first.id}`)).status).toBe(200);
  for (const bearer of [first.send, second.send, third.send, signedIn as Send])
    expect(await isOut(bearer)).toBe(401);
  expect((await redeem(unused)).status).toBe(401);
});

test("a token that can read reports only makes a sign-in that can only read reports", async () => {
  await again();
  const scope = ["permissions_read", "users_write", "users_read"];
  const minor = await newRole(scope);
  const address = email();
  await person("POST", "/api/v1/users/", { email: address, role_id: minor });
  const { send } = await newToken(30 * MINUTE_MS, scope);
  const { send: signedIn } = await redeem((await linkFor(send, address)).body.sign_in_link);
  await person("PUT", "/api/v1/users/", { email: address, role_id: roles.Admin });
  const { body } = await (signedIn as Send)("GET", "/api/console/me");
  expect(body.permissions.toSorted()).toEqual(scope.toSorted());
});

test("a dashboard's guest token ends with the token that it was made with", async () => {
  await again();
  const { send } = await newToken(MINUTE_MS);
  const { body } = await send("POST", "/api/v1/dashboards/fetch_info?dashboard_name=sessions");
  const show = () =>
    app.sendAs(null)("GET", `/reports/sessions/data?token=${encodeURIComponent(body.guest_token)}`);
  expect((await show()).status).not.toBe(401);
  app.clock.advance(MINUTE_MS + 1000);
  expect((await show()).status).toBe(401);
});

type Bearer = { send: Send; until: number };
const STEPS = [
  "token",
  "narrow token",
  "link",
  "link with password",
  "person",
  "raise",
  "widen",
  "move",
] as const;

test("over random chains of makers nothing outlives or exceeds the token at their beginning", {
  timeout: 300_000,
}, async () => {
  const step = fc.record({
    make: fc.constantFrom(...STEPS),
    by: fc.nat(20),
    life: fc.integer({ min: 1, max: 600 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 10 }),
      fc.integer({ min: 1, max: 60 }),
      fc.subarray(["agents_read", "tools_read", "tools_write", "sessions_read"]),
      async (steps, minutes, more) => {
        await again();
        const scope = [
          "permissions_read",
          "users_read",
          "users_write",
          "roles_read",
          "roles_write",
          "roles_delete",
          "api_token_read",
          "api_token_write",
          ...more,
        ].toSorted();
        const whole = await newRole(scope);
        const small = await newRole(["permissions_read"]);
        const victim = email();
        await person("POST", "/api/v1/users/", { email: victim, role_id: small });
        await redeem((await linkFor(person, victim)).body.sign_in_link, PASSWORD);
        const before = (await ((await byPassword(victim)) as Send)("GET", "/api/console/me")).body
          .permissions;
        const root = await newToken(minutes * MINUTE_MS, scope);
        const bearers: Bearer[] = [{ send: root.send, until: 0 }];
        const people = [victim];
        for (const { make, by, life } of steps) {
          const { send } = bearers[by % bearers.length] as Bearer;
          const expires_at = new Date(app.clock.now().getTime() + life * MINUTE_MS).toISOString();
          const keep = (answer: { status: number; body: { token?: string } }) => {
            if (answer.status === 200 && answer.body.token)
              bearers.push({ send: app.sendAs(answer.body.token), until: 0 });
          };
          const target = people[life % people.length] as string;
          if (make === "token") keep(await send("POST", "/api/v1/api_tokens/", { name: "t" }));
          if (make === "narrow token")
            keep(await send("POST", "/api/v1/api_tokens/", { name: "t", expires_at, permissions: scope }));
          if (make === "link" || make === "link with password") {
            const link = await linkFor(send, target);
            if (link.status !== 200) continue;
            const used = await redeem(link.body.sign_in_link, make === "link" ? undefined : PASSWORD);
            if (used.send) bearers.push({ send: used.send, until: 0 });
          }
          if (make === "person") {
            const address = email();
            const answer = await send("POST", "/api/v1/users/", { email: address, role_id: whole });
            if (answer.status === 200) people.push(address);
          }
          if (make === "raise") await send("PUT", "/api/v1/users/", { email: target, role_id: whole });
          if (make === "widen")
            await send("PUT", "/api/v1/roles/", { id: small, name: `R${++made}`, permissions: scope });
          if (make === "move") await send("DELETE", `/api/v1/roles/${small}?reason=x&new_role_id=${whole}`);
        }
        for (const address of people) {
          const signedIn = await byPassword(address);
          if (signedIn) bearers.push({ send: signedIn, until: 0 });
        }
        for (const { send } of bearers) {
          const { status, body } = await send("GET", "/api/console/me");
          if (status === 200) for (const permission of body.permissions) expect(scope).toContain(permission);
        }
        app.clock.advance(minutes * MINUTE_MS + 1000);
        // What was there before is as before; all else is out.
        const own = await byPassword(victim);
        expect((await (own as Send)("GET", "/api/console/me")).body.permissions).toEqual(before);
        for (const { send } of bearers) {
          const { status, body } = await send("GET", "/api/console/me");
          if (status === 200) expect(body).toMatchObject({ email: victim, permissions: before });
          else expect(status).toBe(401);
        }
        for (const address of people.filter((each) => each !== victim)) {
          const late = await byPassword(address);
          if (late) expect((await late("GET", "/api/console/me")).status).toBe(401);
        }
      },
    ),
    { numRuns: rounds(6, 150) },
  );
});

test("from a token of half an hour, over link, token, invitation, role and its widening, nothing is left after it, and it is shown before", async () => {
  await again();
  const first = await newToken(30 * MINUTE_MS);
  const until = new Date(app.clock.now().getTime() + 30 * MINUTE_MS).toISOString().slice(0, 19);
  const { send: signedIn } = await redeem((await linkFor(first.send, app.admin.email)).body.sign_in_link);
  const late = new Date(app.clock.now().getTime() + DAY_MS).toISOString();
  const longer = await (signedIn as Send)("POST", "/api/v1/api_tokens/", { name: "long", expires_at: late });
  expect(longer.status).toBe(403);
  const second = await newToken(20 * MINUTE_MS, null, signedIn as Send);
  const narrow = await newRole(["permissions_read"]);
  const invited = await added(second.send, "Admin");
  const raised = await added(person, "Viewer");
  await redeem((await linkFor(person, raised)).body.sign_in_link, PASSWORD);
  expect((await second.send("PUT", "/api/v1/users/", { email: raised, role_id: roles.Admin })).status).toBe(
    200,
  );
  // Who was raised by a password of their own raises others, and widens a role.
  const inside = (await byPassword(raised)) as Send;
  const friend = await added(inside, "Admin");
  const wide = { id: narrow, name: `Wide ${made}`, permissions: ["permissions_read", "users_write"] };
  expect((await inside("PUT", "/api/v1/roles/", wide)).status).toBe(200);

  const shown = async (address: string) => (await person("GET", `/api/v1/users/${address}`)).body;
  expect((await shown(invited)).role_after).toBeNull();
  expect((await shown(invited)).role_until_token).toBe("short");
  for (const address of [invited, raised, friend])
    expect((await shown(address)).role_until.slice(0, 19) <= until).toBe(true);
  expect(await shown(raised)).toMatchObject({ role_name: "Admin", role_after: "Viewer" });
  const tokens = (await person("GET", "/api/v1/api_tokens/?limit=100")).body.items;
  const row = tokens.find(({ id }: { id: number }) => id === second.id);
  expect(row).toMatchObject({ made_with: "short", granted_users: expect.arrayContaining([invited, raised]) });

  app.clock.advance(31 * MINUTE_MS);
  await again();
  for (const send of [first.send, second.send, signedIn as Send]) expect(await isOut(send)).toBe(401);
  const after = (await byPassword(raised)) as Send;
  expect((await after("POST", "/api/v1/api_tokens/", { name: "late" })).status).toBe(403);
  expect((await linkFor(person, friend)).status).toBe(200);
  const { body: role } = await person("GET", `/api/v1/roles/${narrow}`);
  expect((await shown(friend)).role_until.slice(0, 19) <= until).toBe(true);
  const left = await redeem((await linkFor(person, friend)).body.sign_in_link);
  expect(left.send === null || (await isOut(left.send)) !== 200).toBe(true);
  expect(role.id).toBe(narrow);
});
