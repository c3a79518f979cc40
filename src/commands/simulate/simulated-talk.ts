export type TalkLine = { role: string; text: string };
export type Simulated = {
  kind: "call" | "texts" | "mails";
  from: string;
  to: string;
  lines: TalkLine[];
  /** Says so where the conversation was left before its end (`cutText`, `afterSilence`); null: it came to its end. */
  cut: string | null;
};

const TITLES = { call: "A call", texts: "Texts", mails: "Mails" };

/** A conversation as a person reads it, or as an object a line. */
export function printSimulated(simulated: Simulated, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(simulated)}\n`);
    return;
  }
  const { kind, from, to, lines, cut } = simulated;
  const said = lines.map(
    ({ role, text }) =>
      `  ${role === "agent" ? "agent " : "person"} › ${text.replaceAll("\n", "\n           ")}`,
  );
  process.stdout.write(
    `\n${TITLES[kind]} from ${from} to ${to}\n${[...said, ...(cut === null ? [] : [`  ${cut}`])].join("\n")}\n`,
  );
}

/** Of a conversation that was left after so long. */
export const cutText = (after_ms: number): string =>
  `Cut after ${Math.round(after_ms / 1000)} s: the conversation had not ended, and what followed is not shown.`;

/**
 * A dialogue of texts or mails is over when nobody has said anything for so long, and for so many times as long as anything
 * has taken yet: on a busy machine all takes longer. Once the person left, sooner.
 */
const SILENT_MS = 30_000;
const SILENT_TIMES = 4;
const LEFT_MS = 3_000;

/** How a dialogue ended in which nobody has said anything for `silent_ms`; null: it goes on. Pure. */
export function afterSilence(talk: {
  left: boolean;
  silent_ms: number;
  /** The longest that anything has taken so far. */
  longest_ms: number;
}): { finished: boolean; cut: string | null } | null {
  const { left, silent_ms, longest_ms } = talk;
  const allowed_ms = left ? LEFT_MS : Math.max(SILENT_MS, SILENT_TIMES * longest_ms);
  if (silent_ms <= allowed_ms) return null;
  return { finished: left, cut: left ? null : silentText(allowed_ms) };
}

const silentText = (after_ms: number): string =>
  `Stopped after ${Math.round(after_ms / 1000)} s of silence, before the conversation had ended. Its session in the console shows what happened.`;

/** How many conversations of a channel began, were answered by the agent, and came to their end. */
export type TalkCounts = { began: number; answered: number; finished: number };

const ROWS = [
  ["call", "calls"],
  ["texts", "texts"],
  ["mails", "mails"],
] as const;

/** A line for each channel, in columns, or all of it as one object. */
export function printTable(counts: ReadonlyMap<string, TalkCounts>, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ kind: "summary", channels: Object.fromEntries(counts) })}\n`);
    return;
  }
  const line = (name: string, cells: (string | number)[]) =>
    `  ${name.padEnd(8)}${cells.map((cell) => String(cell).padStart(10)).join("")}\n`;
  process.stdout.write(`\n${line("", ["began", "answered", "finished"])}`);
  for (const [kind, name] of ROWS) {
    const count = counts.get(kind);
    if (count) process.stdout.write(line(name, [count.began, count.answered, count.finished]));
  }
}
