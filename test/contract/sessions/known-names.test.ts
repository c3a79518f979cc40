import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { EMPTY_SNAPSHOT, storeEmptySnapshot } from "../../harness/rows.ts";
import { rounds } from "../../harness/seed.ts";

/** Sessions of these agents in turn, every fifth of which still runs. */
const AGENTS = ["Ann", "ANNA", "annabel", "50 % off", "a_b", "a\\b", "Zoë", "zoe", "B", "日本"];
const SESSIONS = 60;
/** More names than are read one by one. */
const NUMBERS = 1_100;

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await fill(app.admin.sub_organization_id);
});

async function fill(sub: number): Promise<void> {
  await storeEmptySnapshot(app.db, sub);
  await sql`
    with c as (
      insert into conversations (sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type, prompt_id,
        prompt_name, prompt_version_number, llm_provider, llm_model)
      values (${sub}::bigint, now(), now(), 1, 'Ann', 'phone', 1, 'P', 1, 'openai', 'gpt') returning id)
    insert into sessions (sub_organization_id, conversation_id, agent_id, agent_name, agent_type, agent_timezone, prompt_id,
      prompt_name, prompt_version_number, channel, channel_manager_service, channel_manager_type, channel_manager_sid,
      is_test, snapshot_key, state, target, timestamp, last_activity_at, ended_at)
    select ${sub}::bigint, c.id, 1, (${AGENTS}::text[])[1 + n % ${AGENTS.length}::int], 'phone', 'UTC', 1, 'P', 1, 'voice',
      'twilio', 'voice', 's' || n, false, ${EMPTY_SNAPSHOT}, '{}', case when n % 7 > 0 then '+1512' || n end,
      now() + n * interval '1 second', now(), case when n % 5 > 0 then now() + interval '1 hour' end
    from c, generate_series(0, ${SESSIONS - 1}::int) n`.execute(app.db);
}

const found = async (
  list: string,
  field: string,
  value: string,
): Promise<{ names: string[]; total: number }> => {
  const query = new URLSearchParams({ search_fields: field, search_field_values: value, limit: "1000" });
  const { status, body } = await app.send("GET", `/api/v1/sessions/${list}?${query}`);
  expect(status).toBe(200);
  return { names: body.items.map((item: Record<string, string>) => item[field]), total: body.total_count };
};

const agentOf = (n: number) => AGENTS[n % AGENTS.length] as string;
const newestFirst = Array.from({ length: SESSIONS }, (_, n) => agentOf(SESSIONS - 1 - n));

test("any part of an agent's name finds its sessions, running or over, whatever the case, and no others", async () => {
  const part = fc.oneof(
    fc.constantFrom("%", "_", "\\", "nobody", "ë", "本"),
    fc
      .tuple(fc.constantFrom(...AGENTS), fc.nat(9), fc.nat(9))
      .map(([name, from, length]) => name.slice(from, from + length + 1) || name),
  );
  await fc.assert(
    fc.asyncProperty(part, fc.constantFrom("", "search"), fc.boolean(), async (text, list, upper) => {
      const value = upper ? text.toUpperCase() : text;
      const wanted = newestFirst.filter((name) => name.toLowerCase().includes(value.toLowerCase()));
      expect(await found(list, "agent_name", value)).toEqual({ names: wanted, total: wanted.length });
    }),
    { numRuns: rounds(40) },
  );
});

test("names of another organization are neither read nor found", async () => {
  const { caller } = await app.createNeighbour();
  await fill(caller.sub_organization_id);
  expect((await found("", "agent_name", "annabel")).total).toBe(SESSIONS / AGENTS.length);
});

test("numbers are found by a part, of few and of more than are read one by one", async () => {
  const wanted = newestFirst.flatMap((_, n) => {
    const number = SESSIONS - 1 - n;
    return number % 7 > 0 && `+1512${number}`.includes("25") ? [`+1512${number}`] : [];
  });
  expect((await found("", "target", "25")).names).toEqual(wanted);
  const before = await found("", "target", "51255");
  await sql`
    insert into sessions (sub_organization_id, conversation_id, agent_id, agent_name, agent_type, agent_timezone, prompt_id,
      prompt_name, prompt_version_number, channel, channel_manager_service, channel_manager_type, channel_manager_sid,
      is_test, snapshot_key, state, target, timestamp, last_activity_at, ended_at)
    select sub_organization_id, conversation_id, 1, 'Ann', 'phone', 'UTC', 1, 'P', 1, 'voice', 'twilio', 'voice', 'x', false,
      snapshot_key, '{}', '+44' || n, timestamp - interval '1 day', now(), now()
    from (select * from sessions where sub_organization_id = ${app.admin.sub_organization_id}::bigint limit 1) s,
      generate_series(1, ${NUMBERS}::int) n`.execute(app.db);
  expect(await found("", "target", "51255")).toEqual(before);
  expect((await found("", "target", "+441100")).names).toEqual(["+441100"]);
});
