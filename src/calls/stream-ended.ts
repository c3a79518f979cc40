import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../db/database.ts";
import { type CallRow, callOfId, OPENING_MS, until } from "./call-store.ts";

/** Whoever holds a line that was closed stores what follows within this, or is dead. */
const SETTLING_MS = 1500;
const LOOK_MS = 50;

/** The call as it stands once whoever held its line has stored what follows; `settled` says when that is done, if it is us. */
export async function afterStream(
  db: Db,
  call: CallRow,
  settled: Promise<void> | undefined,
): Promise<CallRow | undefined> {
  await Promise.race([settled, sleep(SETTLING_MS)].filter((wait) => wait !== undefined));
  const deadline = performance.now() + SETTLING_MS;
  for (;;) {
    const now = await callOfId(db, call.id);
    if (now?.state !== "open" || settled !== undefined || performance.now() > deadline) return now;
    await sleep(LOOK_MS);
  }
}

/** The line of a dead process is to be opened anew, by whoever the carrier reaches. Undefined: it was already. */
export const reopenLine = (db: Db, call: CallRow, now: Date): Promise<{ id: number } | undefined> =>
  db
    .updateTable("calls")
    .set({
      state: "answered",
      leg: call.leg + 1,
      lease_owner: null,
      lease_expires_at: until(now, OPENING_MS),
    })
    .where("id", "=", call.id)
    .where("state", "=", "open")
    .where("leg", "=", call.leg)
    .returning("id")
    .executeTakeFirst();

/** The last words of a session where they are the agent's own; "" where nothing was said yet. */
export async function lastWords(db: Db, session_id: number): Promise<string | null> {
  const last = await db
    .selectFrom("session_messages")
    .select(["role", "text"])
    .where("session_id", "=", session_id)
    .where("aside", "=", false)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!last) return "";
  return last.role === "agent" ? last.text : null;
}
