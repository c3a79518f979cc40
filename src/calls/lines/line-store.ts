import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { CallLine } from "../../channels/call-socket.ts";
import type { Db } from "../../db/database.ts";
import { recordset } from "../../db/recordset.ts";
import { Leases } from "../../jobs/lease.ts";
import { bothUses, NO_USE, type VoiceUse } from "../../media/voice-use.ts";
import type { Answerer } from "../../sessions/answerer.ts";
import type { Engine } from "../../sessions/engine.ts";
import { BROWSER, CALL_COLUMNS, type CallRow, callOfId, OPENING_MS, until } from "../call-store.ts";

/** A line's lease outlives a few missed renewals. Each renewal also reads who answered. */
export const LINE_LEASE_MS = 8_000;
const RENEW_MS = 2_000;

/** Stores that the line was opened, once per leg. Undefined: it was open already, or the call has ended. */
export const openLine = (db: Db, id: number, owner: string, end: Date): Promise<CallRow | undefined> =>
  db
    .updateTable("calls")
    .set({ state: "open", lease_owner: owner, lease_expires_at: end.toISOString() })
    .where("id", "=", id)
    .where("state", "=", "answered")
    .returning(CALL_COLUMNS)
    .$castTo<CallRow>()
    .executeTakeFirst();

/**
 * The lines that this process holds. `tell` reports who answered, which another process may have learnt from the carrier.
 * The use of speech engines is stored with each renewal, so a process that dies loses two seconds of it.
 */
export const callLeases = (
  { db, clock, log, owner }: Pick<Engine, "db" | "clock" | "log" | "owner">,
  tell: (id: number, news: { answerer: Answerer | null; hung_up_by: string | null }) => void,
  useOf: (id: number) => VoiceUse | null,
): Leases<number> =>
  new Leases(
    {
      of: "calls",
      lease_ms: LINE_LEASE_MS,
      renew_ms: RENEW_MS,
      async extend(ids, end) {
        const held = ids.map((id) => ({ id, ...used(useOf(id)) }));
        const { rows: kept } = await sql<Pick<CallRow, "id" | "answerer" | "hung_up_by">>`
          update calls c set lease_expires_at = ${end.toISOString()},
            hearing_ms = coalesce(h.hearing_ms, c.hearing_ms),
            speaking_ms = coalesce(h.speaking_ms, c.speaking_ms),
            voice_cost_usd = case when h.hearing_ms is null then c.voice_cost_usd else h.voice_cost_usd end
          from json_populate_recordset(null::calls, ${recordset<"calls">(held)}::json) as h
          where c.id = h.id and c.lease_owner = ${owner} and c.state = 'open'
          returning c.id, c.answerer, c.hung_up_by`.execute(db);
        for (const { id, ...news } of kept) tell(id, news);
        return kept.map(({ id }) => id);
      },
    },
    { clock, log },
  );

const used = (use: VoiceUse | null) =>
  use && {
    hearing_ms: Math.round(use.hearing_ms),
    speaking_ms: Math.round(use.speaking_ms),
    voice_cost_usd: use.cost_usd,
  };

/** When a line is over. Whoever opened the next one has counted on from what was stored before. */
export async function keepUse(db: Db, { id, leg }: CallRow, use: VoiceUse | null): Promise<void> {
  const values = used(use);
  if (!values) return;
  await db.updateTable("calls").set(values).where("id", "=", id).where("leg", "=", leg).execute();
}

/** With what the lines before this one came to. */
export function usedWith(
  { hearing_ms, speaking_ms, voice_cost_usd: cost_usd }: CallRow,
  line: CallLine,
): () => VoiceUse | null {
  const before = hearing_ms === null || speaking_ms === null ? NO_USE : { hearing_ms, speaking_ms, cost_usd };
  return () => (line.use ? bothUses(before, line.use()) : null);
}

/** Whether any process holds the line's lease now. */
export const isHeld = (call: CallRow, now: Date): boolean =>
  call.state === "open" && call.lease_expires_at !== null && new Date(call.lease_expires_at) > now;

/** For an installation of one process: open lines ended with the process before, unless their carrier or page reconnects. */
export async function freeLines(db: Db, now: Date): Promise<void> {
  const comesBack = sql<boolean>`is_streamed or carrier = ${BROWSER}`;
  const over = sql<string>`case when ${comesBack} then ${now.toISOString()}::timestamptz else 'epoch' end`;
  await db.updateTable("calls").set({ lease_expires_at: over }).where("state", "=", "open").execute();
}

/** This process's own last writes on a closed line take no longer. */
const SETTLING_MS = 1500;
/**
 * Another process that closed a line had stored before what follows. One whose line broke may still store what was said on
 * it, which takes this long at most; then it counts as dead, and its turn is made again.
 */
const FOREIGN_MS = 250;
const LOOK_MS = 25;

export const settledSoon = async (settled: Promise<void> | undefined): Promise<void> => {
  if (settled !== undefined) await Promise.race([settled, sleep(SETTLING_MS)]);
};

/**
 * The call after the holder of its line has stored the next step. `settled` is set when this process is the holder, and
 * resolves once that is stored.
 */
export async function afterStream(
  db: Db,
  call: CallRow,
  settled: Promise<void> | undefined,
): Promise<CallRow | undefined> {
  await settledSoon(settled);
  const deadline = performance.now() + FOREIGN_MS;
  for (;;) {
    const now = await callOfId(db, call.id);
    if (now?.state !== "open" || settled !== undefined || performance.now() > deadline) return now;
    await sleep(LOOK_MS);
  }
}

/**
 * Lets any process that the carrier or the page reaches reopen a broken line. Undefined: that was done already. A page gets
 * no more time to reconnect than any other broken line. The turn that the line's holder still runs loses its lease, so that
 * the next turn need not wait until that expires; a holder that lives can't store anything of it any more.
 */
export const reopenLine = (db: Db, call: CallRow, now: Date): Promise<{ id: number } | undefined> =>
  db
    .with("reopened", (cte) =>
      cte
        .updateTable("calls")
        .set({
          state: "answered",
          leg: call.leg + 1,
          lease_owner: null,
          lease_expires_at: until(now, call.carrier === BROWSER ? 0 : OPENING_MS),
        })
        .where("id", "=", call.id)
        .where("state", "=", "open")
        .where("leg", "=", call.leg)
        .returning(["id", "session_id"]),
    )
    .with("freed", (cte) =>
      cte
        .updateTable("sessions")
        .from("reopened")
        .set({ lease_owner: null, lease_expires_at: null })
        .whereRef("sessions.id", "=", "reopened.session_id")
        .where(sql<boolean>`starts_with(sessions.lease_owner, ${call.lease_owner} || '/')`),
    )
    .selectFrom("reopened")
    .select("id")
    .executeTakeFirst();
