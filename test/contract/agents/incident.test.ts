import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { IncidentResponse } from "../../../src/agents/incident.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";

type Reader = Awaited<ReturnType<TestApp["createNeighbour"]>>["send"];

let app: TestApp;
/** Somebody of another organization who operates nothing. */
let reader: Reader;
let other: { organization_id: number; sub_organization_id: number };
beforeAll(async () => {
  app = await createTestApp();
  const neighbour = await app.createNeighbour();
  reader = neighbour.send;
  other = neighbour.caller;
});

const path = "/api/v1/incidents/";
const incident = (more: object = {}) => ({
  description: "Calls drop",
  start_datetime: "2026-11-18T08:00:00+00:00",
  resolution_datetime: "2026-11-18T09:00:00+00:00",
  impact_category: "High",
  sessions_impacted: 12,
  markdown: "# What happened",
  ...more,
});
const create = async (more: object = {}) => (await app.send("POST", path, incident(more))).body;
const get = (id: number) => app.send("GET", `${path}${id}`);

describe("incidents", () => {
  test("a created incident comes back with every field of its contract", async () => {
    const { status, body } = await app.send("POST", path, incident());
    expect(status).toBe(200);
    expect(body).toEqual({
      ...incident(),
      organization_id: null,
      sub_organization_id: null,
      sub_organization: null,
      id: expect.any(Number),
      created_at: "2026-11-18T12:00:00+00:00",
      updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
    });
    expect((await get(body.id)).body).toEqual(body);
    expect(IncidentResponse.parse(body)).toEqual(body);
  });

  test("an incident is not resolved before it began, whatever offsets the times are told in", async () => {
    const reversed = { resolution_datetime: "2026-11-18T09:59:59+02:00" };
    const made = await create({ resolution_datetime: "2026-11-18T10:00:00+02:00" });
    expect(made.resolution_datetime).toBe(made.start_datetime);
    for (const answer of [
      await app.send("POST", path, incident(reversed)),
      await app.send("PUT", path, incident({ ...reversed, id: made.id })),
    ]) {
      expect(answer).toMatchObject({
        status: 422,
        body: {
          detail: [
            {
              loc: ["body", "resolution_datetime"],
              msg: "An incident can't be resolved before start_datetime",
            },
          ],
        },
      });
    }
    expect((await get(made.id)).body).toEqual(made);
  });

  test("an update replaces everything; what is omitted is gone", async () => {
    const made = await create({ organization_id: app.admin.organization_id });
    app.clock.advance(60_000);
    const { status, body } = await app.send("PUT", path, incident({ id: made.id, impact_category: "Low" }));
    expect(status).toBe(200);
    expect(body).toEqual({
      ...made,
      impact_category: "Low",
      organization_id: null,
      updated_at: "2026-11-18T12:01:00+00:00",
    });
    expect((await get(made.id)).body).toEqual(body);
  });

  test("is read by everybody, or by the organization or sub-organization it names, and is nothing to others", async () => {
    const mine = app.admin;
    const cases = [
      { audience: {}, read: true },
      { audience: { organization_id: other.organization_id }, read: true },
      { audience: { sub_organization_id: other.sub_organization_id }, read: true },
      { audience: { organization_id: mine.organization_id }, read: false },
      { audience: { sub_organization_id: mine.sub_organization_id }, read: false },
      { audience: { ...other, user_id: undefined }, read: true },
    ];
    for (const { audience, read } of cases) {
      const { organization_id, sub_organization_id } = audience as Partial<typeof other>;
      const made = await create({ organization_id, sub_organization_id });
      const seen = await reader("GET", `${path}${made.id}`);
      expect(seen.status, JSON.stringify(audience)).toBe(read ? 200 : 404);
      const listed = await reader("GET", `${path}?search_fields=id&search_field_values=${made.id}`);
      expect(listed.body.items).toEqual(read ? [made] : []);
      expect((await get(made.id)).body).toEqual(made);
    }
  });

  test("a sub-organization is shown with its name, and may be named in place of its id", async () => {
    const named = await create({ sub_organization: "Neighbour" });
    expect(named).toMatchObject({
      sub_organization_id: other.sub_organization_id,
      sub_organization: "Neighbour",
    });
    const forAll = await app.send("PUT", path, { ...named, sub_organization_id: null });
    expect(forAll.body).toEqual({ ...named, sub_organization_id: null, sub_organization: null });
    expect(await app.send("POST", path, incident({ sub_organization: "Nobody" }))).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "sub_organization"] }] },
    });
  });

  test("an organization that is unknown, or has no such sub-organization, is not found", async () => {
    const { organization_id } = app.admin;
    const { sub_organization_id } = other;
    for (const [audience, detail] of [
      [{ organization_id: 999 }, "Organization with ID 999 not found"],
      [{ sub_organization_id: 999 }, "Sub-organization with ID 999 not found"],
      [{ organization_id, sub_organization_id }, `Sub-organization with ID ${sub_organization_id} not found`],
    ] as const) {
      const answer = await app.send("POST", path, incident(audience));
      expect(answer).toMatchObject({ status: 404, body: { detail } });
    }
  });

  test("only who operates the installation writes, deletes and lists organizations", async () => {
    const made = await create();
    const writer = app.sendAs(await app.createToken(["incidents_read", "outbound_write"]));
    for (const [method, url, body, permission] of [
      ["POST", path, incident(), "sa_incidents_write"],
      ["PUT", path, incident({ id: made.id }), "sa_incidents_write"],
      ["DELETE", `${path}${made.id}?reason=x`, undefined, "sa_incidents_delete"],
      ["GET", `${path}organizations`, undefined, "sa_incidents_read"],
    ] as const) {
      expect(await writer(method, url, body)).toMatchObject({
        status: 403,
        body: { detail: `Missing permission: ${permission}` },
      });
    }
    const { status, body } = await app.send("GET", `${path}organizations`);
    expect(status).toBe(200);
    expect(body).toEqual([
      { id: app.admin.organization_id, name: expect.any(String), display_name: "Demo clinic" },
      { id: other.organization_id, name: expect.any(String), display_name: "Neighbour" },
    ]);
  });

  test("a deleted incident is gone, and its end is in the audit trail", async () => {
    const made = await create();
    expect((await app.send("DELETE", `${path}${made.id}`)).status).toBe(422);
    expect((await app.send("DELETE", `${path}${made.id}?reason=x`)).body).toEqual({ success: true });
    expect(await get(made.id)).toMatchObject({
      status: 404,
      body: { detail: `Incident with ID ${made.id} not found` },
    });
    const entries = await app.db
      .selectFrom("audit_entries")
      .select("action")
      .where("resource", "=", "incidents")
      .where("resource_id", "=", String(made.id))
      .orderBy("id")
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(["create", "delete"]);
  });

  test.each([
    ["no description", { description: undefined }, ["description"], "missing"],
    ["no start", { start_datetime: undefined }, ["start_datetime"], "missing"],
    ["a start that is no time", { start_datetime: "soon" }, ["start_datetime"], "datetime_parsing"],
    ["a resolution of null", { resolution_datetime: null }, ["resolution_datetime"], "string_type"],
    ["a part of a session", { sessions_impacted: 1.5 }, ["sessions_impacted"], "int_from_float"],
    ["less than no session", { sessions_impacted: -1 }, ["sessions_impacted"], "greater_than_equal"],
    ["no markdown", { markdown: undefined }, ["markdown"], "missing"],
    ["an organization that is no number", { organization_id: "x" }, ["organization_id"], "int_parsing"],
  ])("%s is refused at its place", async (_, more, at, type) => {
    const answer = await app.send("POST", path, incident(more));
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

  test("incidents are searched, ordered and paged as every list", async () => {
    for (const day of ["02", "01", "03"]) {
      await create({ description: `of lists ${day}`, resolution_datetime: `2026-12-${day}T00:00:00Z` });
    }
    const search = "search_fields=description&search_field_values=OF%20lists";
    const order = "order_by=end_datetime&order_by_direction=desc&limit=2";
    const { body } = await app.send("GET", `${path}?${search}&${order}`);
    expect(body).toMatchObject({ page: 0, page_size: 2, total_pages: 2, total_count: 3 });
    const days = body.items.map((item: { description: string }) => item.description.slice(-2));
    expect(days).toEqual(["03", "02"]);
  });

  test("whatever incident is accepted comes back equal", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 30 }).filter((value) => !value.includes("\0"));
    const at = fc
      .date({ min: new Date("1900-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
      .map((date) => date.toISOString());
    const span = fc.tuple(at, at).map((times) => times.toSorted() as [string, string]);
    const rest = fc.record({
      description: text,
      impact_category: text,
      sessions_impacted: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
      markdown: text,
      organization_id: fc.constantFrom(null, other.organization_id),
      sub_organization_id: fc.constantFrom(null, other.sub_organization_id),
    });
    const body = fc.tuple(span, rest).map(([[start_datetime, resolution_datetime], more]) => ({
      start_datetime,
      resolution_datetime,
      ...more,
    }));
    const { id } = await create();
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const { status, body } = await app.send("PUT", path, { id, ...sent });
        expect(status).toBe(200);
        const instant = (text: string) => new Date(text).toISOString();
        expect({
          ...body,
          start_datetime: instant(body.start_datetime),
          resolution_datetime: instant(body.resolution_datetime),
        }).toMatchObject(sent);
        expect((await get(id)).body).toEqual(body);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
