import type { Tx } from "../db/database.ts";
import { type OptOutKind, optOutReply, readOptOut } from "./opt-out-words.ts";
import { lift, type Proof, suppress } from "./suppression.ts";

/** Something that a person wrote, before any model reads it. */
export type IncomingWords = {
  sub_organization_id: number;
  medium: "sms" | "whatsapp" | "email";
  /** The person's address, normalised (address.ts). */
  address: string;
  /** Without quotes and signatures where it is a mail. */
  text: string;
  /** What the carrier took it for, and answered in our place; null: it took no notice of it. */
  answered_as: OptOutKind | null;
  at: Date;
  session_id: number | null;
  /** The carrier's id of the message. */
  message_id: string | null;
  /** The one that the conversation is in (BCP 47); null: unknown. */
  language: string | null;
  /** Whom the person knows as the sender; an agent's or an organization's name. */
  sender_name: string;
};

/** What was done, and the one answer to it; null: the carrier gave it. The message is not the model's any more. */
export type HandledOptOut = { reply: string | null; effect: "suppressed" | "restored" | "informed" };

/**
 * Does what a message of an opt-out word asks for, in the transaction that stores the message; null where it is none and
 * goes to the agent. Sent twice, it is stored once; whether the answer is given again is decided by who sends it.
 *
 * START is only such a word for somebody who said STOP; HELP only in texts, whose carriers ask for it. What the carrier
 * took for such a word is one too, in whatever words that were agreed with it.
 */
export async function handleOptOut(
  tx: Tx,
  incoming: IncomingWords,
  now: Date,
): Promise<HandledOptOut | null> {
  const { text, language, answered_as, sender_name } = incoming;
  const found = readOptOut(text, language);
  const kind = answered_as ?? found?.kind;
  if (!kind) return null;
  const effect = await carryOut(tx, incoming, kind, now);
  const reply = found && answered_as === null ? optOutReply(found, sender_name) : null;
  return effect && { reply, effect };
}

async function carryOut(
  tx: Tx,
  incoming: IncomingWords,
  kind: OptOutKind,
  now: Date,
): Promise<HandledOptOut["effect"] | null> {
  const { sub_organization_id, address, medium, text, at, session_id, message_id } = incoming;
  const through = medium === "email" ? "mail" : "text";
  const proof: Proof = { at, through, said: text, session_id, message_id };
  switch (kind) {
    case "stop":
      await suppress(
        tx,
        [{ sub_organization_id, address, scope: "all", reason: "unsubscribed", proof }],
        now,
      );
      return "suppressed";
    case "start":
      return (await lift(tx, { sub_organization_id, address, proof }, now)) ? "restored" : null;
    case "help":
      return medium === "email" ? null : "informed";
  }
}
