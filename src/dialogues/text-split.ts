/** What Twilio takes in one text, whatever number of segments it becomes. */
export const LONGEST_TEXT = 1600;

/**
 * A long answer as texts that fit, cut where a reader would pause: between paragraphs, else sentences, else words. No
 * word is lost; only the white space of a cut is.
 */
export function splitText(text: string, longest = LONGEST_TEXT): string[] {
  const parts: string[] = [];
  let left = text.trim();
  while (left.length > longest) {
    const cut = cutWithin(left, longest);
    parts.push(left.slice(0, cut).trimEnd());
    left = left.slice(cut).trimStart();
  }
  if (left !== "") parts.push(left);
  return parts;
}

/** Later than this share of what fits, a finer cut is worth it. */
const FULL_ENOUGH = 0.5;
const PAUSES = [/\n\s*\n/g, /[.!?…。！？]["')\]]*\s/gu, /\n/g, /\s/g];

function cutWithin(text: string, longest: number): number {
  // One character more: a pause right behind the last that fits is the best one.
  const window = text.slice(0, longest + 1);
  for (const pause of PAUSES) {
    const last = [...window.matchAll(pause)].at(-1);
    const cut = last ? Math.min(longest, last.index + last[0].length) : 0;
    if (cut > longest * FULL_ENOUGH) return cut;
  }
  // Never between the halves of one character.
  const code = text.charCodeAt(longest - 1);
  return code >= 0xd800 && code <= 0xdbff ? longest - 1 : longest;
}
