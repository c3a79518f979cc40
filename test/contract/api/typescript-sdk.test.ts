import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ApiError } from "../../../sdk/typescript/api-error.ts";
import { type ClientOptions, createClient } from "../../../sdk/typescript/client.ts";
import { each } from "../../../sdk/typescript/each.ts";
import { readWebhook } from "../../../sdk/typescript/webhook.ts";
import { signedHeaders } from "../../../src/webhooks/webhook-signature.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const SDK = path.join(ROOT, "sdk/typescript");

let app: TestApp;
let baseUrl: string;
beforeAll(async () => {
  app = await createTestApp();
  baseUrl = await app.listen();
});

test("each() gives every record once, whatever the size of a page", async () => {
  const parley = createClient({ baseUrl, token: app.token });
  const ids = async (limit: number) => {
    const found: unknown[] = [];
    for await (const role of each((query) => parley.list_roles({ query }), limit)) found.push(role.id);
    return found;
  };
  const all = await ids(100);
  expect(all.length).toBeGreaterThan(1);
  expect(await ids(1)).toEqual(all);
});

test("each() gives every record of a list also where a page holds fewer than were asked for, and ends where none are", async () => {
  const { sub_organization_id } = app.admin;
  const rows = Array.from({ length: 1_001 }, () => ({
    sub_organization_id,
    timestamp: app.clock.now().toISOString(),
  }));
  await app.db.insertInto("events").values(rows).execute();
  const parley = createClient({ baseUrl, token: app.token });
  const count = async (limit: number) => {
    let events = 0;
    for await (const _ of each((query) => parley.list_events({ query }), limit)) events += 1;
    return events;
  };
  expect(await count(5_000)).toBeGreaterThan(1_000);
  expect(await count(0)).toBe(0);
});

test("a refusal is an ApiError with the API's status, sentence and places", async () => {
  const parley = createClient({ baseUrl, token: app.token });
  const wrong = await parley.list_agents({ query: { limit: -1 } }).catch((error: unknown) => error);
  expect(wrong).toBeInstanceOf(ApiError);
  expect(wrong).toMatchObject({
    status: 422,
    operation: "list_agents",
    issues: [{ loc: ["query", "limit"] }],
  });
  const stranger = createClient({ baseUrl, token: "nobody" });
  await expect(stranger.list_agents()).rejects.toMatchObject({ status: 401, issues: [] });
});

/** A server before Parley, and the methods that it was asked by. */
async function before(answer: RequestListener): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.method));
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

