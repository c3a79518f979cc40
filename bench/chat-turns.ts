import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModel } from "../src/llm/model.ts";
import { startSession } from "../src/sessions/start-session.ts";
import { runTurn } from "../src/sessions/turn.ts";
import { endpointTool } from "../test/harness/endpoint-tool.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * What the platform adds to a chat turn when the model answers at once: leases, storing, prompt building, tool calls over
 * real HTTP to a stub in this process, events. 200 sessions, each with a turn every two seconds on average, as people
 * write; then as many turns as fit. Durable commits. Run: node bench/chat-turns.ts
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

/** Answers at once; calls the tool when the last word is "tool" and it has not been called yet. */
const instant: LanguageModel = {
  provider: "openai",
  model: "instant",
  scripted: true,
  async *stream({ messages }) {
    const last = messages.at(-1);
    const usage = { input_tokens: 100, output_tokens: 10, cached_input_tokens: null };
    if (last?.role === "user" && last.text.endsWith("tool")) {
      yield { type: "call", call: { id: `c${messages.length}`, name: "find", arguments: { day: "monday" } } };
      yield { type: "done", finish: "tool-calls", usage, warnings: [] };
      return;
    }
    for (const word of ["We ", "have ", "nine ", "and ", "two."]) yield { type: "text", delta: word };
    yield { type: "done", finish: "stop", usage, warnings: [] };
  },
};
engine.resolveModel = async () => instant;

const agent_id = await createAgent();
const rows: (string | number)[][] = [];
for (const [name, text] of [
  ["words only", "hello"],
  ["with one tool call", "use the tool"],
] as const) {
  const sessions = await openSessions();
  await Promise.all(sessions.map((id) => runTurn(engine, id, { text })));
  const paced = await pacedTurns(sessions, text);
  const fresh = await openSessions();
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
print(`\nMemory of the program after it: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
stub.close();
await platform.stop();

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

function openSessions(): Promise<number[]> {
  return Promise.all(
    Array.from({ length: SESSIONS }, async (_, n) => {
      const { session_id } = await startSession(engine, {
        sub_organization_id: caller.sub_organization_id,
        agent_id,
        channel: "chat",
        service: "webchat",
        type: "web_chat_v1",
        sid: `bench-${n}`,
        channel_target_id: null,
        source: null,
        target: "bench",
        is_test: false,
        is_outbound: false,
      });
      return session_id;
    }),
  );
}

async function createAgent(): Promise<number> {
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
  const service = await send("/api/v1/services/", { name: "Stub", description: "" });
  await send("/api/v1/tools/", {
    name: "find",
    service_id: service.id,
    definition: endpointTool("find", stubUrl),
  });
  const prompt = await send("/api/v1/prompts/", {
    name: "Bench",
    type: "prompt_v1",
    context: "You work for {{ vars.clinic }}. Today is {{ vars.session.date }}.",
    llm_config: { provider: "openai", model: "scripted" },
    tools: ["find"],
  });
  const agent = await send("/api/v1/agents/", {
    name: "Bench",
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
