/*
 * What becomes of an agent's words on the phone: cut into pieces to speak, and, when somebody interrupts, measured by what
 * was heard. Pure. Words are measured in characters that are no blanks, since a carrier gives them back with other blanks.
 */

/** A sentence ends here if a blank follows; the marks of Chinese and Japanese need none. */
const SENTENCE_END = /[.!?…]["'”’)\]]*(?=\s)|[。！？]["'”’）」』]*|\n/g;
/** The first words of an answer may go out at a clause already, once there are enough to be worth a breath. */
const CLAUSE_END = /[,;:–—](?=\s)|[，；：、]/g;
const FIRST_CLAUSE_CHARS = 24;
/** Words that end in a full stop and no sentence. */
const ABBREVIATION = /(?:^|\s)(?:Dr|Mr|Mrs|Ms|St|Sr|Sra|Jr|Prof|No|Nr|vs|approx|e\.g|i\.e|[A-Z])\.$/;

/** An answer on its way: what was not spoken yet, and whether any of it was. */
export type Unspoken = { text: string; began: boolean };
export const NOTHING_UNSPOKEN: Unspoken = { text: "", began: false };

/** Adds what the model wrote; gives the pieces that may be spoken now. */
export function speakable(unspoken: Unspoken, delta: string): { pieces: string[]; rest: Unspoken } {
  const text = unspoken.text + delta;
  const pieces: string[] = [];
  let from = 0;
  for (const end of text.matchAll(SENTENCE_END)) {
    const to = end.index + end[0].length;
    const piece = text.slice(from, to);
    if (ABBREVIATION.test(piece)) continue;
    if (piece.trim() !== "") pieces.push(piece.trim());
    from = to;
  }
  let rest = text.slice(from);
  if (!unspoken.began && pieces.length === 0) {
    for (const end of rest.matchAll(CLAUSE_END)) {
      const to = end.index + end[0].length;
      if (to < FIRST_CLAUSE_CHARS) continue;
      pieces.push(rest.slice(0, to).trim());
      rest = rest.slice(to);
      break;
    }
  }
  return { pieces, rest: { text: rest, began: unspoken.began || pieces.length > 0 } };
}

/** The characters that count. */
export const measure = (text: string): number => text.replace(/\s/gu, "").length;

/** How much of what was said came out, by the carrier's word for it: never more than was said. */
export function heardMeasure(said: string[], heard: string): number {
  const all = said.join("").replace(/\s/gu, "");
  const part = heard.replace(/\s/gu, "");
  if (all.startsWith(part)) return part.length;
  // Some carriers give the last utterance only.
  const at = all.indexOf(part);
  if (at >= 0) return at + part.length;
  let same = 0;
  while (same < part.length && all[same] === part[same]) same++;
  return same;
}

/** The first so many characters that count, and the rest. */
export function splitAtMeasure(text: string, measured: number): { heard: string; unheard: string } {
  let seen = 0;
  let at = 0;
  for (; at < text.length && seen < measured; at++) if (!/\s/u.test(text[at] as string)) seen++;
  // Not through the middle of a character of two units.
  if (/[\uDC00-\uDFFF]/.test(text[at] ?? "")) at--;
  return { heard: text.slice(0, at).trim(), unheard: text.slice(at).trim() };
}

type StoredWords = { seq: number; text: string };
type CutWords = { seq: number; text: string; unheard: string };

/** What is to be stored when the last so many characters of these messages, oldest first, were never heard. */
export function cutWords(messages: StoredWords[], unheard: number): CutWords[] {
  const cut: CutWords[] = [];
  let left = unheard;
  for (const { seq, text } of messages.toReversed()) {
    if (left <= 0) break;
    const length = measure(text);
    const kept = Math.max(0, length - left);
    const parts = splitAtMeasure(text, kept);
    cut.push({ seq, text: parts.heard, unheard: parts.unheard });
    left -= length;
  }
  return cut;
}
