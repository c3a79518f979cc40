/** Line differences of a text by its longest common subsequence. */
export type LineChange = { kind: "same" | "added" | "removed"; text: string };

/** With more lines than this on a side, the middle is reported as one change: the table would have a million cells. */
const MAX_LINES = 1000;

export function lineChanges(before: string, after: string): LineChange[] {
  const old = before === "" ? [] : before.split("\n");
  const now = after === "" ? [] : after.split("\n");
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  const middle = changesOf(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const same = (lines: string[]) => lines.map((text): LineChange => ({ kind: "same", text }));
  return [...same(old.slice(0, start)), ...middle, ...same(end > 0 ? old.slice(-end) : [])];
}

/** Aligns both sides of a change: removed lines stand next to the lines added in their place. */
export type LinePair = { before: LineChange | null; after: LineChange | null };

export function sideBySide(changes: readonly LineChange[]): LinePair[] {
  const pairs: LinePair[] = [];
  for (let at = 0; at < changes.length; ) {
    const change = changes[at] as LineChange;
    if (change.kind === "same") {
      pairs.push({ before: change, after: change });
      at += 1;
      continue;
    }
    let end = at;
    while (end < changes.length && changes[end]?.kind !== "same") end += 1;
    const run = changes.slice(at, end);
    const gone = run.filter(({ kind }) => kind === "removed");
    const come = run.filter(({ kind }) => kind === "added");
    for (let line = 0; line < Math.max(gone.length, come.length); line += 1) {
      pairs.push({ before: gone[line] ?? null, after: come[line] ?? null });
    }
    at = end;
  }
  return pairs;
}

/** Lines that follow each other and are either all shown or folded; `from` is the place of the first. */
export type Stretch<Line> = { from: number; lines: Line[]; isFolded: boolean };

/** So many lines are shown before and after a change. */
const AROUND = 3;
/** Fewer than so many take less room than the words that would stand for them. */
const LEAST_FOLDED = 4;

/** What changed with the lines around it; the long stretches between, which stay the same, are folded. */
export function stretches<Line>(lines: readonly Line[], isSame: (line: Line) => boolean): Stretch<Line>[] {
  const found: Stretch<Line>[] = [];
  const add = (from: number, to: number, isFolded: boolean) => {
    if (to > from) found.push({ from, lines: lines.slice(from, to), isFolded });
  };
  let shown = 0;
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && isSame(lines[end] as Line)) end += 1;
    const from = at === 0 ? 0 : at + AROUND;
    const to = end === lines.length ? end : end - AROUND;
    if (to - from >= LEAST_FOLDED) {
      add(shown, from, false);
      add(from, to, true);
      shown = to;
    }
    at = end + 1;
  }
  add(shown, lines.length, false);
  return found;
}

function changesOf(old: string[], now: string[]): LineChange[] {
  if (old.length > MAX_LINES || now.length > MAX_LINES) return [...removed(old), ...added(now)];
  // common[i][j]: length of the longest common subsequence of old from i and now from j.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      (common[i] as Uint16Array)[j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const changes: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      changes.push({ kind: "same", text: old[i] as string });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      changes.push({ kind: "removed", text: old[i] as string });
      i += 1;
    } else {
      changes.push({ kind: "added", text: now[j] as string });
      j += 1;
    }
  }
  return [...changes, ...removed(old.slice(i)), ...added(now.slice(j))];
}

const removed = (lines: string[]) => lines.map((text): LineChange => ({ kind: "removed", text }));
const added = (lines: string[]) => lines.map((text): LineChange => ({ kind: "added", text }));
