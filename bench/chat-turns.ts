import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { LanguageModel } from "../src/llm/model.ts";
import { endSession } from "../src/turns/end-session.ts";
import { startSession } from "../src/turns/start-session.ts";
import { runTurn } from "../src/turns/turn.ts";
import { endpointTool } from "../test/harness/endpoint-tool.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";
import { childrenOf, cpuOf, parentOf } from "./processor-time.ts";

/**
 * What the platform adds to a chat turn when the model answers at once: leases, storing, prompt building, tool calls over
 * real HTTP to a stub in this process, events. 200 sessions, each with a turn every two seconds on average, as people
 * write; then as many turns as fit. Durable commits. Run: node bench/chat-turns.ts
 *
 * What a workflow of ten steps adds to a turn, round by round beside the same agent without one, one turn at a time. Run:
 * node bench/chat-turns.ts workflow [rounds]
 *
 * What a turn writes to the database's log, and how many updates of rows spare the indexes; no load changes these figures.
 * Run: node bench/chat-turns.ts log [sessions]
 */
const SESSIONS = 200;
const PACE_MS = 2000;
const SECONDS = 20;

const platform = await startPlatform();
const { engine, api, caller, token } = platform;
const stub = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"slots":[{"time":"09:00"},{"time":"14:00"}]}');
});
await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
const stubUrl = `http://127.0.0.1:${(stub.address() as AddressInfo).port}/slots`;

const CALLS: Record<string, { name: string; arguments: Record<string, unknown> }> = {
  tool: { name: "find", arguments: { day: "monday" } },
  submit: { name: "answer_step", arguments: { answer: "yes" } },
};

/** Answers at once; calls a tool when the last word is "tool" or "submit" and it has not been called yet. */
const instant: LanguageModel = {
  provider: "openai",
  model: "instant",
  scripted: true,
  async *stream({ messages }) {
    const last = messages.at(-1);
    const usage = { input_tokens: 100, output_tokens: 10, cached_input_tokens: null };
    const called = last?.role === "user" ? CALLS[last.text.split(" ").at(-1) ?? ""] : undefined;
    if (called) {
      yield { type: "call", call: { id: `c${messages.length}`, ...called } };
      yield { type: "done", finish: "tool-calls", usage, warnings: [] };
      return;
    }
    for (const word of ["We ", "have ", "nine ", "and ", "two."]) yield { type: "text", delta: word };
    yield { type: "done", finish: "stop", usage, warnings: [] };
  },
};
engine.resolveModel = async () => instant;
let opened = 0;
let agents = 0;

/** Round and round, each step with an instruction and a transition that depend on what was said. */
const tenSteps = {
  type: "context",
  tool: {
    type: "function",
    function: { name: "guide", description: "guides", parameters: { type: "object", properties: {} } },
  },
  context: {
    task: {
      type: "steps",
      version: "v1alpha",
      id: "guide",
      tool: { name: "answer_step", description: "Takes the answer" },
      variables: [{ name: "answers", value: 0 }],
      steps: Array.from({ length: 10 }, (_, n) => ({
        id: `STEP_${n}`,
        goal: `Ask question ${n}`,
        instructions: [
          `Ask ${n} for {{ vars.clinic }}.`,
          { text: "Ask once more.", if: "local.answers > `3`" },
        ],
        inputs: [{ name: "answer", type: "string", required: true, description: "What they said" }],
        on: {
          submit: [
            { action: "inc", name: "local.answers" },
            { action: "save", inputs: ["answer"] },
          ],
        },
        next: [{ id: `STEP_${n}`, if: "inputs.answer == 'again'" }, `STEP_${(n + 1) % 10}`],
      })),
    },
  },
};

