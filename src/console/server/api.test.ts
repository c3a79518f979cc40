import { afterEach, expect, test, vi } from "vitest";
import { type ApiError, call, callForBytes, callForEvents } from "./api.ts";
import { connection } from "./connection.ts";
import { FOREIGN_PAGE, HALF_ANSWER } from "./proxy-answer.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  connection.set("open");
});

/** What the next request is answered with. */
const answer = (body: BodyInit, status: number, type: string) =>
  vi.stubGlobal("fetch", async () => new Response(body, { status, headers: { "content-type": type } }));

/** A body whose connection breaks behind its beginning. */
const brokenBehind = (begin: string) => {
  let isBegun = false;
  return new ReadableStream({
    pull(body) {
      if (isBegun) return body.error(new TypeError("network error"));
      isBegun = true;
      body.enqueue(new TextEncoder().encode(begin));
    },
  });
};

const WAYS = {
  record: () => call("GET /api/v1/agents/{agent_id}", { path: { agent_id: 1 } }),
  file: () => callForBytes("GET /api/v1/pronunciations/csv", {}),
  events: () => callForEvents("GET /api/v1/sessions/live", {}, () => {}),
};
const ways = Object.entries(WAYS);
const failureOf = (sent: Promise<unknown>): Promise<ApiError> =>
  sent.then(
    () => Promise.reject(new Error("it was taken for an answer")),
    (error) => error,
  );

test("half of a record is not taken for the record, or for none", async () => {
  answer('{"id": 1, "na', 200, "application/json");
  expect((await failureOf(WAYS.record())).message).toBe(HALF_ANSWER);
  answer('{"detail": "There is n', 404, "application/json");
  expect(await failureOf(WAYS.record())).toMatchObject({ status: 404, message: HALF_ANSWER });
});

test.each(ways)("a proxy's page with status 200 is not taken for a %s", async (_, ask) => {
  answer("<h1>Sign in to the network</h1>", 200, "text/html; charset=utf-8");
  expect((await failureOf(ask())).message).toBe(FOREIGN_PAGE);
});

test.each(ways)(
  "a connection that breaks in the middle of a %s is reported in plain words and counts as lost",
  async (_, ask) => {
    answer(brokenBehind('{"id": 1, '), 200, "application/json");
    expect((await failureOf(ask())).message).toBe("The connection was lost before the answer was complete.");
    expect(connection.get()).toBe("lost");
  },
);

test.each(ways)("a proxy's refusal of a %s says what to do", async (_, ask) => {
  answer("<h1>413 Request Entity Too Large</h1>", 413, "text/html");
  expect(await failureOf(ask())).toMatchObject({
    status: 413,
    message: expect.stringContaining("Send less"),
  });
});
