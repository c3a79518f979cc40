import { gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const GREETING = { type: "greeting", text: "Hi", rules: [] };
const get = (url: string, headers?: Record<string, string>) =>
  app.sendAs(null)("GET", url, undefined, headers);
const policyOf = async (target: string) =>
  String((await get(`/chat/${target}`)).headers["content-security-policy"]);

test("GET /chat/:target is a page that runs nothing but its own files and makes no markup of text", async () => {
  const { target } = await createAgent(app, { script: "", agent: { name: `</title>"A" & 'B'` } });
  const { status, headers, body } = await get(`/chat/${target}`);
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(body).toContain("<title>&#60;/title&#62;&#34;A&#34; &#38; &#39;B&#39;</title>");
  expect(body).not.toContain("{{");
  expect(body).not.toMatch(/https?:/);
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https: data:; " +
      "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; " +
      "frame-ancestors 'self'",
  );
});

test("GET /chat/:target answers 404 in words where no chat is", async () => {
  const { status, headers, body } = await get("/chat/nobody");
  expect(status).toBe(404);
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(body).toContain("There is no chat here");
});

test("the page speaks the language that its address asks for, else the browser's, and a cache knows by which it was chosen", async () => {
  const { target } = await createAgent(app, { script: "" });
  const japanese = await get(`/chat/${target}`, { "accept-language": "ja,en;q=0.5" });
  expect(japanese.body).toContain('<html lang="ja" dir="ltr"');
  expect(japanese.body).toContain('placeholder="メッセージを入力…"');
  expect(String(japanese.headers.vary)).toContain("accept-language");
  const arabic = await get(`/chat/${target}?language=ar-EG`, { "accept-language": "ja" });
  expect(arabic.body).toContain('<html lang="ar" dir="rtl"');
  expect((await get("/chat/nobody", { "accept-language": "fr" })).body).toContain(
    "Il n&#39;y a pas de chat ici",
  );
  const twice = await get(`/chat/${target}?language=de&language=fr`);
  expect(twice.body).toContain('<html lang="de"');
});

test("the sites registered with the channel may frame its chats, and no others", async () => {
  const { target, channel_id } = await createAgent(app, { script: "" });
  const answer = await setOrigins(channel_id, target, "https://Shop.example/, http://localhost:3000");
  expect(answer.body.config.credentials).toEqual({
    allowed_origins: "https://shop.example,http://localhost:3000",
  });
  expect(await policyOf(target)).toMatch(
    /frame-ancestors 'self' https:\/\/shop\.example http:\/\/localhost:3000$/,
  );
  expect((await get(`/chat/${target}`)).headers).not.toHaveProperty("x-frame-options");
  await setOrigins(channel_id, target, "");
  expect(await policyOf(target)).toMatch(/frame-ancestors 'self'$/);
});

test("an origin that is none is refused where it stands", async () => {
  const { target, channel_id } = await createAgent(app, { script: "" });
  const { status, body } = await setOrigins(channel_id, target, "https://a.example; script-src *");
  expect(status).toBe(422);
  expect(body.detail).toEqual([
    {
      loc: ["body", "config", "provider_credentials", "allowed_origins"],
      msg: '"https://a.example; script-src *" is not an https origin such as https://www.example.com',
      type: "value_error",
    },
  ]);
});

test("assets are sent compressed and kept for ever under the address the page names, and asked about under any other", async () => {
  const { target } = await createAgent(app, { script: "" });
  const { body } = await get(`/chat/${target}`);
  const files = [...String(body).matchAll(/(?:href|src)="(\/chat\/assets\/[^"]+)"/g)].map(
    (found) => found[1]!,
  );
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    const { status, headers } = await get(file);
    expect([file, status, headers["cache-control"]]).toEqual([
      file,
      200,
      "public, max-age=31536000, immutable",
    ]);
    const older = file.replace(/assets\/[^/]+/, "assets/older");
    const again = await get(older, { "if-none-match": String(headers.etag) });
    expect([again.status, again.headers["cache-control"]]).toEqual([304, "no-cache"]);
    const packed = await app.api.server.inject({ url: file, headers: { "accept-encoding": "gzip, br" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(String(gunzipSync(packed.rawPayload))).toBe((await get(file)).body);
  }
  expect((await get("/chat/assets/older/nothing.js")).status).toBe(404);
  expect((await get("/chat/assets/older/..%2F..%2Fpackage.json")).status).toBe(404);
});

test("the widget may be loaded by any site", async () => {
  const { status, headers } = await get("/chat/widget.js");
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "public, max-age=3600",
  });
});

test("a chat is opened by our own page or by a program, not by another site", async () => {
  const { target } = await createAgent(app, { script: "", greeting: GREETING });
  const open = (headers: Record<string, string>) =>
    app.sendAs(null)(
      "POST",
      "/chat/v1/sessions",
      { client_id: target },
      { host: "chat.example", ...headers },
    );
  expect((await open({})).status).toBe(200);
  expect((await open({ origin: "https://chat.example" })).status).toBe(200);
  expect((await open({ origin: "https://shop.example" })).status).toBe(403);
  expect((await open({ origin: "null" })).status).toBe(403);
  expect((await open({ origin: "https://shop.example", "sec-fetch-site": "cross-site" })).status).toBe(403);
  // Behind a proxy that rewrites Host, the browser's own word counts.
  expect(
    (await open({ host: "inside:8080", origin: "https://chat.example", "sec-fetch-site": "same-origin" }))
      .status,
  ).toBe(200);
});

test("a page that opens or resumes a chat is told who answers, whether by script, and what was said", async () => {
  const { target } = await createAgent(app, {
    script: `otherwise -> say "Yes."`,
    greeting: GREETING,
    agent: { name: "Receptionist" },
  });
  const opened = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
  const chat = { agent_name: "Receptionist", scripted: true, ended: false };
  expect(opened.body).toMatchObject({ ...chat, greeting: "Hi", messages: [{ role: "agent", text: "Hi" }] });
  const path = `/chat/v1/sessions/${opened.body.session_id}`;
  const query = `?token=${opened.body.token}`;
  await app.sendAs(null)("POST", `${path}/messages${query}`, { text: "Is it?", id: "m1" });
  expect((await get(`${path}${query}`)).body).toMatchObject({
    ...chat,
    messages: [
      { type: "message", role: "agent", text: "Hi", id: null },
      { type: "message", role: "user", text: "Is it?", id: "m1" },
      { type: "message", role: "agent", text: "Yes.", id: null },
    ],
  });
});

const setOrigins = (id: number, name: string, allowed_origins: string) =>
  app.send("PUT", "/api/v1/channels/", {
    id,
    name,
    channel_service: "webchat",
    config: { provider_credentials: { allowed_origins } },
  });
