import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createServiceAuthenticator } from "../../../src/tools/service-auth.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

let app: TestApp;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
});
beforeEach(() => {
  peer.requests.length = 0;
  given = 0;
  peer.respond((_, response) => json(response, 200, token(++given)));
});

let given = 0;
const token = (number: number) => ({ access_token: `token-${number}`, expires_in: 3600 });
const bearer = (number: number) => ({ ok: true, headers: { authorization: `Bearer token-${number}` } });

let services = 0;
async function service(client_secret = "secret") {
  const input = {
    name: `oauth ${++services}`,
    description: "",
    auth_type: "oauth2",
    auth_values: { client_id: "us", client_secret, auth_url: `${peer.url}/token` },
    allowed_hosts: [new URL(peer.url).host],
  };
  const { status, body } = await app.send("POST", "/api/v1/services/", input);
  expect(status).toBe(200);
  return { id: body.id as number, input };
}
/** As another process on the same database has it. */
const anotherProcess = () => createServiceAuthenticator(app);

describe("an access token of a service", () => {
  test("is asked for once, however many calls need it at once, in however many processes", async () => {
    const { id } = await service();
    peer.respond((_, response) => void setTimeout(() => json(response, 200, token(++given)), 100));
    const processes = [app.engine.auth, anotherProcess(), anotherProcess()];
    const calls = processes.flatMap((auth) =>
      Array.from({ length: 5 }, () => auth.headersFor(id, `${peer.url}/x`)),
    );
    expect(new Set((await Promise.all(calls)).map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify(bearer(1))]),
    );
    expect(peer.requests).toHaveLength(1);
  });

  test("lies sealed in the database", async () => {
    const { id } = await service();
    await app.engine.auth.headersFor(id, `${peer.url}/x`);
    const row = await app.db
      .selectFrom("service_tokens")
      .selectAll()
      .where("service_id", "=", id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain("token-1");
    expect(row.lease_owner).toBeNull();
  });

  test("is good until a minute before its end, a short one for half of its life", async () => {
    const { id } = await service();
    const hour = anotherProcess();
    expect(await hour.headersFor(id, `${peer.url}/x`)).toEqual(bearer(1));
    app.clock.advance(58 * 60_000);
    expect(await hour.headersFor(id, `${peer.url}/x`)).toEqual(bearer(1));
    peer.respond((_, response) => json(response, 200, { ...token(++given), expires_in: 60 }));
    app.clock.advance(60_000);
    expect(await hour.headersFor(id, `${peer.url}/x`)).toEqual(bearer(2));
    app.clock.advance(29_000);
    expect(await hour.headersFor(id, `${peer.url}/x`)).toEqual(bearer(2));
    app.clock.advance(1_000);
    expect(await hour.headersFor(id, `${peer.url}/x`)).toEqual(bearer(3));
  });

  test.each([["9e999"], ["1e300"], ["-1"], ['"soon"'], ["null"]])(
    "of a life of %s is a token none the less",
    async (expires_in) => {
      const { id } = await service();
      peer.respond(
        (_, response) => void response.end(`{"access_token": "token-1", "expires_in": ${expires_in}}`),
      );
      expect(await app.engine.auth.headersFor(id, `${peer.url}/x`)).toEqual(bearer(1));
    },
  );

  test("that was got with other credentials is not used", async () => {
    const { id, input } = await service();
    expect(await app.engine.auth.headersFor(id, `${peer.url}/x`)).toEqual(bearer(1));
    const auth_values = { ...input.auth_values, client_secret: "another" };
    await app.send("PUT", "/api/v1/services/", { ...input, id, auth_values });
    expect(await app.engine.auth.headersFor(id, `${peer.url}/x`)).toEqual(bearer(2));
  });

  test("that a service refused is replaced once, also where many calls found it refused", async () => {
    const { id } = await service();
    const auth = [app.engine.auth, anotherProcess()];
    const headers = { authorization: "Bearer token-1" };
    await app.engine.auth.headersFor(id, `${peer.url}/x`);
    const again = [...auth, ...auth].map(async (one) => {
      expect(await one.refused(id, headers)).toBe(true);
      return one.headersFor(id, `${peer.url}/x`);
    });
    expect(await Promise.all(again)).toEqual(again.map(() => bearer(2)));
    expect(await app.engine.auth.refused(id, headers)).toBe(true);
    expect(await app.engine.auth.headersFor(id, `${peer.url}/x`)).toEqual(bearer(2));
    expect(peer.requests).toHaveLength(2);
  });

  test("that a process died over is asked for by the next one after its lease", async () => {
    const { id } = await service();
    const lease_expires_at = new Date(app.clock.now().getTime() - 1).toISOString();
    await app.db
      .insertInto("service_tokens")
      .values({ service_id: id, lease_owner: "dead", lease_expires_at })
      .execute();
    expect(await app.engine.auth.headersFor(id, `${peer.url}/x`)).toEqual(bearer(1));
  });
});