if (process.argv[2] === "log") await measureLog(Number(process.argv[3] ?? 400));
else if (process.argv[2] === "workflow") await compareWorkflow(Number(process.argv[3] ?? 400));
else await measureTurns();
print(`\nMemory of the program after it: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
stub.close();
await platform.stop();

async function measureTurns(): Promise<void> {
  const rows: (string | number)[][] = [];
  const agent_id = await createAgent([]);
  for (const [name, text] of [
    ["words only", "hello"],
    ["with one tool call", "use the tool"],
  ] as const) {
    const sessions = await openSessions(agent_id, SESSIONS);
    await Promise.all(sessions.map((id) => runTurn(engine, id, { text })));
    const paced = await pacedTurns(sessions, text);
    const fresh = await openSessions(agent_id, SESSIONS);
    const full = await asManyAsFit(fresh, text);
    rows.push([
      name,
      ms(median(paced)),
      ms(quantile(paced, 0.95)),
      ms(quantile(paced, 0.99)),
      paced.length,
      Math.round(full),
    ]);
  }
  print(
    `${machine()}; ${SESSIONS} concurrent sessions, a turn every ${PACE_MS / 1000} s each for ${SECONDS} s\n`,
  );
  print(
    markdownTable(["turn", "p50 ms", "p95 ms", "p99 ms", "turns measured", "turns/s when saturated"], rows),
  );
}

/** The same turns one at a time, an agent after the other in each round, so that a busy machine is busy for all of them. */
async function compareWorkflow(rounds: number): Promise<void> {
  const plain = await createAgent([]);
  const guided = await createAgent([tenSteps]);
  const kinds = [
    { name: "no workflow, words only", agent_id: plain, text: "hello" },
    { name: "ten steps, one of them active, words only", agent_id: guided, text: "hello" },
    { name: "no workflow, a tool call", agent_id: plain, text: "use the tool" },
    { name: "ten steps, a tool call", agent_id: guided, text: "use the tool" },
    { name: "ten steps, a submission that leads to the next step", agent_id: guided, text: "I submit" },
  ];
  const turns = kinds.map(() => [] as number[]);
  // A session of its own every ten rounds: what grows with the history is the same for all.
  let sessions: number[] = [];
  for (let round = -20; round < rounds; round++) {
    if (round % 10 === 0) {
      sessions = await Promise.all(
        kinds.map(async ({ agent_id }) => (await openSessions(agent_id, 1))[0] as number),
      );
    }
    for (const [index, { text }] of kinds.entries()) {
      const began = performance.now();
      const { calls } = await runTurn(engine, sessions[index] as number, { text });
      const failed = calls.find(({ error }) => error !== null);
      if (failed) throw new Error(`${failed.tool_name}: ${failed.error}`);
      if (round >= 0) turns[index]?.push(performance.now() - began);
    }
  }
  const medians = turns.map(median);
  const baselines = [0, 0, 2, 2, 2];
  print(`${machine()}; ${rounds} turns of each kind, one at a time, in turn\n`);
  print(
    markdownTable(
      ["turn", "p50 ms", "p95 ms", "× without workflow"],
      kinds.map(({ name }, index) => [
        name,
        ms(medians[index] as number),
        ms(quantile(turns[index] as number[], 0.95)),
        ((medians[index] as number) / (medians[baselines[index] as number] as number)).toFixed(2),
      ]),
    ),
  );
}

/** Sessions of ten turns with a tool call each, one after the other, and then their ends. */
async function measureLog(chats: number): Promise<void> {
  const { db } = platform.database;
  const agent_id = await createAgent([]);
  const talk = async (sessions: number[]) => {
    for (let turn = 0; turn < 10; turn++)
      for (const id of sessions) await runTurn(engine, id, { text: "use the tool" });
  };
  // Pages that are new to a checkpoint are logged whole, so some of each table come first.
  const before = await openSessions(agent_id, 20);
  await talk(before);
  for (const id of before) await endSession(engine, id, "user");
  const place = async () =>
    (await sql<{ at: string }>`select pg_current_wal_insert_lsn()::text as at`.execute(db)).rows[0]?.at ?? "";
  const updates = async () => {
    await sleep(1500);
    return (
      await sql<{ name: string; n: number; hot: number }>`
        select relname as name, n_tup_upd as n, n_tup_hot_upd as hot from pg_stat_user_tables
        where schemaname = 'public' order by relname`.execute(db)
    ).rows;
  };
  await sql`create extension if not exists pg_walinspect`.execute(db);
  const updated = await updates();
  const started = await place();
  const sessions = await openSessions(agent_id, chats);
  const opened = await place();
  const before_cpu = { program: process.cpuUsage(), database: await databaseMs() };
  await talk(sessions);
  const used = process.cpuUsage(before_cpu.program);
  const cpu = [(used.user + used.system) / 1000, (await databaseMs()) - before_cpu.database];
  const talked = await place();
  for (const id of sessions) await endSession(engine, id, "user");
  const ended = await place();
  const after = await updates();

  const bytes = async (from: string, to: string) => {
    const { rows } = await sql<{ all: string; pages: string }>`
      select sum(combined_size)::bigint as "all", sum(fpi_size)::bigint as pages
      from pg_get_wal_stats(${from}::pg_lsn, ${to}::pg_lsn, false)`.execute(db);
    return { all: Number(rows[0]?.all), pages: Number(rows[0]?.pages) };
  };
  const parts = [
    ["a session opens", await bytes(started, opened), chats],
    ["a turn", await bytes(opened, talked), chats * 10],
    ["a session ends", await bytes(talked, ended), chats],
  ] as const;
  print(`${chats} sessions of 10 turns with a tool call\n`);
  print(
    markdownTable(
      ["what", "bytes of log", "of these whole pages"],
      parts.map(([what, of, n]) => [what, Math.round(of.all / n), Math.round(of.pages / n)]),
    ),
  );
  print(
    `\nProcessor time of a turn: the program ${ms((cpu[0] as number) / (chats * 10))} ms (with model and tool), the database ${ms((cpu[1] as number) / (chats * 10))} ms`,
  );
  const written = await sql<{ relation: string; kind: string; bytes: number; records: number }>`
    select coalesce(c.relname, '-') as relation, b.resource_manager || ' ' || b.record_type as kind,
      round(sum(b.block_data_length + b.block_fpi_length + case when b.block_id = 0 then b.main_data_length + 24 else 0 end)
        / ${chats * 10}::float8)::integer as bytes,
      round(count(*) / ${chats * 10}::float8 * 100)::integer as records
    from pg_get_wal_block_info(${opened}::pg_lsn, ${talked}::pg_lsn, false) b
    left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
    group by 1, 2 order by 3 desc limit 24`.execute(db);
  print(
    `\n${markdownTable(["table or index", "record", "bytes a turn", "records in 100 turns"], written.rows.map(Object.values))}`,
  );
  const changed = after.flatMap(({ name, n, hot }) => {
    const then = updated.find((row) => row.name === name);
    const all = n - (then?.n ?? 0);
    return all === 0 ? [] : [[name, all, ((hot - (then?.hot ?? 0)) / all).toFixed(2)]];
  });
  print(`\n${markdownTable(["table", "updates", "without an index"], changed)}`);
}

/** What all processes of the database have used. */
async function databaseMs(): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(platform.database.db);
  const postmaster = parentOf(rows[0]?.pid as number);
  return cpuOf(childrenOf(postmaster));
}

/** Each session starts at a moment of its own, so that turns arrive evenly spread, as from people. */
async function pacedTurns(sessions: number[], text: string): Promise<number[]> {
  const took: number[] = [];
  const until = performance.now() + SECONDS * 1000;
  await Promise.all(
    sessions.map(async (id, n) => {
      await sleep((n / sessions.length) * PACE_MS);
      while (performance.now() < until) {
        const began = performance.now();
        await runTurn(engine, id, { text });
        const ms = performance.now() - began;
        took.push(ms);
        await sleep(Math.max(0, PACE_MS - ms));
      }
    }),
  );
  return took;
}

async function asManyAsFit(sessions: number[], text: string): Promise<number> {
  let turns = 0;
  const seconds = 5;
  const until = performance.now() + seconds * 1000;
  await Promise.all(
    sessions.map(async (id) => {
      for (; performance.now() < until; turns++) await runTurn(engine, id, { text });
    }),
  );
  return turns / seconds;
}

function openSessions(agent_id: number, count: number): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { session_id } = await startSession(engine, {
        sub_organization_id: caller.sub_organization_id,
        agent_id,
        channel: "chat",
        service: "webchat",
        type: "web_chat_v1",
        sid: `bench-${++opened}`,
        channel_target_id: null,
        source: null,
        target: "bench",
        is_test: false,
        is_outbound: false,
        verified: true,
      });
      return session_id;
    }),
  );
}

async function createAgent(workflows: { tool: { function: { name: string } } }[]): Promise<number> {
  const send = async (path: string, body: object) => {
    const answer = await api.server.inject({
      method: "POST",
      url: path,
      headers: { "service-api-key": token, "content-type": "application/json" },
      payload: JSON.stringify(body),
    });
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`);
    return answer.json();
  };
  const n = ++agents;
  const service = await send("/api/v1/services/", { name: `Stub ${n}`, description: "" });
  const find = endpointTool("find", stubUrl);
  const tools = [...(n === 1 ? [find] : []), ...workflows];
  for (const definition of tools) {
    const { name } = definition.tool.function;
    await send("/api/v1/tools/", { name, service_id: service.id, definition });
  }
  const prompt = await send("/api/v1/prompts/", {
    name: `Bench ${n}`,
    type: "prompt_v1",
    context: "You work for {{ vars.clinic }}. Today is {{ vars.session.date }}.",
    llm_config: { provider: "openai", model: "scripted" },
    tools: ["find", ...workflows.map(({ tool }) => tool.function.name)],
  });
  const agent = await send("/api/v1/agents/", {
    name: `Bench ${n}`,
    type: "ca_v1",
    prompt_id: prompt.id,
    timezone: "America/New_York",
    prompt_tool_defaults: [],
    languages: [],
    variables: { "vars.clinic": "North" },
    tool_headers: null,
  });
  return agent.id;
}
