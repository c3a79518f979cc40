import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

const bundle = mkdtempSync(path.join(tmpdir(), "parley-test-console-"));
const built = Promise.withResolvers<string>();
/** The page as it is written says where the API reference is. */
const [REFERENCE = ""] =
  /<meta name="api-reference".*>/.exec(readFileSync("src/console/index.html", "utf8")) ?? [];

let app: TestApp;
beforeAll(async () => {
  mkdirSync(path.join(bundle, "assets"));
  writeFileSync(
    path.join(bundle, "index.html"),
    `<link nonce="__CSP_NONCE__" href="/console/assets/a-1.css">${REFERENCE}`,
  );
  for (const name of ["a-1.css", "a-1.css.br", "icon-1.svg"]) {
    writeFileSync(path.join(bundle, "assets", name), name);
  }
  writeFileSync(path.join(bundle, "assets", "a-1.css.gz"), gzipSync("a-1.css in gzip"));
  app = await createTestApp({}, undefined, { consoleBuild: built.promise });
});
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

const get = (url: string, headers: Record<string, string> = {}) =>
  app.sendAs(null)("GET", url, undefined, headers);

test("while the console is being made its address says so and looks again; then every address below it is its page", async () => {
  const early = await get("/console/");
  expect(early.status).toBe(503);
  expect(early.headers["retry-after"]).toBe("1");
  expect(early.body).toContain('http-equiv="refresh"');
  expect((await get("/console/assets/a-1.css")).status).toBe(404);

  built.resolve(bundle);
  await expect.poll(async () => (await get("/console/")).status).toBe(200);
  for (const url of ["/console", "/console/sessions/7?engine=yes", "/console/people/a%40b.example"]) {
    expect((await get(url)).body).toContain("/console/assets/a-1.css");
  }
});

test("the page is never kept, and its nonce is the policy's and another each time", async () => {
  const [one, other] = [await get("/console/"), await get("/console/")];
  expect(one.headers["cache-control"]).toBe("no-store");
  const policy = String(one.headers["content-security-policy"]);
  const nonce = policy.match(/style-src 'self' 'nonce-(\w{22})'/)?.[1];
  expect(one.body).toContain(`nonce="${nonce}"`);
  expect(other.body).not.toContain(String(nonce));
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
});

test("the page leads to the API reference where everybody may read it, and nowhere else", async () => {
  expect(REFERENCE).toContain('content="/docs"');
  expect((await get("/console/")).body).toContain(REFERENCE);
  for (const [setting, value] of [
    ["DOCS", "off"],
    ["DOCS", "private"],
    ["INTERNAL_LISTEN", "127.0.0.1:0"],
  ] as const) {
    const other = await createTestApp({ [setting]: value }, undefined, {
      consoleBuild: Promise.resolve(bundle),
    });
    const page = async () => (await other.sendAs(null)("GET", "/console/")).body;
    await expect.poll(page).toContain("/console/assets/a-1.css");
    expect(await page()).not.toContain("api-reference");
  }
});

test("a hashed file is kept for a year, in the smallest form that the browser reads", async () => {
  for (const [accepted, encoding, body] of [
    ["gzip, deflate, br", "br", "a-1.css.br"],
    ["gzip", "gzip", "a-1.css in gzip"],
    // Unpacked from what is kept.
    ["identity", undefined, "a-1.css in gzip"],
  ]) {
    const answer = await app.api.server.inject({
      url: "/console/assets/a-1.css",
      headers: { "accept-encoding": String(accepted) },
    });
    expect(answer.headers["content-encoding"]).toBe(encoding);
    expect(answer.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(answer.headers.vary).toContain("accept-encoding");
    const bytes = answer.rawPayload;
    expect(String(encoding === "gzip" ? gunzipSync(bytes) : bytes)).toBe(body);
    const again = await get("/console/assets/a-1.css", { "if-none-match": String(answer.headers.etag) });
    expect([again.status, again.body]).toEqual([304, ""]);
  }
});

test("nothing beside the bundle's own files is served", async () => {
  for (const name of ["..%2findex.html", "%2e%2e%2findex.html", "..%5cindex.html", "a-1.css%00", "none.js"]) {
    expect((await get(`/console/assets/${name}`)).status).toBeGreaterThanOrEqual(400);
  }
});

test("a running program goes on serving its console after another version tidied the folder away", async () => {
  rmSync(bundle, { recursive: true });
  expect((await get("/console/")).status).toBe(200);
  expect(await get("/console/assets/icon-1.svg")).toMatchObject({ status: 200, body: "icon-1.svg" });
});

test("a console that could not be made says why, as text", async () => {
  const failed = Promise.reject(new Error("no room on <device>"));
  failed.catch(() => {});
  const other = await createTestApp({}, undefined, { consoleBuild: failed });
  const answer = await other.sendAs(null)("GET", "/console/");
  expect(answer.status).toBe(503);
  expect(answer.body).toContain("no room on &lt;device&gt;");
});
