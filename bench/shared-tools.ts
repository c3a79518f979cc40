import { sql } from "kysely";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * Lists of tools while ever more prompts and agents share the same tools (every prompt has `hangup`), right after they
 * were stored and once PostgreSQL has counted them. Run: node bench/shared-tools.ts
 */
const REQUESTS = 40;
const TOOLS = 40;
const SIZES = [100, 5_000];

const platform = await startPlatform();
const { api, database, token } = platform;
const { db } = database;
await addTools();

const rows: (string | number)[][] = [];
let prompts = 0;
for (const size of SIZES) {
  await addPrompts(size - prompts);
  prompts = size;
  for (const counted of [false, true]) {
    if (counted) await sql`analyze`.execute(db);
    const times: number[] = [];
    let bytes = 0;
    for (let n = 0; n < REQUESTS; n++) {
      const before = performance.now();
      const answer = await api.server.inject({
        url: "/api/v1/tools/?limit=25",
        headers: { "service-api-key": token },
      });
      times.push(performance.now() - before);
      if (answer.statusCode !== 200) throw new Error(answer.body);
      bytes = answer.rawPayload.length;
    }
    const kilobytes = Math.round(bytes / 1024);
    rows.push([
      size.toLocaleString("en"),
      counted ? "yes" : "no",
      ms(median(times)),
      ms(quantile(times, 0.95)),
      kilobytes,
    ]);
  }
}
print(
  `${machine()}; ${TOOLS} tools and the built-in ones, 25 a page, ${REQUESTS} requests one after the other\n`,
);
print(markdownTable(["prompts and agents", "analyzed", "p50 ms", "p95 ms", "KiB a page"], rows));
await platform.stop();

/** Tools like the demo's first, of which every prompt has ten. */
async function addTools(): Promise<void> {
  await sql`
    insert into tools (sub_organization_id, name, definition, service_id, last_updated, last_updated_by)
    select t.sub_organization_id, 'bench_' || n, t.definition, t.service_id, t.last_updated, t.last_updated_by
    from (select * from tools where service_id in (select id from services where not is_system) order by id limit 1) t,
      generate_series(1, ${TOOLS}::int) n`.execute(db);
}

async function addPrompts(count: number): Promise<void> {
  await sql`
    with copy as (
      insert into prompts (sub_organization_id, name, type, context, llm_config, session_end_enabled, last_updated, last_updated_by)
      select sub_organization_id, 'Bench ' || gen_random_uuid(), type, context, llm_config, false, last_updated, last_updated_by
      from (select * from prompts order by id limit 1) p, generate_series(1, ${count}::int)
      returning id
    ), linked as (
      insert into prompt_tools (prompt_id, tool_id, position)
      select copy.id, t.id, row_number() over (partition by copy.id order by t.id)
      from copy, (select id from tools where name = 'hangup' or name like 'bench_%' order by id limit 10) t
    )
    insert into agents (sub_organization_id, name, type, prompt_id, timezone, prompt_tool_defaults, languages, variables,
      updated_at, last_updated_by)
    select a.sub_organization_id, 'Bench ' || copy.id, a.type, copy.id, a.timezone, a.prompt_tool_defaults, a.languages,
      a.variables, a.updated_at, a.last_updated_by
    from copy, (select * from agents order by id limit 1) a`.execute(db);
}
