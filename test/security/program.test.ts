import { expect, test } from "vitest";
import { bundlerEnvironment } from "../../src/api/console-build.ts";
import { SETTINGS } from "../../src/settings.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";

const get = (app: TestApp, url: string, remoteAddress = "127.0.0.1", headers = {}) =>
  app.api.server.inject({ method: "GET", url, remoteAddress, headers });
const statuses = async (app: TestApp, remoteAddress: string, headers = {}) =>
  Promise.all(
    ["/metrics", "/metrics/", "/%6detrics", "/docs/", "/openapi.json"].map(
      async (url) => (await get(app, url, remoteAddress, headers)).statusCode,
    ),
  );

test("metrics are read on this machine and private networks, not from outside and not through a proxy", async () => {
  const app = await createTestApp();
  expect(await statuses(app, "127.0.0.1")).toEqual([200, 200, 200, 200, 200]);
  expect(await statuses(app, "10.1.2.3")).toEqual([200, 200, 200, 200, 200]);
  const closed = [404, 404, 404, 200, 200];
  expect(await statuses(app, "198.51.100.7")).toEqual(closed);
  expect(await statuses(app, "127.0.0.1", { "x-forwarded-for": "127.0.0.1" })).toEqual(closed);
  expect(await statuses(app, "::ffff:198.51.100.7")).toEqual(closed);
});

test("metrics and docs can be closed, and can have an address of their own that answers nothing else", async () => {
  const closed = await createTestApp({ METRICS: "off", DOCS: "off" });
  expect(await statuses(closed, "127.0.0.1")).toEqual([404, 404, 404, 404, 404]);
  const app = await createTestApp({ INTERNAL_LISTEN: "127.0.0.1:0" });
  await app.listen();
  expect(await statuses(app, "127.0.0.1")).toEqual([404, 404, 404, 404, 404]);
  const line = app.logged.find((each) => each.includes("metrics and docs listen"));
  const { port } = JSON.parse(line ?? "{}");
  const status = async (url: string) => (await fetch(`http://127.0.0.1:${port}${url}`)).status;
  expect(await status("/metrics")).toBe(200);
  expect(await status("/openapi.json")).toBe(200);
  expect(await status("/api/v1/agents/")).toBe(404);
  expect(await status("/sign-in")).toBe(404);
});

test.each([
  [{}, ["/console/", "/chat/demo-clinic", "/docs", "/openapi.json"]],
  [{ DOCS: "off" }, ["/console/", "/chat/demo-clinic"]],
  [{ DOCS: "private" }, ["/console/", "/chat/demo-clinic"]],
  [{ INTERNAL_LISTEN: "127.0.0.1:0" }, ["/console/", "/chat/demo-clinic"]],
])("with %j the home page leads to what everybody may open", async (env, links) => {
  const app = await createTestApp(env);
  const { body } = await app.api.server.inject({ url: "/" });
  expect([...body.matchAll(/<a href="([^"]+)"/g)].map(([, link]) => link)).toEqual(links);
});

test("the log of requests names nobody whose address stands in a path", async () => {
  const app = await createTestApp();
  await app.send("GET", `/api/v1/contacts/${encodeURIComponent("+15125550142")}`);
  await app.send("GET", "/api/v1/users/ann@example.com");
  await app.send("GET", "/api/v1/sessions/4711?search=ann");
  const paths = app.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  expect(paths.map(({ url }) => url)).toEqual([
    "/api/v1/contacts/…",
    "/api/v1/users/…",
    "/api/v1/sessions/4711",
  ]);
});

test("nothing that is said of people is kept by a cache: API, chats, reports, sign-in, refusals too", async () => {
  const app = await createTestApp();
  const kept = async (method: string, url: string) => {
    const { headers } = await app.send(
      method,
      url,
      method === "POST" ? { email: "x@example.com", password: "wrong" } : undefined,
    );
    return String(headers["cache-control"]);
  };
  for (const [method, url] of [
    ["GET", "/api/v1/sessions/"],
    ["GET", "/api/v1/users/"],
    ["GET", "/api/v1/sessions/transcript/1"],
    ["GET", "/api/console/me"],
    ["POST", "/api/console/sign-in"],
    ["GET", "/sign-in?code=x"],
    ["GET", "/chat/v1/sessions/1"],
    ["GET", "/api/v1/outbound/webhooks"],
    ["GET", "/api/v1/suppressions/csv"],
    ["GET", "/reports/sessions/data?token=x"],
  ] as const)
    expect([url, await kept(method, url)]).toEqual([url, expect.stringContaining("no-store")]);
});

test("the process that bundles the console sees no setting of the program", () => {
  const ours = Object.fromEntries(SETTINGS.map(({ name }) => [name, "secret"]));
  const theirs = bundlerEnvironment({
    ...ours,
    PATH: "/bin",
    PGPASSWORD: "secret",
    AWS_SECRET_ACCESS_KEY: "secret",
  });
  expect(Object.values(theirs)).not.toContain("secret");
  expect(theirs).toMatchObject({ PATH: "/bin", NODE_ENV: "production" });
});