test.each([301, 302, 303, 307, 308])(
  "a redirect (%i) is told and not followed: nothing seems to be done that was not",
  async (status) => {
    // Projects compile these files for Node.js 20 and for browsers, too, which have no URL.parse.
    vi.spyOn(URL, "parse").mockImplementation(() => {
      throw new TypeError("URL.parse is not a function");
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const elsewhere = await before((_, response) => response.end("{}"));
    const { url, seen } = await before(({ url: path }, response) =>
      response.writeHead(status, { location: `${elsewhere.url}${path}?token=x` }).end(),
    );
    const parley = createClient({ baseUrl: url, token: app.token });
    const moved = {
      status,
      detail: expect.stringContaining(`redirects to ${elsewhere.url}/api/v1/data_sources/, and`),
    };
    const body = { name: "moved", text: "", chunk: false };
    await expect(parley.create_data_source({ body })).rejects.toMatchObject(moved);
    await expect(parley.list_data_sources()).rejects.toMatchObject(moved);
    expect([seen, elsewhere.seen]).toEqual([["POST", "GET"], []]);
  },
);

test.each([200, 502])("a web page (%i) in place of an answer is told as one", async (status) => {
  const { url } = await before((_, response) =>
    response.writeHead(status, { "content-type": "text/html" }).end("<html>Sign in</html>"),
  );
  await expect(createClient({ baseUrl: url, token: app.token }).list_agents()).rejects.toMatchObject({
    status,
    detail: expect.stringMatching(/^A web page came back instead of an answer from Parley/),
  });
});

test.each(['{"detail":[{"msg":"Blocked"},"x",null]}', '{"detail":{"code":7}}', "[]", "Blocked", ""])(
  "a refusal that is not in the API's form is an ApiError, too: %s",
  async (answer) => {
    const { url } = await before((_, response) => response.writeHead(403).end(answer));
    const refused = createClient({ baseUrl: url, token: app.token }).list_agents();
    await expect(refused).rejects.toMatchObject({
      name: "ApiError",
      status: 403,
      detail: answer,
      issues: [],
      message: `list_agents answered 403: ${answer}`,
    });
  },
);

/** A server that is busy, and how often it was asked and how long the client wanted to wait. */
async function busy(): Promise<{ options: ClientOptions; seen: string[]; waits: number[] }> {
  const waits: number[] = [];
  const { url, seen } = await before((_, response) => {
    response.writeHead(503, { "retry-after": "7", "content-type": "application/json" });
    response.end('{"detail":"Busy."}');
  });
  const wait = async (ms: number) => void waits.push(ms);
  return { options: { baseUrl: url, token: "token", wait, retries: 2 }, seen, waits };
}

test("a GET is sent again after what Retry-After says; a call that may change something never is", async () => {
  const { options, seen, waits } = await busy();
  const parley = createClient(options);
  await expect(parley.list_agents()).rejects.toMatchObject({ status: 503, detail: "Busy." });
  expect([seen.splice(0), waits.splice(0)]).toEqual([
    ["GET", "GET", "GET"],
    [7000, 7000],
  ]);
  await expect(parley.list_dashboards()).rejects.toMatchObject({ status: 503 });
  expect([seen, waits]).toEqual([["POST"], []]);
});

test("a webhook is read when its secret signed it, and refused when its body was changed", () => {
  const secret = Buffer.from("a secret of a webhook").toString("base64");
  const headers = { ...signedHeaders({ id: "m1", at: new Date(), body: '{"a":1}' }, [secret]) };
  expect(readWebhook('{"a":1}', headers, secret)).toEqual({ a: 1 });
  expect(() => readWebhook('{"a":2}', headers, secret)).toThrow();
});

/** A project that installed the package as the README says, with its compiler options and its example. */
async function project(): Promise<string> {
  const readme = await readFile(path.join(SDK, "README.md"), "utf8");
  const block = (language: string) => readme.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
  const folder = await mkdtemp(path.join(tmpdir(), "parley-sdk-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(path.join(folder, "node_modules"));
  await symlink(SDK, path.join(folder, "node_modules/parley-sdk"));
  await symlink(path.join(ROOT, "node_modules/@types"), path.join(folder, "node_modules/@types"));
  await writeFile(path.join(folder, "package.json"), '{"type": "module"}');
  await writeFile(path.join(folder, "tsconfig.json"), block("json"));
  await writeFile(path.join(folder, "example.ts"), block("ts"));
  return folder;
}

async function run(file: string): Promise<string> {
  const env = { ...process.env, PARLEY_URL: baseUrl, PARLEY_API_TOKEN: app.token };
  return (await promisify(execFile)(process.execPath, [file], { env })).stdout;
}

test("the example of the README runs as it is", async () => {
  expect(await run(path.join(await project(), "example.ts"))).toMatch(/\n422 1\n$/);
});

test.each(["fetch", "node:http"])("a webhook's headers are taken as %s gives them", (kind) => {
  const secret = Buffer.from("a secret of a webhook").toString("base64");
  const signed = { ...signedHeaders({ id: "m1", at: new Date(), body: '{"a":1}' }, [secret]) };
  const ofNode: IncomingHttpHeaders = { ...signed, "set-cookie": ["a=1", "b=2"], host: undefined };
  const headers = kind === "fetch" ? new Request(baseUrl, { headers: signed }).headers : ofNode;
  expect(readWebhook('{"a":1}', headers, secret)).toEqual({ a: 1 });
  expect(() => readWebhook('{"a":2}', headers, secret)).toThrow();
});

test("with the README's compiler options a project of one's own is checked and compiled, and runs", async () => {
  const folder = await project();
  const compile = (...options: string[]) => {
    const compiler = path.join(ROOT, "node_modules/typescript/bin/tsc");
    const args = [compiler, "-p", folder, "--skipLibCheck", "false", ...options];
    return promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
  };
  expect(await compile("--outDir", path.join(folder, "dist"))).toMatchObject({ stdout: "" });
  expect(await run(path.join(folder, "dist/example.js"))).toMatch(/\n422 1\n$/);
});
