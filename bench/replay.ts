import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { silentLog } from "../src/base/log.ts";
import { startJobs } from "../src/jobs/runner.ts";
import type { ReplaySummary } from "../src/replays/replay-summary.ts";
import { endSession } from "../src/turns/end-session.ts";
import { startSession } from "../src/turns/start-session.ts";
import { runTurn } from "../src/turns/turn.ts";
import { endpointTool } from "../test/harness/endpoint-tool.ts";
import { machine, markdownTable, print, startPlatform } from "./platform.ts";

/**
 * Replays of 300 recorded sessions with three turns and two calls of tools each, by the shipped program with its workers:
 * of the agent as it was, of one whose guard was dropped, and of one that refuses one booking in twenty. The scripted model
 * answers at once, so this is the platform's own time. Run: node bench/replay.ts [sessions]
 */
const SESSIONS = Number(process.argv[2] ?? 300);

const platform = await startPlatform();
const { engine, api, caller, token, jobs } = platform;
const stub = createServer((request, response) => {
  const name = new URL(request.url ?? "/", "http://stub").searchParams.get("name");
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ name, number: 7 }));
});
await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
const stubUrl = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;

async function call<T>(method: "GET" | "POST" | "PUT", path: string, body?: object): Promise<T> {
  const answer = await api.server.inject({
    method,
    url: `/api/v1${path}`,
    headers: { "service-api-key": token },
    ...(body && { payload: body }),
  });
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.body}`);
  return answer.json();
}

const AGENT = [
  'on "book" -> say "What is your name?"',
  'on /my name is (\\w+)/ -> call check {"name": "{1}"}',
  'after check -> call book {"name": "{result.name}"}',
  'after book -> say "Booked as {result.number}. Anything else?"',
  'on "bye" -> call hangup {"reason": "done"}',
  'after hangup -> say ""',
];
const UNGUARDED = AGENT.map((line) =>
  line.startsWith("on /my name") ? 'on /my name is (\\w+)/ -> call book {"name": "{1}"}' : line,
);
/** Names end in two letters of twenty, so one in twenty ends in "ba". */
const FUSSY = ['on /my name is \\w+ba\\b/ -> say "I can\'t find you."', ...AGENT];

const context = (script: string[]) => `You book.\n\`\`\`script\n${script.join("\n")}\n\`\`\``;
const tools = ["check", "book", "hangup"];
const llm_config = { provider: "openai", model: "scripted" };
const service = await call<{ id: number }>("POST", "/services/", { name: "Bookings", description: "" });
const parameters = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
for (const name of ["check", "book"])
  await call("POST", "/tools/", {
    name,
    service_id: service.id,
    definition: endpointTool(name, `${stubUrl}/${name}`, { parameters }),
  });
const prompt = { name: "Booking", type: "prompt_v1", llm_config, tools };
const { id: prompt_id } = await call<{ id: number }>("POST", "/prompts/", {
  ...prompt,
  context: context(AGENT),
});
const { id: agent_id } = await call<{ id: number }>("POST", "/agents/", {
  name: "Booking",
  type: "ca_v1",
  prompt_id,
  timezone: "UTC",
  prompt_tool_defaults: [],
  languages: [],
  variables: {},
  tool_headers: null,
});

const began = performance.now();
for (let n = 0; n < SESSIONS; n++) {
  const { session_id } = await startSession(engine, {
    sub_organization_id: caller.sub_organization_id,
    agent_id,
    channel: "chat",
    service: "webchat",
    type: "webchat_v1",
    sid: `bench-${n}`,
    channel_target_id: null,
    source: `visitor-${n}`,
    target: "chat",
    is_test: false,
    is_outbound: false,
    verified: false,
  });
  const ending = `${"bcdfghjklmnpqrstvwxz"[n % 20]}a`;
  for (const text of ["I want to book", `my name is person${n}${ending}`, "bye"])
    await runTurn(engine, session_id, { text });
  await endSession(engine, session_id, "user");
}
print(`${SESSIONS} sessions recorded in ${((performance.now() - began) / 1000).toFixed(1)} s`);

const runner = await startJobs({ pool: platform.database.pool, log: silentLog, handlers: jobs });

type Told = { id: number; status: string; summary: ReplaySummary };

async function replay(script: string[]): Promise<{ seconds: number; summary: ReplaySummary }> {
  await call("PUT", "/prompts/", { id: prompt_id, ...prompt, context: context(script) });
  const before = performance.now();
  const { id } = await call<Told>("POST", `/agents/${agent_id}/replays`, { sessions: SESSIONS });
  for (;;) {
    const { status, summary } = await call<Told>("GET", `/replays/${id}`);
    if (status !== "running") return { seconds: (performance.now() - before) / 1000, summary };
    await sleep(200);
  }
}

const rows: (string | number)[][] = [];
for (const [name, script] of [
  ["as it was", AGENT],
  ["a guard dropped", UNGUARDED],
  ["refuses one in twenty", FUSSY],
] as const) {
  const { seconds, summary } = await replay(script);
  const { results, rates, verdict } = summary;
  const outcome = rates[0];
  const p = outcome?.p_corrected ?? 1;
  rows.push([
    ...[name, results.replayed, seconds.toFixed(1), ((2 * results.replayed) / seconds).toFixed(0)],
    ...[
      verdict,
      `${outcome?.baseline} → ${outcome?.candidate}`,
      p < 0.001 ? p.toExponential(1) : p.toFixed(3),
    ],
  ]);
}
print(machine());
print(
  markdownTable(
    ["candidate", "sessions", "s", "conversations/s", "verdict", "reach the recorded outcome", "corrected p"],
    rows,
  ),
);
await runner.stop();
stub.close();
await platform.stop();
