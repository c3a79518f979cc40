import { beforeAll, describe, expect, test } from "vitest";
import { ensureSystemTools } from "../../../src/tools/system-tools.ts";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { createTools, promptCalls } from "../../harness/prompts.ts";

let app: TestApp;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  await app.db.transaction().execute((tx) => ensureSystemTools(tx, app.admin, app.clock.now()));
  ({ service_id } = await createTools(app));
});

const { createTool, toolId, create, update, history } = promptCalls(() => ({ app, service_id }));

describe("versions of a prompt", () => {
  test("every write leaves one, the latest first, with what became of its tools since", async () => {
    await createTool("changing");
    await createTool("going");
    const made = await create("Told", {
      context: "one",
      tools: ["changing", "going"],
      session_end_tool_id: await toolId("close"),
      edit_comments: "begin",
      include_default_tools: false,
    });
    const changing = (await app.send("GET", "/api/v1/tools/changing")).body;
    await app.send("PUT", "/api/v1/tools/", changing);
    app.clock.advance(60_000);
    await update(made.id, "Told anew", { tools: ["changing"], include_default_tools: false });
    await app.send("DELETE", "/api/v1/tools/going?reason=x");

    const [second, first] = await history(made.id);
    expect(second).toEqual({
      timestamp: "2026-11-18T12:01:00+00:00",
      prompt_id: String(made.id),
      version_number: 2,
      prompt_text: "",
      prompt_description: null,
      prompt_name: "Told anew",
      llm_config: made.llm_config,
      comments: null,
      user_email: "admin@example.com",
      linked_tools: [
        { tool_id: changing.id, current_tool_name: "changing", out_of_date: false, deleted: false },
      ],
      session_end_tool: null,
      is_pre_enhancements: false,
    });
    expect(first).toMatchObject({
      timestamp: "2026-11-18T12:00:00+00:00",
      version_number: 1,
      prompt_text: "one",
      prompt_name: "Told",
      comments: "begin",
      linked_tools: [
        { current_tool_name: "changing", out_of_date: true, deleted: false },
        { current_tool_name: "going", deleted: true },
      ],
      session_end_tool: { current_tool_name: "close", out_of_date: false, deleted: false },
    });
    app.clock.set(START);
  });

  test("two updates at once are two versions", async () => {
    const made = await create("Raced");
    await Promise.all([1, 2, 3, 4].map((n) => update(made.id, "Raced", { context: String(n) })));
    const numbers = (await history(made.id)).map((row: { version_number: number }) => row.version_number);
    expect(numbers).toEqual([5, 4, 3, 2, 1]);
  });
});
