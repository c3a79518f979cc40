import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { DATABASE } from "../src/db/embedded-postgres.ts";
import { SUPERUSER } from "../src/db/postgres-folder.ts";
import { launchChromium } from "../test/harness/chromium.ts";
import { startProgram } from "../test/harness/start-program.ts";
import { machine, markdownTable, print } from "./platform.ts";
import { childrenOf, cpuOf } from "./processor-time.ts";

/**
 * What the list of running conversations costs while somebody looks at it: 500 of them, in each of which both say something
 * every ten seconds, and one open page of sessions in a real browser. Turns are written straight into the database, as any
 * process of the installation may have run them, so the program's time is the list's alone. Run:
 * node bench/live-list.ts [seconds]
 */
const SECONDS = Number(process.argv[2] ?? 30);
const SESSIONS = 500;
const PACE_S = 10;
const WARM_UP_MS = 5_000;
const LONGEST_MS = 180_000;
const SNAPSHOT = "00000000-0000-4000-8000-000000000000";

const folder = mkdtempSync(path.join(tmpdir(), "parley-live-"));
const program = await startProgram(folder);
const { url, link = "" } = program.greeting;
const postgres = path.join(folder, "data/postgres");
const [pid, , , port] = readFileSync(path.join(postgres, "postmaster.pid"), "utf8").split("\n");
const database = new pg.Client({ host: postgres, port: Number(port), user: SUPERUSER, database: DATABASE });
await database.connect();
const browser = await launchChromium();
let isOver = false;
try {
  await fill();
  const talking = talk();
  const rows = [["nobody looks", ...(await processorTime())]];
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  // The first program of a machine bundles its console meanwhile.
  page.setDefaultTimeout(LONGEST_MS);
  await page.goto(link);
  await page.getByRole("button", { name: "Without a password for now" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.goto(`${url}/console/sessions`);
  const live = page.getByRole("region", { name: "Live now" });
  await live
    .getByText(/Turn \d+ of /)
    .first()
    .waitFor();
  rows.push(["one page of sessions is open", ...(await processorTime())]);
  const shown = await live.getByText(/Turn \d+ of /).count();
  isOver = true;
  await talking;
  print(
    `${machine()}; load ${loadavg()[0]?.toFixed(1)}; ${SESSIONS} conversations, ${SESSIONS / PACE_S} turns a second, ${SECONDS} s each; ${shown} shown on the page\n`,
  );
  print(markdownTable(["", "program, % of a core", "database, % of a core"], rows));
} finally {
  isOver = true;
  await browser.close();
  await database.end().catch(() => {});
  await program.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}

async function fill(): Promise<void> {
  await database.query(
    `insert into session_snapshots (sub_organization_id, key, content) select id, $1::uuid, '{}' from sub_organizations limit 1`,
    [SNAPSHOT],
  );
  await database.query(`
    insert into conversations (id, sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type, prompt_id,
      prompt_name, prompt_version_number, llm_provider, llm_model) overriding system value
    select 1000000, id, now(), now(), 1, 'Reception', 'phone', 1, 'P', 1, 'openai', 'x' from sub_organizations limit 1`);
  await database.query(
    `insert into sessions (id, sub_organization_id, conversation_id, agent_id, agent_name, agent_type, agent_timezone, prompt_id,
      prompt_name, prompt_version_number, channel, channel_manager_service, channel_manager_type, channel_manager_sid, is_test,
      is_outbound, snapshot_key, state, source, target, timestamp, last_activity_at, turn_count, next_seq) overriding system value
    select 1000000 + n, o.id, 1000000, 1, 'Reception', 'phone', 'UTC', 1, 'P', 1, 'chat', 'webchat', 'web_chat_v1', 'live-' || n, false,
      false, $1::uuid, '{}', '+1512555' || lpad(n::text, 4, '0'), '+15125550100', now() - interval '3 minutes', now(), 1, 0
    from generate_series(1, $2::int) n, (select id from sub_organizations limit 1) o`,
    [SNAPSHOT, SESSIONS],
  );
}

/** Each tenth of a second as many turns as that takes, in turn. */
async function talk(): Promise<void> {
  const at_once = Math.round(SESSIONS / PACE_S / 10);
  for (let first = 0, began = performance.now(), ticks = 0; !isOver; ticks++) {
    await database.query(
      `with said as (
        update sessions set next_seq = next_seq + 2, turn_count = turn_count + 1, last_activity_at = now()
        where id in (select 1000001 + ($1::int + n) % $3::int from generate_series(1, $2::int) n)
        returning id, next_seq, turn_count)
      insert into session_messages (session_id, seq, turn_index, role, text, timestamp)
      select id, next_seq - 2, turn_count, 'user', 'I would like to move my appointment to another day.', now() from said
      union all
      select id, next_seq - 1, turn_count, 'agent', 'Turn ' || turn_count || ' of conversation ' || id || ': which day would suit you?', now()
      from said`,
      [first, at_once, SESSIONS],
    );
    first = (first + at_once) % SESSIONS;
    await sleep(Math.max(0, began + (ticks + 1) * 100 - performance.now()));
  }
}

/** Of the program and of its database, over some seconds; what writes the turns is neither. */
async function processorTime(): Promise<[program: string, database: string]> {
  await sleep(WARM_UP_MS);
  const servers = () => childrenOf(Number(pid));
  const [ours, theirs, from] = [cpuOf([program.pid]), cpuOf(servers()), performance.now()];
  await sleep(SECONDS * 1000);
  const took = performance.now() - from;
  const share = (used: number) => ((100 * used) / took).toFixed(1);
  return [share(cpuOf([program.pid]) - ours), share(cpuOf(servers()) - theirs)];
}
