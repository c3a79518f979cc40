import { TEXT_PACE, whyHeld } from "./loop-guard.ts";
import type { TextParts } from "./outbound/text-outbox.ts";
import { tellHeld } from "./tell-held.ts";
import { newestTextSession, openTextSession } from "./text-session.ts";
import { heardBefore, type StoredText, updateText } from "./text-store.ts";
import { wordsOf } from "./text-words.ts";
import type { Correspondence, WrittenTarget } from "./written-target.ts";

/** Whether it is kept without an answer, as its sender looks like a program (dialogues/loop-guard.ts). */
export async function isHeld(
  { engine }: TextParts,
  dialogue: Correspondence,
  target: WrittenTarget,
  text: StoredText,
): Promise<boolean> {
  // A person has looked at it (held-message.ts).
  if (text.released) return false;
  const { db, clock, log } = engine;
  const earlier = await heardBefore(db, text);
  const message = { words: wordsOf(text), at: new Date(text.created_at) };
  const held = whyHeld(earlier, message, TEXT_PACE);
  if (held === null) return false;
  const { sub_organization_id, target: our_address } = target;
  const session_id = text.session_id ?? (await openTextSession(db, dialogue, message.at));
  const held_in = session_id ?? (await newestTextSession(db, dialogue));
  const about = {
    sub_organization_id,
    category: "text",
    person: text.source,
    our_address,
    session_id: held_in,
  } as const;
  await db.transaction().execute(async (tx) => {
    await updateText(tx, text.id, { status: "ANSWERED", held, held_in }, clock.now());
    await tellHeld(tx, { ...about, earlier }, held, { words: message.words, at: clock.now() });
  });
  log.warn(
    { target: our_address, from: text.source, held },
    "a text is not answered: this looks like a loop",
  );
  return true;
}
