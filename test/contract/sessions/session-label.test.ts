import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { SessionLabel } from "../../../src/sessions/session-label.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
let target: string;
beforeAll(async () => {
  app = await createTestApp();
  ({ target } = await createAgent(app, { script: 'otherwise -> say "Hi."' }));
});

const path = "/api/v1/session_labels/";
const newSession = async (): Promise<number> =>
  Number((await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target })).body.session_id);
const label = (session_id: number, more: object = {}) => ({
  session_id,
  type: "human-rating",
  code: "GOOD",
  user_email: "admin@example.com",
  ...more,
});
const create = async (session_id: number, more: object = {}) =>
  (await app.send("POST", path, label(session_id, more))).body;

describe("session labels", () => {
  test("a created label comes back with every field of its contract", async () => {
    const id = await newSession();
    const { status, body } = await app.send("POST", path, label(id));
    expect(status).toBe(200);
    expect(body).toEqual({
      ...label(id),
      comments: null,
      issue_categories: [],
      id: expect.any(Number),
      timestamp: "2026-11-18T12:00:00+00:00",
    });
    expect((await app.send("GET", `${path}${body.id}`)).body).toEqual(body);
    expect(SessionLabel.parse(body)).toEqual(body);
    const entries = await app.db
      .selectFrom("audit_entries")
      .select(["action", "after"])
      .where("resource", "=", "session_labels")
      .where("resource_id", "=", String(body.id))
      .execute();
    expect(entries).toEqual([{ action: "create", after: body }]);
  });

  test("a label is never changed or deleted", async () => {
    const made = await create(await newSession());
    expect((await app.send("PUT", path, made)).status).toBe(405);
    expect((await app.send("PUT", `${path}${made.id}`, made)).status).toBe(405);
    expect((await app.send("DELETE", `${path}${made.id}?reason=x`)).status).toBe(405);
  });

  test("a session shows the newest label of a person, else the newest of a program", async () => {
    const session_id = await newSession();
    const shown = async () => {
      const one = (await app.send("GET", `/api/v1/sessions/${session_id}`)).body.session_label_id;
      const search = `search_fields=session_id&search_field_values=${session_id}`;
      const [listed] = (await app.send("GET", `/api/v1/sessions/?${search}`)).body.items;
      expect(listed.session_label_id).toBe(one);
      return one;
    };
    expect(await shown()).toBe(null);
    for (const [type, shows] of [
      ["auto-rating", true],
      ["auto-rating", true],
      ["human-rating", true],
      ["auto-rating", false],
      ["human-rating", true],
    ] as const) {
      const before = await shown();
      const made = await create(session_id, { type });
      expect(await shown()).toBe(shows ? String(made.id) : before);
    }
  });

  test("a neighbour's session and label answer 404 like ones that never were", async () => {
    const session_id = await newSession();
    const made = await create(session_id);
    const neighbour = await app.createNeighbour();
    expect(await neighbour.send("POST", path, label(session_id))).toMatchObject({
      status: 404,
      body: { detail: `Session with ID ${session_id} not found` },
    });
    expect(await neighbour.send("GET", `${path}${made.id}`)).toMatchObject({
      status: 404,
      body: { detail: `Session label with ID ${made.id} not found` },
    });
    expect((await neighbour.send("GET", path)).body.items).toEqual([]);
  });

  test.each([
    ["no session", { session_id: undefined }, ["session_id"], "missing"],
    ["a session that is no number", { session_id: "CA1" }, ["session_id"], "int_parsing"],
    ["a type that is none", { type: "rating" }, ["type"], "enum"],
    ["a code that is none", { code: "good" }, ["code"], "enum"],
    ["nobody's", { user_email: undefined }, ["user_email"], "missing"],
    ["one category for a list", { issue_categories: "Language" }, ["issue_categories"], "list_type"],
  ])("a label with %s is refused at its place", async (_, more, at, type) => {
    const answer = await app.send("POST", path, label(1, more));
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

  test("nobody labels a session in the name of people who are none of the organization", async () => {
    const neighbour = await app.createNeighbour();
    for (const user_email of ["ceo@elsewhere.example", neighbour.caller.email, ""])
      expect(await app.send("POST", path, label(await newSession(), { user_email }))).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body", "user_email"] }] },
      });
  });

  test("labels are listed newest first, searched, ordered and paged as every list", async () => {
    const [first, second, third] = [await newSession(), await newSession(), await newSession()];
    const made = [];
    for (const [session_id, code] of [
      [first, "GOOD"],
      [second, "BAD"],
      [third, "N/A"],
    ] as const) {
      app.clock.advance(1000);
      made.push(await create(session_id, { code, issue_categories: [`Seen ${code}`] }));
    }
    const list = async (query: string) =>
      (await app.send("GET", `${path}?${query}`)).body.items.map((item: { id: number }) => item.id);
    const ids = made.map(({ id }) => id);
    const any = `search_fields=session_id_list&search_field_values=${first},%20${third},,`;
    expect(await list(any)).toEqual([ids[2], ids[0]]);
    for (const order of ["session_id", "session_id_list"])
      expect(await list(`${any}&order_by=${order}&order_by_direction=asc&limit=1`)).toEqual([ids[0]]);
    expect(await list(`${any}&search_fields=code&search_field_values=N/A`)).toEqual([ids[2]]);
    expect(await list(`${any}&search_fields=issue_categories&search_field_values=seen%20good`)).toEqual([
      ids[0],
    ]);
    expect(await list(`start_datetime=${encodeURIComponent(made[1].timestamp)}`)).toEqual([ids[2], ids[1]]);
    expect(
      (await app.send("GET", `${path}?search_fields=session_id_list&search_field_values=a`)).status,
    ).toBe(422);
  });

  test("reading and writing need their own permission", async () => {
    const session_id = await newSession();
    const reader = app.sendAs(await app.createToken(["session_labels_read"]));
    expect((await reader("GET", path)).status).toBe(200);
    expect(await reader("POST", path, label(session_id))).toMatchObject({
      status: 403,
      body: { detail: "Missing permission: session_labels_write" },
    });
  });

  test("whatever label is accepted comes back equal", async () => {
    const session_id = await newSession();
    const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((value) => !value.includes("\0"));
    const any = fc.record({
      type: fc.constantFrom("auto-rating", "human-rating"),
      code: fc.constantFrom("GOOD", "OK", "BAD", "N/A"),
      user_email: fc.constant("admin@example.com"),
      comments: fc.option(text),
      issue_categories: fc.option(fc.array(text, { maxLength: 3 })),
    });
    await fc.assert(
      fc.asyncProperty(any, async (sent) => {
        const { status, body } = await app.send("POST", path, { session_id, ...sent });
        expect(status).toBe(200);
        expect(body).toMatchObject({ session_id, ...sent });
        expect((await app.send("GET", `${path}${body.id}`)).body).toEqual(body);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
