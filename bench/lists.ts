import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type pg from "pg";
import { json } from "../src/db/database.ts";
import { load } from "./load.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * What our HTTP, validation and query layers cost: a list of 25 nested channel targets and a PUT of a campaign, each
 * against a bare node:http handler that runs the very same SQL (recorded from one real call, authentication included)
 * through the same driver. Run: node bench/lists.ts
 */
const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 32;
const TARGETS = 1000;

type Statement = { text: string; values: unknown[] };

const platform = await startPlatform();
const { api, database, token, caller } = platform;
const { db, pool } = database;
const headers = { "service-api-key": token, "content-type": "application/json" };

await createTargets();
const campaign = await createCampaign();
const url = await api.server.listen({ host: "127.0.0.1", port: 0 });

const cases = {
  "GET 25 nested channel targets": {
    method: "GET" as const,
    path: "/api/v1/channels/targets?limit=25",
    headers,
  },
  "PUT campaign": {
    method: "PUT" as const,
    path: `/api/v1/outbound/campaigns/${campaign.id}`,
    headers,
    body: JSON.stringify(campaign),
  },
};

const bare = await startBareServer();
const rows: (string | number)[][] = [];
for (const [name, request] of Object.entries(cases)) {
  const statements = await record(request);
  bare.replay(statements, request.method === "PUT");
  const ours: number[] = [];
  const theirs: number[] = [];
  const latencies: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Both in each round, in turn, so that a slow minute of the machine slows both.
    for (const side of round % 2 === 0 ? ["ours", "bare"] : ["bare", "ours"]) {
      const target = side === "ours" ? url : bare.url;
      const result = await load(target, request, { connections: CONNECTIONS, seconds: SECONDS });
      if (result.failures > 0) throw new Error(`${name}, ${side}: ${result.failures} requests failed`);
      (side === "ours" ? ours : theirs).push(result.per_second);
      if (side === "ours") latencies.push(...result.latencies_ms);
    }
  }
  const ratio = median(ours.map((value, round) => value / (theirs[round] as number)));
  rows.push([
    name,
    statements.length,
    Math.round(median(ours)),
    Math.round(median(theirs)),
    ratio.toFixed(2),
    `${ms(median(latencies))} / ${ms(quantile(latencies, 0.95))}`,
  ]);
}

print(`${machine()}; ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s, medians\n`);
print(
  markdownTable(
    ["operation", "SQL statements", "Parley req/s", "bare req/s", "ratio", "Parley p50 / p95 ms"],
    rows,
  ),
);
await bare.stop();
await platform.stop();

/** The statements of one call, in order, with their values. */
async function record(request: { method: "GET" | "PUT"; path: string; body?: string }): Promise<Statement[]> {
  const seen: Statement[] = [];
  const client = (await pool.connect()) as pg.PoolClient & { constructor: { prototype: pg.PoolClient } };
  const prototype = client.constructor.prototype;
  client.release();
  const original = prototype.query;
  prototype.query = function (this: pg.PoolClient, text: string, values: unknown[], ...rest: unknown[]) {
    if (typeof text === "string") seen.push({ text, values: values ?? [] });
    return (original as (...all: unknown[]) => unknown).call(this, text, values, ...rest);
  } as never;
  const answer = await api.server.inject({
    ...request,
    headers,
    ...(request.body && { payload: request.body }),
  });
  prototype.query = original;
  if (answer.statusCode !== 200) throw new Error(`${request.path}: ${answer.body}`);
  return seen;
}

/** The least a server can do: parse the body, run the statements, print the rows of the largest answer. */
async function startBareServer() {
  let statements: Statement[] = [];
  let transaction = false;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (body) JSON.parse(body);
    const client = transaction ? await pool.connect() : pool;
    let largest: unknown[] = [];
    for (const { text, values } of statements) {
      const { rows = [] } = await client.query(text, values);
      if (rows.length >= largest.length) largest = rows;
    }
    if ("release" in client) (client as pg.PoolClient).release();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ items: largest }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replay(next: Statement[], inTransaction: boolean) {
      statements = next;
      transaction = inTransaction;
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Every tenth target shares an agent; each agent has a prompt of its own with the demo's three tools. */
async function createTargets(): Promise<void> {
  const demo = await db.selectFrom("agents").selectAll().executeTakeFirstOrThrow();
  const prompt = await db.selectFrom("prompts").selectAll().executeTakeFirstOrThrow();
  const tools = await db.selectFrom("prompt_tools").selectAll().execute();
  const { channel_id } = await db
    .selectFrom("channel_targets")
    .select("channel_id")
    .executeTakeFirstOrThrow();
  const at = new Date().toISOString();
  for (let n = 0; n < TARGETS / 10; n++) {
    const { id: _prompt, ...ofPrompt } = prompt;
    const copy = await db
      .insertInto("prompts")
      .values({ ...ofPrompt, llm_config: json(ofPrompt.llm_config), name: `Bench ${n}` })
      .returning("id")
      .executeTakeFirstOrThrow();
    await db
      .insertInto("prompt_tools")
      .values(tools.map((tool) => ({ ...tool, prompt_id: copy.id })))
      .execute();
    const { id: _agent, variables, prompt_tool_defaults, tool_headers: _headers, ...ofAgent } = demo;
    const agent = await db
      .insertInto("agents")
      .values({
        ...ofAgent,
        variables: json(variables),
        prompt_tool_defaults: json(prompt_tool_defaults),
        name: `Bench ${n}`,
        prompt_id: copy.id,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    await db
      .insertInto("channel_targets")
      .values(
        Array.from({ length: 10 }, (_, m) => ({
          sub_organization_id: caller.sub_organization_id,
          channel_id,
          agent_id: agent.id,
          target: `bench-${n}-${m}`,
          target_mode: "chat",
          updated_at: at,
          last_updated_by: caller.email,
        })),
      )
      .execute();
  }
}

async function createCampaign() {
  const channel = await db
    .insertInto("channels")
    .values({
      organization_id: caller.organization_id,
      name: "Bench phone",
      channel_service: "sip",
      supported_modes: "voice",
      config: json({}),
      updated_at: new Date().toISOString(),
      last_updated_by: caller.email,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const send = async (method: "POST", path: string, body: object) => {
    const answer = await api.server.inject({ method, url: path, headers, payload: JSON.stringify(body) });
    if (answer.statusCode !== 200) throw new Error(answer.body);
    return answer.json();
  };
  const { agent_id } = await db.selectFrom("channel_targets").select("agent_id").executeTakeFirstOrThrow();
  await send("POST", `/api/v1/channels/${channel.id}/targets`, {
    agent_id,
    channel_id: channel.id,
    target: "+15125550000",
    target_mode: "voice",
  });
  return send("POST", "/api/v1/outbound/campaigns", {
    campaign_name: "Bench",
    campaign_variables: { a: "b" },
    caller_id: "+15125550000",
    source: "+15125550000",
    mode: "voice",
    active_days: ["mon", "tue", "wed"],
    daily_start_time: "09:00:00",
    daily_end_time: "17:00:00",
    outreach_override_rules: {
      days: { fri: { daily_end_time: "15:00:00" } },
      dates: { "2026-12-24": { active: false } },
    },
    webhooks: [{ trigger_statuses: ["COMPLETED"], url: "https://example.com/hook", request_method: "POST" }],
  });
}
