import { sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";
import { keepOriginals, loadRedactor } from "./session-redactor.ts";

type WrittenByHand = {
  /** The person's message; `message_id` is the one that a turn would have stored it under. Null: it is in the transcript. */
  heard: { text: string; message_id: string } | null;
  answer: string;
  /** The sender's own number of the answer; the same one twice is refused by a unique index. */
  answer_id?: string;
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
  vault: Vault,
  session_id: number,
  { heard, answer, answer_id, written_by }: WrittenByHand,
  now: Date,
): Promise<{ seq: number }> {
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
  const seq = next_seq + (heard ? 1 : 0);
  const redactor = await loadRedactor(tx, { vault, now }, session_id);
  await tx
    .insertInto("session_messages")
    .values([
      ...(heard
        ? [
            {
              ...said,
              seq: next_seq,
              role: "user" as const,
              text: redactor.redact(heard.text),
              client_message_id: heard.message_id,
            },
          ]
        : []),
      {
        ...said,
        seq,
        role: "agent" as const,
        text: redactor.redact(answer),
        written_by,
        client_message_id: answer_id ?? null,
      },
    ])
    .execute();
  await keepOriginals(tx, session_id, redactor);
  await tx
    .updateTable("sessions")
    .set({
      next_seq: seq + 1,
      turn_count: turn_index,
      finished_turn: turn_index,
      // Takes the lease from a turn that let it expire, which then writes nothing to the positions used here.
      lease_owner: null,
      lease_expires_at: null,
      ...(ended_at === null && { last_activity_at: now.toISOString() }),
    })
    .where("id", "=", session_id)
    .execute();
  return { seq };
}
