import { holdWords, MAIL_PACE, whyHeld } from "./loop-guard.ts";
import type { MailParts } from "./mail-parts.ts";
import { heardBefore, newestMailSession, type StoredMail, updateMail } from "./mail-store.ts";
import { tellHeld } from "./tell-held.ts";
import type { WrittenTarget } from "./written-target.ts";

/** Whether a mail is kept without an answer, as its sender looks like a program (dialogues/loop-guard.ts). */
export async function isHeld(
  { engine }: Pick<MailParts, "engine">,
  target: WrittenTarget,
  mail: StoredMail,
): Promise<boolean> {
  // A person has looked at it (held-message.ts).
  if (mail.released) return false;
  const { db, clock, log } = engine;
  const earlier = await heardBefore(db, mail);
  const message = { words: mail.new_text || mail.text, at: new Date(mail.created_at) };
  const held = whyHeld(earlier, message, MAIL_PACE);
  if (held === null) return false;
  const { sub_organization_id, target: our_address } = target;
  const held_in = mail.session_id ?? (await newestMailSession(db, mail));
  const about = {
    sub_organization_id,
    category: "mail" as const,
    person: mail.from_address,
    our_address,
    session_id: held_in,
    earlier,
  };
  const note = `not answered, this looks like a loop: ${holdWords(held)}`;
  await db.transaction().execute(async (tx) => {
    await updateMail(tx, mail.id, { state: "ignored", note, held, held_in }, "received");
    await tellHeld(tx, about, held, { words: message.words, at: clock.now() });
  });
  log.warn(
    { target: our_address, from: mail.from_address, held },
    "a mail is not answered: this looks like a loop",
  );
  return true;
}
