import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const path = "/api/v1/prompts/";

describe("the models on offer", () => {
  const offered = async (query = "") => (await app.send("GET", `${path}llms/supported${query}`)).body;

  test("leave out the retired ones, but for the one that is selected", async () => {
    const names = (await offered()).map((llm: { model: string }) => llm.model);
    expect(names).toContain("gpt-4o");
    expect(names.filter((name: string) => name === "scripted")).toHaveLength(4);
    expect(names).not.toContain("gemini-2.0-flash");
    expect(await offered("?selected_model=gemini-2.0-flash")).toContainEqual({
      provider: "google",
      model: "gemini-2.0-flash",
      display_name: "Gemini 2.0 Flash",
      version: null,
      api_version: null,
      deprecated: false,
      sunset_date: "2026-06-01",
      removed: false,
      fallback: "gemini-3.5-flash",
      status: "retired",
    });
  });

  test("tell by today's date what still answers", async () => {
    const gpt = async () =>
      (await offered("?selected_model=gpt-4o")).find(
        (llm: { provider: string; model: string }) => llm.provider === "openai" && llm.model === "gpt-4o",
      );
    expect(await gpt()).toMatchObject({ deprecated: true, status: "deprecated", sunset_date: "2027-01-14" });
    app.clock.set("2027-01-14T00:00:00Z");
    expect(await gpt()).toMatchObject({ deprecated: false, status: "retired" });
    app.clock.set(START);
  });

  test("include those the operator added", async () => {
    const own = await createTestApp({ LLM_MODELS: "openai/meta/llama-3.3, azure_openai/our-gpt" });
    const llms = (await own.send("GET", `${path}llms/supported`)).body;
    expect(llms).toContainEqual(
      expect.objectContaining({ provider: "openai", model: "meta/llama-3.3", status: "active" }),
    );
    const prompt = {
      name: "Own",
      type: "prompt_v1",
      llm_config: { model: "our-gpt", temperature: 1, seed: 1 },
    };
    expect(await own.send("POST", path, prompt)).toMatchObject({
      status: 200,
      body: { validation_issues: [] },
    });
    expect((await app.send("POST", path, prompt)).status).toBe(400);
  });
});
