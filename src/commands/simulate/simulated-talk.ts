export type TalkLine = { role: string; text: string };
export type Simulated = {
  kind: "call" | "texts" | "mails";
  from: string;
  to: string;
  lines: TalkLine[];
  /** It had not come to its end after so many seconds, and was not waited for any longer; null: it came to its end. */
  cut_after_s: number | null;
};

const TITLES = { call: "A call", texts: "Texts", mails: "Mails" };

/** A conversation as a person reads it, or as an object a line. */
export function printSimulated(simulated: Simulated, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(simulated)}\n`);
    return;
  }
  const { kind, from, to, lines, cut_after_s } = simulated;
  const said = lines.map(
    ({ role, text }) =>
      `  ${role === "agent" ? "agent " : "person"} › ${text.replaceAll("\n", "\n           ")}`,
  );
  const cut = cut_after_s === null ? [] : [`  ${cutText(cut_after_s)}`];
  process.stdout.write(`\n${TITLES[kind]} from ${from} to ${to}\n${[...said, ...cut].join("\n")}\n`);
}

/** "Cut after 300 s: the conversation had not ended." */
export const cutText = (seconds: number): string =>
  `Cut after ${seconds} s: the conversation had not ended, and what followed is not shown.`;

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
