import { beforeAll, expect, test } from "vitest";
import { publish } from "../../../src/events/event.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await app.db.transaction().execute((tx) =>
    publish(
      tx,
      app.admin.sub_organization_id,
      [1, 2, 3].map((n) => ({
        at: new Date(app.clock.now().getTime() + n * 1000),
        source: "tool-call" as const,
        source_id: n,
        category: "automation",
        type: n === 3 ? "hangup" : "phone-transfer",
        description: `Event ${n}`,
        session_id: 70 + n,
        conversation_id: 7,
        user_id: "+18042221111",
        attributes: { outcome: n === 2 ? "success" : "busy" },
      })),
    ),
  );
});

const list = async (query = "") => (await app.send("GET", `/api/v1/events/?${query}`)).body;

test("events come newest first, with all ten fields", async () => {
  const { items, total_count } = await list();
  expect(total_count).toBe(3);
  expect(items[0]).toEqual({
    timestamp: "2026-11-18T12:00:03+00:00",
    session_id: "73",
    conversation_id: "7",
    source: "tool-call",
    source_id: "3",
    category: "automation",
    type: "hangup",
    user_id: "+18042221111",
    description: "Event 3",
    attributes: { outcome: "busy" },
  });
});

test.each([
  ["search_fields=session_id&search_field_values=72", ["Event 2"]],
  ["search_fields=session_id&search_field_values=7", []],
  ["search_fields=type&search_field_values=transfer", ["Event 2", "Event 1"]],
  ["search_fields=attributes&search_field_values=success", ["Event 2"]],
  ["order_by=timestamp&order_by_direction=asc&limit=1", ["Event 1"]],
  ["start_datetime=2026-11-18T12:00:02Z&end_datetime=2026-11-18T12:00:03Z", ["Event 2"]],
])("%s", async (query, expected) => {
  expect((await list(query)).items.map((item: { description: string }) => item.description)).toEqual(
    expected,
  );
});

test.each(["session_id", "conversation_id", "source_id"])("%s sorts as the number it is", async (field) => {
  const ids = [9, 1_000, 10, 2];
  const { caller, send } = await app.createNeighbour();
  await app.db.transaction().execute((tx) =>
    publish(
      tx,
      caller.sub_organization_id,
      ids.map((n) => ({
        at: app.clock.now(),
        source: "tool-call",
        category: "automation",
        type: "hangup",
        description: "y",
        session_id: n,
        conversation_id: n,
        source_id: n,
      })),
    ),
  );
  const { items } = (await send("GET", `/api/v1/events/?order_by=${field}`)).body;
  expect(items.map((item: Record<string, string>) => item[field])).toEqual(["2", "9", "10", "1000"]);
});

test("a neighbour sees none of them", async () => {
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", "/api/v1/events/")).body.total_count).toBe(0);
});
