import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

type Named = { id: number; name: string };
const infos = (tool: { prompts_info: Named[]; agents_info: Named[] }) => [
  tool.prompts_info,
  tool.agents_info,
];

test("a list names the first hundred prompts and agents of a tool, the tool itself names them all", async () => {
  const { prompt_id } = await createAgent(app, { script: "" });
  await sql`
    with copy as (
      insert into prompts (sub_organization_id, name, type, llm_config, session_end_enabled, last_updated, last_updated_by)
      select sub_organization_id, 'Copy ' || n, type, llm_config, false, last_updated, last_updated_by
      from prompts, generate_series(1, 100) n where id = ${prompt_id}
      returning id
    ), linked as (
      insert into prompt_tools (prompt_id, tool_id, position)
      select copy.id, link.tool_id, 1 from copy, prompt_tools link where link.prompt_id = ${prompt_id}
    )
    insert into agents (sub_organization_id, name, type, prompt_id, timezone, prompt_tool_defaults, languages, variables,
      updated_at, last_updated_by)
    select a.sub_organization_id, 'Agent of ' || copy.id, a.type, copy.id, a.timezone, a.prompt_tool_defaults,
      a.languages, a.variables, a.updated_at, a.last_updated_by
    from copy, agents a where a.prompt_id = ${prompt_id}`.execute(app.db);
  const whole = infos((await app.send("GET", "/api/v1/tools/hangup")).body);
  expect(whole.map((all) => all.length)).toEqual([101, 101]);
  const query = "search_fields=name&search_field_values=hangup";
  const { items } = (await app.send("GET", `/api/v1/tools/?${query}`)).body;
  expect(infos(items[0])).toEqual(whole.map((all) => all.slice(0, 100)));
});
