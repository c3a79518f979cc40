import type { TestApp } from "./app.ts";
import { insertSession } from "./rows.ts";

/** Sessions that are over, with what boards and alerts count of them; each as `of` says, by its number from 0. */
export async function insertFacts(app: TestApp, count: number, of: (n: number) => object): Promise<number[]> {
  const ids = [];
  for (let n = 0; n < count; n++) {
    const at = app.clock.now().toISOString();
    const facts = {
      sub_organization_id: app.admin.sub_organization_id,
      began_at: at,
      ended_at: at,
      agent_id: 1,
      agent_version: null,
      channel: "chat" as const,
      is_test: false,
      is_error: false,
      is_tool_failure: false,
      turns: 4,
      waits_ms: [] as number[],
      ...of(n),
    };
    // A session of noon is counted on this day, and before the end of the period.
    if (facts.began_at === at) facts.began_at = new Date(Date.parse(at) - 1_000).toISOString();
    const session_id = await insertSession(app, { ended_at: facts.ended_at, is_test: facts.is_test });
    await app.db
      .insertInto("session_facts")
      .values({ session_id, ...facts })
      .execute();
    ids.push(session_id);
  }
  return ids;
}
