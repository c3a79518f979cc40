import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { FAULT_POINTS } from "../../src/dialing/dialer.ts";
import { openLine } from "./line.ts";
import type { Stage } from "./stage.ts";
import { until } from "./stage.ts";

/** One way in which things go wrong. */
export type Cell = {
  name: string;
  /** Makes it happen; resolves with what there is to say of how it was got over, in milliseconds. */
  run(stage: Stage, outside: Outside): Promise<Recovery>;
};

/** `next_ms`: from the fault to the next attempt that started; `clear_ms`: until what it left behind was settled. */
export type Recovery = { next_ms: number | null; clear_ms: number | null };

export type Outside = {
  /** Kills the database's server as kill -9 does; somebody starts it again. Left out where there is none to kill. */
  killPostgres?: () => void;
};

const MOST_MS = 300_000;

/** From now: the next start of an attempt, and the end of all that is neither with a carrier nor over. */
async function recovery({ database: { db } }: Stage, fault_at: number): Promise<Recovery> {
  const startedSince = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from attempts where key > ${fault_at.toString(16).padStart(12, "0")}`.execute(db);
    return (rows[0]?.n ?? 0) > 0;
  };
  const left = await leftBehind(db, fault_at).catch(() => null);
  const [next_ms, clear_ms] = await Promise.all([
    until(startedSince, MOST_MS),
    until(async () => {
      const keys = left ?? (await leftBehind(db, fault_at));
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from attempts
        where key = any(${keys}::text[]) and state in ('CLAIMED', 'UNCERTAIN')`.execute(db);
      return rows[0]?.n === 0;
    }, MOST_MS),
  ]);
  return { next_ms, clear_ms };
}

