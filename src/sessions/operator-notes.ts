import type { Vault } from "../base/crypto.ts";
import type { Db, Tx } from "../db/database.ts";
import { keepOriginals, loadRedactor } from "./session-redactor.ts";

/** What a person who follows a conversation writes to the model. The person in it never sees it. */
export type OperatorNote = { id: number; text: string };

/** Read by the next turn that asks a model, and by no other. */
export async function addNote(
  tx: Tx,
  vault: Vault,
  session_id: number,
  { text, written_by }: { text: string; written_by: string },
  now: Date,
): Promise<number> {
  const redactor = await loadRedactor(tx, { vault, now }, session_id);
  const { id } = await tx
    .insertInto("session_notes")
    .values({ session_id, text: redactor.redact(text), written_by, written_at: now.toISOString() })
    .returning("id")
    .executeTakeFirstOrThrow();
  await keepOriginals(tx, session_id, redactor);
  return id;
}

export async function markRead(db: Db, notes: readonly OperatorNote[], turn_index: number): Promise<void> {
  if (notes.length === 0) return;
  await db
    .updateTable("session_notes")
    .set({ turn_index })
    .where(
      "id",
      "in",
      notes.map(({ id }) => id),
    )
    .execute();
}

/** As the model reads them. */
export const operatorNotes = (notes: readonly OperatorNote[]): string[] =>
  notes.map(
    ({ text }) =>
      `A colleague who follows this conversation tells you, for your next answer: ${JSON.stringify(text)} The person does not see this note; don't mention it.`,
  );

/** For the timeline. */
export async function loadNotes(db: Db, session_id: number) {
  const rows = await db
    .selectFrom("session_notes")
    .select(["text", "written_by", "written_at as timestamp", "turn_index"])
    .where("session_id", "=", session_id)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, source: null, lang: null }));
}
