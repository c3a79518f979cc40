import { beforeAll, describe, expect, test } from "vitest";
import { InsightsOutput } from "../../../src/insights/output.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf, pastSession } from "../../harness/insights.ts";

const path = "/api/v1/insights/";

let app: TestApp;
let tool: { id: number };
let workflow: { id: number };
let session_id: number;
let file: { id: number; folder_id: number };
beforeAll(async () => {
  app = await createTestApp();
  const make = insightsOf(app);
  tool = await make.tool();
  workflow = await make.workflow({ insight_tool_ids: [tool.id] });
  session_id = await pastSession(app, app.admin);
  file = await app.db
    .insertInto("insight_files")
    .values({
      sub_organization_id: app.admin.sub_organization_id,
      folder_id: (await make.folder()).id,
      filename: "x.wav",
      object_key: "x",
      media_type: "audio/wav",
      size_bytes: 1,
      call_id: "call-1",
      metadata: JSON.stringify({ queue: "billing" }),
      created_at: app.clock.now().toISOString(),
    })
    .returning(["id", "folder_id"])
    .executeTakeFirstOrThrow();
  await store({
    session_id,
    insight_key: "summary",
    string_value: "A refund",
    json_value: { summary: "A refund" },
  });
  app.clock.advance(60_000);
  await store({ session_id, insight_key: "score", numeric_value: 4.5, json_value: { score: 4.5 } });
  app.clock.advance(60_000);
  await store({ upload_file_id: file.id, insight_key: "topics", json_value: { topics: '["price"]' } });
});

async function store(row: {
  session_id?: number;
  upload_file_id?: number;
  insight_key: string;
  string_value?: string;
  numeric_value?: number;
  json_value: object;
}) {
  const at = app.clock.now().toISOString();
  await app.db
    .insertInto("insight_outputs")
    .values({
      ...row,
      json_value: JSON.stringify(row.json_value),
      sub_organization_id: app.admin.sub_organization_id,
      workflow_id: workflow.id,
      insight_tool_id: tool.id,
      insight_tool_version: 3,
      created_at: at,
      updated_at: at,
    })
    .execute();
}

const keys = async (query: string) => {
  const { status, body } = await app.send("GET", `${path}?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.items.map(({ insight_key }: { insight_key: string }) => insight_key);
};
const search = (field: string, value: string | number) =>
  `search_fields=${field}&search_field_values=${value}`;

describe("insight outputs", () => {
  test("are listed newest first, with every field of their contract", async () => {
    const { body } = await app.send("GET", path);
    expect(body).toMatchObject({ page: 0, page_size: 25, total_pages: 1, total_count: 3 });
    expect(body.items).toEqual([
      {
        id: expect.any(Number),
        session_id: null,
        upload_file_id: file.id,
        insight_tool_id: tool.id,
        insight_tool_version: 3,
        workflow_id: workflow.id,
        insight_key: "topics",
        string_value: null,
        numeric_value: null,
        json_value: { topics: '["price"]' },
        created_at: "2026-11-18T12:02:00+00:00",
        updated_at: "2026-11-18T12:02:00+00:00",
        model: null,
        upload_file_metadata: { queue: "billing" },
      },
      expect.objectContaining({ insight_key: "score", numeric_value: 4.5, upload_file_metadata: null }),
      expect.objectContaining({ insight_key: "summary", string_value: "A refund", session_id }),
    ]);
    for (const item of body.items) InsightsOutput.parse(item);
  });

  test("are searched, ordered and bounded in time by the same rules as every list", async () => {
    expect(await keys(search("session_id", session_id))).toEqual(["score", "summary"]);
    expect(await keys(search("upload_file_id", file.id))).toEqual(["topics"]);
    expect(await keys(search("upload_folder_id", file.folder_id))).toEqual(["topics"]);
    expect(await keys(search("workflow_id", workflow.id))).toHaveLength(3);
    expect(await keys(search("insight_tool_id", tool.id))).toHaveLength(3);
    expect(await keys(search("insight_key", "SUM"))).toEqual(["summary"]);
    expect(await keys("order_by=insight_key")).toEqual(["score", "summary", "topics"]);
    expect(await keys("start_datetime=2026-11-18T12:01:00Z&end_datetime=2026-11-18T12:02:00Z")).toEqual([
      "score",
    ]);
    expect((await app.send("GET", `${path}?order_by=string_value`)).status).toBe(422);
    expect((await app.send("GET", `${path}?${search("session_id", "x")}`)).status).toBe(422);
  });

  test("of others are not listed, and reading needs its permission", async () => {
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("GET", path)).body.items).toEqual([]);
    const send = app.sendAs(await app.createToken(["sessions_read"]));
    expect((await send("GET", path)).status).toBe(403);
  });
});
