import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { json } from "../../../src/db/database.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insertFacts } from "../../harness/facts.ts";

const BOARDS = "/api/v1/boards/";
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  const agent = await app.db.selectFrom("agents").select("id").limit(1).executeTakeFirst();
  expect(agent).toBeUndefined();
  // Today at noon: 6 of version 1, of which 1 failed, and 4 of version 2, of which 3 failed. A week before: 5, none failed.
  await insertFacts(app, 6, (n) => ({ agent_version: 1, is_error: n === 0, waits_ms: [100, 300] }));
  await insertFacts(app, 4, (n) => ({
    agent_version: 2,
    is_error: n < 3,
    channel: "voice",
    duration_s: 60,
    waits_ms: [500],
  }));
  await insertFacts(app, 5, () => ({ agent_version: 1, began_at: "2026-11-11T09:00:00Z" }));
  await insertFacts(app, 3, () => ({ is_test: true, is_error: true }));
});

const tile = (more: object = {}) => ({ metric: { name: "sessions" }, ...more });
const figures = async (more: object, period: object = {}) => {
  const { status, body } = await app.send("POST", `${BOARDS}tile_figures`, { tile: tile(more), period });
  expect({ status, body }).toMatchObject({ status: 200, body: { problem: null } });
  return body;
};

test("the overview has five figures of seven days, each compared with the seven days before, and no test session", async () => {
  const overview = (who = app.send) => who("GET", `${BOARDS}overview?timezone=UTC`);
  const { body } = await overview();
  expect(body.figures.map(({ metric }: { metric: string }) => metric)).toEqual([
    ...["sessions", "hand_overs", "errors", "latency_p95", "cost"],
  ]);
  expect(body.figures[0]).toMatchObject({ total: { value: 10, before: 5, change: 1 }, problem: null });
  expect(body.figures[0].by_day).toEqual([0, 0, 0, 0, 0, 0, 10]);
  expect(body.figures[2]).toMatchObject({ total: { value: 0.4, before: 0 } });
  expect(body.figures[2].by_day).toEqual([null, null, null, null, null, null, 0.4]);
  const neighbour = await app.createNeighbour();
  expect((await overview(neighbour.send)).body.figures[0]).toMatchObject({ total: { value: 0, before: 0 } });
  expect((await app.send("GET", `${BOARDS}overview?timezone=Nowhere`)).status).toBe(422);
});

describe("a board", () => {
  test("is stored as tiles, answers their figures in order, and belongs to its organization", async () => {
    const input = {
      name: "Quality",
      tiles: [tile(), tile({ metric: { name: "errors" }, split: { by: "channel" }, chart: "bars" })],
    };
    const created = await app.send("POST", BOARDS, input);
    expect(created).toMatchObject({ status: 200, body: { name: "Quality", last_days: 7 } });
    const { body } = await app.send("GET", `${BOARDS}${created.body.id}/figures`);
    expect(body.tiles).toMatchObject([
      { unit: "count", total: { value: 10 } },
      { unit: "percent", points: [{ key: "chat" }, { key: "voice", value: 0.75 }] },
    ]);
    expect((await app.send("POST", BOARDS, input)).status).toBe(400);
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("GET", `${BOARDS}${created.body.id}/figures`)).status).toBe(404);
    const other = await neighbour.send("POST", `${BOARDS}tile_figures`, { tile: tile(), period: {} });
    expect(other.body.total).toMatchObject({ value: 0, count: 0 });
  });

  test("that asks for what can't be counted is refused at the place, all faults at once", async () => {
    const tiles = [
      tile({ chart: "line" }),
      tile({ metric: { name: "people_tried" }, split: { by: "agent" } }),
      tile({ search_fields: ["duration_from"], search_field_values: ["soon"] }),
      tile({ metric: { name: "insight_rate", insight: "x" } }),
    ];
    const places = [];
    for (const each of tiles)
      places.push((await app.send("POST", BOARDS, { name: "Wrong", tiles: [each] })).body.detail?.[0]?.loc);
    expect(places).toEqual([
      ["body", "tiles", 0, "chart"],
      ["body", "tiles", 0, "split"],
      ["body", "tiles", 0, "search_field_values", 0],
      ["body", "tiles", 0, "metric", "value"],
    ]);
    const period = { start_datetime: "2026-01-01", end_datetime: "2028-01-01" };
    const long = await app.send("POST", `${BOARDS}tile_figures`, { tile: tile(), period });
    expect(long).toMatchObject({ status: 422, body: { detail: [{ msg: "Choose 366 days at most" }] } });
  });
});

