import { type RawBuilder, sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { LeaseLost } from "../jobs/lease.ts";
import type { Engine } from "../sessions/engine.ts";
import { LEASE_MS } from "../sessions/lease.ts";
import { loadRedactor, originalsInsert } from "../sessions/session-redactor.ts";
import { runTurn } from "../turns/turn.ts";
import {
  type ReachedStop,
  recordedTurn,
  type StopDecision,
  type TurnBreakpoints,
  type TurnRecord,
  TurnStopped,
} from "./recorded-turn.ts";

export type ForkRow = {
  session_id: number;
  origin_id: number | null;
  turn_index: number;
  override_timestamp: string;
  breakpoints: TurnBreakpoints;
  rounds: TurnRecord["rounds"];
  calls: TurnRecord["calls"];
  decisions: Record<string, StopDecision>;
  stop: ReachedStop | null;
  passed: number;
  run: number;
  /** Whether the turn has ended by itself, not with an abandoned session. */
  is_over: boolean;
  is_running: boolean;
  text: string;
  agent_id: number;
  test_id: string;
  ended_at: string | null;
};

/** Refuses what does not fit the stop, and writes what belongs to the same transaction. */
type OnClaim = (tx: Tx, fork: ForkRow) => Promise<void>;

/** What an author says to a turn that stands still. */
export type Going = { breakpoints?: TurnBreakpoints | undefined } & Partial<StopDecision>;

export async function findFork(
  db: Db,
  { sub_organization_id }: Caller,
  session_id: number,
  now: Date,
): Promise<ForkRow> {
  const { rows } = await sql<ForkRow>`
    select f.session_id, f.origin_id, f.turn_index, f.override_timestamp, f.breakpoints, f.rounds, f.calls, f.decisions, f.stop,
      f.passed, f.run, s.finished_turn >= f.turn_index and (f.stop is null or exists (select from session_trace t
        where t.session_id = f.session_id and t.turn_index = f.turn_index and t.category = 'turn')) as is_over,
      coalesce(f.running_since > ${stale(now)}::timestamptz or s.lease_expires_at > ${now.toISOString()}::timestamptz, false)
        as is_running,
      (select m.text from session_messages m where m.session_id = f.session_id and m.turn_index = f.turn_index
        and m.role = 'user' order by m.seq limit 1) as text,
      s.agent_id, s.channel_manager_sid as test_id, s.ended_at
    from session_forks f join sessions s on s.id = f.session_id
    where f.session_id = ${session_id} and s.sub_organization_id = ${sub_organization_id}`.execute(db);
  const [fork] = rows;
  if (!fork) throw notFound("Fork", session_id);
  return fork;
}

/** A run whose process died before it took the session's lease. */
const stale = (now: Date): string => new Date(now.getTime() - LEASE_MS).toISOString();

/** Runs the turn of a fork to its next stop, or to its end. */
export async function runFork(
  engine: Engine,
  caller: Caller,
  session_id: number,
  going: Going = {},
  onClaim: OnClaim = async () => {},
): Promise<void> {
  const fork = await claim(engine, caller, session_id, going, onClaim);
  const { text, override_timestamp, rounds, calls, breakpoints, decisions, passed } = fork;
  const { db, vault, clock } = engine;
  const redactor = await loadRedactor(db, { vault, now: clock.now() }, session_id);
  /** What the turn said so far is stored as the words of any session are. */
  const redacted = async <T>(value: T): Promise<T> => {
    const safe = redactor.redact(value);
    await originalsInsert(session_id, redactor.takeNew()).execute(db);
    return safe;
  };
  const debug = recordedTurn({
    record: redactor.restore({ rounds, calls }),
    breakpoints,
    decisions,
    passed,
    async keep(record) {
      const safe = await redacted({ rounds: record.rounds, calls: record.calls });
      await write(db, fork, { rounds: json(safe.rounds), calls: json(safe.calls) });
    },
  });
  try {
    await runTurn(engine, session_id, { text, override_timestamp, debug });
    await write(db, fork, {
      rounds: json([]),
      calls: json([]),
      decisions: json({}),
      stop: null,
      running_since: null,
    });
  } catch (error) {
    const stop = error instanceof TurnStopped ? { stop: json(await redacted(error.reached)) } : {};
    await write(db, fork, { ...stop, running_since: null });
    if (!(error instanceof TurnStopped)) throw error;
  }
}

/** Of two that continue the same turn, one does. What the author changed is stored with it. */
function claim(
  engine: Engine,
  caller: Caller,
  session_id: number,
  going: Going,
  onClaim: OnClaim,
): Promise<ForkRow> {
  return engine.db.transaction().execute(async (tx) => {
    await sql`select from session_forks where session_id = ${session_id} for update`.execute(tx);
    const now = engine.clock.now();
    const fork = await findFork(tx, caller, session_id, now);
    if (fork.ended_at !== null && !fork.is_over) throw new Fault("blocked", "This session has ended.");
    if (fork.is_over) throw new Fault("blocked", "This turn has ended. Fork the session to run it again.");
    if (fork.is_running) throw new Fault("blocked", "This turn is running.");
    await onClaim(tx, fork);
    const { stop } = fork;
    const { variables = {}, answer } = going;
    const decision = { variables, ...(answer && { answer }) };
    const next: ForkRow = {
      ...fork,
      run: fork.run + 1,
      breakpoints: going.breakpoints ?? fork.breakpoints,
      passed: stop?.number ?? fork.passed,
      decisions: stop ? { ...fork.decisions, [stop.number]: decision } : fork.decisions,
    };
    await tx
      .updateTable("session_forks")
      .set({
        run: next.run,
        running_since: now.toISOString(),
        breakpoints: json(next.breakpoints),
        passed: next.passed,
        decisions: json(next.decisions),
      })
      .where("session_id", "=", session_id)
      .execute();
    return next;
  });
}

type ForkChange = Partial<
  Record<"rounds" | "calls" | "decisions" | "stop", RawBuilder<unknown> | null> & { running_since: null }
>;

async function write(db: Db, { session_id, run }: ForkRow, change: ForkChange): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable("session_forks")
    .set(change as never)
    .where("session_id", "=", session_id)
    .where("run", "=", run)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new LeaseLost(`fork ${session_id}`);
}
