import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { DirectoryMember, DirectoryMemberHistoryResponse } from "../../../src/directory/directory-schema.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const path = "/api/v1/directory_members/";
let names = 0;
const create = async (more: object = {}) =>
  (await app.send("POST", path, { name: `Member ${++names}`, type: "contact", ...more })).body;
const get = (id: number, query = "") => app.send("GET", `${path}${id}${query}`);
const numbered = (number: string, ...rules: object[]) => [{ name: "work", numbers: [{ number, rules }] }];

describe("directory members", () => {
  test("a created member comes back with every field of its contract", async () => {
    const { status, body } = await app.send("POST", path, { name: "Ann", type: "Operator" });
    expect(status).toBe(200);
    expect(body).toEqual({
      name: "Ann",
      type: "Operator",
      extensions: null,
      contact_tags: null,
      comments: null,
      id: expect.any(Number),
      created_at: "2026-11-18T12:00:00+00:00",
      updated_at: "2026-11-18T12:00:00+00:00",
      deleted_at: null,
      last_updated_by: "admin@example.com",
      created_by: "admin@example.com",
    });
    expect((await get(body.id)).body).toEqual(body);
    expect(DirectoryMember.parse(body)).toEqual(body);
  });

  test("nested fields that were left out come back as null", async () => {
    const { extensions } = await create({
      extensions: [{ name: "a" }, { name: "b", numbers: [{ number: "1" }] }],
    });
    expect(extensions).toEqual([
      { name: "a", numbers: null },
      { name: "b", numbers: [{ number: "1", rules: null }] },
    ]);
  });

  test("an update replaces everything; what is omitted is gone", async () => {
    const made = await create({
      extensions: numbered("+15125551234"),
      contact_tags: { vip: ["yes"] },
      comments: "c",
    });
    app.clock.advance(60_000);
    const sent = { id: made.id, name: `${made.name} b`, type: "Department" };
    const { status, body } = await app.send("PUT", `${path}${made.id}`, sent);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...made,
      ...sent,
      extensions: null,
      contact_tags: null,
      comments: null,
      updated_at: "2026-11-18T12:01:00+00:00",
    });
    expect((await get(made.id)).body).toEqual(body);
  });

  test("the id of a body is the path's", async () => {
    const made = await create();
    const other = { id: made.id + 1, name: "x", type: "y" };
    expect(await app.send("PUT", `${path}${made.id}`, other)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "id"] }] },
    });
    const decimal = { id: String(made.id), name: "Decimal", type: "y" };
    expect((await app.send("PUT", `${path}${made.id}/`, decimal)).status).toBe(200);
  });

  test("of one type each member has a name of its own", async () => {
    const made = await create({ name: "Twice", type: "contact" });
    const again = await app.send("POST", path, { name: "Twice", type: "contact" });
    expect(again).toMatchObject({ status: 400, body: { detail: expect.stringContaining('"Twice"') } });
    expect((await app.send("POST", path, { name: "Twice", type: "Department" })).status).toBe(200);
    const other = await create();
    const taken = { id: other.id, name: "Twice", type: "contact" };
    expect((await app.send("PUT", `${path}${other.id}`, taken)).status).toBe(400);
    await app.send("DELETE", `${path}${made.id}?comment=x`);
    expect((await app.send("PUT", `${path}${other.id}`, taken)).status).toBe(200);
  });

  test("of members created at once with one name, one is", async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => app.send("POST", path, { name: "Race", type: "t" })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  });

  test("a neighbour's member answers 404 like one that never was", async () => {
    const made = await create();
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${path}${made.id}`],
      ["GET", `${path}${made.id}/history`],
      ["GET", `${path}${made.id}/test?timestamp=2026-11-18`],
      ["PUT", `${path}${made.id}`, { id: made.id, name: "Taken", type: "t" }],
      ["PUT", `${path}${made.id}/restore`, {}],
      ["DELETE", `${path}${made.id}?comment=x`],
    ] as const) {
      expect(await neighbour.send(method, url, body), url).toMatchObject({
        status: 404,
        body: { detail: `Directory member with ID ${made.id} not found` },
      });
    }
    expect((await neighbour.send("GET", path)).body.items).toEqual([]);
    expect((await get(made.id)).body).toEqual(made);
  });

  test.each([
    ["no name", { name: undefined }, ["name"], "missing"],
    ["an empty name", { name: "" }, ["name"], "string_too_short"],
    ["no type", { type: undefined }, ["type"], "missing"],
    ["an extension without a name", { extensions: [{}] }, ["extensions", 0, "name"], "missing"],
    [
      "a number that is none",
      { extensions: numbered("call me") },
      ["extensions", 0, "numbers", 0, "number"],
      "string_pattern_mismatch",
    ],
    [
      "one rule for a list",
      { extensions: [{ name: "work", numbers: [{ number: "1", rules: {} }] }] },
      ["extensions", 0, "numbers", 0, "rules"],
      "list_type",
    ],
    [
      "a rule of a number",
      { extensions: numbered("1", { language: 7 }) },
      ["extensions", 0, "numbers", 0, "rules", 0, "language"],
      "string_type",
    ],
    [
      "a condition that is none",
      { extensions: numbered("1", {}, { langauge: "es" }) },
      ["extensions", 0, "numbers", 0, "rules", 1, "langauge"],
      "extra_forbidden",
    ],
    [
      "days that are none",
      { extensions: numbered("1", { days: "monday" }) },
      ["extensions", 0, "numbers", 0, "rules", 0, "days"],
      "value_error",
    ],
    [
      "hours that end nowhere",
      { extensions: numbered("1", { hours: "@hours mo-fr 9:00" }) },
      ["extensions", 0, "numbers", 0, "rules", 0, "hours"],
      "value_error",
    ],
    ["tags without lists", { contact_tags: { vip: "yes" } }, ["contact_tags", "vip"], "list_type"],
  ])("%s is refused at its place", async (_, more, at, type) => {
    const answer = await app.send("POST", path, { name: "Refused", type: "t", ...more });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

  test("members are searched, ordered and paged as every list", async () => {
    for (const name of ["list b", "list a", "list c"]) {
      await create({ name, type: "of lists", contact_tags: { floor: [name] } });
    }
    const search = "search_fields=type&search_field_values=OF%20lists";
    const { body } = await app.send("GET", `${path}?${search}&order_by=name&order_by_direction=desc&limit=2`);
    expect(body).toMatchObject({ page: 0, page_size: 2, total_pages: 2, total_count: 3 });
    const shown = (page: { items: { name: string }[] }) => page.items.map(({ name }) => name);
    expect(shown(body)).toEqual(["list c", "list b"]);
    const exact = await app.send("GET", `${path}?search_fields=name_exact&search_field_values=list%20a`);
    expect(shown(exact.body)).toEqual(["list a"]);
    const tagged = await app.send("GET", `${path}?search_fields=contact_tags&search_field_values=LIST%20b`);
    expect(shown(tagged.body)).toEqual(["list b"]);
  });

  test("whatever member is accepted comes back equal, raw", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((value) => !value.includes("\0"));
    const key = text.filter((value) => value !== "__proto__");
    const rule = fc.constantFrom<Record<string, string>>(
      {},
      { language: "es" },
      { days: "sa,mo", start_time: "9:00", end_time: "17:00", timezone: "America/New_York" },
      { opening: "@hours fr-mo 22:00 - 6:00", invert: "true" },
      { date: "2026-12-24", invert: "false" },
    );
    const number = fc.record({
      number: fc.constantFrom("+15125551234", "(512) 555-1234", "*67", "sip:ann@pbx.example"),
      rules: fc.option(fc.array(rule, { maxLength: 3 })),
    });
    const extension = fc.record({ name: text, numbers: fc.option(fc.array(number, { maxLength: 3 })) });
    const member = fc.record({
      name: text.filter((value) => value !== ""),
      type: text.filter((value) => value !== ""),
      extensions: fc.option(fc.array(extension, { maxLength: 3 })),
      contact_tags: fc.option(
        fc.dictionary(key, fc.array(text, { maxLength: 3 }), { noNullPrototype: true }),
      ),
      comments: fc.option(text),
    });
    const { id } = await create();
    await fc.assert(
      fc.asyncProperty(member, async (sent) => {
        const { status, body } = await app.send("PUT", `${path}${id}?response_format=raw`, { id, ...sent });
        expect(status).toBe(200);
        expect(body).toMatchObject({ id, ...sent });
        expect((await get(id, "?response_format=raw")).body).toEqual(body);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});

describe("response formats", () => {
  const raw = { when: "@hours fr-mo 9:00-17:00", language: "es" };
  const normalized = { days: "mo,fr,sa,su", start_time: "09:00", end_time: "17:00", language: "es" };

  test("rules are shown raw as they are stored, and normalized in one spelling, in every answer", async () => {
    const body = { name: "Formats", type: "t", extensions: numbered("1", raw) };
    const made = (await app.send("POST", path, body)).body;
    expect(made.extensions).toEqual(numbered("1", normalized));
    const inRaw = "response_format=raw";
    expect((await get(made.id, `?${inRaw}`)).body.extensions).toEqual(numbered("1", raw));

    const search = "search_fields=name&search_field_values=Formats";
    const answers = async (query: string) => [
      (await app.send("GET", `${path}?${search}&${query}`)).body.items[0],
      (await app.send("PUT", `${path}${made.id}?${query}`, { ...body, id: made.id })).body,
      (await app.send("GET", `${path}${made.id}/history?${query}`)).body.items[0],
      (await app.send("GET", `${path}download/?${query}`)).body.find(
        ({ id }: { id: number }) => id === made.id,
      ),
    ];
    for (const answer of await answers(inRaw)) expect(answer.extensions).toEqual(numbered("1", raw));
    for (const answer of await answers("")) expect(answer.extensions).toEqual(numbered("1", normalized));
    expect((await get(made.id, "?response_format=pretty")).status).toBe(422);
  });
});

describe("the number that is reached", () => {
  const reached = async (id: number, query: string) =>
    (await app.send("GET", `${path}${id}/test?${query}`)).body;

  test("follows the clock and the language, or says why there is none", async () => {
    const { id } = await create({
      extensions: [
        {
          name: "work",
          numbers: [{ number: "1", rules: [{ hours: "@hours mo-fr 9:00-17:00", language: "es" }] }],
        },
        { name: "mobile", numbers: [{ number: "2", rules: [{ days: "mo-fr" }] }] },
      ],
    });
    const none = { extension: null, status: "No extension matches the given time and language" };
    expect(await reached(id, "timestamp=2025-12-04T14:29:39&language_code=es-US")).toEqual({
      extension: "1",
      status: null,
    });
    expect(await reached(id, "timestamp=2025-12-04T14:29:39")).toEqual({ extension: "2", status: null });
    expect(await reached(id, "timestamp=2025-12-04T17:00:00&language_code=es-US")).toMatchObject({
      extension: "2",
    });
    expect(await reached(id, "timestamp=2025-12-06T14:29:39&language_code=es-US")).toEqual(none);
    expect(await reached((await create()).id, "timestamp=2025-12-04")).toEqual(none);
  });

  test("a time without an offset is what the clock shows; with one it is seen in the zone of the rule", async () => {
    const rule = { start_time: "09:00", end_time: "10:00", timezone: "America/New_York" };
    const { id } = await create({ extensions: numbered("1", rule) });
    expect((await reached(id, "timestamp=2026-11-18T09:30:00")).extension).toBe("1");
    expect((await reached(id, "timestamp=2026-11-18T14:30:00Z")).extension).toBe("1");
    expect((await reached(id, "timestamp=2026-11-18T09:30:00Z")).extension).toBe(null);
  });

  test.each([
    ["", ["query", "timestamp"], "missing"],
    ["timestamp=noon", ["query", "timestamp"], "datetime_parsing"],
    ["timestamp=2026-11-18&language_code=en", ["query", "language_code"], "enum"],
  ])("a test with %s is refused at its place", async (query, loc, type) => {
    const { id } = await create();
    const answer = await app.send("GET", `${path}${id}/test?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ loc, type }]);
  });
});

