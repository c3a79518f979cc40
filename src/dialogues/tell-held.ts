import type { Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { type EarlierMessage, type HoldReason, holdWords } from "./loop-guard.ts";

/** Tells the people who work here that somebody is answered no more: once, and not for each message that is held. */
export async function tellHeld(
  tx: Tx,
  about: {
    sub_organization_id: number;
    category: "text" | "mail";
    person: string;
    our_address: string;
    session_id: number | null;
    earlier: readonly EarlierMessage[];
  },
  why: HoldReason,
  { words, at }: { words: string; at: Date },
): Promise<void> {
  const { sub_organization_id, category, person, our_address, session_id, earlier } = about;
  if (earlier.at(-1)?.held) return;
  await publish(tx, sub_organization_id, [
    {
      at,
      source: "api",
      source_id: null,
      category,
      type: "answers-held",
      description: `${person} is not answered: ${holdWords(why)}. The dialogue goes on when something different comes`,
      ...(session_id !== null && { session_id }),
      user_id: person,
      attributes: { why, our_address, words: words.slice(0, 500).toWellFormed() },
    },
  ]);
}
