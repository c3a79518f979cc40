import { cutTo } from "../../base/storable.ts";
import type { Tx } from "../../db/database.ts";
import { publish } from "../../events/event.ts";
import type { Engine } from "../../sessions/engine.ts";
import type { WrittenTarget } from "../written-target.ts";
import {
  type EarlierMessage,
  type HeardMessage,
  type HoldReason,
  holdWords,
  type PaceLimits,
  whyHeld,
} from "./loop-guard.ts";

/** What the loop guard compares. */
export type LoopWords = HeardMessage & {
  category: "text" | "mail";
  person: string;
  pace: PaceLimits;
  /** Of the same dialogue, since a day before. */
  earlier(): Promise<EarlierMessage[]>;
};

/** A message that waits for its answer, as the loop guard looks at it; its medium knows where it is kept. */
export type LoopMessage = LoopWords & {
  /** A person has looked at it (held-message.ts). */
  released: boolean;
  /** The session that it is shown in; null where the dialogue has had none. */
  session(): Promise<number | null>;
  /** Keeps it without an answer. */
  hold(tx: Tx, held: HoldReason, held_in: number | null): Promise<unknown>;
};

/** Whether a message is kept without an answer, as its sender looks like a program (loop-guard.ts). */
export async function isHeld(
  { db, clock, log }: Engine,
  target: WrittenTarget,
  message: LoopMessage,
): Promise<boolean> {
  if (message.released) return false;
  const earlier = await message.earlier();
  const held = whyHeld(earlier, message, message.pace);
  if (held === null) return false;
  const held_in = await message.session();
  await db.transaction().execute(async (tx) => {
    await message.hold(tx, held, held_in);
    // Once, and not for each message that is held.
    if (!earlier.at(-1)?.held) await tell(tx, target, message, held, held_in, clock.now());
  });
  const { category, person: from } = message;
  log.warn({ target: target.target, from, held }, `a ${category} is not answered: this looks like a loop`);
  return true;
}

/**
 * Whether to stop answering opt-out words: two programs that reply to each other with them are a loop like any other. The
 * opt-out itself still takes effect, so no message is held for a person to review; they are told once.
 */
export async function isLoopOfWords(
  tx: Tx,
  target: WrittenTarget,
  message: LoopWords,
  session_id: number | null,
): Promise<boolean> {
  const earlier = await message.earlier();
  const why = whyHeld(earlier, message, message.pace);
  if (why === null) return false;
  const last = earlier.at(-1);
  const isTold = last !== undefined && whyHeld(earlier.slice(0, -1), last, message.pace) !== null;
  if (!isTold) await tell(tx, target, message, why, session_id, message.at);
  return true;
}

/** Tells the people who work here that somebody is answered no more. */
const tell = (
  tx: Tx,
  { sub_organization_id, target: our_address }: WrittenTarget,
  { category, person, words }: LoopWords,
  why: HoldReason,
  session_id: number | null,
  at: Date,
): Promise<void> =>
  publish(tx, sub_organization_id, [
    {
      at,
      source: "api",
      source_id: null,
      category,
      type: "answers-held",
      description: `${person} is not answered: ${holdWords(why)}. The dialogue goes on when something different comes`,
      ...(session_id !== null && { session_id }),
      user_id: person,
      attributes: { why, our_address, words: cutTo(words, 500).toWellFormed() },
    },
  ]);
