import { beforeAll, describe, expect, test } from "vitest";
import { expandShared } from "../../../src/api/openapi/expand-shared.ts";
import { OutboundCampaign } from "../../../src/campaigns/campaign-schema.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { CAMPAIGNS, campaignCalls, hook, least, NUMBER } from "../../harness/campaigns.ts";
import { createSender } from "../../harness/sender.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let app: TestApp;
let agent_id: number;
beforeAll(async () => {
  app = await createTestApp();
  ({ agent_id } = await createSender(app, app.admin, { target: NUMBER }));
});

const { create, put } = campaignCalls(() => app);

describe("a campaign", () => {
  test("is created, read, listed, updated and deleted", async () => {
    const created = await create({ campaign_name: "Life", description: "first" });
    expect(await app.send("GET", `${CAMPAIGNS}/${created.id}`)).toMatchObject({ status: 200, body: created });
    const listed = await app.send("GET", `${CAMPAIGNS}?search_fields=campaign_name&search_field_values=life`);
    expect(listed.body).toEqual({ items: [created], page: 0, page_size: 25, total_pages: 1, total_count: 1 });

    app.clock.advance(60_000);
    const updated = await put(created.id, { ...created, description: "second" });
    expect(updated).toMatchObject({
      status: 200,
      body: { ...created, description: "second", updated_at: "2026-11-18T12:01:00+00:00" },
    });
    expect((await app.send("GET", `${CAMPAIGNS}/${created.id}`)).body).toEqual(updated.body);

    expect(await app.send("DELETE", `${CAMPAIGNS}/${created.id}`)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    for (const method of ["GET", "PUT", "DELETE"]) {
      const again = await app.send(
        method,
        `${CAMPAIGNS}/${created.id}`,
        method === "PUT" ? { ...created, agent_id: null } : undefined,
      );
      expect(again).toMatchObject({
        status: 404,
        body: { detail: `Campaign with ID ${created.id} not found` },
      });
    }
    expect(
      (await app.send("GET", `${CAMPAIGNS}?search_fields=id&search_field_values=${created.id}`)).body.items,
    ).toEqual([]);
  });

  test("answers all 27 fields, those left out as null or their default", async () => {
    const body = await create({ campaign_name: "Least" });
    expect(body).toEqual({
      campaign_name: "Least",
      description: null,
      mode: null,
      sms_session_ttl: null,
      label: null,
      labels: null,
      campaign_variables: {},
      daily_start_time: null,
      daily_end_time: null,
      source: null,
      caller_id: NUMBER,
      hourly_rate: 1,
      max_daily_calls: null,
      retry_count: 0,
      retry_interval: null,
      active_days: ["mon"],
      outreach_override_rules: null,
      voicemail_detection: null,
      allowed_line_types: null,
      include_unknown_line_types: true,
      target_filters: null,
      webhooks: [],
      id: expect.any(Number),
      agent_id,
      created_at: expect.stringMatching(/^2026-11-18T12:0\d:00\+00:00$/),
      updated_at: body.created_at,
      last_updated_by: "admin@example.com",
    });
    expect(Object.keys(body)).toHaveLength(27);
    expect(Object.keys(OutboundCampaign.strict().parse(body))).toHaveLength(27);
  });

  test("on PUT is replaced: what is left out becomes null or its default", async () => {
    const first = await create({
      description: "d",
      mode: "voice",
      sms_session_ttl: 720,
      labels: ["a"],
      daily_start_time: "09:00",
      daily_end_time: "17:00",
      source: NUMBER,
      hourly_rate: 60,
      max_daily_calls: 5,
      retry_count: 2,
      retry_interval: "30m",
      outreach_override_rules: { days: { sat: { active: true } } },
      voicemail_detection: { mode: "v2" },
      allowed_line_types: ["mobile"],
      include_unknown_line_types: false,
      target_filters: { rules: [] },
      webhooks: [hook()],
    });
    const bare = { ...least(), campaign_name: first.campaign_name };
    const { body } = await put(first.id, bare);
    expect(body).toEqual({
      ...(await create()),
      ...bare,
      id: first.id,
      created_at: first.created_at,
      updated_at: body.updated_at,
    });
  });

  test("names the times of voicemail detection that are longer than counts: they are seconds", async () => {
    const times = { voicemail_detection_overall_timeout: 30, voicemail_detection_pre_speech_timeout: 3500 };
    expect((await create({ voicemail_detection: times })).validation_issues).toEqual([
      {
        id: "long-voicemail-detection",
        severity: "warning",
        message: "Times of voicemail detection are in seconds. 3500 is too long; 10 counts.",
        path: "$.voicemail_detection.voicemail_detection_pre_speech_timeout",
        value: "3500",
      },
    ]);
  });

  test("can be PUT back as it was answered; what the server decides is passed over", async () => {
    const first = await create({ webhooks: [hook()], labels: ["a", "b"] });
    const sent = {
      ...first,
      last_updated_by: "mallory@example.com",
      agent_id: 999,
      created_at: null,
      id: 999,
    };
    expect((await put(first.id, sent)).body).toEqual({ ...first, updated_at: expect.any(String) });
  });

  test("has a name that no other living campaign has", async () => {
    const first = await create();
    const second = await create();
    const refusal = {
      status: 400,
      body: { detail: "Campaign with this name already exists. Choose another name." },
    };
    expect(await put(second.id, { ...second, campaign_name: first.campaign_name })).toMatchObject(refusal);
    expect(await app.send("POST", CAMPAIGNS, { ...first })).toMatchObject(refusal);
    await app.send("DELETE", `${CAMPAIGNS}/${first.id}`);
    expect((await put(second.id, { ...second, campaign_name: first.campaign_name })).status).toBe(200);
  });

  test("keeps unknown keys of its voicemail settings, and null as null", async () => {
    const voicemail_detection = {
      mode: null,
      voicemail_detection_overall_timeout: 30,
      beep: { any: [1, null, "x"] },
    };
    const { id } = await create({ voicemail_detection });
    expect((await app.send("GET", `${CAMPAIGNS}/${id}`)).body.voicemail_detection).toEqual(
      voicemail_detection,
    );
  });

  test("keeps label and labels apart", async () => {
    expect(await create({ label: "old" })).toMatchObject({ label: "old", labels: null });
    expect(await create({ label: "old", labels: ["a", "b"] })).toMatchObject({
      label: "old",
      labels: ["a", "b"],
    });
  });
});

describe("the agent", () => {
  test("is the one behind the source, else the one behind the caller id, with or without a plus", async () => {
    const other = await createSender(app, app.admin, { target: "+15125550001" });
    const resolved = async (source: string | null, caller_id: string | null) =>
      (await create({ source, caller_id })).agent_id;
    expect(await resolved("+15125550001", NUMBER)).toBe(other.agent_id);
    expect(await resolved("15125550001", null)).toBe(other.agent_id);
    expect(await resolved(null, "15125550001")).toBe(other.agent_id);
    expect(await resolved("+15125559999", NUMBER)).toBe(agent_id);
  });

  test("is looked up in the campaign's mode; null stands for voice", async () => {
    const sms = await createSender(app, app.admin, { target: NUMBER, mode: "sms" });
    const mail = await createSender(app, app.admin, { target: "Desk@Clinic.example", mode: "email" });
    expect((await create({ mode: "sms" })).agent_id).toBe(sms.agent_id);
    expect((await create({ mode: null })).agent_id).toBe(agent_id);
    expect((await create({ mode: "email", source: "desk@clinic.example" })).agent_id).toBe(mail.agent_id);
  });

  test("is the new one where the number is being given to another agent", async () => {
    const caller_id = "+15125553344";
    await createSender(app, app.admin, { target: caller_id });
    const other = await createSender(app, app.admin, { target: "+15125553355" });
    const [answered] = await app.db.transaction().execute(async (tx) => {
      await tx.updateTable("channel_targets").set(other).where("target", "=", caller_id).execute();
      const answer = app.send("POST", CAMPAIGNS, { ...least(), caller_id });
      await waitForLocks(app.database.pool, 1);
      return [answer];
    });
    expect(await answered).toMatchObject({ status: 200, body: other });
  });

  test.each([
    [{ caller_id: "15125557777" }, "15125557777"],
    [{ source: "+15125558888", caller_id: "15125557777" }, "+15125558888"],
    [{ mode: "email" }, NUMBER],
  ])("that is behind no number: 400 %j", async (more, number) => {
    expect(await app.send("POST", CAMPAIGNS, { ...least(), ...more })).toMatchObject({
      status: 400,
      body: { detail: `No agent with assign number ${number} found` },
    });
  });

  test("is not needed by a campaign that names neither number: it is saved, warns, and reaches nobody", async () => {
    const made = await create({ caller_id: null });
    expect(made).toMatchObject({
      agent_id: null,
      caller_id: null,
      validation_issues: [{ id: "no-sender", severity: "warning", path: "$.source" }],
    });
    expect(await create({})).not.toHaveProperty("validation_issues");
    const { body: batch } = await app.send("POST", "/api/v1/outbound/batches", {
      batch_id: "without a sender",
      campaign_id: made.id,
    });
    const one = { reference_id: "a", target: "+15125550001", request_variables: {} };
    const path = `/api/v1/outbound/batches/${encodeURIComponent(batch.batch_id)}`;
    expect((await app.send("POST", `${path}/requests`, one)).body).toMatchObject({ accepted: 1 });
    const board = await app.send("GET", `${CAMPAIGNS}/${made.id}/board`);
    expect(board.status).toBe(200);
    expect(JSON.stringify(board.body)).toContain("no agent has the number or address");
  });

  test("is never another organization's", async () => {
    const neighbour = await app.createNeighbour();
    await createSender(app, neighbour.caller, { target: "+15125556666" });
    expect((await app.send("POST", CAMPAIGNS, { ...least(), caller_id: "+15125556666" })).status).toBe(400);
  });
});

describe("tenancy and permissions", () => {
  test("a neighbour's campaign answers 404 like one that never was", async () => {
    const mine = await create();
    const neighbour = await app.createNeighbour();
    for (const [method, body] of [["GET"], ["PUT", mine], ["DELETE"]] as const) {
      expect(await neighbour.send(method, `${CAMPAIGNS}/${mine.id}`, body)).toMatchObject({
        status: 404,
        body: { detail: `Campaign with ID ${mine.id} not found` },
      });
    }
    expect((await neighbour.send("GET", CAMPAIGNS)).body).toMatchObject({ items: [], total_count: 0 });
    expect((await app.send("GET", `${CAMPAIGNS}/${mine.id}`)).body).toEqual(mine);
  });

  test("a campaign of a sibling in the same organization does too", async () => {
    const { id, ...body } = await create();
    const sibling = await app.db
      .insertInto("sub_organizations")
      .values({
        organization_id: app.admin.organization_id,
        name: "Sibling",
        created_at: app.clock.now().toISOString(),
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    await app.db
      .updateTable("campaigns")
      .set({ sub_organization_id: sibling.id })
      .where("id", "=", id)
      .execute();
    for (const [method, sent] of [["GET"], ["PUT", body], ["DELETE"]] as const) {
      expect((await app.send(method, `${CAMPAIGNS}/${id}`, sent)).status, method).toBe(404);
    }
  });

  test("reading, writing and deleting each need their permission", async () => {
    const { id } = await create();
    const calls = {
      outbound_read: ["GET", `${CAMPAIGNS}/${id}`],
      outbound_write: ["POST", CAMPAIGNS],
      outbound_delete: ["DELETE", `${CAMPAIGNS}/${id}`],
    };
    for (const [permission, [method, url]] of Object.entries(calls)) {
      const others = Object.keys(calls).filter((other) => other !== permission);
      const send = app.sendAs(await app.createToken(others));
      expect(await send(method as string, url as string)).toMatchObject({
        status: 403,
        body: { detail: `Missing permission: ${permission}` },
      });
    }
    const writer = app.sendAs(await app.createToken(["outbound_read"]));
    expect((await writer("PUT", `${CAMPAIGNS}/${id}`, least())).status).toBe(403);
    expect((await writer("GET", CAMPAIGNS)).status).toBe(200);
  });
});

test("openapi.json has the input's 22 fields and the answer's 27, required as specified", async () => {
  const { body } = await app.send("GET", "/openapi.json");
  const { OutboundCampaign: input, OutboundCampaignResponse: output } =
    expandShared<typeof body>(body).components.schemas;
  expect(Object.keys(input.properties)).toHaveLength(22);
  expect(input.required.toSorted()).toEqual([
    "active_days",
    "caller_id",
    "campaign_name",
    "campaign_variables",
  ]);
  const { validation_issues: _, ...specified } = output.properties;
  expect(Object.keys(specified)).toHaveLength(27);
});
