import type { Caller } from "../../api/caller.ts";
import type { Vault } from "../../base/crypto.ts";
import { randomId } from "../../base/ids.ts";
import type { Tx } from "../../db/database.ts";
import { addTurnByHand } from "../../sessions/written-by-hand.ts";
import { enqueueGoOn as goOnWithMails, wordsOf as wordsOfMail } from "../mail-dialogue.ts";
import { messageId, updateMail } from "../mail-store.ts";
import { replySubject } from "../mail-template.ts";
import { insertOutgoing } from "../outbound/mail-out-store.ts";
import { enqueueGoOn as goOnWithTexts } from "../text-dialogue.ts";
import { splitText } from "../text-split.ts";
import { insertText, updateText } from "../text-store.ts";
import { wordsOf as wordsOfText } from "../text-words.ts";
import { requireOpenWindow } from "../whatsapp-window.ts";
import type { HeldMail, HeldText } from "./held-message.ts";

/** What somebody who works here writes in the agent's place. It is sent as the agent's answers are, in the same order. */
export async function answerText(
  tx: Tx,
  vault: Vault,
  { email }: Caller,
  { id, held_in, target, text }: HeldText,
  answer: string,
  now: Date,
): Promise<void> {
  const { medium, source, key } = text;
  const dialogue = { channel_target_id: target.id, source };
  await requireOpenWindow(tx, { medium, ...dialogue }, now);
  const heard = { text: wordsOfText(text), message_id: key };
  await addTurnByHand(tx, vault, held_in, { heard, answer, written_by: email }, now);
  const answered = { status: "ANSWERED", held: null, held_in: null, released: true } as const;
  await updateText(tx, id, { ...answered, session_id: held_in }, now);
  const out = { target, medium, source, direction: "out", purpose: "answer", status: "PENDING" } as const;
  for (const [n, words] of splitText(answer, medium).entries()) {
    await insertText(tx, vault, { ...out, key: `by-hand-${id}-${n}`, text: words, session_id: held_in }, now);
  }
  await goOnWithTexts(tx, dialogue);
}

export async function answerMail(
  tx: Tx,
  vault: Vault,
  { email }: Caller,
  { id, held_in, target, mail }: HeldMail,
  answer: string,
  now: Date,
): Promise<void> {
  const heard = { text: wordsOfMail(mail, false), message_id: messageId(mail) };
  await addTurnByHand(tx, vault, held_in, { heard, answer, written_by: email }, now);
  const answered = { state: "answered", note: null, held: null, held_in: null, released: true } as const;
  await updateMail(tx, id, { ...answered, session_id: held_in }, "ignored");
  const row = {
    key: randomId(),
    target,
    session_id: held_in,
    from_name: target.agent_name,
    to_address: mail.from_address,
    subject: replySubject(mail.subject),
    text: answer,
    html: null,
    answers: mail.id,
    in_reply_to: mail.message_id,
    thread_ids: [...mail.thread_ids, mail.message_id].slice(-20),
  };
  await insertOutgoing(tx, vault, row, now);
  await goOnWithMails(tx, { channel_target_id: target.id, source: mail.from_address });
}
