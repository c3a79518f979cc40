import { sql } from "kysely";
import { Fault } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";

type WrittenByHand = {
  /** What the person said; `message_id` is that under which a turn would have heard it. */
  heard: { text: string; message_id: string };
  answer: string;
  /** Who answered in the agent's place. */
  written_by: string;
};

/**
 * Adds what a person said and what somebody who works here answered to a session's messages, as a turn of its own: the
 * agent reads it back as its side's words. The row is locked until the commit, so no turn begins meanwhile; one that runs
 * has the next places in its hands, and whoever answers comes again once it is over. A session that has ended stays so.
 */
export async function addTurnByHand(
  tx: Tx,
  session_id: number,
  { heard, answer, written_by }: WrittenByHand,
  now: Date,
): Promise<void> {
  const session = await tx
    .selectFrom("sessions")
    .select(["next_seq", "turn_count", "ended_at", "lease_owner", "lease_expires_at"])
    .select(sql<string>`coalesce(state ->> 'language', 'unset')`.as("lang"))
    .where("id", "=", session_id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const { next_seq, turn_count, ended_at, lease_owner, lease_expires_at, lang } = session;
  if (lease_owner !== null && lease_expires_at !== null && new Date(lease_expires_at) > now) {
    throw new Fault("too-many", "The agent is answering in this conversation. Try again in a moment.", {
      retry_after_s: 5,
    });
  }
  const turn_index = turn_count + 1;
  const said = { session_id, turn_index, lang, timestamp: now.toISOString() };
  await tx
    .insertInto("session_messages")
    .values([
      { ...said, seq: next_seq, role: "user", text: heard.text, client_message_id: heard.message_id },
      { ...said, seq: next_seq + 1, role: "agent", text: answer, written_by },
    ])
    .execute();
  await tx
    .updateTable("sessions")
    .set({
      next_seq: next_seq + 2,
      turn_count: turn_index,
      finished_turn: turn_index,
      // A turn whose lease has run out writes nothing more: its places are taken.
      lease_owner: null,
      lease_expires_at: null,
      ...(ended_at === null && { last_activity_at: now.toISOString() }),
    })
    .where("id", "=", session_id)
    .execute();
}
