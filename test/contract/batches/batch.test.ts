import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { BatchDetails, CommunicationBatch } from "../../../src/batches/batch-schema.ts";
import { expireBatches } from "../../../src/batches/tidy-batches.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, createOutbound, request } from "../../harness/batch.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
beforeAll(async () => {
  app = await createTestApp();
  outbound = await createOutbound(app);
});

const inAnHour = () => new Date(app.clock.now().getTime() + 3_600_000).toISOString();
const statusOf = async (batch_id: string) => (await outbound.get(batch_id)).body.status;

describe("a batch", () => {
  test("is created, read, listed, updated and deleted, and can be read ever after", async () => {
    const created = await outbound.createBatch({ batch_id: "20260822.9", call_rate: 60 });
    expect(created).toEqual({
      batch_id: "20260822.9",
      campaign_id: outbound.campaign_id,
      expires_on: null,
      paused: null,
      call_rate: 60,
      auto_call_rate: false,
      status: "PENDING",
      auto_call_rate_baseline: null,
      upload_filename: null,
      dispatch_id: null,
      created_at: "2026-11-18T12:00:00+00:00",
      deleted_at: null,
      deleted_reason: null,
      last_updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      error_message: null,
    });
    expect(CommunicationBatch.strict().parse(created)).toEqual(created);
    const details = { ...created, status_counts: {}, detailed_status_counts: {} };
    expect(await outbound.get("20260822.9")).toMatchObject({ status: 200, body: details });
    expect(BatchDetails.strict().parse(details)).toEqual(details);
    const listed = await app.send("GET", `${BATCHES}?search_fields=batch_id&search_field_values=0822.9`);
    expect(listed.body).toEqual({ items: [created], page: 0, page_size: 25, total_pages: 1, total_count: 1 });

    app.clock.advance(60_000);
    const updated = await outbound.put("20260822.9", { paused: true });
    expect(updated).toMatchObject({
      status: 200,
      body: { ...created, paused: true, last_updated_at: "2026-11-18T12:01:00+00:00" },
    });

    expect(await outbound.remove("20260822.9", "not needed & late")).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await outbound.get("20260822.9")).body).toMatchObject({
      status: "CANCELED",
      deleted_at: "2026-11-18T12:01:00+00:00",
      deleted_reason: "not needed & late",
    });
    for (const answer of [
      await outbound.put("20260822.9", {}),
      await outbound.remove("20260822.9"),
      await outbound.add("20260822.9", request("a", "512-555-0001")),
      await outbound.upload("20260822.9", "reference_id,target\na,512-555-0001"),
    ]) {
      expect(answer).toMatchObject({
        status: 400,
        body: { detail: `Batch "20260822.9" can't be changed: it was deleted.` },
      });
    }
  });

  test("has an id of its own, deleted ones counted", async () => {
    const { batch_id } = await outbound.createBatch();
    await outbound.remove(batch_id);
    expect(await app.send("POST", BATCHES, { batch_id, campaign_id: outbound.campaign_id })).toMatchObject({
      status: 400,
      body: { detail: `Batch "${batch_id}" already exists. Choose another batch_id.` },
    });
  });

  test("comes back as it was sent, whatever its id looks like", async () => {
    const used = new Set<string>();
    const id = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
      .filter((text) => text === text.trim() && !/\p{Cc}|^\.{1,2}$/u.test(text) && text.isWellFormed())
      .filter((text) => !used.has(text) && used.add(text) !== undefined);
    const input = fc.record(
      {
        batch_id: id,
        expires_on: fc.option(
          fc
            .date({ min: new Date("1900-01-02"), max: new Date("9999-12-30"), noInvalidDate: true })
            .map((at) => at.toISOString()),
        ),
        paused: fc.option(fc.boolean()),
        call_rate: fc.option(fc.integer({ min: 1, max: 3600 })),
      },
      { requiredKeys: ["batch_id"] },
    );
    await fc.assert(
      fc.asyncProperty(input, fc.boolean(), async (body, auto) => {
        const sent = {
          ...body,
          campaign_id: outbound.campaign_id,
          auto_call_rate: auto && body.expires_on != null,
        };
        const created = await app.send("POST", BATCHES, sent);
        expect(created.status, JSON.stringify(created.body)).toBe(200);
        const { body: read } = await outbound.get(encodeURIComponent(body.batch_id));
        for (const answer of [created.body, read]) {
          const instant = answer.expires_on && new Date(answer.expires_on).toISOString();
          expect({ ...answer, expires_on: instant }).toMatchObject({
            expires_on: null,
            paused: null,
            call_rate: null,
            ...sent,
          });
        }
      }),
      { numRuns: rounds(15, 400) },
    );
  });

  test.each([
    [{ batch_id: "x" }, ["body", "campaign_id"], "missing"],
    [{ campaign_id: 1 }, ["body", "batch_id"], "missing"],
    [{ batch_id: "", campaign_id: 1 }, ["body", "batch_id"], "string_too_short"],
    [{ batch_id: "x".repeat(101), campaign_id: 1 }, ["body", "batch_id"], "string_too_long"],
    [{ batch_id: "..", campaign_id: 1 }, ["body", "batch_id"], "value_error"],
    [{ batch_id: " x", campaign_id: 1 }, ["body", "batch_id"], "value_error"],
    [{ batch_id: "x", campaign_id: "one" }, ["body", "campaign_id"], "int_parsing"],
    [{ batch_id: "x", campaign_id: 1, call_rate: 0 }, ["body", "call_rate"], "greater_than_equal"],
    [{ batch_id: "x", campaign_id: 1, call_rate: 3601 }, ["body", "call_rate"], "less_than_equal"],
    [{ batch_id: "x", campaign_id: 1, expires_on: "soon" }, ["body", "expires_on"], "datetime_parsing"],
    [{ batch_id: "x", campaign_id: 1, paused: "yes" }, ["body", "paused"], "bool_type"],
    [{ batch_id: "x", campaign_id: 1, auto_call_rate: true }, ["body", "expires_on"], "missing"],
  ])("that breaks the contract is refused at its place: %j", async (body, loc, type) => {
    const answer = await app.send("POST", BATCHES, body);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc, type }] } });
  });

  test("of a campaign that is not there is refused", async () => {
    const answer = await app.send("POST", BATCHES, { batch_id: "orphan", campaign_id: 999_999 });
    expect(answer).toMatchObject({ status: 404, body: { detail: "Campaign with ID 999999 not found" } });
  });

  test("on PUT keeps what is left out; null resets it", async () => {
    const expires_on = inAnHour();
    const whole = { paused: true, expires_on, call_rate: 7, auto_call_rate: true };
    const created = await outbound.createBatch(whole);
    const { batch_id } = created;
    for (const body of [{}, { call_rate: 7 }, { paused: true }, { auto_call_rate: true }, { expires_on }]) {
      const kept = await outbound.put(batch_id, body);
      expect(kept, JSON.stringify(body)).toMatchObject({ status: 200, body: created });
    }
    const reset = await outbound.put(batch_id, { call_rate: null, auto_call_rate: null, expires_on: null });
    expect(reset.body).toMatchObject({
      paused: true,
      call_rate: null,
      auto_call_rate: false,
      expires_on: null,
    });
    expect((await outbound.put(batch_id, { paused: null })).body).toMatchObject({ paused: null });
  });

  test("can't lose its end while its calls are spread over the hours until then", async () => {
    const { batch_id } = await outbound.createBatch({ expires_on: inAnHour(), auto_call_rate: true });
    for (const body of [{ expires_on: null }, { expires_on: null, paused: true }]) {
      expect(await outbound.put(batch_id, body)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body", "expires_on"], type: "missing" }] },
      });
    }
    const open = await outbound.createBatch();
    expect((await outbound.put(open.batch_id, { auto_call_rate: true })).status).toBe(422);
  });

  test("a batch that was held stays held whatever else of it is changed, and calls nobody", async () => {
    const { batch_id } = await outbound.createBatch({ paused: true, expires_on: inAnHour() });
    await outbound.add(batch_id, request("a", "512-555-0001"));
    const held = await outbound.put(batch_id, { call_rate: 120 });
    expect(held.body).toMatchObject({ status: "PAUSED", paused: true, call_rate: 120 });
    expect(held.body.expires_on).not.toBeNull();
  });

  test("over any sequence of updates holds what was last named, and holding it always works", async () => {
    type State = {
      paused: boolean | null;
      expires_on: string | null;
      call_rate: number | null;
      auto_call_rate: boolean;
    };
    const update = fc.record(
      {
        paused: fc.option(fc.boolean()),
        expires_on: fc.option(fc.integer({ min: 1, max: 9 }).map((day) => `2027-03-0${day}T00:00:00+00:00`)),
        call_rate: fc.option(fc.integer({ min: 1, max: 3600 })),
        auto_call_rate: fc.option(fc.boolean()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(update, { maxLength: 8 }), async (updates) => {
        const { batch_id } = await outbound.createBatch();
        await outbound.add(batch_id, request("a", "512-555-0001"));
        let expected: State = { paused: null, expires_on: null, call_rate: null, auto_call_rate: false };
        for (const body of updates) {
          const next = { ...expected, ...body, auto_call_rate: false };
          next.auto_call_rate =
            (body.auto_call_rate === undefined ? expected.auto_call_rate : body.auto_call_rate) ?? false;
          const answer = await outbound.put(batch_id, body);
          if (next.auto_call_rate && next.expires_on === null) {
            expect(answer.status, JSON.stringify(body)).toBe(422);
          } else {
            expect(answer.status, JSON.stringify(answer.body)).toBe(200);
            expected = next;
          }
          expect((await outbound.get(batch_id)).body).toMatchObject({
            ...expected,
            status: expected.paused ? "PAUSED" : "ACTIVE",
          });
        }
        const held = await outbound.put(batch_id, { paused: true });
        expect(held).toMatchObject({ status: 200, body: { ...expected, paused: true, status: "PAUSED" } });
      }),
      { numRuns: rounds(15, 400) },
    );
  });

  test("is paused and resumed", async () => {
    const { batch_id } = await outbound.createBatch();
    await outbound.add(batch_id, request("a", "512-555-0001"));
    expect(await statusOf(batch_id)).toBe("ACTIVE");
    expect((await outbound.put(batch_id, { paused: true })).body.status).toBe("PAUSED");
    await outbound.add(batch_id, request("b", "512-555-0002"));
    expect(await statusOf(batch_id)).toBe("PAUSED");
    expect((await outbound.put(batch_id, { paused: false })).body.status).toBe("ACTIVE");
  });

  test("can only be deleted with a reason, as a form", async () => {
    const { batch_id } = await outbound.createBatch();
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await app.send("DELETE", `${BATCHES}/${batch_id}`, "reason=x", form)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "delete_reason"], type: "missing" }] },
    });
    expect((await app.send("DELETE", `${BATCHES}/${batch_id}`, { delete_reason: "x" })).status).toBe(415);
    expect(await statusOf(batch_id)).toBe("PENDING");
  });
});

