/** Background and stroke colours of each pattern; the strokes differ, so colour is not needed. */
const PATTERNS: { ground: string; ink: string; strokes: string }[] = [
  { ground: "light-dark(#2f53b5, #7a99ee)", ink: "transparent", strokes: "" },
  {
    ground: "light-dark(#f0c78a, #5f4313)",
    ink: "light-dark(#7a4a00, #f0c78a)",
    strokes: "M0 8 L8 0 M-2 2 L2 -2 M6 10 L10 6",
  },
  {
    ground: "light-dark(#b9dfc3, #1d4a2b)",
    ink: "light-dark(#14532b, #9bdcae)",
    strokes: "M2 2 h1.6 v1.6 h-1.6 z M6 6 h1.6 v1.6 h-1.6 z",
  },
  { ground: "light-dark(#e6c9f0, #472c57)", ink: "light-dark(#5d2477, #ddb4ef)", strokes: "M0 2 H8 M0 6 H8" },
  { ground: "light-dark(#f5c6c0, #5c241e)", ink: "light-dark(#8a1c12, #ffb3aa)", strokes: "M2 0 V8 M6 0 V8" },
  {
    ground: "light-dark(#d4d9e0, #39424f)",
    ink: "light-dark(#3a424e, #c3c9d2)",
    strokes: "M0 0 L8 8 M0 8 L8 0",
  },
  {
    ground: "light-dark(#e9ecf1, #2b323c)",
    ink: "light-dark(#5a6472, #a5adba)",
    strokes: "M4 4 h1.6 v1.6 h-1.6 z",
  },
  { ground: "light-dark(#b9d6f2, #1e3f5f)", ink: "light-dark(#1a4a78, #a9d0f5)", strokes: "M0 4 H8" },
  { ground: "light-dark(#f6dcae, #57431a)", ink: "light-dark(#6b4a06, #f3d395)", strokes: "M4 0 V8" },
];
export const PATTERN_COUNT = PATTERNS.length;

/** Fixed patterns of states: done is green, failed red, waiting grey. */
const MEANT: Record<string, number> = {
  COMPLETED: 2,
  FAILED: 4,
  PENDING: 5,
  INITIATED: 0,
  CONNECTED: 7,
  SKIPPED: 1,
  CANCELED: 6,
  INVALID: 8,
  DUPLICATE: 3,
};

/** Assigns a pattern to each kind: states have fixed ones, other kinds take the rest in turn. */
export function patternsOf(kinds: string[]): number[] {
  const taken = new Set(kinds.flatMap((kind) => (Object.hasOwn(MEANT, kind) ? [MEANT[kind] as number] : [])));
  const free = PATTERNS.map((_, index) => index).filter((index) => !taken.has(index));
  return kinds.map((kind) => (Object.hasOwn(MEANT, kind) ? (MEANT[kind] as number) : (free.shift() ?? 0)));
}

/** The fill of a bar, by the number of its pattern. */
export function Pattern({ id, kind }: { id: string; kind: number }) {
  const { ground, ink, strokes } = PATTERNS[kind % PATTERN_COUNT] as (typeof PATTERNS)[number];
  return (
    <pattern id={id} width="8" height="8" patternUnits="userSpaceOnUse">
      <rect width="8" height="8" style={{ fill: ground }} />
      <path d={strokes} style={{ stroke: ink, strokeWidth: 1.4, fill: ink }} />
    </pattern>
  );
}
