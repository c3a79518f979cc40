import { sql } from "kysely";
import { expect, test } from "vitest";
import { createTestApp } from "../../harness/app.ts";
import { insertSession } from "../../harness/rows.ts";

test("PostgreSQL knows how often an insight found a value, so that a search for a frequent one reads the newest sessions only", async () => {
  const app = await createTestApp();
  const session_id = await insertSession(app);
  await sql`
    insert into insight_outputs (sub_organization_id, session_id, insight_tool_id, insight_tool_version, insight_key,
      string_value, json_value, created_at, updated_at, model)
    select ${app.admin.sub_organization_id}::bigint, ${session_id}::bigint, (select min(id) from insight_tools), 1, 'rating',
      found, json_build_object('rating', found), now(), now(), 'some-model'
    from generate_series(1, 1000) i, lateral (select case when i % 10 = 0 then 'Bad' else 'Good' end as found) f`.execute(
    app.db,
  );
  await sql`analyze insight_outputs`.execute(app.db);
  const { rows } = await sql<{ "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }>`
    explain (format json) select from insight_outputs o
    where length(o.json_value ->> o.insight_key) <= 60 and o.json_value ->> o.insight_key = any('{Good}'::text[])`.execute(
    app.db,
  );
  expect(rows[0]?.["QUERY PLAN"][0].Plan["Plan Rows"]).toBe(900);
});