describe("expiry", () => {
  const filled = async (more: object = {}) => {
    const batch = await outbound.createBatch({ expires_on: inAnHour(), ...more });
    await outbound.add(batch.batch_id, [request("a", "512-555-0001"), request("b", "nobody")]);
    return batch.batch_id as string;
  };
  const countsOf = async (batch_id: string) => (await outbound.get(batch_id)).body.status_counts;

  test("shows at its very instant, in reads, lists and searches, before any job has run", async () => {
    const batch_id = await filled();
    const search = async (status: string) => {
      const fields = "search_fields=batch_id&search_fields=status";
      const values = `search_field_values=${batch_id}&search_field_values=${status}`;
      return (await app.send("GET", `${BATCHES}?${fields}&${values}`)).body.total_count;
    };
    app.clock.advance(3_599_999);
    expect(await statusOf(batch_id)).toBe("ACTIVE");
    expect([await search("ACTIVE"), await search("EXPIRED")]).toEqual([1, 0]);
    app.clock.advance(1);
    expect(await statusOf(batch_id)).toBe("EXPIRED");
    expect([await search("ACTIVE"), await search("EXPIRED")]).toEqual([0, 1]);
    expect(await outbound.add(batch_id, request("c", "512-555-0003"))).toMatchObject({
      status: 400,
      body: { detail: `Batch "${batch_id}" can't be changed: it has expired. Set a later expires_on first.` },
    });
  });

  test("cancels what waits when the minute's job comes round, and tells of it once", async () => {
    const batch_id = await filled();
    app.clock.advance(3_600_000);
    await expireBatches(app.db, app.clock);
    await expireBatches(app.db, app.clock);
    expect(await countsOf(batch_id)).toEqual({ CANCELED: 1, INVALID: 1 });
    const { body } = await app.send(
      "GET",
      `/api/v1/events/?search_fields=type&search_field_values=batch-expired&search_fields=attributes&search_field_values="${batch_id}"`,
    );
    expect(body.items).toMatchObject([{ source: "outbound", attributes: { batch_id, canceled: 1 } }]);
  });

  test("that is put off reopens the batch; what it canceled stays so, however soon it is put off", async () => {
    for (const job of [true, false]) {
      const batch_id = await filled();
      app.clock.advance(3_600_000);
      if (job) await expireBatches(app.db, app.clock);
      const { body } = await outbound.put(batch_id, { expires_on: inAnHour() });
      expect(body.status).toBe("ACTIVE");
      expect(await countsOf(batch_id)).toEqual({ CANCELED: 1, INVALID: 1 });
      expect((await outbound.add(batch_id, request("a", "512-555-0001"))).body.accepted).toBe(1);
    }
  });

  test("comes at once for a batch that is put to an instant of the past", async () => {
    const batch_id = await filled();
    const { body } = await outbound.put(batch_id, { expires_on: app.clock.now().toISOString() });
    expect(body.status).toBe("EXPIRED");
    expect(await countsOf(batch_id)).toEqual({ CANCELED: 1, INVALID: 1 });
  });
});

