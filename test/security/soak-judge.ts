/** SECURITY.md's promise: whatever one sender does, everybody else waits no longer than this for it. */
export const LONGEST_BLOCK_MS = 200;
/** Beside any attack, 95 of 100 turns take no longer than this many times what they take without. */
const MOST_RATIO = 2;
/** A turn under this is answered at once for whoever waits for it, however short the quiet ones were. */
const AT_ONCE_MS = 100;

/** Of fewer turns the slowest of twenty says nothing. */
const LEAST_TURNS = 60;

export type Block = { clock_ms: number; processor_ms: number };

/** One attack and the quiet time beside it. */
export type Figures = {
  name: string;
  tried: number;
  /** How often it was answered by which status. */
  answers: Record<string, number>;
  breaches: string[];
  turns: number;
  failed: string[];
  quiet_turns: number;
  quiet_p95_ms: number;
  p95_ms: number;
  /** The longest of each program's main loop, and the longest while nobody attacked. */
  blocks: Block[];
  quiet_block: Block;
  /** The longest of a process beside it that does nothing: what is the machine's part. */
  idle_block_ms: number;
};

export type Verdict = { faults: string[]; notes: string[] };

export const ratioOf = ({ p95_ms, quiet_p95_ms }: Pick<Figures, "p95_ms" | "quiet_p95_ms">): number =>
  p95_ms / quiet_p95_ms;

/** Ours is what the loop itself worked for; by the clock, others who had the processor count too. */
const ownBlock = ({ clock_ms, processor_ms }: Block): number => Math.min(clock_ms, processor_ms);

/** Statuses that say "not now" and "not here" on purpose. */
const isFault = (status: string): boolean => /^5\d\d$/.test(status) && status !== "501" && status !== "503";

export function judge(
  all: Figures[],
  overall: { quiet_p95_ms: number; p95_ms: number },
  ends: { died: string[]; breaches: string[] },
): Verdict {
  const faults = [...ends.died, ...ends.breaches.map((what) => `something foreign happened: ${what}`)];
  const notes: string[] = [];
  for (const figures of all) {
    const { name, answers, breaches, failed, blocks, tried, p95_ms, quiet_p95_ms } = figures;
    if (tried === 0) faults.push(`"${name}" was never tried`);
    for (const what of new Set(breaches)) faults.push(`"${name}": ${what}`);
    for (const [status, count] of Object.entries(answers))
      if (isFault(status)) faults.push(`"${name}" was answered ${status} ${count} times`);
    if (failed.length > 0)
      faults.push(
        `beside "${name}" ${failed.length} turns of chats failed: ${[...new Set(failed)].slice(0, 3).join("; ")}`,
      );
    for (const [program, block] of blocks.entries()) {
      const told = `beside "${name}" the main loop of program ${program + 1} stood still for ${block.clock_ms} ms, ${block.processor_ms} ms of them its own work`;
      if (ownBlock(block) > LONGEST_BLOCK_MS) faults.push(told);
      else if (block.clock_ms > LONGEST_BLOCK_MS) notes.push(`${told}: others had the processor`);
    }
    const enough = Math.min(figures.turns, figures.quiet_turns) >= LEAST_TURNS;
    if (enough && ratioOf(figures) > MOST_RATIO && p95_ms > AT_ONCE_MS)
      faults.push(
        `beside "${name}" the p95 of a turn was ${p95_ms} ms, ${ratioOf(figures).toFixed(2)} times the quiet ${quiet_p95_ms} ms`,
      );
  }
  if (ratioOf(overall) > MOST_RATIO)
    faults.push(
      `over all attacks the p95 of a turn was ${overall.p95_ms} ms, ${ratioOf(overall).toFixed(2)} times the quiet ${overall.quiet_p95_ms} ms`,
    );
  return { faults, notes };
}

const shown = (value: number, digits = 0): string => (Number.isFinite(value) ? value.toFixed(digits) : "–");

export const p95 = (values: number[]): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN);

const COLUMNS = ["tried", "turns", "quiet p95", "p95", "ratio", "block", "own", "idle"];
export const HEAD = `${"attack".padEnd(46)}${COLUMNS.map((each) => each.padStart(10)).join("")}  answers`;

export function row(figures: Figures): string {
  const { name, tried, turns, quiet_p95_ms, p95_ms, blocks, idle_block_ms, answers } = figures;
  const cells = [
    tried,
    turns,
    shown(quiet_p95_ms),
    shown(p95_ms),
    shown(ratioOf(figures), 1),
    Math.max(...blocks.map(({ clock_ms }) => clock_ms)),
    Math.max(...blocks.map(({ processor_ms }) => processor_ms)),
    idle_block_ms,
  ];
  const told = Object.entries(answers).map(([status, count]) => `${status}: ${count}`);
  return `${name.padEnd(46)}${cells.map((value) => String(value).padStart(10)).join("")}  ${told.join(", ")}`;
}

/** The table of docs/security.md. */
export function markdown(all: Figures[]): string {
  const head = ["Attack", "Tried", "Answers", "p95 quiet", "p95 beside", "Block", "Own", "Idle"];
  const rows = all.map(({ name, tried, answers, quiet_p95_ms, p95_ms, blocks, idle_block_ms }) => [
    name,
    tried,
    Object.entries(answers)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", "),
    shown(quiet_p95_ms),
    shown(p95_ms),
    Math.max(...blocks.map(({ clock_ms }) => clock_ms)),
    Math.max(...blocks.map(({ processor_ms }) => processor_ms)),
    idle_block_ms,
  ]);
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
