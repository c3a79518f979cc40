import { Fault } from "../../base/errors.ts";
import type { Db, Tx } from "../../db/database.ts";

/**
 * A person answers in the agent's place while this row has not expired: no turn asks a model (turns/turn.ts). Each word
 * they write and each renewal by the console extends it, so that a conversation does not wait for somebody who left.
 */
const TAKEOVER_MS = 3 * 60_000;

type TakeoverRow = { taken_by: string; taken_at: string; expires_at: string };

const takeoverOf = (db: Db, session_id: number, now: Date): Promise<TakeoverRow | undefined> =>
  db
    .selectFrom("session_takeovers")
    .select(["taken_by", "taken_at", "expires_at"])
    .where("session_id", "=", session_id)
    .where("expires_at", ">", now.toISOString())
    .executeTakeFirst();

/** The session's row is locked until the commit, so of two people who take over at once the second is told of the first. */
export async function takeOver(
  tx: Tx,
  session_id: number,
  email: string,
  now: Date,
): Promise<TakeoverRow & { is_new: boolean }> {
  const session = await lockSession(tx, session_id);
  if (session.channel === "voice")
    throw new Fault("refused", "A call can't be taken over. Whisper to the agent, or hang up.");
  if (session.channel === "email")
    throw new Fault("refused", "Mails can't be taken over. Write to the person yourself.");
  const held = await takeoverOf(tx, session_id, now);
  if (held && held.taken_by !== email) throw takenBy(held);
  const expires_at = new Date(now.getTime() + TAKEOVER_MS).toISOString();
  const taken_at = held?.taken_at ?? now.toISOString();
  const row = { taken_by: email, taken_at, expires_at };
  await tx
    .insertInto("session_takeovers")
    .values({ session_id, ...row })
    .onConflict((conflict) => conflict.column("session_id").doUpdateSet(row))
    .execute();
  return { ...row, is_new: held === undefined };
}

/** Anybody who may take over may hand back: whoever took over may be gone. False: nobody had taken over. */
export async function handBack(tx: Tx, session_id: number, now: Date): Promise<boolean> {
  const held = await tx
    .deleteFrom("session_takeovers")
    .where("session_id", "=", session_id)
    .returning("expires_at")
    .executeTakeFirst();
  return held !== undefined && new Date(held.expires_at) > now;
}

/** Refuses words of somebody who has not taken over, or whose takeover has expired meanwhile. */
export async function requireTakeover(tx: Tx, session_id: number, email: string, now: Date): Promise<void> {
  const held = await takeoverOf(tx, session_id, now);
  if (!held) throw new Fault("blocked", "The agent answers in this conversation. Take it over first.");
  if (held.taken_by !== email) throw takenBy(held);
}

const takenBy = ({ taken_by }: TakeoverRow) =>
  new Fault("blocked", `${taken_by} has taken over this conversation.`);

/** A running session, locked until the commit. */
export async function lockSession(tx: Tx, session_id: number) {
  const session = await tx
    .selectFrom("sessions")
    .select(["id", "channel", "ended_at"])
    .where("id", "=", session_id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (session.ended_at !== null) throw new Fault("blocked", "This session has ended.");
  return session;
}
