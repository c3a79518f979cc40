import { beforeAll, expect, test } from "vitest";
import { passwordResetJob } from "../../src/accounts/sign-in/password-reset.ts";
import type { WelcomeMail } from "../../src/accounts/welcome-mail.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { signedInSend } from "../harness/signed-in-send.ts";
import { waitForLocks } from "../harness/waiting.ts";

const OLD = "correct horse battery";
const NEW = "a new and longer password";
const NEWER = "a newer password than that";
const RESET = "/api/console/password-reset";

let app: TestApp;
const mails: WelcomeMail[] = [];
const post = async (url: string, payload: object, address = "198.51.100.1") => {
  const answer = await app.api.server.inject({ method: "POST", url, payload, remoteAddress: address });
  return { status: answer.statusCode, body: answer.json() };
};
const asked = async () => {
  const { rows } = await app.database.pool.query<{ payload: object }>(
    `select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = 'mail-password-reset' order by j.id`,
  );
  return rows.map(({ payload }) => payload);
};
/** Runs what was asked for last; the link of its mail. */
async function mailed(): Promise<string | undefined> {
  const before = mails.length;
  const job = app.jobs.find(({ job }) => job.name === "mail-password-reset");
  await job?.run((await asked()).at(-1) as never, {} as never);
  return mails
    .slice(before)
    .at(-1)
    ?.text.match(/code=(\w+)/)?.[1];
}
const signIn = (password: string) =>
  post("/api/console/sign-in", { email: app.admin.email, password }, "192.0.2.77");

beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL: "https://parley.example" }, undefined, {
    sendMail: async (mail) => void mails.push(mail),
  });
  const admin = await signedInSend(app, app.admin);
  const { body } = await admin("POST", `/api/v1/users/${app.admin.email}/sign_in_link`);
  await post("/api/console/one-time-code", { code: body.sign_in_link.split("code=")[1], password: OLD });
});

test("a link of a mail sets a new password once, ends all sign-ins, and is in the audit trail", async () => {
  const elsewhere = await signedInSend(app, app.admin);
  expect(await elsewhere("GET", "/api/console/me")).toMatchObject({ status: 200 });
  expect(await post(RESET, { email: app.admin.email.toUpperCase() })).toMatchObject({
    body: { mailed: true },
  });
  const code = await mailed();
  expect(mails.at(-1)).toMatchObject({ to: app.admin.email, subject: "Choose a new password for Parley" });
  const { rows } = await app.database.pool.query("select t::text as row from one_time_codes t");
  expect(JSON.stringify(rows)).not.toContain(code);
  // It is good for a new password only, and stays so when none is given.
  expect(await post("/api/console/one-time-code", { code })).toMatchObject({ status: 400 });
  expect(await post("/api/console/one-time-code", { code, password: NEW })).toMatchObject({ status: 200 });
  expect(await elsewhere("GET", "/api/console/me")).toMatchObject({ status: 401 });
  expect([(await signIn(OLD)).status, (await signIn(NEW)).status]).toEqual([401, 200]);
  expect(await post("/api/console/one-time-code", { code, password: OLD })).toMatchObject({ status: 401 });
  const { body } = await app.send(
    "GET",
    "/api/v1/audit_entries/?search_fields=resource&search_field_values=users",
  );
  const told = body.items.map(({ action, after }: { action: string; after: { with?: string } }) => [
    action,
    after?.with,
  ]);
  expect(told).toContainEqual(["ask-password-reset", undefined]);
  expect(told).toContainEqual(["sign-in", "password reset"]);
});

test("a sign-in that compared the old password before a reset is refused after it", async () => {
  await post(RESET, { email: app.admin.email });
  const code = await mailed();
  const client = await app.database.pool.connect();
  await client.query("begin");
  await client.query("select id from users where lower(email) = lower($1) for update", [app.admin.email]);
  // Both wait for the person's row: first the reset, then the sign-in, which has found its password right.
  const reset = post("/api/console/one-time-code", { code, password: NEWER });
  await waitForLocks(app.database.pool, 1);
  const signingIn = signIn(NEW);
  await waitForLocks(app.database.pool, 2);
  await client.query("commit");
  client.release();
  expect(await reset).toMatchObject({ status: 200 });
  expect(await signingIn).toMatchObject({ status: 401 });
  expect(await signIn(NEWER)).toMatchObject({ status: 200 });
});

test("an address of nobody is answered alike, with the same work, and gets no mail", async () => {
  const [jobs, sent] = [(await asked()).length, mails.length];
  const nobody = await post(RESET, { email: "nobody@example.com" });
  const somebody = await post(RESET, { email: app.admin.email });
  expect(nobody).toEqual(somebody);
  expect((await asked()).length - jobs).toBe(2);
  const job = app.jobs.find(({ job }) => job.name === "mail-password-reset");
  await job?.run((await asked()).at(-2) as never, {} as never);
  expect(mails.length).toBe(sent);
});

test("a link is too old after half an hour, and a later one or a changed password ends it", async () => {
  app.clock.advance(3_600_000);
  await post(RESET, { email: app.admin.email });
  const first = await mailed();
  await post(RESET, { email: app.admin.email });
  const second = await mailed();
  expect(await post("/api/console/one-time-code", { code: first, password: NEW })).toMatchObject({
    status: 401,
  });
  app.clock.advance(31 * 60_000);
  expect(await post("/api/console/one-time-code", { code: second, password: NEW })).toMatchObject({
    status: 401,
  });
});

test("an account gets three mails an hour, an address ten answers, and a guessed code nothing", async () => {
  app.clock.advance(3_600_000);
  const sent = mails.length;
  for (let n = 0; n < 5; n++) {
    await post(RESET, { email: app.admin.email }, `203.0.113.${n}`);
    await mailed();
  }
  expect(mails.length - sent).toBe(3);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => post(RESET, { email: `n${n}@example.com` }, "203.0.113.200")),
  );
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  const guesses = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      post("/api/console/one-time-code", { code: `x${n}`.repeat(20), password: NEW }),
    ),
  );
  expect(guesses.every(({ status }) => status === 401)).toBe(true);
});

test("without a mail server nobody waits for a mail, and nothing is sent", async () => {
  const silent = await createTestApp({}, undefined, { sendMail: null });
  const answer = await silent.api.server.inject({
    method: "POST",
    url: RESET,
    payload: { email: silent.admin.email },
  });
  expect(answer.json()).toEqual({ mailed: false });
  const job = passwordResetJob({ ...silent, log: silent.engine.log, publicUrl: "", sendMail: null });
  await job.run({ email: silent.admin.email, address: null, request_id: null }, {} as never);
});
