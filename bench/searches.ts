import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * What people and probes notice while six searches for a telephone number read every session of a large database, again
 * and again: the time of a chat turn and of /readyz, quiet and beside the searches. Server, database and clients share one
 * machine. Run: node bench/searches.ts [sessions] [seconds]
 */
const SESSIONS = Number(process.argv[2] ?? 1_000_000);
const SECONDS = Number(process.argv[3] ?? 20);
const SEARCHES = 6;
const PAUSE_MS = 50;

const platform = await startPlatform();
const { api, database, token } = platform;
const url = await api.server.listen({ host: "127.0.0.1", port: 0 });

async function post(path: string, body: object) {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<{ session_id: string; token: string }>;
}

/** A new chat each time, so that no visitor's limit is met; only the message is measured. */
async function openChat() {
  const { session_id, token: chat } = await post("/chat/v1/sessions", { client_id: "demo-clinic" });
  return `/chat/v1/sessions/${session_id}/messages?token=${chat}`;
}

async function fill(): Promise<void> {
  await openChat();
  await sql`
    insert into sessions (sub_organization_id, conversation_id, agent_id, agent_name, agent_type, agent_timezone,
      prompt_id, prompt_name, prompt_version_number, channel, channel_manager_service, channel_manager_type,
      channel_manager_sid, is_test, snapshot_key, state, source, target, timestamp, last_activity_at, ended_at, end_reason)
    select s.sub_organization_id, s.conversation_id, s.agent_id, s.agent_name, s.agent_type, s.agent_timezone,
      s.prompt_id, s.prompt_name, s.prompt_version_number, s.channel, s.channel_manager_service, s.channel_manager_type,
      'bench-' || i, false, s.snapshot_key, s.state, '+1512' || lpad(i::text, 7, '0'), s.target,
      s.timestamp - i * interval '1 minute', s.timestamp - i * interval '1 minute',
      s.timestamp - i * interval '1 minute' + interval '40 seconds', 'user'
    from (select * from sessions order by id limit 1) s, generate_series(1, ${SESSIONS}::int) as i`.execute(
    database.db,
  );
  // What autovacuum does in life, some minutes after.
  await sql`vacuum analyze sessions`.execute(database.db);
}

async function measure(chats: string[], until: () => boolean, act: (chat: string) => Promise<unknown>) {
  const took: number[] = [];
  for (let n = 0; !until(); n++) {
    const began = performance.now();
    await act(chats[n % chats.length] ?? "");
    took.push(performance.now() - began);
    await sleep(PAUSE_MS);
  }
  return took;
}

const ready = async () => {
  const { status } = await fetch(`${url}/readyz`);
  if (status !== 200) throw new Error(`/readyz answered ${status}`);
};
const say = (chat: string) => post(chat, { text: "When are you open?" });

async function round(chats: string[]) {
  const end = performance.now() + SECONDS * 1000;
  const isOver = () => performance.now() > end;
  const [turns, readiness] = await Promise.all([
    measure(chats, isOver, say),
    measure(chats, isOver, () => ready()),
  ]);
  return { turns, readiness };
}

await fill();
const chats: string[] = [];
// An address opens 30 chats in a minute, and a chat takes 30 messages in one.
for (let n = 0; n < 28; n++) chats.push(await openChat());
const quiet = await round(chats.slice(0, 14));

const searches: number[] = [];
const answers = new Map<number, number>();
let isOver = false;
const searching = Array.from({ length: SEARCHES }, async (_, n) => {
  for (let round = 0; !isOver; round++) {
    const began = performance.now();
    const number = String(9_000_000 + n * 1000 + round);
    const response = await fetch(
      `${url}/api/v1/sessions/?search_fields=source&search_field_values=${number}`,
      { headers: { "service-api-key": token } },
    );
    await response.arrayBuffer();
    searches.push(performance.now() - began);
    answers.set(response.status, (answers.get(response.status) ?? 0) + 1);
  }
});
const busy = await round(chats.slice(14));
isOver = true;
await Promise.all(searching);

const row = (name: string, took: number[]) => [
  name,
  took.length,
  ms(median(took)),
  ms(quantile(took, 0.95)),
  ms(Math.max(...took)),
];
print(`${machine()}; ${SESSIONS.toLocaleString("en")} sessions, ${SECONDS} s each\n`);
print(
  markdownTable(
    ["", "count", "p50 ms", "p95 ms", "longest ms"],
    [
      row("chat turn, quiet", quiet.turns),
      row("chat turn, beside searches", busy.turns),
      row("/readyz, quiet", quiet.readiness),
      row("/readyz, beside searches", busy.readiness),
      row("a search", searches),
    ],
  ),
);
print(`\nThe searches answered ${[...answers].map(([status, n]) => `${n} × ${status}`).join(", ")}.`);
await platform.stop();
