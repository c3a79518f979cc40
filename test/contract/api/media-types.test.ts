import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const FORM = "application/x-www-form-urlencoded";

test.each([
  ["JSON that a client calls a form", "POST", "/api/v1/services/", FORM, '{"name":"x"}', "application/json"],
  ["text", "POST", "/api/v1/services/", "text/plain", "x", "application/json"],
  ["JSON in the place of a form", "DELETE", "/api/v1/outbound/batches/b", "application/json", "{}", FORM],
  ["a file that is no form", "POST", "/api/v1/suppressions/csv", "text/csv", "x", "multipart/form-data"],
  ["bytes in the place of a form", "DELETE", "/api/v1/outbound/batches/b", "text/plain", "x", FORM],
  [
    "JSON in the place of a file",
    "POST",
    "/api/v1/suppressions/csv",
    "application/json",
    "{}",
    "multipart/form-data",
  ],
] as const)(
  "%s is refused with the kind of body that is wanted",
  async (_what, method, url, type, payload, wanted) => {
    const headers = { "service-api-key": app.token, "content-type": type };
    const answer = await app.api.server.inject({ method, url, headers, payload });
    expect(answer.statusCode).toBe(415);
    expect(answer.json()).toEqual({ detail: `Send the body as ${wanted}.` });
  },
);