async function leftBehind(db: Stage["database"]["db"], fault_at: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from attempts where state in ('CLAIMED', 'UNCERTAIN')
      and key <= ${(fault_at + 50).toString(16).padStart(12, "0")}`.execute(db);
  return rows.map(({ key }) => key);
}

/** One dialer dies at a point, another is started as whatever watches over processes would. */
const killedAt = (point: (typeof FAULT_POINTS)[number]): Cell => ({
  name: `kill -9 ${point.replace("-", " ")}`,
  async run(stage) {
    // Carriers are only asked about what they left us in the dark about.
    if (point.endsWith("ask")) Object.assign(stage.carrier.mood, { loses_answers: true, holds: true });
    const dying = await stage.startDialer({ die_at: { point, nth: point.endsWith("ask") ? 2 : 5 } });
    const died_at = await Promise.race([dying.died, sleep(MOST_MS, null, { ref: false })]);
    if (died_at === null) throw new Error(`the dialer never came to ${point}`);
    stage.carrier.mood.loses_answers = false;
    stage.carrier.release();
    const [found] = await Promise.all([recovery(stage, died_at), stage.startDialer()]);
    return found;
  },
});

/** A database that answers as one whose disk is full (53100) when a transaction that wrote is to be committed. */
async function diskThatFills({ database: { db } }: Stage): Promise<(is_full: boolean) => Promise<void>> {
  await sql`create table chaos_disk as select false as is_full`.execute(db);
  await sql`
    create function chaos_disk_full() returns trigger language plpgsql as $$
    begin
      if (select is_full from chaos_disk) then
        raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
      end if;
      return null;
    end $$`.execute(db);
  for (const table of ["attempts", "requests"])
    await sql`
      create constraint trigger chaos_disk after insert or update on ${sql.table(table)}
      deferrable initially deferred for each row execute function chaos_disk_full()`.execute(db);
  return async (is_full) => {
    await sql`update chaos_disk set is_full = ${is_full}`.execute(db);
  };
}

const calm = async (): Promise<Recovery> => ({ next_ms: null, clear_ms: null });

const CELLS: Cell[] = [
  ...FAULT_POINTS.map(killedAt),
  {
    name: "two dialers at once",
    async run(stage) {
      await Promise.all([stage.startDialer(), stage.startDialer()]);
      return calm();
    },
  },
  {
    name: "three dialers at once, one killed",
    async run(stage) {
      const [first] = await Promise.all([stage.startDialer(), stage.startDialer(), stage.startDialer()]);
      await sleep(3_000);
      first.kill();
      return recovery(stage, await first.died);
    },
  },
  {
    name: "one of two dialers stands still for 12 s",
    async run(stage) {
      const [first] = await Promise.all([stage.startDialer(), stage.startDialer()]);
      await sleep(3_000);
      first.kill("SIGSTOP");
      const found = recovery(stage, Date.now());
      await sleep(12_000);
      first.kill("SIGCONT");
      return found;
    },
  },
  {
    name: "one of two dialers cut off from PostgreSQL for 30 s",
    async run(stage) {
      const line = await openLine(stage.connection);
      await Promise.all([stage.startDialer({ connection: line.connection }), stage.startDialer()]);
      await sleep(3_000);
      line.cut();
      const found = recovery(stage, Date.now());
      await sleep(30_000);
      line.mend();
      return found;
    },
  },
  {
    name: "an upgrade: two dialers stopped and started, one after the other, with calls under way",
    async run(stage) {
      const old = await Promise.all([stage.startDialer(), stage.startDialer()]);
      await sleep(2_000);
      const at = Date.now();
      for (const each of old) {
        each.kill("SIGTERM");
        await each.died;
        await stage.startDialer();
      }
      return recovery(stage, at);
    },
  },
  {
    name: "PostgreSQL killed and started again",
    async run(stage, { killPostgres }) {
      await Promise.all([stage.startDialer(), stage.startDialer()]);
      await sleep(3_000);
      const at = Date.now();
      killPostgres?.();
      return recovery(stage, at);
    },
  },
  {
    name: "carrier answers nothing for 15 s, and can't be asked",
    async run(stage) {
      await stage.startDialer();
      await sleep(2_000);
      stage.carrier.mood.down = true;
      await sleep(15_000);
      stage.carrier.mood.down = false;
      return recovery(stage, Date.now());
    },
  },
  {
    name: "carrier places calls for 5 s and its answers are lost",
    async run(stage) {
      await stage.startDialer();
      await sleep(1_000);
      stage.carrier.mood.loses_answers = true;
      await sleep(5_000);
      stage.carrier.mood.loses_answers = false;
      return recovery(stage, Date.now());
    },
  },
  {
    name: "PostgreSQL has no room for 10 s: every commit that writes an attempt or a request fails",
    async run(stage) {
      const setFull = await diskThatFills(stage);
      await Promise.all([stage.startDialer(), stage.startDialer()]);
      await sleep(2_000);
      await setFull(true);
      await sleep(500);
      const before = stage.carrier.calls.size;
      await sleep(9_500);
      if (stage.carrier.calls.size > before) throw new Error("somebody was called without a stored attempt");
      await setFull(false);
      return recovery(stage, Date.now());
    },
  },
  {
    name: "the webhook's receiver takes messages and answers nothing for 5 s",
    async run(stage) {
      const receiver = await stage.startReceiver();
      await Promise.all([stage.startDialer(), stage.startDialer()]);
      await sleep(2_000);
      receiver.mood.hangs = true;
      const found = recovery(stage, Date.now());
      await sleep(5_000);
      receiver.mood.hangs = false;
      return found;
    },
  },
  {
    name: "callbacks doubled and in the wrong order, to two dialers",
    async run(stage) {
      Object.assign(stage.carrier.mood, { doubles: true, reorders: true });
      await Promise.all([stage.startDialer(), stage.startDialer()]);
      return calm();
    },
  },
  {
    name: "callbacks an hour late",
    async run(stage) {
      await stage.startDialer();
      await sleep(2_000);
      stage.carrier.mood.holds = true;
      await sleep(2_000);
      await stage.setClocks(3_600_000);
      await sleep(3_000);
      stage.carrier.release();
      return calm();
    },
  },
  {
    name: "three dialers, on machines whose clocks are five minutes ahead, right and five minutes behind",
    async run(stage) {
      for (const clock_off_ms of [300_000, 0, -300_000])
        await stage.startDialer({ clock_off_ms, asks_time: true });
      return calm();
    },
  },
  {
    name: "clocks jump two hours ahead, and back",
    async run(stage) {
      await stage.startDialer();
      await sleep(2_000);
      await stage.setClocks(7_200_000);
      await sleep(2_000);
      await stage.setClocks(0);
      return recovery(stage, Date.now());
    },
  },
];
export default CELLS;
