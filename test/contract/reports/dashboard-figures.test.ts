import { beforeAll, describe, expect, test } from "vitest";
import type { ChannelStatus } from "../../../src/channels/channel-status.ts";
import type { RequestStatus } from "../../../src/channels/request-status.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf } from "../../harness/insights.ts";
import { insertBatch, insertOutput, insertRequest, insertSession } from "../../harness/rows.ts";

const PATH = "/api/v1/dashboards";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

async function data(name: string, query: Record<string, string> = {}, send = app.send) {
  const { guest_token } = (await send("POST", `${PATH}/fetch_info?dashboard_name=${name}`)).body;
  const search = new URLSearchParams({ token: guest_token, ...query });
  const { status, body } = await app.sendAs(null)("GET", `/reports/${name}/data?${search}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return {
    ...body,
    number: (of: string) => body.numbers.find((each: { name: string }) => each.name === of)?.value,
    table: (of: string) => body.tables.find((each: { name: string }) => each.name === of)?.rows,
  };
}

async function event(session_id: number, type: string, attributes: object = {}): Promise<void> {
  await app.db
    .insertInto("events")
    .values({
      sub_organization_id: app.admin.sub_organization_id,
      timestamp: app.clock.now().toISOString(),
      session_id: String(session_id),
      category: "automation",
      type,
      attributes: JSON.stringify(attributes),
    })
    .execute();
}

describe("numbers of dashboards", () => {
  test("every dashboard of an organization without a session is empty, not broken", async () => {
    const neighbour = await app.createNeighbour();
    const { items } = (await app.send("POST", `${PATH}/list`)).body;
    for (const { name } of items) {
      const { numbers, by_day } = await data(name, { days: "3" }, neighbour.send);
      expect(numbers.map((each: { value: number | null }) => each.value ?? 0)).toEqual(numbers.map(() => 0));
      expect(by_day.rows.map((row: [string]) => row[0])).toEqual(["2026-11-16", "2026-11-17", "2026-11-18"]);
    }
  });

  test("sessions count on the day they began, where the reader is; test sessions never", async () => {
    const before = await data("session_summary", { days: "2" });
    await insertSession(app, {
      channel: "voice",
      duration: 30,
      end_reason: "user",
      ended_at: "2026-11-18T13:00:00Z",
    });
    await insertSession(app, { is_test: true });
    app.clock.advance(11 * 3_600_000 + 45 * 60_000);
    await insertSession(app);
    const after = await data("session_summary", { days: "2" });
    expect(after.number("Sessions") - before.number("Sessions")).toBe(2);
    expect(after.number("Length of a call")).toBe(30);
    expect(after.number("Ended by the person")).toBe(100);
    expect(after.table("By agent")).toContainEqual(["Receptionist", 2, 4]);
    expect(after.table("By prompt version")).toContainEqual(["Prompt", 1, 2, 4]);
    expect(after.by_day).toEqual({
      name: "By day",
      columns: ["Day", "Sessions"],
      rows: [
        ["2026-11-17", 0],
        ["2026-11-18", 2],
      ],
    });
    const inBerlin = await data("session_summary", { days: "2", timezone: "europe/berlin" });
    expect(inBerlin.timezone).toBe("Europe/Berlin");
    expect(inBerlin.by_day.rows).toEqual([
      ["2026-11-18", 1],
      ["2026-11-19", 1],
    ]);
    const list = await data("sessions", { days: "1" });
    expect(list.table("Newest sessions").length).toBe(2);
    expect(list.by_day.columns).toEqual(["Day", "chat", "voice"]);
  });

  test("a chat on the web is counted like any session", async () => {
    const { target } = await createAgent(app, { script: 'on /.*/ -> say "hello"' });
    const before = (await data("sessions")).number("Sessions");
    await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
    expect((await data("sessions")).number("Sessions")).toBe(before + 1);
    expect((await data("session_events")).table("By type")).toContainEqual([
      "conversation",
      "session-start",
      expect.any(Number),
      expect.any(Number),
    ]);
  });

  test("transfers are told by destination and outcome", async () => {
    const [id, tester] = [await insertSession(app), await insertSession(app, { is_test: true })];
    await event(id, "phone-transfer", { name: "Front desk", outcome: "success" });
    await event(id, "phone-transfer", { name: "Front desk", outcome: "no-answer" });
    await event(tester, "phone-transfer", { name: "Front desk", outcome: "success" });
    const shown = await data("session_transfers", { days: "2" });
    expect(shown.number("Transfers")).toBe(2);
    expect(shown.number("Succeeded")).toBe(50);
    expect(shown.table("By destination")).toEqual([["Front desk", 2, 1]]);
    expect(shown.by_day.columns).toEqual(["Day", "no-answer", "success"]);
  });

  test("campaigns are told by request and outcome", async () => {
    const batch = await insertBatch(app, "Reminders");
    const request = (
      request_status: RequestStatus,
      channel_manager_status: ChannelStatus,
      more: object = {},
    ) => insertRequest(app, batch, { request_status, channel_manager_status }, more);
    await request("COMPLETED", "HUMAN");
    await request("FAILED", "BUSY");
    await request("PENDING", "PENDING", { attempt_count: 0 });
    await request("COMPLETED", "HUMAN", { session_id: await insertSession(app, { is_test: true }) });
    // From a test number nobody answered, and the session of who did is deleted by now.
    for (const status of ["FAILED", "COMPLETED"] as const) {
      const more = { reference_id: `tester-${status}`, session_id: 999_999 };
      await request(status, "BUSY", status === "FAILED" ? { ...more, session_id: null } : more);
      const { rows } = await app.database.pool.query(
        "select r.id, b.campaign_id from requests r join batches b on b.key = r.batch_key where r.reference_id = $1",
        [more.reference_id],
      );
      const { organization_id, sub_organization_id } = app.admin;
      await app.db
        .insertInto("attempts")
        .values({
          key: more.reference_id,
          organization_id,
          sub_organization_id,
          batch_key: batch,
          campaign_id: rows[0].campaign_id,
          request_id: rows[0].id,
          reference_id: more.reference_id,
          attempt_number: 1,
          mode: "voice",
          agent_id: 1,
          channel_id: 1,
          channel_target_id: 1,
          source: "+15125550199",
          target: "+15125550198",
          is_test: true,
          state: "ENDED",
          holds_slot: false,
          channel_status: "BUSY",
          started_at: app.clock.now().toISOString(),
        })
        .execute();
    }
    const shown = await data("outbound_campaigns", { days: "2" });
    expect(shown.number("Requests")).toBe(3);
    expect(shown.number("Attempts")).toBe(2);
    expect(shown.number("Completed")).toBe(33.3);
    expect(shown.table("By campaign")).toEqual([["Reminders", 3, 2, 1, 1, 1]]);
    expect(shown.table("By outcome")).toContainEqual(["FAILED", "BUSY", 1]);
  });

  test("numbers count all, also where a table shows the largest 200 only", async () => {
    const before = {
      campaigns: (await data("outbound_campaigns", { days: "2" })).number("Requests"),
      transfers: (await data("session_transfers", { days: "2" })).number("Transfers"),
    };
    const id = await insertSession(app);
    for (let n = 0; n < 201; n++) {
      const batch = await insertBatch(app, `Campaign ${n}`);
      await insertRequest(app, batch, { request_status: "COMPLETED", channel_manager_status: "HUMAN" });
      await event(id, "phone-transfer", { name: `Desk ${n}`, outcome: "success" });
    }
    const campaigns = await data("outbound_campaigns", { days: "2" });
    expect(campaigns.number("Requests")).toBe(before.campaigns + 201);
    expect(campaigns.table("By campaign")).toHaveLength(200);
    const transfers = await data("session_transfers", { days: "2" });
    expect(transfers.number("Transfers")).toBe(before.transfers + 201);
    expect(transfers.table("By destination")).toHaveLength(200);
  });

  test("what the offline model made up is counted apart, and in the figures only when asked for", async () => {
    const before = await data("insights");
    const session = await insertSession(app);
    await insertOutput(app, session, "invented", { string_value: "Good", model: "scripted" });
    await insertOutput(app, session, "found", { string_value: "Good", model: "gpt-6-luna" });
    const plain = await data("insights");
    expect(plain.number("Outputs")).toBe(before.number("Outputs") + 1);
    expect(plain.number("Left out: by the offline model")).toBe(1);
    expect(JSON.stringify([plain.tables, plain.by_day])).not.toContain("invented");
    const whole = await data("insights", { with_scripted: "true" });
    expect(whole.number("Outputs")).toBe(before.number("Outputs") + 2);
    expect(whole.table("Values")).toContainEqual(["invented", "Good", 1]);

    const listed = await app.send(
      "GET",
      "/api/v1/insights/?search_fields=model&search_field_values=scripted",
    );
    expect(listed.body.items).toMatchObject([{ insight_key: "invented", model: "scripted" }]);
    await app.db.deleteFrom("insight_outputs").where("session_id", "=", session).execute();
    await app.db.deleteFrom("sessions").where("id", "=", session).execute();
  });

  test("insights are told by key and value", async () => {
    const [first, second] = [await insertSession(app), await insertSession(app)];
    const tester = await insertSession(app, { is_test: true });
    await insertOutput(app, first, "rating", { string_value: "Good" });
    await insertOutput(app, first, "score", { numeric_value: 4 });
    await insertOutput(app, second, "rating", { string_value: "Good" });
    await insertOutput(app, second, "summary", { string_value: "A long text, ".repeat(10) });
    await insertOutput(app, tester, "rating", { string_value: "Bad" });
    const tags = { string_value: '["price","late"]', entries: ["price", "late"] };
    for (const id of [first, second]) await insertOutput(app, id, "tags", tags);
    const shown = await data("insights", { days: "2" });
    const { name: agent } = (await app.send("GET", "/api/v1/agents/1")).body;
    expect(shown.number("Analysed")).toBe(2);
    expect(shown.number("Outputs")).toBe(6);
    expect(shown.table("By insight")).toContainEqual(["score", 1, 4, 4, 4]);
    expect(shown.table("By insight")).toContainEqual(["tags", 2, null, null, null]);
    expect(shown.table("Values")).toEqual([
      ["rating", "Good", 2],
      ["tags", "late", 2],
      ["tags", "price", 2],
    ]);
    expect(shown.table("By agent and prompt version")).toEqual([
      [agent, "Prompt", 1, "rating", "Good", 2, null],
      [agent, "Prompt", 1, "score", null, 1, 4],
      [agent, "Prompt", 1, "tags", "late", 2, null],
      [agent, "Prompt", 1, "tags", "price", 2, null],
    ]);
  });

  test("what a tool took costs what its price says, and nobody knows what where it has none", async () => {
    const make = insightsOf(app);
    const [priced, unpriced] = [await make.tool(), await make.tool()];
    const { id: workflow_id, name } = await make.workflow({ insight_tool_ids: [priced.id, unpriced.id] });
    const day = app.clock.now().toISOString().slice(0, 10);
    const used = { workflow_id, backfill_id: 0, day, runs: 2, failed_runs: 0, cached_input_tokens: 0 };
    await app.db
      .insertInto("insight_usage")
      .values([
        { ...used, insight_tool_id: unpriced.id, input_tokens: 900, output_tokens: 40, cost_usd: 0 },
        { ...used, insight_tool_id: priced.id, input_tokens: 900, output_tokens: 40, cost_usd: 0.0125 },
      ])
      .execute();
    const shown = await data("insights", { days: "2" });
    expect(shown.table("What it took (days of UTC)")).toEqual([
      [name, priced.name, 2, 0, 900, 40, 0.0125],
      [name, unpriced.name, 2, 0, 900, 40, null],
    ]);
  });
});
