import { sql } from "kysely";
import { Fault } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";

type WrittenByHand = {
  /** The person's message; `message_id` is the one that a turn would have stored it under. */
  heard: { text: string; message_id: string };
  answer: string;
  /** The user who answered instead of the agent. */
  written_by: string;
};

/**
 * Adds a person's message and a staff member's reply to a session as a turn of its own; the agent later reads the reply as
 * its own words. The row is locked until the commit, so no turn begins meanwhile. A running turn has reserved the next
 * positions, so the reply is refused until it is over. An ended session stays ended.
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
      // Takes the lease from a turn that let it expire, which then writes nothing to the positions used here.
      lease_owner: null,
      lease_expires_at: null,
      ...(ended_at === null && { last_activity_at: now.toISOString() }),
    })
    .where("id", "=", session_id)
    .execute();
}
