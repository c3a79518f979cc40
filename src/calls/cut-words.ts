import type { Redactor } from "../redaction/redactor.ts";
import type { Engine } from "../sessions/engine.ts";
import { loadRedactor } from "../sessions/session-redactor.ts";
import { cutWords, measure, splitAtMeasure } from "./spoken-text.ts";

/** The most messages that one interruption may cut. */
const LAST_MESSAGES = 20;

/**
 * Cuts the unheard end, measured in characters (`measure`), from a session's last agent messages. The model then reads back
 * only what the person heard, and the transcript shows where the agent was interrupted.
 */
export async function cutSpokenWords(
  { db, vault, clock }: Pick<Engine, "db" | "vault" | "clock">,
  session_id: number,
  unheard: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const last = await tx
      .selectFrom("session_messages")
      .select(["seq", "text"])
      .where("session_id", "=", session_id)
      .where("role", "=", "agent")
      .where("aside", "=", false)
      .orderBy("seq", "desc")
      .limit(LAST_MESSAGES)
      .execute();
    const redactor = await loadRedactor(tx, { vault, now: clock.now() }, session_id);
    const spoken = last.map(({ seq, text }) => ({ seq, text: redactor.restore(text) }));
    const stored = new Map(last.map(({ seq, text }) => [seq, text]));
    for (const { seq, ...cut } of cutWords(spoken.toReversed(), unheard)) {
      const { text, unheard: rest } = cutOutside(redactor, stored.get(seq) as string, cut);
      await tx
        .updateTable("session_messages")
        .set({ text: redactor.seal(text), unheard: redactor.seal(rest) })
        .where("session_id", "=", session_id)
        .where("seq", "=", seq)
        .execute();
    }
  });
}

/**
 * The two parts as they are stored. Where the cut went through a value that was taken out, two halves of it would be left,
 * which no pattern finds: the value counts as heard.
 */
function cutOutside(
  redactor: Redactor,
  stored: string,
  cut: { text: string; unheard: string },
): { text: string; unheard: string } {
  if (redactor.restore(stored) === stored) return cut;
  let heard = "";
  for (const piece of stored.split(/(?=\[)|(?<=\])/)) {
    if (measure(redactor.restore(heard)) >= measure(cut.text)) break;
    const isValue = redactor.restore(piece) !== piece;
    const left = measure(cut.text) - measure(redactor.restore(heard));
    heard += isValue ? piece : splitAtMeasureKeeping(piece, left);
  }
  return { text: heard.trim(), unheard: stored.slice(heard.length).trim() };
}

/** The beginning of the text with this many counted characters, and its blanks. */
function splitAtMeasureKeeping(text: string, measured: number): string {
  if (measure(text) <= measured) return text;
  const { unheard } = splitAtMeasure(text, measured);
  return text.slice(0, text.length - unheard.length - (text.length - text.trimEnd().length));
}
