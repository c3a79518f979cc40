import { beforeAll, describe, expect, test } from "vitest";
import { AGENTS, agentCalls } from "../../harness/agents.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
let prompt_id: number;
beforeAll(async () => {
  app = await createTestApp();
  prompt_id = (await createPrompt("Shared prompt")).id;
});

const { createPrompt, agent, create } = agentCalls(() => ({ app, prompt_id }));

describe("lists of agents", () => {
  test("lists are searched by their fields, ordered and paged", async () => {
    const other = await createPrompt("Other");
    await create("list a", { labels: ["red", "blue"], variables: { city: "Bronx" } });
    await create("list ab", { label: "blue", labels: ["blue"], timezone: "Asia/Tokyo", prompt_id: other.id });
    await create("list c", { description: "not list a", tool_headers: { "X-Team": "night" } });
    const names = async (query: string) =>
      (await app.send("GET", `${AGENTS}?${query}`)).body.items.map((item: { name: string }) => item.name);
    const by = (field: string, value: string | number) =>
      `search_fields=${field}&search_field_values=${value}`;
    const listed = by("name", "list");
    expect(await names(by("name_exact", "list%20a"))).toEqual(["list a"]);
    expect(await names(by("name_description", "list%20a"))).toEqual(["list a", "list ab", "list c"]);
    expect(await names(`${listed}&${by("label", "blue")}`)).toEqual(["list ab"]);
    expect(await names(`${listed}&${by("labels", "BLUE")}`)).toEqual(["list a", "list ab"]);
    expect(await names(`${listed}&${by("timezone", "tokyo")}`)).toEqual(["list ab"]);
    expect(await names(`${listed}&${by("prompt_id", other.id)}`)).toEqual(["list ab"]);
    expect(await names(`${listed}&${by("prompt_id_list", `${other.id}, ,${prompt_id}`)}`)).toHaveLength(3);
    expect(await names(`${listed}&${by("variables", "bronx")}`)).toEqual(["list a"]);
    expect(await names(`${listed}&${by("tool_headers", "night")}`)).toEqual(["list c"]);
    expect(await names(`${listed}&order_by=name&order_by_direction=desc&limit=2`)).toEqual([
      "list c",
      "list ab",
    ]);
    expect(await names(`${listed}&order_by=label`)).toEqual(["list ab", "list a", "list c"]);
    for (const order of ["prompt_id", "prompt_id_list"])
      expect(await names(`${listed}&order_by=${order}&order_by_direction=desc`)).toEqual([
        "list ab",
        "list c",
        "list a",
      ]);
    const { items } = (await app.send("GET", `${AGENTS}?${listed}&fields=name`)).body;
    expect(items[0]).toMatchObject({ name: "list a", prompt_id, labels: null, prompt: null, tools: null });
  });

  test("pages put together are the whole list in its order, each agent once", async () => {
    for (let n = 0; n < 7; n++) await create(`paged ${n}`, { labels: [`group ${n % 3}`] });
    const names = async (query: string) =>
      (
        await app.send("GET", `${AGENTS}?search_fields=name&search_field_values=paged&${query}`)
      ).body.items.map((item: { name: string }) => item.name);
    for (const order of ["", "&order_by=label", "&order_by=updated_at&order_by_direction=desc"]) {
      const whole = await names(`limit=100${order}`);
      expect(whole.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `paged ${n}`));
      const pages = await Promise.all([0, 1, 2, 3].map((page) => names(`limit=2&page=${page}${order}`)));
      expect(pages.flat()).toEqual(whole);
    }
  });

  test("the labels in use are told sorted and once, beside the agents' own numbers", async () => {
    const neighbour = await app.createNeighbour();
    const prompt = { name: "p", type: "prompt_v1", llm_config: { model: "scripted" } };
    const own = (await neighbour.send("POST", "/api/v1/prompts/", prompt)).body.id;
    const add = async (name: string, labels: string[] | null) =>
      (await neighbour.send("POST", AGENTS, agent(name, { prompt_id: own, labels }))).body.id;
    await add("one", ["night", "day"]);
    await add("two", ["day"]);
    await add("none", null);
    await neighbour.send("POST", AGENTS, agent("old", { prompt_id: own, labels: null, label: "old" }));
    const gone = await add("gone", ["gone"]);
    await neighbour.send("DELETE", `${AGENTS}${gone}?reason=x`);
    expect(await neighbour.send("GET", `${AGENTS}labels`)).toMatchObject({
      status: 200,
      body: ["day", "night", "old"],
    });
  });
});
