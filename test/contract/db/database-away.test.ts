import { beforeAll, expect, inject, test } from "vitest";
import { openDatabase } from "../../../src/db/database.ts";
import { unsubscribeToken } from "../../../src/mime/mail-token.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { runAsAdmin } from "../../harness/postgres.ts";

let app: TestApp;
let name: string;
beforeAll(async () => {
  app = await createTestApp();
  name = (await app.database.pool.query("select current_database() as name")).rows[0].name;
});

test("a call that gets no connection in time is told to come back", async () => {
  const { pool } = app.database;
  const { max, connectionTimeoutMillis } = pool.options;
  const taken = await Promise.all(Array.from({ length: max }, () => pool.connect()));
  pool.options.connectionTimeoutMillis = 50;
  try {
    expect(await app.send("GET", "/api/v1/services/")).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      body: { detail: expect.stringContaining("Try again") },
    });
  } finally {
    pool.options.connectionTimeoutMillis = connectionTimeoutMillis;
    for (const client of taken) client.release();
  }
  expect((await app.send("GET", "/api/v1/services/")).status).toBe(200);
});

test("a pool that only raw queries used is closed too, and closing twice does no harm", async () => {
  const { admin } = inject("testServer");
  const { pool, close } = openDatabase(admin);
  await pool.query("select 1");
  await close();
  await close();
  expect(pool.ended).toBe(true);
  expect(pool.totalCount).toBe(0);
});

test("while the database is away every call is told to come back, and none after it", async () => {
  const { admin } = inject("testServer");
  const services = () => app.send("GET", "/api/v1/services/");
  const signIn = () =>
    app.sendAs(null)("POST", "/api/console/sign-in", { email: "admin@example.com", password: "wrong" });
  await runAsAdmin(admin, `alter database ${name} allow_connections false`);
  await runAsAdmin(admin, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  for (const call of [services, signIn, services]) {
    expect(await call()).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      body: { detail: expect.stringContaining("Try again") },
    });
  }
  expect((await app.sendAs(null)("GET", "/readyz")).status).toBe(503);
  await runAsAdmin(admin, `alter database ${name} allow_connections true`);
  expect((await services()).status).toBe(200);
  expect((await signIn()).status).toBe(401);
});

test("a program whose database keeps it waiting, for however long, says soon that it is not ready", async () => {
  const { pool } = app.database;
  const ready = () => app.sendAs(null)("GET", "/readyz");
  await expect.poll(ready).toMatchObject({ status: 200 });
  const { max, connectionTimeoutMillis } = pool.options;
  const taken = await Promise.all(Array.from({ length: max }, () => pool.connect()));
  pool.options.connectionTimeoutMillis = 0;
  try {
    const detail = "The database does not answer.";
    await expect.poll(ready).toMatchObject({ status: 503, body: { detail } });
  } finally {
    pool.options.connectionTimeoutMillis = connectionTimeoutMillis;
    for (const client of taken) client.release();
  }
  await expect.poll(ready).toMatchObject({ status: 200 });
});

test("a person who opens a chat or unsubscribes meanwhile reads a page; programs go on getting JSON", async () => {
  const { admin } = inject("testServer");
  const claim = { sub_organization_id: 1, address: "a@example.com", key: "k" };
  const unsubscribe = `/unsubscribe/${unsubscribeToken(app.vault, claim)}`;
  const person = { "sec-fetch-dest": "document" };
  const ask = async (method: "GET" | "POST", url: string, headers: Record<string, string> = {}) => {
    const { statusCode, headers: told, body } = await app.api.server.inject({ method, url, headers });
    return { status: statusCode, type: told["content-type"], retry: told["retry-after"], body };
  };
  const said = expect.stringContaining("The database does not answer at the moment. Try again.");
  const page = { status: 503, type: "text/html; charset=utf-8", retry: "1", body: said };
  const json = { ...page, type: "application/json; charset=utf-8" };
  await runAsAdmin(admin, `alter database ${name} allow_connections false`);
  await runAsAdmin(admin, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  try {
    expect(await ask("GET", "/chat/demo", person)).toEqual(page);
    expect(await ask("POST", unsubscribe, person)).toEqual(page);
    expect(await ask("GET", "/chat/demo")).toEqual(json);
    expect(await ask("POST", unsubscribe)).toEqual(json);
    expect(await ask("GET", "/api/v1/services/", { ...person, "service-api-key": app.token })).toEqual(json);
  } finally {
    await runAsAdmin(admin, `alter database ${name} allow_connections true`);
  }
});
