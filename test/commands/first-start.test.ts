import { readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readyText } from "../../src/commands/greeting.ts";
import { readConfig } from "../../src/config.ts";
import { newFolder, parley, postgresOf, processesIn, run, send, usedFolder } from "./program.ts";

const asBearer = (token: string | undefined) => ({ "Service-API-Key": token ?? "" });

test("the first start tells everything needed to go on, and all of it works", async () => {
  const folder = newFolder();
  const program = parley(["start"], { folder });
  const { url, token, link } = await program.ready();
  expect(program.stdout()).toContain("Administrator             admin@localhost");
  expect(program.stdout()).toContain(`Talk to the demo clinic   ${url}/chat/demo-clinic`);
  expect(program.stderr()).toBe("");

  expect((await send("GET", `${url}/api/v1/agents/`, undefined, asBearer(token))).body.items).toHaveLength(2);
  expect((await send("GET", `${url}/chat/demo-clinic`)).body).toContain("<html");
  expect((await send("GET", `${url}/`)).body).toContain("Parley");

  const code = new URL(link ?? "").searchParams.get("code");
  expect((await send("GET", link ?? "")).status).toBe(200);
  const signedIn = await send("POST", `${url}/api/console/one-time-code`, {
    code,
    password: "correct horse battery",
  });
  expect(signedIn.status).toBe(200);
  const cookie = /^parley_sign_in=[^;]+/.exec(signedIn.headers.get("set-cookie") ?? "")?.[0] ?? "";
  expect(await send("GET", `${url}/api/console/me`, undefined, { cookie })).toMatchObject({
    status: 200,
    body: { email: "admin@localhost" },
  });
  expect((await send("POST", `${url}/api/console/one-time-code`, { code })).status).toBe(401);
  const again = { email: "admin@localhost", password: "correct horse battery" };
  expect((await send("POST", `${url}/api/console/sign-in`, again)).status).toBe(200);

  const data = path.join(folder, "data");
  expect(readdirSync(data).sort()).toEqual(["postgres", "postgres.log", "secret.key"]);
  expect(statSync(path.join(data, "secret.key")).mode & 0o777).toBe(0o600);
  expect(statSync(data).mode & 0o777).toBe(0o700);
  expect(await program.end("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(processesIn(postgresOf(folder))).toEqual([]);
});

test("later starts tell no secret, what the first one told still works beside a token that is set later, links name the port that PORT=0 took, and a start beside it makes nothing", async () => {
  const { folder, greeting } = await usedFolder();
  const fixed = "another-token-that-is-set-afterwards";
  const program = parley(["start"], { folder, env: { BOOTSTRAP_API_TOKEN: fixed } });
  const { url, token, link } = await program.ready();
  expect({ token, link }).toEqual({ token: undefined, link: undefined });
  expect(program.stdout()).not.toMatch(/token|First start|Administrator/i);
  const agents = await send("GET", `${url}/api/v1/agents/`, undefined, asBearer(greeting.token));
  expect(agents.status).toBe(200);
  const path = "/api/v1/users/admin@localhost/sign_in_link";
  const made = await send("POST", `${url}${path}`, undefined, asBearer(greeting.token));
  expect(made.body.sign_in_link).toContain(`${url}/sign-in?code=`);
  for (const given of [fixed, greeting.token]) {
    const me = await send("GET", `${url}/api/console/me`, undefined, asBearer(given));
    expect(me.body.email).toBe("admin@localhost");
  }

  const elsewhere = newFolder();
  const { code, stderr } = await run(["start"], { folder: elsewhere, env: { PORT: new URL(url).port } });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^parley: Parley 0\.1\.0 is already running on http:\S+\. Stop it, or set PORT/,
    ),
  });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("a first start that dies before it is ready has lost no secret: the next one tells new ones, and they work", async () => {
  const folder = newFolder();
  const first = parley(["start"], { folder });
  while (!first.stdout().includes("API token")) {
    if (first.child.exitCode !== null) throw new Error(first.stderr());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  first.child.kill("SIGKILL");
  await first.ended;
  const shown = /API token +(\S+)/.exec(first.stdout())?.[1];

  const second = parley(["start"], { folder });
  const { url, token } = await second.ready();
  const agents = await send("GET", `${url}/api/v1/agents/`, undefined, asBearer(token ?? shown));
  expect(agents.status).toBe(200);
});

test("settings of a file .env count, those of the environment more, and one that is nearly a setting is told", async () => {
  const folder = newFolder();
  const fixed = `a-token-the-operator-chose-${"x".repeat(20)}`;
  writeFileSync(
    path.join(folder, ".env"),
    `BOOTSTRAP_API_TOKEN=${fixed}\nBOOTSTRAP_ADMIN_EMAIL=Ann@Example.com\nDATA_DIR=./elsewhere\nLOG_LEVEL=loud\nLLM_FALBACK=x\nCRM_TOKEN=secret\n`,
  );
  const env = { DATA_DIR: "./data", PUBLIC_URL: "https://parley.example.com/" };
  const program = parley(["start"], { folder, env });
  const greeting = await program.ready();
  expect(greeting.url).toBe("https://parley.example.com");
  expect(greeting.link).toMatch(/^https:\/\/parley\.example\.com\/sign-in\?code=/);
  expect(program.stdout()).toContain("Administrator             ann@example.com");
  expect(program.stdout()).not.toContain(fixed);
  expect(readdirSync(folder).sort()).toEqual([".env", "data"]);
  const misspelt = 'The file .env sets LLM_FALBACK, which is no setting; \\"LLM_FALLBACK\\" may be meant.';
  expect(program.stderr()).toContain(misspelt);
  expect(program.stderr()).not.toMatch(/CRM_TOKEN|secret/);
});

test.each([
  [{}, "https://parley.example/docs"],
  [{ DOCS: "private" }, "http://127.0.0.1:8080/docs"],
  [{ INTERNAL_LISTEN: "0.0.0.0:9090" }, "http://127.0.0.1:9090/docs"],
  [{ INTERNAL_LISTEN: "9090", DOCS: "private" }, "http://127.0.0.1:9090/docs"],
  [{ INTERNAL_LISTEN: "0" }, undefined],
  [{ DOCS: "off", INTERNAL_LISTEN: "9090" }, undefined],
])("with %j a start names the reference where it is read", (env, address) => {
  const { config } = readConfig({ PUBLIC_URL: "https://parley.example", ...env });
  const told = readyText(config, { seconds: 1, demo: false, simulated: false, hears: null });
  expect(/API reference +(\S+)/.exec(told)?.[1]).toBe(address);
});

test.each([
  ["model", /press Call there and speak \(the offline voice is a stand-in\)/],
  ["stand-in", /press Call there and speak \(\.\/parley speech-model understands you better\)/],
  [null, /and by voice: \.\/parley speech-model, then start again/],
] as const)("a start with the demo says how to talk with it where this hears: %s", (hears, said) => {
  const { config } = readConfig({});
  expect(readyText(config, { seconds: 1, demo: true, simulated: false, hears })).toMatch(said);
});
