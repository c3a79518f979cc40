export type Line = { role: string; text: string };
export type Simulated = {
  kind: "call" | "texts" | "mails" | "test";
  from: string;
  to: string;
  lines: Line[];
};

const TITLES = { call: "A call", texts: "Texts", mails: "Mails", test: "A test session" };

/** A conversation as a person reads it, or as an object a line. */
export function printSimulated(simulated: Simulated, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(simulated)}\n`);
    return;
  }
  const { kind, from, to, lines } = simulated;
  const said = lines.map(
    ({ role, text }) =>
      `  ${role === "agent" ? "agent " : "person"} › ${text.replaceAll("\n", "\n           ")}`,
  );
  process.stdout.write(`\n${TITLES[kind]} from ${from} to ${to}\n${said.join("\n")}\n`);
}
