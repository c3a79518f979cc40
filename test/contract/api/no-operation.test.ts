import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

test.each([
  [
    "PATCH",
    "/api/v1/agents/1",
    "DELETE, GET",
    "PATCH is not possible at this address. It takes DELETE and GET.",
  ],
  [
    "DELETE",
    "/api/v1/outbound/rules?a=b",
    "GET, PUT",
    "DELETE is not possible at this address. It takes GET and PUT.",
  ],
  ["POST", "/api/v1/permissions", "GET", "POST is not possible at this address. It takes GET."],
])(
  "%s %s, a method that its path does not take, is answered 405 with those it takes",
  async (method, url, allow, detail) => {
    const answer = await app.api.server.inject({ method: method as "POST", url });
    expect([answer.statusCode, answer.headers.allow, answer.json()]).toEqual([405, allow, { detail }]);
  },
);

test.each(["/api/v1/agent/", "/api/v1/agents/1/x", "/"])(
  "a path of no operation, %s, is not found",
  async (url) => {
    const answer = await app.api.server.inject({ method: "POST", url });
    expect([answer.statusCode, answer.json()]).toEqual([404, { detail: "Not Found" }]);
  },
);

test("whoever sends a token as Authorization is told which header it is read from", async () => {
  const send = (headers: Record<string, string>) =>
    app.api.server.inject({ method: "GET", url: "/api/v1/agents/", headers });
  const answer = await send({ authorization: `Bearer ${app.token}` });
  expect([answer.statusCode, answer.json()]).toEqual([
    401,
    {
      detail: "Not authenticated: the token is read from the header Service-API-Key, not from Authorization",
    },
  ]);
  expect((await send({})).json()).toEqual({ detail: "Not authenticated" });
});