describe("lists", () => {
  test("are ordered and bounded by any field, and show chosen ones", async () => {
    const campaign_id = (await outbound.createCampaign()).id;
    const ids = ["list-b", "list-a", "list-c"];
    for (const [index, batch_id] of ids.entries()) {
      await outbound.createBatch({ batch_id, campaign_id, expires_on: `2027-01-0${index + 1}T00:00:00Z` });
    }
    const find = async (query: string) => {
      const mine = `search_fields=campaign_id&search_field_values=${campaign_id}`;
      const { body } = await app.send("GET", `${BATCHES}?${mine}&${query}`);
      return body.items.map((item: { batch_id: string }) => item.batch_id);
    };
    expect(await find("")).toEqual(ids);
    expect(await find("order_by=batch_id")).toEqual(["list-a", "list-b", "list-c"]);
    expect(await find("order_by=expires_on&order_by_direction=desc")).toEqual(ids.toReversed());
    expect(await find("limit=2&page=1")).toEqual(["list-c"]);
    expect(await find(`start_datetime=${app.clock.now().toISOString()}`)).toEqual(ids);
    expect(await find(`end_datetime=${app.clock.now().toISOString()}`)).toEqual([]);
    const { body } = await app.send("GET", `${BATCHES}?fields=batch_id&limit=1`);
    expect(body.items[0]).toMatchObject({ batch_id: expect.any(String), expires_on: null });
    expect(await app.send("GET", `${BATCHES}?order_by=paused`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "order_by"], type: "enum" }] },
    });
  });
});

