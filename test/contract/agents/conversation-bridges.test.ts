import { beforeAll, describe, expect, test } from "vitest";
import { BridgePhrasesConfig } from "../../../src/agents/conversation-bridges.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const path = "/api/v1/conversation-config/bridges";
const EMPTY = {
  messages: [],
  randomize_messages: false,
  first_slow_messages: [],
  very_slow_messages: [],
  tool_responses: [],
  localized: {},
  smart_turn_timeout_seconds: null,
};
const saying = (...messages: string[]) => ({ ...EMPTY, messages });

describe("bridge phrases of a scope", () => {
  test("where nothing is written, everything is empty", async () => {
    const { status, body } = await app.send("GET", path);
    expect(status).toBe(200);
    expect(body).toEqual(EMPTY);
    expect(BridgePhrasesConfig.parse(body)).toEqual(body);
  });

  test("a scope answers with its own phrases, else with those of everybody", async () => {
    const everybody = await app.send("PUT", path, { messages: ["All"] });
    expect(everybody).toMatchObject({ status: 200, body: saying("All") });
    expect((await app.send("GET", `${path}?agent_id=7&tool_name=book`)).body).toEqual(saying("All"));

    await app.send("PUT", `${path}?agent_id=7`, { messages: ["Agent"] });
    await app.send("PUT", `${path}?tool_name=book`, { messages: ["Tool"] });
    await app.send("PUT", `${path}?agent_id=7&tool_name=book`, { messages: ["Both"] });
    const read = async (query: string) => (await app.send("GET", `${path}${query}`)).body.messages[0];
    expect(await read("?agent_id=7&tool_name=book")).toBe("Both");
    expect(await read("?agent_id=7")).toBe("Agent");
    expect(await read("?tool_name=book")).toBe("Tool");
    expect(await read("?agent_id=7&tool_name=other")).toBe("All");
    expect(await read("?agent_id=8")).toBe("All");
    expect(await read("?tool_name=")).toBe("All");
  });

  test("written again, a scope is replaced whole, one row and one audit entry a write", async () => {
    const url = `${path}?agent_id=9`;
    await app.send("PUT", url, { messages: ["a"], localized: { es: { tool_responses: ["b"] } } });
    const { body } = await app.send("PUT", url, { smart_turn_timeout_seconds: 3 });
    expect(body).toEqual({ ...EMPTY, smart_turn_timeout_seconds: 3 });
    expect((await app.send("GET", url)).body).toEqual(body);
    const rows = await app.db
      .selectFrom("conversation_bridges")
      .select("id")
      .where("agent_id", "=", 9)
      .execute();
    expect(rows).toHaveLength(1);
    const entries = await app.db
      .selectFrom("audit_entries")
      .select(["action", "before", "after"])
      .where("resource", "=", "conversation_bridges")
      .where("resource_id", "=", "agent 9")
      .orderBy("id")
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(["create", "update"]);
    expect(entries[1]).toMatchObject({ before: { messages: ["a"] }, after: body });
  });

  test("phrases of a language have all lists, and none is nested in another", async () => {
    const { body } = await app.send("PUT", `${path}?agent_id=10`, { localized: { es: { messages: ["m"] } } });
    const { localized: _, smart_turn_timeout_seconds: __, ...lists } = saying("m");
    expect(body.localized).toEqual({ es: lists });
  });

  test("a neighbour reads and writes phrases of their own for the same ids", async () => {
    await app.send("PUT", `${path}?agent_id=11`, { messages: ["Mine"] });
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("GET", `${path}?agent_id=11`)).body).toEqual(EMPTY);
    await neighbour.send("PUT", `${path}?agent_id=11`, { messages: ["Theirs"] });
    expect((await app.send("GET", `${path}?agent_id=11`)).body).toEqual(saying("Mine"));
  });

  test.each([
    ["?agent_id=x", {}, ["query", "agent_id"], "int_parsing"],
    ["", { messages: "Hm" }, ["body", "messages"], "list_type"],
    ["", { messages: [7] }, ["body", "messages", 0], "string_type"],
    ["", { smart_turn_timeout_seconds: 0 }, ["body", "smart_turn_timeout_seconds"], "greater_than_equal"],
    ["", { localized: { es: [] } }, ["body", "localized", "es"], "dict_type"],
  ])("PUT %s %j is refused at %j", async (query, body, loc, type) => {
    const answer = await app.send("PUT", `${path}${query}`, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc, msg: expect.any(String), type }]);
  });

  test("reading and writing need their own permission", async () => {
    const reader = app.sendAs(await app.createToken(["bridge_phrases_read"]));
    expect((await reader("GET", path)).status).toBe(200);
    expect((await reader("PUT", path, {})).status).toBe(403);
  });
});
