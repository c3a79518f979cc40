/** The known word that one or two letters make of a misspelt one, as the end of a sentence. */
export function nearest(word: string, known: readonly string[]): string {
  const close = known.find((candidate) => distance(word.toLowerCase(), candidate.toLowerCase()) <= 2);
  return close ? `; "${close}" may be meant` : "";
}

const LONGEST = 40;

/** Letters to add, drop or replace (Levenshtein). */
function distance(a: string, b: string): number {
  if (a.length > LONGEST || b.length > LONGEST) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
