import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createTestApp } from "../../harness/app.ts";

test("the API reference is a page of its own, with its script, and asks nobody else", async () => {
  const app = await createTestApp();
  const get = (url: string) => app.api.server.inject({ method: "GET", url });
  const bare = await get("/docs");
  expect([bare.statusCode, bare.headers.location]).toEqual([301, "/docs/"]);
  const page = await get("/docs/");
  expect(page.headers["content-type"]).toContain("text/html");
  expect(page.body).toContain("<title>Parley API reference</title>");
  expect(page.body).toContain('src="js/scalar.js"');
  expect(page.body).toContain('"url": "/openapi.json"');
  expect(page.body).not.toContain("https://");
  const script = await get("/docs/js/scalar.js");
  expect(script.headers["content-type"]).toContain("javascript");
  expect(script.body.length).toBeGreaterThan(1_000_000);
  const other = await get("/docs/openapi.yaml");
  expect([other.statusCode, other.json()]).toEqual([404, { detail: "Not Found" }]);
});

test.each(["/docs/js/scalar.js", "/openapi.json"])(
  "%s is sent compressed to who takes it so, and not again to who has it",
  async (url) => {
    const app = await createTestApp();
    const get = (headers = {}) => app.api.server.inject({ method: "GET", url, headers });
    const whole = await get();
    expect(whole.headers).not.toHaveProperty("content-encoding");
    const packed = await get({ "accept-encoding": "gzip, deflate, br" });
    expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
    expect(packed.headers["content-type"]).toBe(whole.headers["content-type"]);
    expect(packed.rawPayload.length).toBeLessThan(whole.rawPayload.length / 3);
    expect(gunzipSync(packed.rawPayload).equals(whole.rawPayload)).toBe(true);
    const etag = String(packed.headers.etag);
    const again = await get({ "accept-encoding": "gzip", "if-none-match": `"another", ${etag}` });
    expect([again.statusCode, again.body, again.headers["cache-control"]]).toEqual([304, "", "no-cache"]);
    expect((await get({ "if-none-match": 'W/"another"' })).statusCode).toBe(200);
  },
);

test("openapi.json answers with the operations of some tags alone, and names the tags where one is none", async () => {
  const app = await createTestApp();
  const get = async (url: string) => (await app.api.server.inject({ method: "GET", url })).json();
  const tagsOf = (document: { paths: Record<string, Record<string, { tags: string[] }>> }) =>
    new Set(
      Object.values(document.paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)),
    );
  const part = await get("/openapi.json?tags=agents,prompts");
  expect(tagsOf(part)).toEqual(new Set(["agents", "prompts"]));
  expect(tagsOf(await get("/openapi.json?tags=agents&tags=prompts"))).toEqual(tagsOf(part));
  expect(part.components.schemas).not.toHaveProperty("OutboundCampaign");
  expect(tagsOf(await get("/openapi.json")).size).toBeGreaterThan(20);
  expect((await get("/openapi.json?tags=agnets")).detail[0].loc).toEqual(["query", "tags"]);
});
