import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { openTextSession } from "./text-session.ts";
import type { Correspondence } from "./written-target.ts";

/*
 * A thumbs-up on a text reaches us as a text of its own, with the text that it is about: `Liked “See you on Tuesday.”`,
 * `👍 to “See you on Tuesday.”`. It is told by the quote, which has to be a text of ours, and by nothing but the words of
 * telephones around it; in all other words somebody says something.
 */

/** What iPhones and Google Messages write before the quote, and behind it, in the languages whose forms are known. */
const WORDS_AROUND = [
  /^(liked|disliked|loved|laughed at|emphasi[sz]ed|questioned)$/,
  /^removed an? (like|dislike|heart|laugh|exclamation|question mark) from$/,
  /^(reacted|removed) \p{RGI_Emoji} (to|from)$/v,
  /^\p{RGI_Emoji} (to|a|à|an|zu)$/v,
];
/** Whoever asks what we mean, or does not like it, waits for words. */
const WANTS_WORDS = /^(disliked|questioned|reacted (👎|❓)|👎|❓)/u;
/** Whether a question mark stands behind the last letter. */
export const asks = (text: string): boolean => /[?？؟;]/u.test(text.replace(/^.*\p{L}/su, ""));
const QUOTES = /["“”„«»「」『』]/u;
/** Telephones cut a long text in the quote; by less than this it could be any. */
const SHORTEST_CUT = 20;

/**
 * Whether a text is only a reaction to one of ours, so that an answer would answer nothing. `ours`: what we wrote in this
 * dialogue, the newest first. A reaction to a question that was asked last is an answer to it, and no mere reaction. Pure.
 */
export function isMereReaction(text: string, ours: readonly string[], is_open: boolean): boolean {
  const found = shapeOf(text);
  const at = found ? ours.findIndex((each) => isQuoteOf(found.quoted, oneLine(each))) : -1;
  if (!found || at === -1) return false;
  const isAnswer = WANTS_WORDS.test(found.around) || (at === 0 && asks(ours[0] ?? ""));
  return !(is_open && isAnswer);
}

function shapeOf(text: string): { around: string; quoted: string } | null {
  const plain = oneLine(text);
  const from = plain.search(QUOTES);
  const quoted = plain.slice(from + 1, -1);
  if (from < 1 || quoted === "" || !QUOTES.test(plain.slice(-1))) return null;
  const around = plain.slice(0, from).trim().toLowerCase();
  return WORDS_AROUND.some((words) => words.test(around)) ? { around, quoted } : null;
}

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim();

function isQuoteOf(quoted: string, text: string): boolean {
  if (quoted === text) return true;
  const beginning = /^(.*?)\s*(…|\.\.\.)$/u.exec(quoted)?.[1] ?? "";
  return beginning.length >= SHORTEST_CUT && text.startsWith(beginning);
}

/** Whether a text of theirs is kept without an answer, as a mere reaction to what the dialogue said to them before. */
export async function isKeptReaction(
  tx: Tx,
  dialogue: Correspondence & { id: number },
  { text, media }: { text: string; media: readonly unknown[] },
  now: Date,
): Promise<boolean> {
  if (media.length > 0 || shapeOf(text) === null) return false;
  const is_open = (await openTextSession(tx, dialogue, now)) !== null;
  return isMereReaction(text, await saidBefore(tx, dialogue), is_open);
}

/** The newest first. Index: text_messages_dialogue. */
async function saidBefore(
  tx: Tx,
  { channel_target_id, source, id }: Correspondence & { id: number },
): Promise<string[]> {
  const rows = await tx
    .selectFrom("text_messages")
    .select("text")
    .where("channel_target_id", "=", channel_target_id)
    .where("source", "=", source)
    .where("direction", "=", sql.lit("out"))
    .where("id", "<", id)
    .orderBy("id", "desc")
    .limit(MOST_COMPARED)
    .execute();
  return rows.map(({ text }) => text);
}
const MOST_COMPARED = 20;
