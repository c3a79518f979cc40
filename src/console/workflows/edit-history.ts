/** What was edited, with what it was before and what was undone. */
export type EditHistory<T> = {
  past: readonly T[];
  present: T;
  future: readonly T[];
  /** The field that was typed in last, and when: typing on in it is one edit. */
  last: { key: string; at_ms: number } | null;
};

/** So many edits can be undone. */
const MOST = 200;
/** A pause this long in typing begins another edit. */
const PAUSE_ms = 2_000;

export const beginHistory = <T>(present: T): EditHistory<T> => ({
  past: [],
  present,
  future: [],
  last: null,
});

export function edited<T>(
  { past, present, last }: EditHistory<T>,
  next: T,
  typed: { key: string; at_ms: number } | null = null,
): EditHistory<T> {
  const goesOn = typed !== null && last?.key === typed.key && typed.at_ms - last.at_ms < PAUSE_ms;
  return { past: goesOn ? past : [...past, present].slice(-MOST), present: next, future: [], last: typed };
}

export function undone<T>(history: EditHistory<T>): EditHistory<T> {
  const { past, present, future } = history;
  if (past.length === 0) return history;
  return { past: past.slice(0, -1), present: past.at(-1) as T, future: [present, ...future], last: null };
}

export function redone<T>(history: EditHistory<T>): EditHistory<T> {
  const { past, present, future } = history;
  if (future.length === 0) return history;
  return { past: [...past, present], present: future[0] as T, future: future.slice(1), last: null };
}