describe("a figure", () => {
  test("is compared with the period before, and each of its points has the search that finds its sessions", async () => {
    const found = await figures({
      metric: { name: "errors" },
      split: { by: "day" },
      chart: "line",
      compare: "before",
    });
    expect(found.total).toMatchObject({ value: 0.4, count: 10, before: 0, before_count: 5 });
    expect(found.points).toHaveLength(7);
    const last = found.points.at(-1);
    expect(last).toMatchObject({ value: 0.4, starts_at: "2026-11-18T00:00:00.000Z" });
    expect(last.search).toMatchObject({ search_fields: ["has_error"], search_field_values: ["true"] });
    expect(found.total.low).toBeCloseTo(0.1682, 3);
    expect(found.total.high).toBeCloseTo(0.6873, 3);
  });

  test("is compared with nothing that retention has deleted in part, and says from when on all is kept", async () => {
    const neighbour = await app.createNeighbour();
    const settings = "/api/v1/organizations/privacy";
    const shown = async (more: object = {}, period: object = {}) => {
      const asked = { tile: tile({ compare: "before", ...more }), period };
      const { status, body } = await neighbour.send("POST", `${BOARDS}tile_figures`, asked);
      expect(status, JSON.stringify(body)).toBe(200);
      return { kept_since: body.kept_since, before: body.total.before };
    };
    const whole = { kept_since: null, before: 0 };
    const daysAgo = (days: number) => new Date(app.clock.now().getTime() - days * 86_400_000).toISOString();
    expect(await shown()).toEqual(whole);
    const keep = (days: object) => neighbour.send("PUT", settings, { retention: days });
    expect((await keep({ session: 10, insight: 5 })).status).toBe(200);
    expect(await shown()).toEqual({ kept_since: daysAgo(10), before: null });
    expect(await shown({}, { last_days: 4 })).toEqual(whole);
    expect(await shown({ compare: "none" })).toMatchObject({ kept_since: null });
    expect(await shown({ compare: "none" }, { last_days: 30 })).toMatchObject({ kept_since: daysAgo(10) });
    const insight = { metric: { name: "insight_mean", insight: "score" } };
    expect(await shown(insight, { last_days: 4 })).toEqual({ kept_since: daysAgo(5), before: null });
    expect(await shown({ metric: { name: "people_tried" } })).toEqual(whole);
    const overview = await neighbour.send("GET", `${BOARDS}overview?timezone=UTC`);
    expect(overview.body.figures[0].total).toMatchObject({ before: null, change: null });

    // An agent's own rule is that of its sessions, and of figures over all agents where it is the shorter one.
    const made = await createAgent({ ...app, send: neighbour.send } as TestApp, { script: "" });
    const own = (days: object) =>
      neighbour.send("PUT", `/api/v1/agents/${made.agent_id}/retention`, { retention: days });
    const ofAgent = { search_fields: ["agent_id"], search_field_values: [String(made.agent_id)] };
    expect((await own({ session: null })).status).toBe(200);
    expect(await shown(ofAgent)).toEqual(whole);
    expect(await shown()).toMatchObject({ kept_since: daysAgo(10) });
    await keep({});
    await own({ session: 8 });
    expect(await shown()).toEqual({ kept_since: daysAgo(8), before: null });
    expect(await shown({ search_fields: ["agent_id"], search_field_values: ["999"] })).toEqual(whole);
  });

  test("tells nobody who may not see sessions whom one was with, or what was said", async () => {
    const send = app.sendAs(await app.createToken(["reports_read", "alerts_read"]));
    for (const [field, value] of [
      ["words", "cancer"],
      ["source", "+15125550100"],
      ["target", "+15125550100"],
      ["session_id", "1"],
      ["session_id_list", "1,2"],
      ["conversation_id", "1"],
      ["channel_manager_sid", "CA1"],
    ]) {
      const filter = { search_fields: ["channel", field], search_field_values: ["chat", value] };
      const shown = await send("POST", `${BOARDS}tile_figures`, { tile: tile(filter), period: {} });
      expect({ field, ...shown }).toMatchObject({
        status: 200,
        body: { total: null, problem: "You may not see this tile. Missing permission: sessions_read" },
      });
      const rule = { metric: { name: "sessions" }, condition: "above", threshold: 1, window_minutes: 60 };
      const preview = await send("POST", "/api/v1/alerts/preview", { ...rule, least_sessions: 1, ...filter });
      expect({ field, status: preview.status }).toEqual({ field, status: 403 });
    }
    const both = app.sendAs(await app.createToken(["reports_read", "sessions_read"]));
    const said = tile({ search_fields: ["words"], search_field_values: ["cancer"] });
    expect((await both("POST", `${BOARDS}tile_figures`, { tile: said, period: {} })).body).toMatchObject({
      total: { value: 0 },
      problem: null,
    });
  });

  test("of one version is compared with another's, with the interval of their difference", async () => {
    const { versions } = await figures({
      metric: { name: "errors" },
      compare: "versions",
      versions: { first: "1.1", second: "1.2" },
    });
    expect(versions).toMatchObject({ first: { count: 6 }, second: { value: 0.75, count: 4 } });
    expect(versions.difference.value).toBeCloseTo(0.75 - 1 / 6, 6);
    expect(versions.difference.low).toBeLessThan(versions.difference.value);
  });

  test("counts turns for latency, sums and means over sessions, by each split and filter", async () => {
    expect((await figures({ metric: { name: "latency_p50" } })).total).toMatchObject({
      value: 300,
      count: 10,
    });
    const byVersion = await figures({
      metric: { name: "duration" },
      split: { by: "version" },
      chart: "bars",
    });
    expect(byVersion.points).toMatchObject([
      { key: "1.1", label: "Agent 1, version 1", value: null },
      { key: "1.2", value: 60, search: { search_fields: ["agent_version"], search_field_values: ["1.2"] } },
    ]);
    const voice = { search_fields: ["channel", "duration_from"], search_field_values: ["voice", "60"] };
    expect((await figures(voice)).total.value).toBe(4);
    expect((await figures({ search_fields: ["is_test"], search_field_values: ["true"] })).total.value).toBe(
      3,
    );
    expect((await figures({ split: { by: "hour" }, chart: "line" }, { last_days: 1 })).points).toHaveLength(
      12,
    );
  });

  test("of cost adds up what has a price, and its mean is of sessions of which all has one", async () => {
    const priced = [
      { cost_usd: 0.5, known_usd: 0.5 },
      { cost_usd: null, known_usd: 0.25 },
      { cost_usd: null },
    ];
    await insertFacts(app, 3, (n) => ({ agent_id: 71, ...priced[n] }));
    const of = { search_fields: ["agent_id"], search_field_values: ["71"] };
    for (const [name, value] of [
      ["cost", 0.75],
      ["cost_per_session", 0.5],
    ])
      expect((await figures({ metric: { name }, ...of })).total).toMatchObject({ value, count: 3 });
  });

  test("of an insight's value counts among the sessions that have the insight", async () => {
    const tool = await app.db.selectFrom("insight_tools").select("id").limit(1).executeTakeFirstOrThrow();
    const ids = await insertFacts(app, 4, () => ({ agent_id: 2 }));
    for (const [n, session_id] of ids.slice(1).entries())
      await app.db
        .insertInto("insight_outputs")
        .values({
          sub_organization_id: app.admin.sub_organization_id,
          session_id,
          insight_tool_id: tool.id,
          insight_tool_version: 1,
          insight_key: "booked",
          numeric_value: n,
          json_value: json({ booked: n === 0 ? "yes" : "no" }),
          created_at: app.clock.now().toISOString(),
          updated_at: app.clock.now().toISOString(),
        })
        .execute();
    const booked = { name: "insight_rate", insight: "booked", value: "yes" };
    expect((await figures({ metric: booked })).total).toMatchObject({
      count: 3,
      search: {
        search_fields: ["insight", "is_running"],
        search_field_values: ["booked=yes", "false"],
      },
    });
    const split = await figures({ split: { by: "insight", insight: "booked" }, chart: "bars" });
    expect(split.points).toMatchObject([
      { key: "no", value: 2 },
      { key: "yes", value: 1 },
    ]);
    await sql`
      insert into session_search (session_id, sub_organization_id, began_at, words, facets, configuration, opening)
      select session_id, sub_organization_id, began_at, '', '{}', 'english', '' from session_facts`.execute(
      app.db,
    );
    const scored = { search_fields: ["insight_from"], search_field_values: ["booked=1"] };
    expect((await figures(scored)).total.value).toBe(2);
    const between = [...scored.search_fields, "insight_to", "cost_to"];
    expect(
      (await figures({ search_fields: between, search_field_values: ["booked=1", "booked=1", "0.5"] })).total
        .value,
    ).toBe(0);
    const blind = await app.createToken(["reports_read"]);
    const succeeded = { search_fields: ["experiment_outcome"], search_field_values: ["success"] };
    for (const filter of [scored, succeeded]) {
      const scoreless = await app.sendAs(blind)("POST", `${BOARDS}tile_figures`, {
        tile: tile(filter),
        period: {},
      });
      expect(scoreless.body).toMatchObject({
        total: null,
        problem: expect.stringContaining("insights_read"),
      });
    }
    const hidden = await app.sendAs(blind)("POST", `${BOARDS}tile_figures`, {
      tile: tile({ metric: booked }),
      period: {},
    });
    expect(hidden.body).toMatchObject({ total: null, problem: expect.stringContaining("insights_read") });
  });

  test("of a filter that only the search knows, words of the transcript too, is answered", async () => {
    expect((await figures({ search_fields: ["words"], search_field_values: ["booking"] })).total.value).toBe(
      0,
    );
    expect((await figures({ search_fields: ["label"], search_field_values: ["BAD"] })).total.value).toBe(0);
  });

  test.each(["sessions", "latency_p95"])(
    "of more than 50 values shows those with most sessions, and says that there are others: %s",
    async (metric) => {
      const neighbour = await app.createNeighbour();
      const { sub_organization_id } = neighbour.caller;
      const agents = async (count: number) => {
        await insertFacts(app, count, (n) => ({ sub_organization_id, agent_id: 1_000 + n, waits_ms: [100] }));
        const body = { tile: tile({ metric: { name: metric }, split: { by: "agent" } }), period: {} };
        return (await neighbour.send("POST", `${BOARDS}tile_figures`, body)).body;
      };
      expect(await agents(50)).toMatchObject({ more_values: false, total: { count: 50 } });
      const found = await agents(51);
      expect(found).toMatchObject({ more_values: true, total: { count: 101 } });
      expect(found.points.map(({ count }: { count: number }) => count)).toEqual(Array(50).fill(2));
      expect(found.points.map(({ key }: { key: string }) => key)).not.toContain("1050");
    },
  );

  test("of campaigns counts the people that were tried", async () => {
    const people = { metric: { name: "people_answered" }, split: { by: "campaign" }, chart: "bars" };
    expect((await figures(people)).total).toMatchObject({ value: null, count: 0 });
  });
});