describe("a campaign that is deleted", () => {
  test("takes its batches with it, when nobody is left to reach in an active one", async () => {
    const { id } = await outbound.createCampaign();
    const empty = await outbound.createBatch({ campaign_id: id });
    const paused = await outbound.createBatch({ campaign_id: id, paused: true });
    await outbound.add(paused.batch_id, request("a", "512-555-0001"));
    expect((await app.send("DELETE", `/api/v1/outbound/campaigns/${id}`)).status).toBe(200);
    for (const { batch_id } of [empty, paused]) {
      expect((await outbound.get(batch_id)).body).toMatchObject({
        status: "CANCELED",
        deleted_reason: "Its campaign was deleted.",
      });
    }
    expect((await outbound.get(paused.batch_id)).body.status_counts).toEqual({ CANCELED: 1 });
  });

  test("is refused while an active batch has people left to reach", async () => {
    const { id } = await outbound.createCampaign();
    const { batch_id } = await outbound.createBatch({ campaign_id: id });
    await outbound.add(batch_id, request("a", "512-555-0001"));
    expect(await app.send("DELETE", `/api/v1/outbound/campaigns/${id}`)).toMatchObject({
      status: 400,
      body: { detail: `Cannot delete campaign while it is used by active batch "${batch_id}".` },
    });
    expect(await statusOf(batch_id)).toBe("ACTIVE");
    await app.send("POST", `${BATCHES}/${batch_id}/remove-requests`, ["a"]);
    expect((await app.send("DELETE", `/api/v1/outbound/campaigns/${id}`)).status).toBe(200);
  });
});