describe("a sign-in server that gives none is told in a sentence", () => {
  test.each<[string, string]>([
    ["access_token=token-1&scope=all", "gave no access_token in JSON"],
    ['"token-1"', "gave no access_token in JSON"],
    ['{"access_token": 1}', "gave no access_token in JSON"],
  ])("%s", async (answer, problem) => {
    const { id } = await service();
    peer.respond((_, response) => void response.end(answer));
    const told = await app.engine.auth.headersFor(id, `${peer.url}/x`);
    expect(told).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
    expect(JSON.stringify(told)).not.toContain("token-1");
    peer.respond((_, response) => json(response, 200, token(1)));
    expect(await app.engine.auth.headersFor(id, `${peer.url}/x`)).toEqual(bearer(1));
  });
});

describe("why a sign-in server gave none is told in its own words, as far as they are short and no secret", () => {
  test.each<[object | string, string]>([
    [
      { error: "invalid_client", error_description: "AADSTS7000215:\r\nInvalid secret.\0" },
      "401: invalid_client, AADSTS7000215: Invalid secret.",
    ],
    [{ error: "invalid_scope" }, "401: invalid_scope"],
    [
      { error: "denied", error_description: "us:long secret is wrong, long secret" },
      "401: denied, [hidden] is wrong, [hidden]",
    ],
    [{ error: "x".repeat(900) }, `401: ${"x".repeat(500)}`],
    [{ error: { code: 1 }, error_description: null }, "401."],
    ["<html>", "401."],
  ])("%j", async (answer, said) => {
    const { id } = await service("long secret");
    peer.respond((_, response) => json(response, 401, answer));
    const problem = `The sign-in server of the tool's service answered ${said}`;
    expect(await app.engine.auth.headersFor(id, `${peer.url}/x`)).toEqual({ ok: false, problem });
  });

  test("a redirect, and an address where nobody is, are named", async () => {
    const { id } = await service();
    peer.respond((_, response) => void response.writeHead(302, { location: "/login" }).end());
    expect(await app.engine.auth.headersFor(id, `${peer.url}/x`)).toMatchObject({
      problem:
        "The sign-in server of the tool's service answered with a redirect (302), which is not followed.",
    });
    peer.respond((_, response) => void response.destroy());
    expect(await app.engine.auth.headersFor(id, `${peer.url}/x`)).toMatchObject({
      problem:
        "The sign-in server of the tool's service can't be reached: 127.0.0.1 closed the connection before its answer was complete.",
    });
  });
});

test("a tool whose token was taken back is called once more with a new one", async () => {
  const { id } = await service();
  const { agent_id } = await createAgent(app, {
    script: 'on "go" -> call the_tool {}\nafter the_tool if error -> say "No."\nafter the_tool -> say "Yes."',
    tools: [endpointTool("the_tool", `${peer.url}/it`)],
  });
  await app.db.updateTable("tools").set({ service_id: id }).where("name", "=", "the_tool").execute();
  peer.respond(({ path, headers }, response) => {
    if (path === "/token") return json(response, 200, token(++given));
    return json(response, headers.authorization === "Bearer token-2" ? 200 : 401, {});
  });
  const say = converse(app, agent_id);
  await say("");
  expect((await say("go")).text).toBe("Yes.");
  expect(peer.requests.map(({ path }) => path)).toEqual(["/token", "/it", "/token", "/it"]);
});
