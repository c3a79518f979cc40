import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { CommunicationRequestResult } from "../../../src/batches/batch-schema.ts";
import { foldCounts } from "../../../src/batches/request-counts.ts";
import type { ChannelStatus } from "../../../src/channels/channel-status.ts";
import type { RequestStatus } from "../../../src/channels/request-status.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, createOutbound, request } from "../../harness/batch.ts";
import { insertOutput, insertSession } from "../../harness/rows.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
beforeAll(async () => {
  app = await createTestApp();
  outbound = await createOutbound(app);
});

const emptyBatch = async (more: object = {}): Promise<string> => (await outbound.createBatch(more)).batch_id;
const takeOut = (batch_id: string, ids: unknown) =>
  app.send("POST", `${BATCHES}/${batch_id}/remove-requests`, ids);
/** Reference, target and status of each request, in order. */
const shown = async (batch_id: string, query = "") =>
  (await outbound.results(batch_id, query)).body.map(
    (row: { reference_id: string; target: string; request_status: string }) =>
      `${row.reference_id} ${row.target} ${row.request_status}`,
  );

describe("requests", () => {
  test("are added one by one and several at once, and read back with all their fields", async () => {
    const batch_id = await emptyBatch();
    expect(await outbound.add(batch_id, request("a", "512-555-0001", { name: "Ann" }))).toMatchObject({
      status: 200,
      body: { batch_id, accepted: 1, duplicates: 0, invalid: 0 },
    });
    const several = [request("b", "+442079460018"), request("c", "0001")];
    expect((await outbound.add(batch_id, several)).body).toEqual({
      batch_id,
      accepted: 1,
      duplicates: 0,
      invalid: 1,
    });
    const { body } = await outbound.results(batch_id);
    expect(body[0]).toEqual({
      reference_id: "a",
      target: "+15125550001",
      request_variables: { name: "Ann" },
      channel_manager_sid: null,
      created_at: "2026-11-18T12:00:00+00:00",
      sent_at: null,
      attempt_count: 0,
      session_id: null,
      conversation_id: null,
      request_status: "PENDING",
      channel_manager_status: "PENDING",
      insights_status: null,
      insights: null,
      insights_scripted: null,
      answered_by: null,
      duration_s: null,
      voicemail_left: null,
      reached: null,
      line_type: null,
      enrichment: null,
    });
    expect(CommunicationRequestResult.strict().parse(body[0])).toEqual(body[0]);
    expect(await shown(batch_id)).toEqual([
      "a +15125550001 PENDING",
      "b +442079460018 PENDING",
      "c 0001 INVALID",
    ]);
    expect((await outbound.get(batch_id)).body).toMatchObject({
      status: "ACTIVE",
      status_counts: { PENDING: 2, INVALID: 1 },
      detailed_status_counts: {
        PENDING: { total_count: 2, counts: { PENDING: 2 } },
        INVALID: { total_count: 1, counts: { INVALID: 1 } },
      },
    });
  });

  test("keep their variables, letter for letter", async () => {
    const text = fc
      .string({ unit: "grapheme", maxLength: 30 })
      .filter((text) => text.isWellFormed() && !text.includes("\0"));
    const key = text.filter((key) => key !== "__proto__");
    const batch_id = await emptyBatch();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, text, { noNullPrototype: true }), async (variables) => {
        const reference_id = `r${++n}`;
        await outbound.add(batch_id, request(reference_id, `+1512${5550000 + n}`, variables));
        const { body } = await outbound.results(batch_id, `?reference_id=${reference_id}`);
        expect(body[0].request_variables).toEqual(variables);
      }),
      { numRuns: rounds(15, 400) },
    );
  });

  test("of a campaign that sends e-mail go to addresses", async () => {
    const campaign_id = (await outbound.createMailCampaign()).id;
    const batch_id = await emptyBatch({ campaign_id });
    await outbound.add(batch_id, [
      request("a", "Ann@Example.com"),
      request("b", "ann@example.com"),
      request("c", "512-555-0001"),
    ]);
    expect(await shown(batch_id)).toEqual([
      "a ann@example.com PENDING",
      "b ann@example.com DUPLICATE",
      "c 512-555-0001 INVALID",
    ]);
  });

  test("whose reference or target came before are duplicates, in the same call and in later ones", async () => {
    const batch_id = await emptyBatch();
    await outbound.add(batch_id, [
      request("a", "512-555-0001"),
      request("b", "+1 (512) 555-0001"),
      request("a", "512-555-0002"),
      request("c", "512-555-0002"),
    ]);
    await outbound.add(batch_id, request("c", "512-555-0003"));
    expect(await shown(batch_id)).toEqual([
      "a +15125550001 PENDING",
      "b +15125550001 DUPLICATE",
      "a +15125550002 DUPLICATE",
      "c +15125550002 PENDING",
      "c +15125550003 DUPLICATE",
    ]);
    const other = await emptyBatch();
    await outbound.add(other, request("a", "512-555-0001"));
    expect(await shown(other)).toEqual(["a +15125550001 PENDING"]);
  });

  test("are taken out while they wait, and only then; their reference and target are free again", async () => {
    const batch_id = await emptyBatch();
    await outbound.add(batch_id, [
      request("a", "512-555-0001"),
      request("b", "512-555-0002"),
      request("c", "nobody"),
    ]);
    await app.db
      .updateTable("requests")
      .set({ request_status: "INITIATED", channel_manager_status: "QUEUED" })
      .where("reference_id", "=", "b")
      .where("target", "=", "+15125550002")
      .execute();
    expect(await takeOut(batch_id, ["c", "a", "b", "a", "never"])).toMatchObject({
      status: 200,
      body: { removed: ["a"], not_removed: ["c", "b", "never"] },
    });
    await outbound.add(batch_id, [request("a", "512-555-0001"), request("c", "512-555-0003")]);
    expect(await shown(batch_id)).toEqual([
      "a +15125550001 CANCELED",
      "b +15125550002 INITIATED",
      "c nobody INVALID",
      "a +15125550001 PENDING",
      "c +15125550003 PENDING",
    ]);
  });

  test("are decided first come, first served, whatever is added and taken out, one by one or from a file", async () => {
    const people = fc.record({
      reference_id: fc.constantFrom("a", "b", "c", "d", "e"),
      target: fc.constantFrom("+15125550001", "+15125550002", "+15125550003", "+15125550004", "nobody"),
    });
    const step = fc.oneof(
      fc.record({ add: fc.array(people, { minLength: 1, maxLength: 6 }) }),
      fc.record({ remove: fc.uniqueArray(fc.constantFrom<string>("a", "b", "c"), { maxLength: 3 }) }),
      fc.record({ file: fc.array(people, { minLength: 1, maxLength: 12 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const batch_id = await emptyBatch();
        const rows: { reference_id: string; target: string; status: string }[] = [];
        let filled = false;
        const come = (person: { reference_id: string; target: string }) => {
          const waits = rows.filter(({ status }) => status === "PENDING");
          const taken = waits.some(
            (row) => row.reference_id === person.reference_id || row.target === person.target,
          );
          const status = person.target === "nobody" ? "INVALID" : taken ? "DUPLICATE" : "PENDING";
          rows.push({ ...person, status });
        };
        for (const step of steps) {
          if ("add" in step) {
            for (const person of step.add) come(person);
            await outbound.add(
              batch_id,
              step.add.map((person) => request(person.reference_id, person.target)),
            );
          } else if ("remove" in step) {
            for (const row of rows) {
              if (row.status === "PENDING" && step.remove.includes(row.reference_id)) row.status = "CANCELED";
            }
            await takeOut(batch_id, step.remove);
          } else if (!filled) {
            filled = true;
            for (const person of step.file) come(person);
            const lines = step.file.map((person) => `${person.reference_id},${person.target}`);
            await outbound.upload(batch_id, `reference_id,target\n${lines.join("\n")}`);
          }
        }
        expect(await shown(batch_id)).toEqual(
          rows.map((row) => `${row.reference_id} ${row.target} ${row.status}`),
        );
        const counts = Object.groupBy(rows, ({ status }) => status);
        expect((await outbound.get(batch_id)).body.status_counts).toEqual(
          Object.fromEntries(Object.entries(counts).map(([status, of]) => [status, of?.length])),
        );
      }),
      { numRuns: rounds(15, 400) },
    );
  });

  test("are counted right however often they move, added up or not", async () => {
    const batch_id = await emptyBatch();
    await outbound.add(batch_id, [request("a", "512-555-0001"), request("b", "512-555-0002")]);
    const move = (
      reference_id: string,
      request_status: RequestStatus,
      channel_manager_status: ChannelStatus,
    ) =>
      app.db
        .updateTable("requests")
        .set({ request_status, channel_manager_status })
        .where("reference_id", "=", reference_id)
        .where("created_at", "=", app.clock.now().toISOString())
        .execute();
    app.clock.advance(1_000);
    const other = await emptyBatch();
    await outbound.add(other, [request("m", "512-555-0001"), request("n", "512-555-0002")]);
    for (let i = 0; i < 60; i++) {
      await move("m", "INITIATED", "QUEUED");
      await move("m", "PENDING", "NO-ANSWER");
    }
    await foldCounts(app.db);
    await move("n", "COMPLETED", "COMPLETED");
    for (const folded of [false, true]) {
      if (folded) await foldCounts(app.db);
      expect((await outbound.get(other)).body).toMatchObject({
        status_counts: { PENDING: 1, COMPLETED: 1 },
        detailed_status_counts: {
          PENDING: { total_count: 1, counts: { "NO-ANSWER": 1 } },
          COMPLETED: { total_count: 1, counts: { COMPLETED: 1 } },
        },
      });
      expect((await outbound.get(batch_id)).body.status_counts).toEqual({ PENDING: 2 });
    }
    const { n } = await app.db
      .selectFrom("request_counts")
      .innerJoin("batches", "batches.key", "request_counts.batch_key")
      .where("batches.batch_id", "=", other)
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
    expect(n).toBeLessThan(10);
  });

  test("added by two callers at once are accepted once", async () => {
    const batch_id = await emptyBatch();
    const people = Array.from({ length: 20 }, (_, index) => request(`r${index}`, `+1512555${1000 + index}`));
    const answers = await Promise.all([1, 2, 3].map(() => outbound.add(batch_id, people)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(20);
  });

  test.each([
    [{ target: "1", request_variables: {} }, ["body", "reference_id"], "missing"],
    [request("", "1"), ["body", "reference_id"], "string_too_short"],
    [request("x".repeat(256), "1"), ["body", "reference_id"], "string_too_long"],
    [request(".", "1"), ["body", "reference_id"], "value_error"],
    [request("..", "1"), ["body", "reference_id"], "value_error"],
    [{ reference_id: "a", target: 1, request_variables: {} }, ["body", "target"], "string_type"],
    [{ reference_id: "a", target: "1" }, ["body", "request_variables"], "missing"],
    [request("a", "1", { n: 1 }), ["body", "request_variables", "n"], "string_type"],
    [[request("a", "1"), { reference_id: "b" }], ["body", 1, "target"], "missing"],
    [[], ["body"], "too_short"],
    ["reference", ["body"], "dict_type"],
  ])("that break the contract are refused at their place: %j", async (body, loc, type) => {
    const batch_id = await emptyBatch();
    const answer = await outbound.add(batch_id, typeof body === "string" ? JSON.stringify(body) : body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({ loc, type });
    expect(await shown(batch_id)).toEqual([]);
  });

  test("are taken out by a list of references", async () => {
    const batch_id = await emptyBatch();
    expect(await takeOut(batch_id, { a: 1 })).toMatchObject({ status: 422 });
    expect(await takeOut(batch_id, ["a", 7])).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", 1], type: "string_type" }] },
    });
    expect((await takeOut(batch_id, [])).body).toEqual({ removed: [], not_removed: [] });
  });
});

describe("results", () => {
  test("are a bare array, filtered and paged when asked", async () => {
    const batch_id = await emptyBatch();
    expect(await outbound.results(batch_id)).toMatchObject({
      status: 200,
      body: [],
      headers: { "content-type": "application/json; charset=utf-8" },
    });
    await outbound.add(batch_id, [
      request("a", "512-555-0001"),
      request("b", "512-555-0001"),
      request("c", "nobody"),
      request("d", "512-555-0004"),
    ]);
    // The session of one was analysed.
    const session_id = await insertSession(app);
    await insertOutput(app, session_id, "rating", { string_value: "Bad" });
    await insertOutput(app, session_id, "rating", { string_value: "Good" });
    await insertOutput(app, session_id, "score", { numeric_value: 0.5 });
    const { id: workflow_id } = await app.db
      .selectFrom("insight_workflows")
      .select("id")
      .executeTakeFirstOrThrow();
    const at = app.clock.now().toISOString();
    await app.db
      .insertInto("insight_executions")
      .values({
        sub_organization_id: app.admin.sub_organization_id,
        workflow_id,
        session_id,
        cause: "session",
        status: "COMPLETED",
        created_at: at,
        run_at: at,
      })
      .execute();
    await app.db
      .updateTable("requests")
      .set({ session_id })
      .where("reference_id", "=", "d")
      .where("target", "=", "+15125550004")
      .execute();
    const ids = async (query: string) =>
      (await outbound.results(batch_id, query)).body.map((row: { reference_id: string }) => row.reference_id);
    expect(await ids("")).toEqual(["a", "b", "c", "d"]);
    expect(await ids("?status=PENDING")).toEqual(["a", "d"]);
    expect(await ids("?status=DUPLICATE")).toEqual(["b"]);
    expect(await ids("?reference_id=c")).toEqual(["c"]);
    expect(await ids("?reference_id=c&status=PENDING")).toEqual([]);
    expect(await ids("?insights_status=COMPLETED")).toEqual(["d"]);
    expect(await ids("?limit=3")).toEqual(["a", "b", "c"]);
    expect(await ids("?limit=3&page=1")).toEqual(["d"]);
    expect(await ids("?limit=0")).toEqual([]);
    expect(await ids("?page=1")).toEqual(["a", "b", "c", "d"]);
    const { body } = await outbound.results(batch_id, "?insights_status=COMPLETED");
    expect(body[0]).toMatchObject({ insights: { rating: "Good", score: 0.5 }, insights_scripted: false });
    await app.db
      .updateTable("insight_outputs")
      .set({ model: "scripted" })
      .where("session_id", "=", session_id)
      .execute();
    const again = await outbound.results(batch_id, "?insights_status=COMPLETED");
    expect(again.body[0].insights_scripted).toBe(true);
    const operator = app.sendAs(await app.createToken(["outbound_read"]));
    const hidden = await operator("GET", `/api/v1/outbound/batches/${batch_id}/results?reference_id=d`);
    expect(hidden.body).toMatchObject([
      { insights_status: "COMPLETED", insights: null, insights_scripted: null },
    ]);
  });

  test.each([
    ["?status=DONE", ["query", "status"], "enum"],
    ["?insights_status=DONE", ["query", "insights_status"], "enum"],
    ["?limit=-1", ["query", "limit"], "greater_than_equal"],
    ["?page=x", ["query", "page"], "int_parsing"],
  ])("with %s are refused at its place", async (query, loc, type) => {
    const batch_id = await emptyBatch();
    expect(await outbound.results(batch_id, query)).toMatchObject({
      status: 422,
      body: { detail: [{ loc, type }] },
    });
  });

  test("of a deleted batch can still be read", async () => {
    const batch_id = await emptyBatch();
    await outbound.add(batch_id, request("a", "512-555-0001"));
    await outbound.remove(batch_id);
    expect(await shown(batch_id)).toEqual(["a +15125550001 CANCELED"]);
  });

  test("come whole and in order past what is held in memory at once", async () => {
    const batch_id = await emptyBatch();
    const lines = Array.from({ length: 2_345 }, (_, index) => `r${index},+1512${5550000 + index}`);
    await outbound.upload(batch_id, `reference_id,target\n${lines.join("\n")}`);
    const { body } = await outbound.results(batch_id);
    expect(body.map((row: { reference_id: string }) => row.reference_id)).toEqual(
      lines.map((_, index) => `r${index}`),
    );
    expect((await outbound.results(batch_id, "?limit=1200&page=1")).body[0].reference_id).toBe("r1200");
    expect((await outbound.results(batch_id, "?limit=1200&page=1")).body).toHaveLength(1_145);
  });
});
