import { Fault } from "../base/errors.ts";
import { ConfigFaults } from "../config.ts";
import { nearest } from "../schemas/nearest.ts";
import { commandNamed, failureCode, print } from "./commands.ts";
import { HELP, helpOf } from "./typed/help.ts";
import { Misused } from "./typed/misused.ts";

const ALIASES = new Map([
  ["--help", "help"],
  ["-h", "help"],
  ["--version", "version"],
]);

/** `--seed=7` is the same as `--seed 7`. */
const wordsOf = (arg: string): string[] => /^(--[\w-]+)=(.*)$/s.exec(arg)?.slice(1) ?? [arg];

/** Does what a person typed after the program's name. Resolves with the exit code; whatever fails has been told then. */
export async function commandLine([given = "help", ...rest]: string[]): Promise<number> {
  const name = ALIASES.get(given) ?? given;
  try {
    return await runCommand(name, rest.flatMap(wordsOf));
  } catch (error) {
    // Faults are sentences for the person at the terminal; anything else is ours and keeps its stack.
    const known = error instanceof Fault || error instanceof ConfigFaults;
    process.stderr.write(`parley: ${known ? error.message : ((error as Error).stack ?? error)}\n`);
    if (!(error instanceof Misused)) return failureCode(name);
    process.stderr.write(`\n${helpOf(name)}`);
    return 2;
  }
}

async function runCommand(name: string, args: string[]): Promise<number> {
  const command = commandNamed(name);
  if (args.some((arg) => ALIASES.get(arg) === "help")) return print(name === "help" ? HELP : helpOf(name));
  const { flags, values = [], names } = command;
  const strange = args.find(
    (arg) => arg.startsWith("-") && arg !== "-" && ![...flags, ...values].includes(arg),
  );
  if (strange)
    throw new Misused(
      `"${name}" knows no ${strange}${nearest(strange, [...flags, ...values])}. Settings such as PORT come from the environment.`,
    );
  const unfinished = args.find((arg, index) => values.includes(arg) && !isValue(args[index + 1]));
  if (unfinished) throw new Misused(`${unfinished} needs a value.`);
  const named = args.filter((arg, index) => !arg.startsWith("-") && !values.includes(args[index - 1] ?? ""));
  if (named.length > names)
    throw new Misused(`"${name}" can't use "${named[names]}". Write names with spaces in quotes.`);
  return command.run(args);
}

const isValue = (arg: string | undefined): boolean => !!arg && (arg === "-" || !arg.startsWith("-"));
