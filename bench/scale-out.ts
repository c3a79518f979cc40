import { Pool } from "undici";
import { DATABASE_CORES, OTHER_CORES, type Program, startProcesses } from "./over-http/processes.ts";
import { makeReceptionist, openChat, poster, talk } from "./over-http/turns.ts";
import { machine, markdownTable, median, ms, print, quantile } from "./platform.ts";

/**
 * One, two and four processes of the program on one PostgreSQL, with the same people spread over them. The database has the
 * first core for itself, all else shares the second: what a turn costs either must not grow with the number of processes,
 * then the database's cores are the limit, and how many turns they carry follows. Run: node bench/scale-out.ts [seconds] [people] [processes: 1,2,4]
 */
const SECONDS = Number(process.argv[2] ?? 10);
const PEOPLE = Number(process.argv[3] ?? 20);
const PROCESSES = (process.argv[4] ?? "1,2,4").split(",").map(Number);

const { services, programs, spent, closing, close } = await startProcesses();
const [first] = await programs(1);
await makeReceptionist(first?.url ?? "", first?.token ?? "", services);

const openers = new Map<Program, Parameters<typeof talk>[0]>();
function openerOf(program: Program): Parameters<typeof talk>[0] {
  const known = openers.get(program);
  if (known) return known;
  const pool = new Pool(program.url, { connections: 200, pipelining: 1 });
  closing.push(() => pool.close());
  const post = poster(pool);
  const open = (n: number) => openChat(post, n);
  openers.set(program, open);
  return open;
}

const lines: (string | number)[][] = [];
for (const count of PROCESSES) {
  const used = await programs(count);
  const people = Array.from({ length: PEOPLE }, (_, n) => used[n % count] as Program);
  const talkUntil = (until: number) => Promise.all(people.map((program) => talk(openerOf(program), until)));
  await talkUntil(performance.now() + 3000);
  const before = spent(used);
  const began = performance.now();
  const each = await talkUntil(began + SECONDS * 1000);
  const elapsed_ms = performance.now() - began;
  const after = spent(used);
  const took = each.flat();
  const shares = used.map((one) => each.filter((_, n) => people[n] === one).flat().length);
  const database_ms = (after.database - before.database) / took.length;
  lines.push([
    count,
    Math.round((took.length / elapsed_ms) * 1000),
    ms(median(took)),
    ms(quantile(took, 0.95)),
    ms((after.program - before.program) / took.length),
    ms(database_ms),
    `${Math.round(((after.database - before.database) / elapsed_ms) * 100)} %`,
    shares.join(", "),
    Math.round((1000 / database_ms) * 4 * 0.7),
  ]);
}

print(
  `${machine()}; ${PEOPLE} people, ${SECONDS} s each, a turn with one tool call. The database on core ${DATABASE_CORES}, all else on core ${OTHER_CORES}.\n`,
);
print(
  markdownTable(
    [
      "processes",
      "turns/s",
      "p50 ms",
      "p95 ms",
      "CPU ms a turn: programs",
      "database",
      "database's core in use",
      "turns of each process",
      "turns/s of 4 cores, 70 % busy",
    ],
    lines,
  ),
);
await close();