describe("deleted members and history", () => {
  test("a deleted member is gone but for its history and lists that ask for it, until it is restored", async () => {
    const made = await create();
    expect(await app.send("DELETE", `${path}${made.id}`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "comment"], type: "missing" }] },
    });
    app.clock.advance(60_000);
    const { body } = await app.send("DELETE", `${path}${made.id}?comment=left%20us`);
    expect(body).toEqual({ success: true });
    const gone = { id: made.id, name: "Gone", type: "t" };
    expect((await get(made.id)).status).toBe(404);
    expect((await app.send("PUT", `${path}${made.id}`, gone)).status).toBe(404);
    expect((await app.send("DELETE", `${path}${made.id}?comment=again`)).status).toBe(404);
    expect((await app.send("GET", `${path}${made.id}/test?timestamp=2026-11-18`)).status).toBe(404);

    const search = `search_fields=id&search_field_values=${made.id}`;
    expect((await app.send("GET", `${path}?${search}`)).body.items).toEqual([]);
    const listed = (await app.send("GET", `${path}?${search}&include_deleted=true`)).body.items;
    expect(listed).toMatchObject([{ id: made.id, comments: "left us", deleted_at: listed[0].updated_at }]);

    const restored = await app.send("PUT", `${path}${made.id}/restore`, {});
    expect(restored).toMatchObject({ status: 200, body: { deleted_at: null, comments: "Restored" } });
    expect((await get(made.id)).body).toEqual(restored.body);
  });

  test("what is not deleted, or would clash, is not restored: 409", async () => {
    const made = await create({ name: "Clash", type: "t" });
    expect(await app.send("PUT", `${path}${made.id}/restore`, {})).toMatchObject({
      status: 409,
      body: { detail: `Directory member with ID ${made.id} is not deleted` },
    });
    await app.send("DELETE", `${path}${made.id}?comment=x`);
    await create({ name: "Clash", type: "t" });
    expect(await app.send("PUT", `${path}${made.id}/restore`, { comments: "back" })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('"Clash"') },
    });
    expect((await app.send("PUT", `${path}${made.id + 1000}/restore`, {})).status).toBe(404);
  });

  test("every change is a version, numbered from 1, and an audit entry", async () => {
    const made = await create({ comments: "first" });
    const { id } = made;
    app.clock.advance(60_000);
    await app.send("PUT", `${path}${id}`, {
      id,
      name: `${made.name} b`,
      type: "t",
      extensions: numbered("1"),
    });
    await app.send("DELETE", `${path}${id}?comment=bye`);
    await app.send("PUT", `${path}${id}/restore`, { comments: "back" });
    const { body } = await app.send("GET", `${path}${id}/history`);
    expect(body).toMatchObject({ page: 0, page_size: 25, total_count: 4, total_pages: 1 });
    expect(body.items[0]).toEqual({
      directory_member_id: id,
      version: 1,
      timestamp: made.created_at,
      name: made.name,
      type: "contact",
      extensions: [],
      contact_tags: {},
      user_email: "admin@example.com",
      comments: "first",
      operation: "create",
    });
    const told = body.items.map((version: Record<string, unknown>) => [
      version.version,
      version.operation,
      version.comments,
    ]);
    expect(told).toEqual([
      [1, "create", "first"],
      [2, "update", null],
      [3, "delete", "bye"],
      [4, "restore", "back"],
    ]);
    for (const version of body.items) expect(DirectoryMemberHistoryResponse.parse(version)).toEqual(version);
    const newest = await app.send("GET", `${path}${id}/history?order_by_direction=desc&limit=1&page=1`);
    expect(newest.body.items).toEqual([body.items[2]]);
    const audited = await app.db
      .selectFrom("audit_entries")
      .select("action")
      .where("resource", "=", "directory")
      .where("resource_id", "=", String(id))
      .orderBy("id")
      .execute();
    expect(audited.map(({ action }) => action)).toEqual(["create", "update", "delete", "restore"]);
  });

  test.each(["limit=0", "limit=101", "page=-1", "order_by_direction=up"])(
    "a history of %s is refused",
    async (query) => {
      const { id } = await create();
      expect((await app.send("GET", `${path}${id}/history?${query}`)).status).toBe(422);
    },
  );
});