describe("tenancy, permissions and the audit trail", () => {
  const operations = (batch_id: string) =>
    [
      ["GET", `${BATCHES}/${batch_id}`, "outbound_read"],
      ["GET", `${BATCHES}/${batch_id}/results`, "outbound_read"],
      ["PUT", `${BATCHES}/${batch_id}`, "outbound_write", {}],
      ["POST", `${BATCHES}/${batch_id}/requests`, "outbound_write", request("a", "512-555-0001")],
      ["POST", `${BATCHES}/${batch_id}/remove-requests`, "outbound_write", ["a"]],
      ["POST", `${BATCHES}/${batch_id}/upload_batch`, "outbound_write"],
      ["DELETE", `${BATCHES}/${batch_id}`, "outbound_delete", "delete_reason=x"],
    ] as const;
  const FORM = { "content-type": "application/x-www-form-urlencoded" };
  const headersOf = (method: string) => (method === "DELETE" ? FORM : {});

  test("a neighbour's batch answers 404 like one that never was, and may have the same id", async () => {
    const mine = await outbound.createBatch();
    const neighbour = await app.createNeighbour();
    for (const [method, url, , body] of operations(mine.batch_id)) {
      const answer = url.endsWith("upload_batch")
        ? await outbound.upload(mine.batch_id, "reference_id,target\na,512-555-0001", {
            token: neighbour.token,
          })
        : await neighbour.send(method, url, body, headersOf(method));
      expect(answer, `${method} ${url}`).toMatchObject({
        status: 404,
        body: { detail: `Batch with ID ${mine.batch_id} not found` },
      });
    }
    expect((await neighbour.send("GET", BATCHES)).body).toMatchObject({ items: [], total_count: 0 });
    const theirs = await neighbour.send("POST", BATCHES, mine);
    expect(theirs).toMatchObject({
      status: 404,
      body: { detail: `Campaign with ID ${outbound.campaign_id} not found` },
    });
    expect((await outbound.get(mine.batch_id)).body).toMatchObject(mine);
  });

  test("each operation needs its permission", async () => {
    const { batch_id } = await outbound.createBatch();
    const all = ["outbound_read", "outbound_write", "outbound_delete"];
    for (const [method, url, permission, body] of [
      ...operations(batch_id),
      ["GET", BATCHES, "outbound_read"] as const,
      ["POST", BATCHES, "outbound_write", {}] as const,
    ]) {
      const send = app.sendAs(await app.createToken(all.filter((other) => other !== permission)));
      expect(await send(method, url, body, headersOf(method)), `${method} ${url}`).toMatchObject({
        status: 403,
        body: { detail: `Missing permission: ${permission}` },
      });
    }
  });

  test("every change leaves exactly one audit entry", async () => {
    const { batch_id } = await outbound.createBatch();
    await outbound.put(batch_id, { paused: true });
    await outbound.add(batch_id, [request("a", "512-555-0001"), request("b", "512-555-0001")]);
    await app.send("POST", `${BATCHES}/${batch_id}/remove-requests`, ["a", "z"]);
    await outbound.upload(batch_id, "reference_id,target\nc");
    await outbound.upload(batch_id, "reference_id\nc");
    await outbound.remove(batch_id);
    await outbound.remove(batch_id);
    const rows = await app.db
      .selectFrom("audit_entries")
      .select(["action", "after"])
      .where("resource", "=", "batches")
      .where("resource_id", "=", batch_id)
      .orderBy("id")
      .execute();
    expect(rows.map((row) => row.action)).toEqual([
      "create",
      "update",
      "add-requests",
      "remove-requests",
      "upload",
      "delete",
    ]);
    expect(rows[2]?.after).toMatchObject({ accepted: 1, duplicates: 1, reference_ids: ["a", "b"] });
    expect(rows[3]?.after).toEqual({ removed: ["a"], not_removed: ["z"] });
  });
});
