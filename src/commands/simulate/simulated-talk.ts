export type TalkLine = { role: string; text: string };
export type Simulated = {
  kind: "call" | "texts" | "mails";
  from: string;
  to: string;
  lines: TalkLine[];
  /** Says so where the conversation was left before its end (`cutText`, `silentText`); null: it came to its end. */
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

/** Of a conversation in which neither said anything more, without a goodbye. */
export const silentText = (after_ms: number): string =>
  `Left after ${Math.round(after_ms / 1000)} s in which neither wrote: it had not ended. Its session in the console tells what happened.`;

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
